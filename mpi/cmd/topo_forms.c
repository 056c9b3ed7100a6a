// SPDX-License-Identifier: Apache-2.0
// A map, in every form that was asked for.
#include "mpi/cmd/topo_forms.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/cmd/output.h"

static enum fp_status put(const struct fp_text *text, const char *path,
                          struct fp_err *err)
{
	if (text->failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	if (strcmp(path, "-") == 0)
		return output_fd(STDOUT_FILENO, fp_text_str(text), text->len,
		                 err);
	return output_file(path, fp_text_str(text), text->len, err);
}

static enum fp_status draw_to(topo_form_fn *draw, void *arg, uint32_t form,
                              const char *path, struct fp_err *err)
{
	struct fp_text text = { 0 };
	enum fp_status status = draw(arg, form, &text, err);

	if (status == FP_OK)
		status = put(&text, path, err);
	fp_text_free(&text);
	return status;
}

/* Every form to its file; a map without a tree has no topology file. */
static enum fp_status write_folder(const char *folder, topo_form_fn *draw,
                                   void *arg, struct fp_err *err)
{
	static const char *const names[TOPO_FORM_COUNT] = {
		[TOPO_FORM_TEXT] = "map.txt",
		[TOPO_FORM_JSON] = "map.json",
		[TOPO_FORM_XML] = "map.xml",
		[TOPO_FORM_DOT] = "map.dot",
	};
	enum fp_status status = FP_OK;
	char path[PATH_MAX];

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return fp_err_sys(err, errno, "--out %s", folder);
	for (uint32_t f = 0; f < TOPO_FORM_COUNT && status == FP_OK; f++) {
		struct fp_err why = { 0 };

		(void)snprintf(path, sizeof(path), "%s/%s", folder, names[f]);
		status = draw_to(draw, arg, f, path, &why);
		if (status == FP_ERR_NOTSUP)
			status = FP_OK;
		else if (status != FP_OK)
			(void)fp_err_set(err, status, "%s", why.text);
	}
	return status;
}

enum fp_status topo_forms_write(const struct opts *opts, topo_form_fn *draw,
                                void *arg, struct fp_err *err)
{
	const char *const paths[TOPO_FORM_COUNT] = {
		[TOPO_FORM_TEXT] = "",
		[TOPO_FORM_JSON] = opts->json_path,
		[TOPO_FORM_XML] = opts->xml_path,
		[TOPO_FORM_DOT] = opts->dot_path,
	};
	enum fp_status status = FP_OK;
	bool stdout_taken = false;

	for (uint32_t f = 0; f < TOPO_FORM_COUNT && status == FP_OK; f++) {
		if (!*paths[f])
			continue;
		stdout_taken |= strcmp(paths[f], "-") == 0;
		status = draw_to(draw, arg, f, paths[f], err);
	}
	if (status == FP_OK && *opts->out_dir)
		status = write_folder(opts->out_dir, draw, arg, err);
	if (status != FP_OK || stdout_taken)
		return status;
	return draw_to(draw, arg, TOPO_FORM_TEXT, "-", err);
}
