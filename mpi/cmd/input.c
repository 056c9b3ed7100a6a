// SPDX-License-Identifier: Apache-2.0
// Reads a text wholly, out of what packs and carries it.
#include "mpi/cmd/input.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/input.h"
#include "probes/explain/undress.h"
#include "topo/json/snapshot.h"
#include "topo/source/source.h"

#define PIECE 65536

static enum fp_status read_all(struct input *in, struct fp_text *ret,
                               struct fp_err *err)
{
	char *piece = malloc(PIECE);
	enum fp_status status = FP_OK;
	size_t n = 1;

	if (!piece)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	while (status == FP_OK && n > 0 &&
	       ret->len <= TOPO_SNAPSHOT_MAX_BYTES) {
		status = input_read(in, piece, PIECE, &n, err);
		if (status == FP_OK)
			fp_text_append(ret, piece, n);
	}
	free(piece);
	if (status == FP_OK && ret->len > TOPO_SNAPSHOT_MAX_BYTES)
		return fp_err_set(err, FP_ERR_LIMIT, "more than %u bytes",
		                  TOPO_SNAPSHOT_MAX_BYTES);
	if (status == FP_OK && ret->failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	return status;
}

enum fp_status input_file(const char *path, struct fp_text *ret,
                          struct fp_err *err)
{
	struct input *in = calloc(1, sizeof(*in));
	enum fp_status status;

	if (!in)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = input_open(in, path, err);
	if (status == FP_OK) {
		status = read_all(in, ret, err);
		input_close(in);
	}
	free(in);
	return status;
}

/* Lines of JSON, or a web page's escapes; a terminal's right edge is for the
 * readers, who know their columns. Entities of an XML file are its own. */
static void choose(const struct fp_text *text, struct undress *u)
{
	undress_choose(u, text->data, text->len);
	u->edge = (struct undress_edge){ 0 };
	u->html = u->html && !memchr(text->data, '<', text->len);
}

enum fp_status input_text(const char *path, struct fp_text *ret,
                          struct fp_err *err)
{
	struct undress u = { .json = false };
	enum fp_status status = input_file(path, ret, err);
	const struct source_text text = { fp_text_str(ret), ret->len };
	size_t raw = ret->len;

	if (status != FP_OK || !raw || source_snapshot_ops.sniff(&text))
		return status;
	choose(ret, &u);
	if (!undress_is_bare(&u)) {
		ret->len = undress_run(&u, ret->data, 0, &raw, true);
		ret->data[ret->len] = '\0';
	}
	undress_done(&u);
	return FP_OK;
}
