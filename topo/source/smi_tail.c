// SPDX-License-Identifier: Apache-2.0
// CPU Affinity, NUMA Affinity and GPU NUMA ID of the rows of nvidia-smi topo.
#include "topo/source/smi_tail.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define TAIL_MAX 4096      /* longer ones are unclear */
#define TAIL_GLUED_MAX 256 /* longest in which cuts are tried everywhere */
#define COLUMNS 3

/* The pieces of a tail, one for each column; len 0: empty. */
struct piece {
	const char *s;
	size_t len;
};

/* A tail without its blanks, and where they were. */
struct squeezed {
	char s[TAIL_GLUED_MAX + 1];
	bool gap[TAIL_GLUED_MAX + 1]; /* a blank was before this character */
	size_t len;
};

/* What a way to cut costs: the more, the odder it is. */
#define COST_NONE 1e9
#define COST_CPUS_EMPTY 2.0 /* a cpuset can leave none */
#define COST_NUMA_EMPTY 3.0 /* N/A is written out */
#define COST_END_EMPTY 2.5  /* the last columns are not there */
#define COST_END_CUT 0.2    /* and the file ends here */
#define COST_END_MORE 0.5   /* each further one */
#define COST_UNEQUAL 1.0    /* ranges of one list differ in length */
#define COST_ODD 0.7        /* an odd number of CPUs */
#define COST_FIRST_CPU 2.0  /* CPU 0 on another node than 0 */
#define COST_NUMA_LIST 1.0  /* several nodes */
#define COST_NUMA_HIGH 2.0  /* a node number that few machines have */

static bool is_na(const struct piece *p)
{
	return p->len == 3 && strncmp(p->s, "N/A", 3) == 0;
}

/* Read the pieces as values; false if one of them cannot be. */
static bool read_values(const struct piece pieces[COLUMNS], struct tail *ret)
{
	const struct piece *cpus = &pieces[0], *numas = &pieces[1];
	const struct piece *own = &pieces[2];
	struct topo_set set = { 0 };

	ret->cpus_known = !is_na(cpus);
	ret->cpus = ret->numas = set;
	ret->gpu_numa = -1;
	if (cpus->len && !is_na(cpus) &&
	    !topo_set_read(cpus->s, cpus->len, &ret->cpus))
		return false;
	if (numas->len && !is_na(numas) &&
	    !topo_set_read(numas->s, numas->len, &ret->numas))
		return false;
	if (!own->len || is_na(own))
		return true;
	if (!topo_set_read(own->s, own->len, &set) || topo_set_count(&set) != 1)
		return false;
	ret->gpu_numa = topo_set_first(&set);
	return true;
}

static bool unequal_ranges(const struct piece *p)
{
	int64_t first = -1;
	size_t i = 0;

	while (i < p->len) {
		int64_t lo = 0, hi;

		for (; i < p->len && isdigit((unsigned char)p->s[i]); i++)
			lo = lo * 10 + (p->s[i] - '0');
		hi = lo;
		if (i < p->len && p->s[i] == '-') {
			hi = 0;
			for (i++; i < p->len && p->s[i] != ','; i++)
				hi = hi * 10 + (p->s[i] - '0');
		}
		if (first >= 0 && hi - lo != first)
			return true;
		first = hi - lo;
		i++;
	}
	return false;
}

static double cost_empty(const struct piece pieces[COLUMNS], uint32_t columns,
                         bool cut)
{
	size_t last = columns & MAP_COLUMN_GPU_NUMA ? 2
	              : columns & MAP_COLUMN_NUMAS  ? 1
	                                            : 0;
	size_t end = last + 1;
	double cost = 0;

	while (end > 1 && !pieces[end - 1].len)
		end--;
	if (end <= last)
		cost += (cut ? COST_END_CUT : COST_END_EMPTY) +
		        COST_END_MORE * (double)(last - end);
	if (!pieces[0].len)
		cost += COST_CPUS_EMPTY;
	if (end == 3 && !pieces[1].len && columns & MAP_COLUMN_NUMAS)
		cost += COST_NUMA_EMPTY;
	return cost;
}

