// SPDX-License-Identifier: Apache-2.0
// Ports by turns: which of the two of a bad pair it is.
#include "probes/judge/swaps.h"

#include <stdio.h>
#include <string.h>

#include "probes/judge/arms.h"
#include "probes/judge/rdma.h"
#include "topo/base/fmt.h"
#include "topo/model/rails.h"

#define SWAP_FASTER 1.2 /* times a slow pair's rate is not by chance */
#define SWAP_CONFIDENCE 0.9

enum swap_verdict swap_judge(enum swap_look src, enum swap_look dst)
{
	static const uint8_t table[SWAP_LOOKS][SWAP_LOOKS] = {
		[SWAP_GOOD] = { [SWAP_GOOD] = SWAP_BETWEEN,
		                [SWAP_BAD] = SWAP_SRC },
		[SWAP_BAD] = { [SWAP_GOOD] = SWAP_DST,
		               [SWAP_BAD] = SWAP_HOSTS },
	};

	return (enum swap_verdict)table[src][dst];
}

bool swap_is_wanted(const struct matrix *m, const struct matrix_cell *cell)
{
	return m->xport == XPORT_VERBS && m->op == OP_WRITE &&
	       m->dir == DIR_UNI && m->src_ep >= 0 && m->src_ep == m->dst_ep &&
	       judge_arm_is_wanted(cell);
}

/* struct swaps - a bad pair, and what it did with other ports. */
struct swaps {
	const struct topo_job *job;
	const struct matrix *m;
	const struct matrix_cell *cell;
	const struct matrix_cell *src, *dst; /* with another port there; NULL */
	char src_port[TOPO_PORT_MAX], dst_port[TOPO_PORT_MAX];
	enum swap_verdict verdict;
};

/* The pair by a port of another rail at one end. */
static const struct matrix_cell *swapped(const struct matrices *ms,
                                         const struct swaps *s, bool at_src)
{
	for (size_t i = 0; i < ms->n; i++) {
		const struct matrix *m = &ms->m[i];

		if (m->xport == s->m->xport && m->op == s->m->op &&
		    m->dir == s->m->dir && m->bytes == s->m->bytes &&
		    m->src_ep != m->dst_ep &&
		    (at_src ? m->dst_ep : m->src_ep) == s->m->src_ep &&
		    matrix_find(m, s->cell->src, s->cell->dst))
			return matrix_find(m, s->cell->src, s->cell->dst);
	}
	return NULL;
}

static enum swap_look look_of(const struct swaps *s,
                              const struct matrix_cell *cell)
{
	if (!cell || cell->n_tests == 0)
		return SWAP_UNTRIED;
	if (cell->value > 0 && cell->wrong_bytes == 0 && cell->n_failed == 0 &&
	    (s->cell->state != CELL_SLOW ||
	     cell->value >= SWAP_FASTER * s->cell->value))
		return SWAP_GOOD;
	return SWAP_BAD;
}

static void say_swap(struct finding *f, const char *end,
                     const struct matrix_cell *cell)
{
	char rate[FP_FMT_MAX];

	if (!cell)
		return;
	finding_evidence(f, "with another port of the %s: %s, trial %u", end,
	                 cell->value > 0 ? fp_fmt_rate(cell->value, 0, rate)
	                                 : cell_state_name(cell->state),
	                 cell->trial);
}

static unsigned code_at_port(unsigned code, unsigned direction, bool sends)
{
	switch (code) {
	case FINDING_PAIR_SLOW:
		if (direction == DIRECTION_BOTH)
			return FINDING_HCA_SLOW;
		return sends ? FINDING_PORT_TX_SLOW : FINDING_PORT_RX_SLOW;
	case FINDING_PAIR_LOSS:
		return sends ? FINDING_PORT_TX_LOSSY : FINDING_PORT_RX_LOSSY;
	case FINDING_PAIR_HANG:
	case FINDING_PAIR_ERROR:
		return FINDING_HCA_DEAD;
	default:
		return code;
	}
}

