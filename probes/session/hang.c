// SPDX-License-Identifier: Apache-2.0
// What hung so far, and whom to leave alone because of it.
#include "probes/session/hang.h"

#include <stdlib.h>

#include "probes/session/port.h"
#include "probes/trial/grow.h"

enum fp_status hang_log_init(struct hang_log *log, const struct topo_job *job,
                             struct fp_err *err)
{
	enum fp_status status;

	*log = (struct hang_log){ .job = job };
	status = session_ports_make(job, &log->leader, err);
	if (status)
		return status;
	log->sides =
		calloc(job->n_ranks + 1, HANG_FAMILY_COUNT * HANG_ROLE_COUNT *
	                                         sizeof(*log->sides));
	if (log->sides)
		return FP_OK;
	hang_log_done(log);
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
}

void hang_log_done(struct hang_log *log)
{
	if (!log)
		return;
	free(log->leader);
	free(log->sides);
	free(log->pairs);
	free(log->grams);
	*log = (struct hang_log){ 0 };
}

unsigned hang_family(const struct topo_job *job, const struct trial *t)
{
	unsigned small = t->op == OP_LATENCY ? HANG_SHM_SMALL : 0;

	if (!trial_is_pair(t))
		return HANG_FAMILY_COUNT;
	if (t->xport == XPORT_SHM || t->xport == XPORT_CUDA)
		return HANG_SHM + small;
	return small + (topo_job_same_host(job, t->src, t->dst) ? HANG_TCP_LOCAL
	                                                        : HANG_TCP_NET);
}

unsigned hang_big_family(unsigned family)
{
	return family % HANG_SHM_SMALL;
}

int32_t hang_endpoint(const struct hang_log *log, unsigned family, int32_t rank)
{
	return hang_big_family(family) == HANG_TCP_NET ? log->leader[rank]
	                                               : rank;
}

struct hang_side *hang_log_side(const struct hang_log *log, unsigned family,
                                int32_t endpoint, enum hang_role role)
{
	size_t at = family * log->job->n_ranks + (size_t)endpoint;

	return &log->sides[at * HANG_ROLE_COUNT + role];
}

static void side_pass(struct hang_side *s)
{
	s->n_partners = 0;
	s->quarantined = false;
	s->passed = true;
}

static void side_hang(struct hang_side *s, int32_t partner)
{
	s->passed = false;
	for (uint8_t i = 0; i < s->n_partners; i++)
		if (s->partners[i] == partner)
			return;
	if (s->n_partners < HANG_PARTNERS)
		s->partners[s->n_partners++] = partner;
}

struct hang_pair *hang_log_pair(const struct hang_log *log, unsigned family,
                                int32_t src, int32_t dst)
{
	for (size_t i = 0; i < log->n_pairs; i++)
		if (log->pairs[i].family == family &&
		    log->pairs[i].src == src && log->pairs[i].dst == dst)
			return &log->pairs[i];
	return NULL;
}

void hang_log_pass(struct hang_log *log, unsigned family, const struct trial *t)
{
	int32_t a = hang_endpoint(log, family, t->src);
	int32_t b = hang_endpoint(log, family, t->dst);
	struct hang_pair *p = hang_log_pair(log, family, t->src, t->dst);

	side_pass(hang_log_side(log, family, a, HANG_TX));
	side_pass(hang_log_side(log, family, b, HANG_RX));
	side_pass(hang_log_side(log, family, a, HANG_ANY));
	side_pass(hang_log_side(log, family, b, HANG_ANY));
	if (p)
		p->passes++;
	log->round_ok[family] = true;
}

enum fp_status hang_log_hang(struct hang_log *log, unsigned family,
                             const struct trial *t, uint32_t stage, bool met,
                             struct fp_err *err)
{
	int32_t a = hang_endpoint(log, family, t->src);
	int32_t b = hang_endpoint(log, family, t->dst);
	struct hang_pair *p = hang_log_pair(log, family, t->src, t->dst);
	enum fp_status status;

