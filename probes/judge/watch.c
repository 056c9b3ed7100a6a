// SPDX-License-Identifier: Apache-2.0
// Counters that rose while it was measured, and clocks that were held down.
#include "probes/judge/watch.h"

#include <stdio.h>
#include <string.h>

#include "probes/judge/watched.h"
#include "probes/judge/words.h"

#define FEWEST 4 /* GPUs of which most tell what is usual */

/* What rose, or was set, from when on it matters, and what that is. A replay
 * or two are the link's own cure; DCGM warns of more than 8 replays of PCIe a
 * minute. */
static const struct row {
	unsigned id; /* enum gpu_value */
	int64_t least;
	unsigned code;
	const char *words;
} rows[] = {
	{ GPU_LINK_RECOVERIES, 1, FINDING_NVLINK_ERRORS, "recoveries" },
	{ GPU_LINK_REPLAYS, 9, FINDING_NVLINK_ERRORS, "replays" },
	{ GPU_LINK_CRC, 9, FINDING_NVLINK_ERRORS, "CRC errors" },
	{ GPU_PCIE_REPLAYS, 9, FINDING_PCIE_REPLAYS, "replays of PCIe" },
	{ GPU_ECC_UNCORRECTED, 1, FINDING_GPU_ECC,
	  "uncorrected memory errors" },
	{ GPU_REMAPPED, 1, FINDING_GPU_REMAP_PENDING,
	  "rows of memory replaced" },
	{ GPU_CLOCK_EVENTS, GPU_EVENTS_HEAT, FINDING_GPU_HOT, "" },
	{ GPU_CLOCK_EVENTS, GPU_EVENTS_HARDWARE, FINDING_GPU_SLOWDOWN, "" },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Findings that a row explains, where they are of the same rank. */
static const struct {
	unsigned row_code, code;
} explains[] = {
	{ FINDING_NVLINK_ERRORS, FINDING_GPU_LINK_SLOW },
	{ FINDING_NVLINK_ERRORS, FINDING_GPU_PAIR_SLOW },
	{ FINDING_NVLINK_ERRORS, FINDING_PAIR_SLOW },
	{ FINDING_NVLINK_ERRORS, FINDING_PAIR_HANG },
	{ FINDING_NVLINK_ERRORS, FINDING_PAIR_ERROR },
	{ FINDING_NVLINK_ERRORS, FINDING_GPU_HANG },
	{ FINDING_NVLINK_ERRORS, FINDING_RANK_ERROR },
	{ FINDING_NVLINK_ERRORS, FINDING_GPU_ERROR },
	{ FINDING_NVLINK_ERRORS, FINDING_DATA_CORRUPT },
	{ FINDING_PCIE_REPLAYS, FINDING_GPU_PCIE_SLOW },
	{ FINDING_PCIE_REPLAYS, FINDING_GPU_LINK_SLOW },
	{ FINDING_PCIE_REPLAYS, FINDING_PAIR_SLOW },
	{ FINDING_PCIE_REPLAYS, FINDING_RANK_ERROR },
	{ FINDING_PCIE_REPLAYS, FINDING_GPU_ERROR },
	{ FINDING_GPU_ECC, FINDING_DATA_CORRUPT },
	{ FINDING_GPU_ECC, FINDING_RANK_ERROR },
	{ FINDING_GPU_ECC, FINDING_GPU_ERROR },
	{ FINDING_GPU_HOT, FINDING_GPU_SLOW },
	{ FINDING_GPU_HOT, FINDING_GPU_LINK_SLOW },
	{ FINDING_GPU_SLOWDOWN, FINDING_GPU_SLOW },
	{ FINDING_GPU_SLOWDOWN, FINDING_GPU_LINK_SLOW },
};

/* struct sign - one row of one GPU, or of one of its links. */
struct sign {
	const struct topo_job *job;
	const struct watched *w;
	const struct row *row;
	int32_t link; /* -1 */
	int64_t value;
	char line[FINDING_TEXT_MAX];
};

static int64_t value_of(const struct watched *w, const struct row *row,
                        int32_t link)
{
	if (gpu_value_of_link(row->id))
		return w->link_rise[row->id - GPU_LINK_FIRST][link];
	if (gpu_value_is_count(row->id))
		return w->rise[row->id];
	/* The hardware slows down what is hot, too: one cause is enough. */
	if (row->least == GPU_EVENTS_HARDWARE && w->events & GPU_EVENTS_HEAT)
		return 0;
	return w->events & row->least;
}

static bool is_bad(const struct row *row, int64_t value)
{
	return gpu_value_is_count(row->id) ? value >= row->least : value != 0;
}

static int32_t links_of(const struct row *row)
{
	return gpu_value_of_link(row->id) ? GPU_LINKS_MAX : 1;
}

static bool is_usual(const struct watched_all *all, const struct row *row)
{
	size_t bad = 0;

	for (size_t i = 0; i < all->n; i++) {
		bool any = false;

		for (int32_t k = 0; k < links_of(row); k++)
			any |= is_bad(row, value_of(&all->ranks[i], row, k));
		bad += any;
	}
	return all->n >= FEWEST && bad * 2 > all->n;
}

/* Of records that say so: which trials ran, and how the GPU was at worst. */
static void span(const struct sign *s, uint32_t *ret_first, uint32_t *ret_last,
                 const struct watch **ret_worst)
{
	*ret_first = *ret_last = 0;
	*ret_worst = s->w->records[0];
	for (size_t i = 0; i < s->w->n; i++) {
		const struct watch *w = s->w->records[i];
		bool says = false;

		for (uint32_t k = 0; k < w->n; k++)
			says |= w->values[k].id == s->row->id &&
			        w->values[k].link == s->link &&
			        (gpu_value_is_count(s->row->id) ||
			         w->values[k].value & s->row->least);
		if (!says || !w->last)
			continue;
		*ret_first = *ret_first ? *ret_first : w->first;
		*ret_last = w->last;
		*ret_worst = w;
	}
}

static void say(struct sign *s)
{
	char who[WORDS_RANK_MAX], when[64], why[64], link[24] = "";
	const struct watch *worst;
	uint32_t first, last;

	span(s, &first, &last, &worst);
	watched_while(first, last, when, sizeof(when));
	(void)words_rank(s->job, s->w->rank, who);
	if (s->link >= 0)
		(void)snprintf(link, sizeof(link), ", NVLink %d", (int)s->link);
	if (gpu_value_is_count(s->row->id))
		(void)snprintf(s->line, sizeof(s->line),
		               "GPU of %.64s%s: %lld %s %s", who, link,
		               (long long)s->value, s->row->words, when);
	else
		(void)snprintf(s->line, sizeof(s->line),
		               "GPU of %.64s %s: %s; %lld C, SM clock %lld MHz",
		               who, when,
		               gpu_events_words(s->value, why, sizeof(why)),
		               (long long)watch_get(worst, GPU_TEMPERATURE, -1),
		               (long long)watch_get(worst, GPU_CLOCK_SM, -1));
}

static bool is_explained(const struct finding *f, const struct sign *s)
{
	bool same_host = !f->locus.peer_host[0] ||
	                 strcmp(f->locus.host, f->locus.peer_host) == 0;

	if (f->locus.rank != s->w->rank && f->locus.peer_rank != s->w->rank)
		return false;
	if (s->link >= 0 && !same_host)
		return false;
	for (size_t i = 0; i < sizeof(explains) / sizeof(explains[0]); i++)
		if (explains[i].row_code == s->row->code &&
		    explains[i].code == f->code)
			return true;
	return false;
}

static enum fp_status accuse(struct sign *s, struct findings *list,
                             struct fp_err *err)
{
	struct locus l = { .rank = -1, .peer_rank = -1 };
	struct finding *f;

	say(s);
	for (size_t i = 0; i < list->n; i++)
		if (is_explained(&list->f[i], s))
			finding_evidence(&list->f[i], "%s", s->line);
	watched_place(s->job, s->w, s->link, &l);
	f = watched_known(list, s->row->code, &l);
	if (!f) {
		f = findings_add(list, s->row->code);
		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to judge");
		f->locus = l;
	}
	finding_evidence(f, "%s", s->line);
	return FP_OK;
}

static enum fp_status judge_row(const struct topo_job *job,
                                const struct watched *w, const struct row *row,
                                struct findings *list, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (int32_t k = 0; k < links_of(row) && !status; k++) {
		struct sign s = { .job = job, .w = w, .row = row };

		s.link = gpu_value_of_link(row->id) ? k : -1;
		s.value = value_of(w, row, k);
		if (is_bad(row, s.value))
			status = accuse(&s, list, err);
	}
	return status;
}

enum fp_status judge_watch(const struct topo_job *job, const struct results *r,
                           struct findings *list, struct fp_err *err)
{
	struct watched_all all;
	enum fp_status status = watched_make(r, &all, err);

	if (status)
		return status;
	for (size_t i = 0; i < ROWS && !status; i++) {
		if (is_usual(&all, &rows[i]))
			continue;
		for (size_t k = 0; k < all.n && !status; k++)
			if (job->ranks[all.ranks[k].rank].host >= 0)
				status = judge_row(job, &all.ranks[k], &rows[i],
				                   list, err);
	}
	watched_done(&all);
	return status;
}
