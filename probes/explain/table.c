// SPDX-License-Identifier: Apache-2.0
// Reads the tables of nccl-tests: how fast, how many ranks, wrong results.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"
#include "probes/explain/table.h"

#define TABLES_MAX 6
#define IDLE_MAX 256 /* lines of others between the rows of a table */
#define FALL_ROWS 3  /* that many larger ones, and none near the best */
#define FALL 0.4
#define WORTH_GBPS 0.05 /* what is less is a table of small sizes */

/* A table that was read; figures of its fastest row. */
struct seen {
	char op[24];
	int64_t rows, ranks, bytes, wrong, larger;
	double busbw, late; /* late: the best of rows larger than that */
	bool by_name;
};

struct table_state {
	struct seen seen[TABLES_MAX];
	uint32_t n;
	uint32_t ranks, zeros;         /* of the list of devices */
	int64_t failed;                /* values out of bounds; -1: none said */
	uint32_t idle;                 /* lines since one was of a table */
	bool open;                     /* the last one of seen goes on */
	bool told;                     /* a sum was printed */
	bool cut;                      /* the file ends within a row */
	char begun[TABLE_ROW_MAX / 2]; /* a row that may go on */
};

static const char *const words[] = {
	" algbw",       "Out of bounds values", "Avg bus bandwidth",
	"nThread ",     "# Collective test",    "_perf -",
	"Group  0 Pid", "nccl-tests version",
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

static const struct {
	const char *word, *op;
} programs[] = {
	{ "all_reduce_perf", "all_reduce" },
	{ "all_gather_perf", "all_gather" },
	{ "reduce_scatter_perf", "reduce_scatter" },
	{ "alltoall_perf", "alltoall" },
	{ "sendrecv_perf", "sendrecv" },
	{ "broadcast_perf", "broadcast" },
	{ "reduce_perf", "reduce" },
	{ "gather_perf", "gather" },
	{ "scatter_perf", "scatter" },
	{ "hypercube_perf", "hypercube" },
};

/* What @line begins, into @begun; "" if it is no row's beginning. */
static void keep_begun(char *begun, size_t size, const char *line)
{
	size_t n = strlen(line);

	begun[0] = '\0';
	if (n < size && table_row_begins(line))
		memcpy(begun, line, n + 1);
}

static int table_sniff(const char *head, size_t len)
{
	struct table_row row;
	char line[512], begun[TABLE_ROW_MAX / 2] = "";

	if (memmem(head, len, "algbw", 5) ||
	    memmem(head, len, "Out of bounds values", 20))
		return 60;
	/* Rows alone, as from a page; or each on two lines. */
	for (size_t at = 0, n = 0; at < len && n < 64; n++) {
		const char *end = memchr(head + at, '\n', len - at);
		size_t l = end ? (size_t)(end - head) - at : len - at;

		if (l > 0 && l < sizeof(line)) {
			memcpy(line, head + at, l);
			line[l] = '\0';
			line[strcspn(line, "\r")] = '\0';
			if (table_row_read(line, &row) ||
			    table_row_join(begun, line, &row))
				return 50;
			keep_begun(begun, sizeof(begun), line);
		}
		at += l + 1;
	}
	return 0;
}

static struct seen *last(struct table_state *s)
{
	return s->n ? &s->seen[s->n - 1] : NULL;
}

static struct seen *begin(struct table_state *s)
{
	if (s->n < TABLES_MAX)
		s->n++;
	memset(last(s), 0, sizeof(*last(s)));
	s->open = true;
	return last(s);
}

static void take_row(struct table_state *s, const struct table_row *row)
{
	struct seen *t = s->open ? last(s) : begin(s);

	if (row->busbw >= t->busbw) {
		t->busbw = row->busbw;
		t->bytes = row->bytes;
		if (!t->by_name)
			strncpy(t->op, table_op(row), sizeof(t->op) - 1);
		t->ranks = table_ranks(row) ? table_ranks(row) : t->ranks;
		t->larger = 0;
		t->late = 0;
	} else if (row->bytes > t->bytes) {
		t->larger++;
		t->late = row->busbw > t->late ? row->busbw : t->late;
	}
	t->rows++;
	if (row->wrong > 0)
		t->wrong += row->wrong;
}

/* "# Out of bounds values : 50 FAILED" */
static void take_sum(struct table_state *s, const char *text)
{
	const char *at = strchr(text, ':');
	long long n = at ? strtoll(at + 1, NULL, 10) : 0;

	s->told = true;
	if (strstr(text, "FAILED"))
		s->failed += n > 0 ? n : 1;
	else if (strstr(text, "OK") && s->open)
		/* In-place alltoall is not checked, whatever its column says. */
		last(s)->wrong = 0;
	s->open = false;
}

/* "#  Rank  0 Group  0 Pid   3238 on  host device  0 [0x00] NVIDIA A10G" */
static void take_device(struct table_state *s, const char *text)
{
	const char *at = strstr(text, "Rank ");

	s->ranks++;
	if (at && strtol(at + 5, NULL, 10) == 0)
		s->zeros++;
}

static void take_name(struct table_state *s, const char *text)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!strstr(text, programs[i].word))
			continue;
		if (!s->open || last(s)->rows) {
			struct seen *t =
				strstr(text, "concluded") ? last(s) : begin(s);

			if (!t)
				return;
			strcpy(t->op, programs[i].op);
			t->by_name = true;
		}
		return;
	}
}

