// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of a stream between moments that are known exactly.
#include "probes/measure/tally.h"

bool tally_begin(struct tally *t, const struct tally_pause *p)
{
	uint64_t skip = p->skip_most;

	if (t->origin_ns && p->backlog <= TALLY_HELD_BYTES)
		return true;
	t->marked_ns =
		t->marked_ns ? t->marked_ns + p->to_ns - p->from_ns : p->to_ns;
	if (p->backlog < (double)skip)
		skip = (uint64_t)p->backlog;
	t->skip = p->received + skip;
	t->in_step = false;
	t->origin_ns = 0;
	return false;
}

static void origin(struct tally *t, int64_t t_ns, uint64_t bytes,
                   struct stats_intervals *out)
{
	if (bytes < t->skip || !t->in_step) {
		t->in_step = bytes >= t->skip;
		return;
	}
	t->origin_ns = t->point_ns = t_ns;
	t->bytes = bytes;
	if (out)
		stats_intervals_origin(out, t_ns);
}

/* At @t_ns so many bytes of the stream had come. */
static void point(struct tally *t, int64_t t_ns, uint64_t bytes,
                  struct stats_intervals *out)
{
	if (!t->origin_ns) {
		origin(t, t_ns, bytes, out);
		return;
	}
	if (out) {
		stats_intervals_add(out, t_ns, bytes - t->bytes);
		t->counted += bytes - t->bytes;
		t->counted_ns += t_ns - t->point_ns;
	}
	t->bytes = bytes;
	t->point_ns = t_ns;
}

void tally_piece(struct tally *t, const struct tally_piece *piece,
                 struct stats_intervals *out)
{
	if (piece->mark.t_ns) {
		t->marked_ns = piece->now_ns;
		point(t, piece->mark.t_ns, piece->received + piece->mark.bytes,
		      out);
	} else if (piece->now_ns - t->marked_ns > TALLY_PATIENCE_NS) {
		point(t, piece->now_ns, piece->received + piece->len, out);
	}
}
