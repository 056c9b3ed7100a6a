// SPDX-License-Identifier: Apache-2.0
// After hangs: which pairs may still be tried, and which may be tried again.
#include "probes/session/hang.h"
#include "probes/trial/grow.h"

#define HANG_BARREN_ROUNDS 3 /* nothing but hangs: give the family up */

enum fp_status hang_log_gram(struct hang_log *log, unsigned family,
                             const struct trial *t, bool small, bool full,
                             struct fp_err *err)
{
	enum fp_status status =
		grow_room(&log->grams, &log->room_grams, log->n_grams + 1,
	                  sizeof(*log->grams), err);

	if (status)
		return status;
	log->grams[log->n_grams++] = (struct hang_gram){
		.family = (uint8_t)family,
		.src = hang_endpoint(log, family, t->src),
		.dst = hang_endpoint(log, family, t->dst),
		.small = small,
		.full = full,
	};
	return FP_OK;
}

/* A pair of these two endpoints that hung and has not got through since. */
static struct hang_pair *find_hung(const struct hang_log *log, unsigned family,
                                   int32_t a, int32_t b)
{
	struct hang_pair *p;

	for (size_t i = 0; i < log->n_pairs; i++) {
		p = &log->pairs[i];
		if (p->family == family && !p->passes &&
		    hang_endpoint(log, family, p->src) == a &&
		    hang_endpoint(log, family, p->dst) == b)
			return p;
	}
	return NULL;
}

/* The other transport between the same two ranks; HANG_FAMILY_COUNT: none. */
static unsigned other_family(unsigned big)
{
	if (big == HANG_SHM)
		return HANG_TCP_LOCAL;
	return big == HANG_TCP_LOCAL ? HANG_SHM : HANG_FAMILY_COUNT;
}

/* Do @a -> @b hang over the other transport, which may be for a reason that
 * this one shares? */
struct elsewhere {
	bool pair, tx, rx; /* the pair; whatever @a sends; whatever @b gets */
};

static struct elsewhere look_elsewhere(const struct hang_log *log,
                                       unsigned family, int32_t a, int32_t b)
{
	unsigned other = other_family(hang_big_family(family));

	if (other == HANG_FAMILY_COUNT)
		return (struct elsewhere){ false, false, false };
	return (struct elsewhere){
		.pair = find_hung(log, other, a, b),
		.tx = hang_log_side(log, other, a, HANG_TX)->quarantined,
		.rx = hang_log_side(log, other, b, HANG_RX)->quarantined,
	};
}

/* Own passes of both ends clear them of what hangs elsewhere. */
static bool is_put_off_elsewhere(const struct hang_log *log, unsigned family,
                                 int32_t a, int32_t b)
{
	struct elsewhere e = look_elsewhere(log, family, a, b);
	const struct hang_pair *own = hang_log_pair(log, family, a, b);

	if (e.tx && !hang_log_side(log, family, a, HANG_TX)->passed)
		return true;
	if (e.rx && !hang_log_side(log, family, b, HANG_RX)->passed)
		return true;
	return e.pair && !e.tx && !e.rx && !(own && own->passes);
}

bool hang_log_is_hung_elsewhere(const struct hang_log *log, unsigned family,
                                int32_t src, int32_t dst)
{
	int32_t a = hang_endpoint(log, family, src);
	int32_t b = hang_endpoint(log, family, dst);
	struct elsewhere e = look_elsewhere(log, family, a, b);

	return (e.pair || e.tx || e.rx) && !find_hung(log, family, a, b);
}

static enum hang_advice advise(const struct hang_log *log, unsigned family,
                               int32_t src, int32_t dst)
{
	int32_t a, b;

	if (log->barren[family] >= HANG_BARREN_ROUNDS)
		return HANG_HOPELESS;
	a = hang_endpoint(log, family, src);
	b = hang_endpoint(log, family, dst);
	if (hang_log_side(log, family, a, HANG_TX)->quarantined ||
	    hang_log_side(log, family, b, HANG_RX)->quarantined)
		return HANG_QUARANTINE;
	if (find_hung(log, family, a, b) || find_hung(log, family, b, a) ||
	    is_put_off_elsewhere(log, family, a, b))
		return HANG_DEFER;
	return HANG_GO;
}

static enum hang_advice worse(enum hang_advice a, enum hang_advice b)
{
	return a > b ? a : b;
}

static enum hang_advice advise_both_ways(const struct hang_log *log,
                                         unsigned family, int32_t a, int32_t b)
{
	return worse(advise(log, family, a, b), advise(log, family, b, a));
}

