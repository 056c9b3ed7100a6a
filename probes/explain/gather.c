// SPDX-License-Identifier: Apache-2.0
// One file after the other, in pieces; what wants all of a file gets it.
#include "probes/explain/gather.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/feed.h"
#include "probes/explain/gather_walk.h"
#include "probes/explain/input.h"
#include "probes/explain/undress.h"
#include "probes/explain/whole.h"
#include "probes/trial/grow.h"
#include "topo/base/fmt.h"

#define PIECE (1u << 20)

/* Where a file's bytes come from: an open file, or memory. */
struct bytes {
	struct input *in; /* NULL: memory */
	const char *data;
	size_t len;
};

/* A file on its way. */
struct passage {
	struct gather *gather;
	struct gather_file *file;
	struct intake base;
	struct bytes from;
	const struct explain_reader *whole; /* the one that wants all of it */
	size_t whole_max;
	char *buf;
	size_t n, room; /* of buf */
	size_t raw;     /* bytes behind n that are to be undressed */
	struct undress undress;
	bool chosen, eof;
};

/* "_dump_12", "nccl_trace_rank_3", "rank7.json": the last number. */
static int32_t rank_of_name(const char *path)
{
	const char *base = strrchr(path, '/');
	const char *end;
	long rank = 0, scale = 1;
	size_t n = 0;

	base = base ? base + 1 : path;
	if (!strstr(base, "rank") && !strstr(base, "dump") &&
	    !strstr(base, "trace"))
		return -1;
	end = base + strlen(base);
	while (end > base && !isdigit((unsigned char)end[-1]))
		end--;
	for (; end > base && isdigit((unsigned char)end[-1]) && n < 8; n++) {
		end--;
		rank += (*end - '0') * scale;
		scale *= 10;
	}
	return n && n < 8 ? (int32_t)rank : -1;
}

/* A line that fills the buffer is taken as it is. */
static void undress(struct passage *p)
{
	if (!p->chosen)
		undress_choose(&p->undress, p->buf, p->raw);
	p->chosen = true;
	if (!undress_is_bare(&p->undress))
		p->n = undress_run(&p->undress, p->buf, p->n, &p->raw, p->eof);
	if (undress_is_bare(&p->undress) || p->n + p->raw == p->room) {
		p->n += p->raw;
		p->raw = 0;
	}
}

static enum fp_status more(struct passage *p, struct fp_err *err)
{
	size_t have = p->n + p->raw, want = p->room - have, got = 0;
	enum fp_status status = FP_OK;

	if (p->from.in) {
		status = input_read(p->from.in, p->buf + have, want, &got, err);
	} else {
		got = want < p->from.len ? want : p->from.len;
		memcpy(p->buf + have, p->from.data, got);
		p->from.data += got;
		p->from.len -= got;
	}
	p->file->bytes += got;
	p->eof = got < want || status != FP_OK;
	p->raw += got;
	undress(p);
	return status;
}

/* What a person reads of it, in the file's row. */
static void note(struct passage *p, const struct fp_err *err)
{
	if (err->status != FP_OK && !*p->file->trouble)
		fp_copy(p->file->trouble, sizeof(p->file->trouble), err->text);
}

static void choose_whole(struct passage *p)
{
	size_t head = p->n < READER_HEAD_MAX ? p->n : READER_HEAD_MAX;

	p->whole = whole_choose(p->buf, head);
	if (p->whole)
		p->whole_max =
			p->whole->also ? READER_TEXT_MAX : READER_WHOLE_MAX;
}

static enum fp_status load_rest(struct passage *p, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	while (status == FP_OK && !p->eof && p->n < p->whole_max) {
		status = grow_room(&p->buf, &p->room, p->n + p->raw + PIECE, 1,
		                   err);
		if (status == FP_OK)
			status = more(p, err);
	}
	if (status == FP_OK && !p->eof)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "larger than %zu MiB, the most that the "
		                  "reader of %s takes",
		                  p->whole_max >> 20, p->whole->name);
	return status;
}

