// SPDX-License-Identifier: Apache-2.0
// A low rate beside loss: which one explains the other.
#include "probes/judge/lossy.h"

#include <math.h>

#define MATHIS 1.22
/* Measured: 0.5 to 1.7 where 1 % is lost at random, on busy cores; behind
 * policers and short queues: 3 to 10. */
#define SHARE_MOST 2.2

void judge_lossy_add(struct judge_lossy *l, const struct judge_test *t)
{
	double rtt_s, mss, loss;

	if (!t->tx || !(t->value > 0) || t->segs <= 0 || t->retrans <= 0)
		return;
	rtt_s = (double)outcome_get(t->tx, COUNTER_RTT_NS, -1) / 1e9;
	mss = (double)outcome_get(t->tx, COUNTER_SND_MSS, -1);
	loss = (double)t->retrans / (double)t->segs;
	if (!(rtt_s > 0) || !(mss > 0))
		return;
	l->sum += log(t->value * rtt_s * sqrt(loss) / (MATHIS * mss));
	l->n++;
}

double judge_lossy_share(const struct judge_lossy *l)
{
	return l->n ? exp(l->sum / (double)l->n) : 0;
}

bool judge_lossy_explains(const struct matrix_cell *cell)
{
	return cell->loss_share > 0 && cell->loss_share <= SHARE_MOST;
}