enum hang_advice hang_log_advice(const struct hang_log *log, unsigned family,
                                 int32_t src, int32_t dst)
{
	unsigned big = hang_big_family(family);

	if (family >= HANG_FAMILY_COUNT || !log->n_pairs)
		return HANG_GO;
	if (family == big)
		return advise(log, family, src, dst);
	return worse(advise_both_ways(log, family, src, dst),
	             advise_both_ways(log, big, src, dst));
}

/* What datagrams say of one direction of one endpoint or pair. */
struct gram_count {
	unsigned n, alive;
};

static void count_gram(struct gram_count *c, bool matches, bool alive)
{
	c->n += matches;
	c->alive += matches && alive;
}

/* A stream needs full-size packets one way and small ones (acknowledgements)
 * back. Of an endpoint two partners must agree. */
bool hang_log_is_ruled_out(const struct hang_log *log, unsigned family,
                           int32_t src, int32_t dst)
{
	int32_t a = hang_endpoint(log, family, src);
	int32_t b = hang_endpoint(log, family, dst);
	struct gram_count pair[2] = { 0 }, ends[4] = { 0 };
	const struct hang_gram *g;
	size_t i;

	for (i = 0; i < log->n_grams; i++) {
		g = &log->grams[i];
		if (g->family != hang_big_family(family))
			continue;
		count_gram(&pair[0], g->src == a && g->dst == b, g->full);
		count_gram(&pair[1], g->src == b && g->dst == a, g->small);
		count_gram(&ends[0], g->src == a, g->full);
		count_gram(&ends[1], g->dst == a, g->small);
		count_gram(&ends[2], g->dst == b, g->full);
		count_gram(&ends[3], g->src == b, g->small);
	}
	for (i = 0; i < 2; i++)
		if (pair[i].n && !pair[i].alive)
			return true;
	for (i = 0; i < 4; i++)
		if (ends[i].n >= 2 && !ends[i].alive)
			return true;
	return false;
}

/* Of what hangs over the other transport one pair a reason is tried, and what
 * hung over both is settled. */
static bool may_probe(struct hang_log *log, unsigned family, int32_t a,
                      int32_t b, bool hung)
{
	struct elsewhere e = look_elsewhere(log, family, a, b);
	struct hang_side *tx = hang_log_side(log, family, a, HANG_TX);
	struct hang_side *rx = hang_log_side(log, family, b, HANG_RX);

	if (!is_put_off_elsewhere(log, family, a, b))
		return true;
	if (hung || (e.tx && tx->probed) || (e.rx && rx->probed))
		return false;
	tx->probed |= e.tx;
	rx->probed |= e.rx;
	return true;
}

/* May small ones go where big ones have to go before them, both ways? */
static bool big_ones_pass(const struct hang_log *log, unsigned family,
                          int32_t src, int32_t dst)
{
	unsigned big = hang_big_family(family);

	return family == big || advise_both_ways(log, big, src, dst) == HANG_GO;
}

/* An endpoint's role gets its chance; both of them by a pair that never met. */
static void take_chance(struct hang_log *log, unsigned family, int32_t e,
                        enum hang_role role, bool unmet)
{
	struct hang_side *tx = hang_log_side(log, family, e, HANG_TX);
	struct hang_side *rx = hang_log_side(log, family, e, HANG_RX);

	if (role == HANG_TX || unmet)
		tx->tried |= tx->quarantined;
	if (role == HANG_RX || unmet)
		rx->tried |= rx->quarantined;
}

/* One try per reason: per side that is in quarantine, and per pair that waits
 * because its other direction hung. */
bool hang_log_second_chance(struct hang_log *log, unsigned family, int32_t src,
                            int32_t dst)
{
	int32_t a = hang_endpoint(log, family, src);
	int32_t b = hang_endpoint(log, family, dst);
	struct hang_side *tx = hang_log_side(log, family, a, HANG_TX);
	struct hang_side *rx = hang_log_side(log, family, b, HANG_RX);
	struct hang_pair *own = hang_log_pair(log, family, src, dst);
	struct hang_pair *back = find_hung(log, family, b, a);

	if (log->barren[family] >= HANG_BARREN_ROUNDS ||
	    hang_log_is_ruled_out(log, family, src, dst) ||
	    !big_ones_pass(log, family, src, dst))
		return false;
	if ((tx->quarantined && tx->tried) || (rx->quarantined && rx->tried))
		return false;
	if (own && (own->hangs > 1 || own->passes > 1))
		return false;
	if (!own && find_hung(log, family, a, b))
		return false; /* other ranks' turn, once those got through */
	if (!own && back && (back->turned || back->unmet))
		return false;
	if (!may_probe(log, family, a, b, own))
		return false;
	if (back)
		back->turned = true;
	take_chance(log, family, a, HANG_TX, own && own->unmet);
	take_chance(log, family, b, HANG_RX, own && own->unmet);
	return true;
}