static void read_whole(struct passage *p)
{
	struct fp_err err = { 0 };

	/* The lines of a text that is too long are read all the same. */
	if (load_rest(p, &err) == FP_OK)
		(void)whole_read(p->whole, &p->base, p->buf, p->n, &err);
	else if (p->whole->also)
		return;
	note(p, &err);
}

/* Whole lines from the buffer; the rest of the file in pieces. */
static enum fp_status read_lines(struct passage *p, struct feed *feed,
                                 struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (;;) {
		const char *cut = memrchr(p->buf, '\n', p->n);
		size_t whole = cut ? (size_t)(cut - p->buf) + 1 : 0;

		if (p->eof || (!whole && p->n == p->room))
			whole = p->n;
		feed_lines(feed, p->buf, whole);
		memmove(p->buf, p->buf + whole, p->n + p->raw - whole);
		p->n -= whole;
		undress_drop(&p->undress, whole);
		if (p->eof)
			return status;
		status = more(p, err);
	}
}

static enum fp_status pass_lines(struct passage *p, struct fp_err *err)
{
	size_t head = p->n < READER_HEAD_MAX ? p->n : READER_HEAD_MAX;
	struct needles *needles = calloc(1, sizeof(*needles));
	struct feed *feed = calloc(1, sizeof(*feed));
	struct fp_err trouble = { 0 };
	enum fp_status status;

	if (!needles || !feed) {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory");
		goto free_both;
	}
	status = feed_needles(needles, err);
	if (status != FP_OK)
		goto free_both;
	status = feed_open(feed, needles, &p->base, p->buf, head, err);
	if (status != FP_OK)
		goto done_needles;
	feed->seams = &p->undress;
	(void)read_lines(p, feed, &trouble);
	p->file->lines = feed->number;
	feed_close(feed);
	note(p, &trouble);
done_needles:
	needles_done(needles);
free_both:
	free(feed);
	free(needles);
	return status;
}

static enum fp_status pass(struct passage *p, struct fp_err *err)
{
	struct fp_err trouble = { 0 };
	enum fp_status status;

	status = grow_room(&p->buf, &p->room, PIECE, 1, err);
	if (status != FP_OK)
		return status;
	(void)more(p, &trouble);
	note(p, &trouble);
	choose_whole(p);
	if (p->whole)
		read_whole(p);
	if (!p->whole || p->whole->also)
		status = pass_lines(p, err);
	free(p->buf);
	p->buf = NULL;
	undress_done(&p->undress);
	return status;
}

static enum fp_status one(struct gather *g, const char *name, struct bytes from,
                          struct fp_err *err)
{
	struct passage p = { .gather = g, .from = from };
	enum fp_status status = grow_room(&g->files, &g->room, g->n + 1,
	                                  sizeof(*g->files), err);

	if (status != FP_OK)
		return status;
	p.file = &g->files[g->n++];
	*p.file = (struct gather_file){ 0 };
	p.file->name = event_name(&g->events, name, strlen(name));
	p.base = (struct intake){
		.events = &g->events,
		.path = name,
		.file = p.file->name,
		.file_rank = rank_of_name(name),
	};
	return pass(&p, err);
}

static enum fp_status one_file(void *self, const char *path, struct fp_err *err)
{
	struct input *in = calloc(1, sizeof(*in));
	enum fp_status status;

	if (!in)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = input_open(in, path, err);
	if (status == FP_OK) {
		status = one(self, path, (struct bytes){ .in = in }, err);
		input_close(in);
	}
	free(in);
	if (status != FP_OK)
		fp_err_prefix(err, "%s", path);
	return status;
}

enum fp_status gather_path(struct gather *g, const char *path,
                           struct fp_err *err)
{
	return gather_walk(path, one_file, g, err);
}

enum fp_status gather_text(struct gather *g, const char *name, const char *data,
                           size_t len, struct fp_err *err)
{
	return one(g, name, (struct bytes){ .data = data, .len = len }, err);
}

void gather_done(struct gather *g)
{
	if (!g)
		return;
	events_done(&g->events);
	free(g->files);
	*g = (struct gather){ 0 };
}
