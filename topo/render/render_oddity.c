// SPDX-License-Identifier: Apache-2.0
// Faults, remarks and notes of a map, for people.
#include "topo/render/render.h"

static void write_next(const struct topo_map *map, const struct oddity *oddity,
                       struct fp_text *text)
{
	int32_t index = map->gpus[oddity->gpu].index;

	fp_text_printf(
		text,
		"         next: nvidia-smi nvlink -s -i %d; Fabric State "
		"in nvidia-smi -q -i %d; Xid 74 and 144 to 150 in the "
		"kernel log; reset the GPU, and the fabric manager if "
		"there is one\n",
		index, index);
}

static void write_kind(const struct topo_map *map, const struct oddities *found,
                       bool faults, struct fp_text *text)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct oddity *oddity = &found->rows[i];

		if (oddity_is_fault(oddity) != faults)
			continue;
		fp_text_printf(text, "%s%s\n",
		               faults ? "  FAULT  " : "  note   ",
		               oddity->text);
		if (faults && oddity->gpu >= 0)
			write_next(map, oddity, text);
	}
}

void render_oddities(const struct topo_map *map, const struct oddities *found,
                     struct fp_text *text)
{
	if (found->n)
		fp_text_printf(text, "What stands out:\n");
	write_kind(map, found, true, text);
	write_kind(map, found, false, text);
	if (map->n_notes)
		fp_text_printf(text, "About the text%s:\n",
		               map->partial ? ", which is not whole" : "");
	for (size_t i = 0; i < map->n_notes; i++) {
		const struct map_note *note = &map->notes[i];

		fp_text_printf(text, "  ");
		if (note->line)
			fp_text_printf(text, "line %d", note->line);
		if (note->line && note->column)
			fp_text_printf(text, ", column %d", note->column);
		fp_text_printf(text, "%s%s\n", note->line ? ": " : "",
		               note->text);
	}
}
