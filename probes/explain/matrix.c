// SPDX-License-Identifier: Apache-2.0
// Reads matrices of nvbandwidth and p2pBandwidthLatencyTest.
#include "probes/explain/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

/* Medians that are compared once all matrices are read. */
enum median { ONE_WAY_ON, ONE_WAY_OFF, LATENCY_ON, LATENCY_OFF, MEDIANS };

struct matrix_state {
	struct square *now; /* being read; NULL outside of one */
	char title[96];
	uint32_t row, line, count;
	bool host, no_nvlink, headed, both_ways;
	bool unended; /* the file ends in the line that is read */
	double median[MEDIANS];
};

static const char *const words[] = {
	"Matrix (GB/s)",
	"bandwidth (GB/s)",
	"Matrix (us)",
	"GeForce RTX 4",
	"GeForce RTX 5",
	"bidirectional_memcpy",
	"memcpy_write_ce",
	"Running device_to",
	"Invalid value when checking the pattern",
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

static struct event event_of(struct intake *r, unsigned kind)
{
	const struct matrix_state *s = r->state;
	struct event e = intake_event(r, NULL, kind);

	e.line = s->line;
	e.op = intake_name(r, s->title);
	return e;
}

static void add_odd(struct intake *r, unsigned kind,
                    const struct square_oddity *odd)
{
	struct event e = event_of(r, kind);
	char peer[24] = "any", text[160];
	/* Its own memory is not like the others': it is another card. */
	bool other = odd->local < 0.7 * odd->local_others;

	e.gpu = odd->gpu;
	e.n[0] = odd->peer;
	e.n[1] = other;
	e.x[0] = odd->value;
	e.x[1] = odd->others;
	if (odd->peer >= 0)
		snprintf(peer, sizeof(peer), "%" PRId32, odd->peer);
	snprintf(text, sizeof(text),
	         "GPU %" PRId32 " with %s: %.4g GB/s; %s %.4g GB/s%s", odd->gpu,
	         peer, odd->value,
	         kind == KIND_MATRIX_OVER ? "the link can do"
	                                  : "the others at least",
	         odd->others,
	         other ? "; its own memory is slower too: another model" : "");
	e.text = intake_name(r, text);
	intake_add(r, NULL, &e);
}

static void judge(struct intake *r, const struct square *s)
{
	const struct matrix_state *state = r->state;
	struct square_oddity odd;

	if (square_too_fast(s, state->no_nvlink, &odd))
		add_odd(r, KIND_MATRIX_OVER, &odd);
	else if (square_slow_gpu(s, &odd))
		add_odd(r, KIND_MATRIX_GPU, &odd);
	else if (square_slow_pair(s, &odd))
		add_odd(r, KIND_MATRIX_PAIR, &odd);
}

/* Copies between the host and each GPU: one row. */
static void judge_host(struct intake *r, const struct square *s)
{
	struct square_oddity odd = { .peer = -1, .local = NAN };
	double low = INFINITY, next = INFINITY;

	for (uint32_t i = 0; i < s->n; i++) {
		double value = s->cell[0][i];

		if (value < low) {
			next = low;
			low = value;
			odd.gpu = (int32_t)i;
		} else if (value < next) {
			next = value;
		}
	}
	odd.value = low;
	odd.others = next;
	if (s->n >= 3 && isfinite(next) && low < 0.5 * next)
		add_odd(r, KIND_MATRIX_GPU, &odd);
}

static void keep_median(struct matrix_state *s)
{
	const struct square *q = s->now;
	enum median which = q->what == SQUARE_LATENCY ? LATENCY_ON : ONE_WAY_ON;

	if (q->what == SQUARE_BOTH_WAYS || s->host || q->p2p == q->p2p_off)
		return;
	s->median[which + q->p2p_off] = square_median(q);
}

static void add_cut(struct intake *r)
{
	struct event e = event_of(r, KIND_CUT);

	e.op = intake_name(r, "a matrix of rates");
	intake_add(r, NULL, &e);
}

/* The file ends before the last row of a matrix that has one for each GPU. */
static bool is_short(const struct matrix_state *s)
{
	return s->unended && s->row < s->now->n &&
	       (strstr(s->title, "Matrix (") || strstr(s->title, "GPU(row)"));
}

/* What is read so far is all of it. */
static void finish(struct intake *r)
{
	struct matrix_state *s = r->state;
	struct event e;

	if (!s->now)
		return;
	if (!s->row) {
		add_cut(r);
	} else {
		e = event_of(r, KIND_MATRIX_READ);
		e.n[0] = s->row;
		e.n[1] = s->now->n;
		intake_add(r, NULL, &e);
		if (s->host)
			judge_host(r, s->now);
		else
			judge(r, s->now);
		keep_median(s);
		if (is_short(s))
			add_cut(r);
	}
	s->count++;
	free(s->now);
	s->now = NULL;
}

static void start(struct intake *r, const struct logline *line)
{
	struct matrix_state *s = r->state;
	const char *text = line->text;
	struct square *q = calloc(1, sizeof(*q));

	finish(r);
	if (!q)
		return;
	for (size_t i = 0; i < SQUARE_MAX; i++)
		for (size_t j = 0; j < SQUARE_MAX; j++)
			q->cell[i][j] = NAN;
	q->what = strstr(text, "(us)") ? SQUARE_LATENCY
	          : strstr(text, "idirectional P2P") && strstr(text, "Bi")
	                  ? SQUARE_BOTH_WAYS
	          : strstr(text, "<->") || s->both_ways ? SQUARE_BOTH_WAYS
	                                                : SQUARE_ONE_WAY;
	q->p2p = strstr(text, "P2P=Enabled") || strstr(text, "P2P Writes");
	q->p2p_off = strstr(text, "P2P=Disabled");
	s->host = strstr(text, "CPU(row)") || strstr(text, "CPU(column)");
	s->now = q;
	s->row = 0;
	s->headed = false;
	s->line = line->number;
	strncpy(s->title, text + strspn(text, " \t"), sizeof(s->title) - 1);
}

/* The next number of *@at; "N/A" is one without a value. */
static bool take_number(const char **at, double *ret)
{
	char *end;

	*at += strspn(*at, " \t|");
	if (strncmp(*at, "N/A", 3) == 0) {
		*ret = NAN;
		*at += 3;
		return true;
	}
	*ret = strtod(*at, &end);
	if (end == *at || !isfinite(*ret) || *ret < 0)
		return false;
	*at = end;
	return true;
}

/* "D\D  0  1  2", "GPU 0 1 2" or "0 1 2". */
static bool take_heading(struct matrix_state *s, const char *text)
{
	double value;
	uint32_t n = 0;

	text += strcspn(text, "0123456789");
	while (take_number(&text, &value)) {
		if (value != n || n == SQUARE_MAX)
			return false;
		n++;
	}
	if (n < 1 || *text)
		return false;
	s->now->n = n;
	s->headed = true;
	return true;
}

static bool take_row(struct matrix_state *s, const char *text)
{
	double index, cell[SQUARE_MAX];
	uint32_t n = 0;

	if (s->row >= SQUARE_MAX || !take_number(&text, &index) ||
	    index != s->row)
		return false;
	while (n < s->now->n && take_number(&text, &cell[n]))
		n++;
	if (n != s->now->n)
		return false;
	memcpy(s->now->cell[s->row], cell, n * sizeof(*cell));
	s->row++;
	return true;
}

static void take_context(struct matrix_state *s, const char *text)
{
	if (strstr(text, "GeForce RTX 4") || strstr(text, "GeForce RTX 5"))
		s->no_nvlink = true;
	if (strstr(text, "Running "))
		s->both_ways = strstr(text, "bidirectional") != NULL;
}

/* nvbandwidth looks at what it has copied. */
static void take_invalid(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_TABLE_WRONG);

	e.n[0] = 1;
	intake_add(r, line, &e);
}

