// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of a batch between moments that are known exactly.
#include "probes/measure/tally.h"

void tally_begin(struct tally *t, int64_t now_ns, int64_t paused_ns,
                 uint64_t skip)
{
	int64_t marked_ns = t->marked_ns ? t->marked_ns + paused_ns : now_ns;

	*t = (struct tally){ .skip = skip, .marked_ns = marked_ns };
}

/* At @t_ns so many bytes of the batch had come. */
static void point(struct tally *t, int64_t t_ns, uint64_t bytes,
                  struct stats_intervals *out)
{
	if (t->origin_ns && out)
		stats_intervals_add(out, t_ns, bytes - t->bytes);
	if (!t->origin_ns && (bytes < t->skip || !t->in_step)) {
		t->in_step = bytes >= t->skip;
		return;
	}
	if (!t->origin_ns) {
		t->origin_ns = t_ns;
		t->origin_bytes = bytes;
		if (out)
			stats_intervals_origin(out, t_ns);
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
	} else if (piece->now_ns - t->marked_ns > TALLY_INTERVAL_NS) {
		point(t, piece->now_ns, piece->received + piece->len, out);
	}
}