static double cost_of(const struct piece pieces[COLUMNS], uint32_t columns,
                      bool cut)
{
	double cost = cost_empty(pieces, columns, cut);
	struct tail tail = { 0 };
	int32_t node;
	size_t cpus;

	if (!read_values(pieces, &tail))
		return COST_NONE;
	cpus = topo_set_count(&tail.cpus);
	node = topo_set_first(&tail.numas);
	if (unequal_ranges(&pieces[0]))
		cost += COST_UNEQUAL;
	if (cpus > 1 && cpus % 2)
		cost += COST_ODD;
	if (node > 0 && topo_set_has(&tail.cpus, 0))
		cost += COST_FIRST_CPU;
	if (topo_set_count(&tail.numas) > 1)
		cost += COST_NUMA_LIST;
	if (node >= 64)
		cost += COST_NUMA_HIGH;
	return cost;
}

static bool squeeze(const char *text, struct squeezed *ret)
{
	bool gap = true;

	ret->len = 0;
	for (; *text; text++) {
		if (isspace((unsigned char)*text) || *text == '|') {
			gap = true;
			continue;
		}
		if (ret->len == TAIL_GLUED_MAX)
			return false;
		ret->gap[ret->len] = gap;
		ret->s[ret->len++] = *text;
		gap = false;
	}
	ret->s[ret->len] = '\0';
	ret->gap[ret->len] = true;
	return true;
}

static bool gap_inside(const struct squeezed *q, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++) {
		if (q->gap[i])
			return true;
	}
	return false;
}

/* What cutting at @i and @j costs where nothing was written between. */
static double glue_cost(const struct squeezed *q, size_t i, size_t j,
                        double glue)
{
	return (q->gap[i] ? 0 : glue) + (i == j || q->gap[j] ? 0 : glue);
}

static double try_cut(const struct squeezed *q, size_t i, size_t j,
                      const struct tail *tail, uint32_t columns,
                      struct piece ret[COLUMNS])
{
	ret[0] = (struct piece){ q->s, i };
	ret[1] = (struct piece){ q->s + i, j - i };
	ret[2] = (struct piece){ q->s + j, q->len - j };
	if ((ret[1].len && !(columns & MAP_COLUMN_NUMAS)) ||
	    (ret[2].len && !(columns & MAP_COLUMN_GPU_NUMA)) ||
	    gap_inside(q, 0, i) || gap_inside(q, i, j) ||
	    gap_inside(q, j, q->len))
		return COST_NONE;
	return cost_of(ret, columns, tail->cut);
}

/* The cheapest of all ways to cut. */
static void cut_glued(struct tail *tail, uint32_t columns, double glue)
{
	struct piece pieces[COLUMNS], best[COLUMNS] = { 0 };
	double least = COST_NONE;
	struct squeezed q;

	tail->unclear = true;
	if (!squeeze(tail->text, &q))
		return;
	for (size_t i = 0; i <= q.len; i++) {
		/* The last column is one number or N/A. */
		for (size_t j = q.len > i + 4 ? q.len - 4 : i; j <= q.len;
		     j++) {
			double cost = glue_cost(&q, i, j, glue) +
			              try_cut(&q, i, j, tail, columns, pieces);

			if (cost >= least)
				continue;
			least = cost;
			memcpy(best, pieces, sizeof(best));
		}
	}
	tail->unclear = least >= COST_NONE || !read_values(best, tail);
}

/* As the program writes it: a tab or rule before each column, two of them
 * before the last. */