/* Is @text of a table? Then it is taken. */
static bool take(struct table_state *s, const char *text)
{
	struct table_row row;

	if (table_row_read(text, &row) || table_row_join(s->begun, text, &row))
		take_row(s, &row);
	else if (strstr(text, "Out of bounds values"))
		take_sum(s, text);
	else if (strstr(text, "Avg bus bandwidth"))
		s->told = true;
	else if (strstr(text, " Pid ") && strstr(text, "Rank "))
		take_device(s, text);
	else if (strstr(text, "_perf"))
		take_name(s, text);
	else if (strstr(text, "algbw"))
		s->open = s->open && !last(s)->rows;
	else
		return false;
	return true;
}

static enum reader_want table_line(struct intake *r, const struct logline *line)
{
	struct table_state *s = r->state;

	if (take(s, line->text)) {
		s->idle = 0;
		s->begun[0] = '\0';
	} else {
		s->idle++;
		keep_begun(s->begun, sizeof(s->begun), line->text);
	}
	s->cut = line->unended && s->idle && s->open && last(s)->rows &&
	         isdigit((unsigned char)line->text[strspn(line->text, " \t")]);
	return s->idle < IDLE_MAX ? LINE_MORE : LINE_DONE;
}

static void add(struct intake *r, unsigned kind, const char *op, int64_t n0,
                int64_t n1, double x)
{
	struct event e = intake_event(r, NULL, kind);

	e.op = intake_name(r, op);
	e.n[0] = n0;
	e.n[1] = n1;
	e.x[0] = x;
	if (kind == KIND_TABLE_ODD || kind == KIND_TABLE_ALONE ||
	    kind == KIND_TABLE_WRONG || kind == KIND_TABLE_EMPTY)
		e.text = e.op;
	intake_add(r, NULL, &e);
}

/*
 * Tables of one paste against each other: the same operation at half the rate
 * with other ranks, or alltoall at a fraction of what all-reduce gets.
 */
static void compare(struct intake *r, const struct table_state *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		for (uint32_t j = 0; j < s->n; j++) {
			const struct seen *a = &s->seen[i], *b = &s->seen[j];

			if (i == j || b->busbw < WORTH_GBPS ||
			    a->busbw < WORTH_GBPS || a->bytes < (8 << 20) ||
			    b->bytes < (8 << 20))
				continue;
			if (i < j && strcmp(a->op, b->op) == 0 &&
			    a->ranks != b->ranks &&
			    (a->busbw < 0.6 * b->busbw ||
			     b->busbw < 0.6 * a->busbw))
				add(r, KIND_TABLE_ODD,
				    "the rate depends on the number of ranks: "
				    "flows share a link or a bond",
				    a->ranks, b->ranks,
				    a->busbw < b->busbw ? a->busbw : b->busbw);
			if (strcmp(a->op, "all_reduce") == 0 &&
			    strcmp(b->op, "all_reduce") != 0 &&
			    b->busbw < 0.25 * a->busbw)
				add(r, KIND_TABLE_ODD,
				    "far below what all_reduce gets", a->ranks,
				    b->ranks, b->busbw);
		}
	}
}

/* Larger messages should be no slower: several that are lose packets, or
 * something throttles. */
static void judge_fall(struct intake *r, const struct seen *t)
{
	if (t->larger >= FALL_ROWS && t->bytes >= (1 << 20) &&
	    t->busbw > WORTH_GBPS && t->late < FALL * t->busbw)
		add(r, KIND_TABLE_ODD,
		    "the rate falls to a fraction once messages are larger: "
		    "loss, flow control or throttling",
		    t->ranks, t->ranks, t->late);
}

static bool has_rows(const struct table_state *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->seen[i].rows)
			return true;
	return false;
}

static void table_end(struct intake *r)
{
	const struct table_state *s = r->state;
	int64_t wrong = s->failed;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct seen *t = &s->seen[i];

		if (!t->rows)
			continue;
		add(r, KIND_TABLE_READ, t->op, t->rows,
		    t->ranks ? t->ranks : s->ranks, t->busbw);
		judge_fall(r, t);
		wrong += t->wrong && !s->failed ? t->wrong : 0;
	}
	if (s->cut)
		add(r, KIND_CUT, "the table of nccl-tests", 0, s->ranks, 0);
	if (!has_rows(s) && (s->told || s->ranks)) {
		add(r, KIND_CUT, "the table of nccl-tests", 0, s->ranks, 0);
		if (s->zeros < 2)
			add(r, KIND_TABLE_EMPTY,
			    "the list of devices is there, and no row of "
			    "figures",
			    0, s->ranks, 0);
	}
	if (wrong)
		add(r, KIND_TABLE_WRONG, "values out of bounds", wrong, 0, 0);
	if (s->zeros > 1)
		add(r, KIND_TABLE_ALONE, "each process is rank 0 of its own",
		    s->zeros, 0, 0);
	compare(r, s);
}

const struct explain_reader reader_table = {
	.bare = true,
	.name = "nccl-tests",
	.help = "tables of all_reduce_perf and its like",
	.needle = needle,
	.state_size = sizeof(struct table_state),
	.sniff = table_sniff,
	.line = table_line,
	.end = table_end,
};