static void move_to_port(const struct swaps *s, struct finding *f)
{
	bool sends = s->verdict == SWAP_SRC;
	unsigned code = code_at_port(f->code, f->locus.direction, sends);

	/* What a pair got over stays the warning that it is. */
	if (code == f->code || f->severity < finding_info(f->code)->severity)
		return;
	f->code = code;
	f->severity = finding_info(code)->severity;
	f->confidence = SWAP_CONFIDENCE;
	if (f->locus.direction != DIRECTION_BOTH)
		f->locus.direction = code == FINDING_HCA_DEAD ? DIRECTION_BOTH
		                     : sends                  ? DIRECTION_TX
		                                              : DIRECTION_RX;
	rdma_locus(s->job, sends ? s->cell->src : s->cell->dst, s->m->src_ep,
	           &f->locus);
	(void)snprintf(f->detail, sizeof(f->detail),
	               "the pair does well with another port of this host, and "
	               "not with another one of its peer");
}

static bool is_of_way(const struct finding *f, int32_t src, int32_t dst,
                      const char *src_port, const char *dst_port)
{
	char ports[RDMA_PORTS_MAX];

	return f->locus.rank == src && f->locus.peer_rank == dst &&
	       strcmp(f->locus.device,
	              rdma_pair_ports(src_port, dst_port, ports)) == 0;
}

/* What is bad both ways at once is one finding, told by either way. */
static bool is_of_pair(const struct swaps *s, const struct finding *f)
{
	return f->locus.kind == LOCUS_PAIR &&
	       (is_of_way(f, s->cell->src, s->cell->dst, s->src_port,
	                  s->dst_port) ||
	        (f->locus.direction == DIRECTION_BOTH &&
	         is_of_way(f, s->cell->dst, s->cell->src, s->dst_port,
	                   s->src_port)));
}

static bool is_of_port(const struct swaps *s, const struct finding *f)
{
	int32_t rank = s->verdict == SWAP_SRC ? s->cell->src : s->cell->dst;

	return (s->verdict == SWAP_SRC || s->verdict == SWAP_DST) &&
	       f->locus.kind == LOCUS_PORT &&
	       strcmp(f->locus.host, topo_job_host_name(s->job, rank)) == 0 &&
	       strcmp(f->locus.device,
	              s->verdict == SWAP_SRC ? s->src_port : s->dst_port) == 0;
}

static void tell(const struct swaps *s, struct finding *f)
{
	bool pair = is_of_pair(s, f);

	if (!pair && !is_of_port(s, f))
		return;
	say_swap(f, "sender", s->src);
	say_swap(f, "receiver", s->dst);
	if (!pair)
		return;
	if (s->verdict == SWAP_SRC || s->verdict == SWAP_DST)
		move_to_port(s, f);
	else if (s->verdict == SWAP_BETWEEN)
		(void)snprintf(f->detail, sizeof(f->detail),
		               "both ports do well with others: it is the way "
		               "between the two");
	else if (s->verdict == SWAP_HOSTS)
		(void)snprintf(f->detail, sizeof(f->detail),
		               "with other ports it is the same: what the "
		               "ports of a host share (PCIe, socket, memory)");
}

static void judge_cell(const struct topo_job *job, const struct matrices *ms,
                       const struct matrix *m, const struct matrix_cell *cell,
                       struct findings *list)
{
	struct swaps s = { .job = job, .m = m, .cell = cell };

	s.src = swapped(ms, &s, true);
	s.dst = swapped(ms, &s, false);
	s.verdict = swap_judge(look_of(&s, s.src), look_of(&s, s.dst));
	if (s.verdict == SWAP_OPEN)
		return;
	(void)topo_rank_port(&job->ranks[cell->src], m->src_ep, s.src_port);
	(void)topo_rank_port(&job->ranks[cell->dst], m->dst_ep, s.dst_port);
	for (size_t i = 0; i < list->n; i++)
		tell(&s, &list->f[i]);
}

void judge_swaps(const struct topo_job *job, const struct matrices *ms,
                 struct findings *list)
{
	for (size_t i = 0; i < ms->n; i++)
		for (size_t k = 0; k < ms->m[i].n_cells; k++)
			if (swap_is_wanted(&ms->m[i], &ms->m[i].cells[k]))
				judge_cell(job, ms, &ms->m[i],
				           &ms->m[i].cells[k], list);
}