static enum reader_want matrix_line(struct intake *r,
                                    const struct logline *line)
{
	struct matrix_state *s = r->state;
	const char *text = line->text;

	s->unended = line->unended;
	if (strstr(text, "Invalid value when checking the pattern")) {
		take_invalid(r, line);
		return s->now ? LINE_MORE : LINE_DONE;
	}
	if (strstr(text, "atrix (") || strstr(text, "bandwidth (GB/s)")) {
		start(r, line);
		return LINE_MORE;
	}
	take_context(s, text);
	if (!s->now)
		return LINE_DONE;
	if (s->headed ? take_row(s, text) : take_heading(s, text))
		return LINE_MORE;
	if (!*text && !s->row)
		return LINE_MORE;
	finish(r);
	return LINE_DONE;
}

/* Direct copies that gain nothing, or lose, against copies through memory. */
static void compare(struct intake *r)
{
	const struct matrix_state *s = r->state;
	const double *m = s->median;
	bool rate = m[ONE_WAY_ON] > 0 && m[ONE_WAY_OFF] > 0 &&
	            m[ONE_WAY_ON] < 0.8 * m[ONE_WAY_OFF];
	bool late = m[LATENCY_ON] > 0 && m[LATENCY_OFF] > 0 &&
	            m[LATENCY_ON] > 3 * m[LATENCY_OFF];
	struct event e = event_of(r, KIND_MATRIX_P2P);
	char text[96];

	if (!rate && !late)
		return;
	e.op = intake_name(r, rate ? "GB/s" : "us");
	e.x[0] = m[rate ? ONE_WAY_ON : LATENCY_ON];
	e.x[1] = m[rate ? ONE_WAY_OFF : LATENCY_OFF];
	snprintf(text, sizeof(text),
	         "median of all pairs: %.4g %s with P2P, %.4g without", e.x[0],
	         rate ? "GB/s" : "us", e.x[1]);
	e.text = intake_name(r, text);
	intake_add(r, NULL, &e);
}

static void matrix_end(struct intake *r)
{
	finish(r);
	compare(r);
}

const struct explain_reader reader_matrix = {
	.bare = true,
	.name = "rates between GPUs",
	.help = "matrices of nvbandwidth and p2pBandwidthLatencyTest",
	.needle = needle,
	.state_size = sizeof(struct matrix_state),
	.line = matrix_line,
	.end = matrix_end,
};