	if (!p) {
		status = grow_room(&log->pairs, &log->room_pairs,
		                   log->n_pairs + 1, sizeof(*log->pairs), err);
		if (status)
			return status;
		p = &log->pairs[log->n_pairs++];
		*p = (struct hang_pair){ .family = (uint8_t)family,
			                 .src = t->src,
			                 .dst = t->dst,
			                 .stage = stage,
			                 .unmet = true };
	}
	p->unmet &= !met;
	p->hangs++;
	side_hang(hang_log_side(log, family, a, HANG_TX), b);
	side_hang(hang_log_side(log, family, b, HANG_RX), a);
	side_hang(hang_log_side(log, family, a, HANG_ANY), b);
	side_hang(hang_log_side(log, family, b, HANG_ANY), a);
	log->round_hang[family] = true;
	return FP_OK;
}

static bool is_quarantined(const struct hang_log *log, unsigned family,
                           int32_t e)
{
	return hang_log_side(log, family, e, HANG_TX)->quarantined ||
	       hang_log_side(log, family, e, HANG_RX)->quarantined;
}

bool hang_log_is_blocked(const struct hang_log *log, int32_t rank)
{
	unsigned family;

	for (family = 0; family < HANG_FAMILY_COUNT; family++)
		if (is_quarantined(log, family,
		                   hang_endpoint(log, family, rank)))
			return true;
	return false;
}

/* A partner that hung with others too, in whatever role, may itself be the
 * culprit, unless it is known by now that those others are. */
static bool is_witness(const struct hang_log *log, unsigned family,
                       int32_t partner, int32_t against)
{
	const struct hang_side *s =
		hang_log_side(log, family, partner, HANG_ANY);

	if (is_quarantined(log, family, partner))
		return false;
	for (uint8_t i = 0; i < s->n_partners; i++)
		if (s->partners[i] != against &&
		    !is_quarantined(log, family, s->partners[i]))
			return false;
	return true;
}

static bool is_convicted(const struct hang_log *log, unsigned family, int32_t e,
                         enum hang_role role)
{
	const struct hang_side *s = hang_log_side(log, family, e, role);
	unsigned witnesses = 0;

	for (uint8_t i = 0; i < s->n_partners; i++)
		witnesses += is_witness(log, family, s->partners[i], e);
	return witnesses >= 2;
}

static void try_all(struct hang_log *log, unsigned family)
{
	int32_t e, n = (int32_t)log->job->n_ranks;
	bool both;

	for (e = 0; e < n; e++) {
		both = is_convicted(log, family, e, HANG_ANY);
		hang_log_side(log, family, e, HANG_TX)->convicted =
			both || is_convicted(log, family, e, HANG_TX);
		hang_log_side(log, family, e, HANG_RX)->convicted =
			both || is_convicted(log, family, e, HANG_RX);
	}
}

/* Apart from the trial: it must not depend on the order of ranks. */
static bool lock_up(struct hang_log *log, unsigned family)
{
	int32_t e, n = (int32_t)log->job->n_ranks;
	struct hang_side *s;
	bool news = false;
	unsigned role;

	for (e = 0; e < n; e++) {
		for (role = HANG_TX; role <= HANG_RX; role++) {
			s = hang_log_side(log, family, e, role);
			news |= s->convicted && !s->quarantined;
			s->quarantined |= s->convicted;
		}
	}
	return news;
}

void hang_log_settle(struct hang_log *log)
{
	bool news;
	unsigned f;

	for (f = 0; f < HANG_FAMILY_COUNT; f++) {
		news = false;
		if (log->round_hang[f]) {
			try_all(log, f);
			news = lock_up(log, f);
		}
		if (log->round_ok[f] || news)
			log->barren[f] = 0;
		else if (log->round_hang[f])
			log->barren[f]++;
		log->round_ok[f] = log->round_hang[f] = false;
	}
}

bool hang_log_is_clean(const struct hang_log *log, unsigned family,
                       int32_t endpoint)
{
	return !is_quarantined(log, family, endpoint) &&
	       !hang_log_side(log, family, endpoint, HANG_ANY)->n_partners;
}

bool hang_log_any(const struct hang_log *log)
{
	return log->n_pairs > 0;
}