static bool cut_ruled(struct tail *tail, uint32_t columns, char rule)
{
	struct piece pieces[COLUMNS] = { { "", 0 }, { "", 0 }, { "", 0 } };
	const char *at = strchr(tail->text, rule);
	size_t column = 0;

	while (at) {
		const char *end = strchr(++at, rule);
		size_t len = end ? (size_t)(end - at) : strlen(at);

		while (len && isspace((unsigned char)*at) && *at != '\t') {
			at++;
			len--;
		}
		while (len && isspace((unsigned char)at[len - 1]))
			len--;
		if (column < 2)
			pieces[column++] = (struct piece){ at, len };
		else if (len && pieces[2].len)
			return false;
		else if (len)
			pieces[2] = (struct piece){ at, len };
		at = end;
	}
	/* CPUs may be empty; if another is, columns have run together. */
	if ((columns & MAP_COLUMN_NUMAS && !pieces[1].len) ||
	    (columns & MAP_COLUMN_GPU_NUMA && !pieces[2].len))
		return false;
	return read_values(pieces, tail);
}

/* As many words as columns, each of which can be one; or more, if what a
 * person wrote behind them is to be passed over. */
static bool cut_words(struct tail *tail, uint32_t columns, bool more)
{
	struct piece pieces[COLUMNS] = { { "", 0 }, { "", 0 }, { "", 0 } };
	const char *at = tail->text;

	for (size_t i = 0; i < COLUMNS; i++) {
		if (!(columns >> i & 1))
			continue;
		at += strspn(at, " \t|");
		pieces[i] = (struct piece){ at, strcspn(at, " \t|") };
		if (!pieces[i].len)
			return false;
		at += pieces[i].len;
	}
	return (more || !at[strspn(at, " \t|")]) && read_values(pieces, tail);
}

static void read_one(struct tail *tail, uint32_t columns, double glue)
{
	const char *first = tail->text + strspn(tail->text, " ");

	*tail = (struct tail){ .text = tail->text,
		               .cut = tail->cut,
		               .gpu_numa = -1 };
	if (!tail->text[strspn(tail->text, " \t|")])
		return;
	if (strlen(tail->text) > TAIL_MAX) {
		tail->unclear = true;
		return;
	}
	if (cut_words(tail, columns, false))
		return;
	if (*first == '\t' && cut_ruled(tail, columns, '\t'))
		return;
	if (*first == '|' && cut_ruled(tail, columns, '|'))
		return;
	cut_glued(tail, columns, glue);
	if (tail->unclear)
		tail->unclear = !cut_words(tail, columns, true);
}

/* How many pairs of rows contradict one another. */
static size_t contradictions(const struct tail *tails, size_t n)
{
	size_t count = 0, with = 0, without = 0;

	for (size_t a = 0; a < n; a++) {
		if (!tails[a].text)
			continue;
		if (topo_set_first(&tails[a].numas) < 0)
			without++;
		else
			with++;
		for (size_t b = a + 1; b < n; b++) {
			if (tails[b].text &&
			    topo_set_meet(&tails[a].cpus, &tails[b].cpus) &&
			    !topo_set_equal(&tails[a].cpus, &tails[b].cpus))
				count++;
		}
	}
	return count + (with && without ? 1 : 0);
}

static void read_all(struct tail *tails, size_t n, uint32_t columns,
                     double glue)
{
	for (size_t i = 0; i < n; i++) {
		if (tails[i].text)
			read_one(&tails[i], columns, glue);
	}
}

void tails_read(struct tail *tails, size_t n, uint32_t columns)
{
	/* Columns may have run together, easily so, or not at all. */
	static const double glues[] = { 1, 0.5, 9 };
	size_t best = 0, least = SIZE_MAX;

	for (size_t i = 0; i < sizeof(glues) / sizeof(*glues) && least; i++) {
		size_t now;

		read_all(tails, n, columns, glues[i]);
		now = contradictions(tails, n);
		if (now >= least)
			continue;
		least = now;
		best = i;
	}
	read_all(tails, n, columns, glues[best]);
	for (size_t i = 0; i < n; i++)
		tails[i].text = NULL;
}
