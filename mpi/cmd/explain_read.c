// SPDX-License-Identifier: Apache-2.0
// What explain is given, and where its JSON goes.
#include "mpi/cmd/explain_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi/cmd/output.h"
#include "probes/explain/ras_live.h"
#include "topo/base/log.h"
#include "topo/discover/discover.h"

#define RAS_ADDRESS "localhost:28028"
#define RAS_LIMIT_S 30 /* of one answer; RAS itself takes up to ten */

static enum fp_status read_all(const struct cmd *cmd, struct gather *gather,
                               struct fp_err *err)
{
	const char **words = calloc((size_t)cmd->argc + 1, sizeof(*words));
	enum fp_status status = FP_OK;
	size_t n;

	if (!words)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	n = opts_words(cmd->argc, cmd->argv, words);
	for (size_t i = 0; i < n && status == FP_OK; i++)
		status = gather_path(gather, words[i], err);
	free(words);
	return status;
}

static void pause_for(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds };

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

/* Several snapshots: what moves between them does not hang. */
static enum fp_status ask_ras(const struct opts *opts, struct gather *gather,
                              struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (!*opts->ras)
		return FP_OK;
	for (uint32_t i = 0; i < opts->ras_times && status == FP_OK; i++) {
		struct fp_text text = { 0 };
		char name[64];

		if (i)
			pause_for(opts->ras_every_s);
		status = ras_live_fetch(opts->ras, RAS_LIMIT_S, &text, err);
		(void)snprintf(name, sizeof(name), "RAS, answer %u", i + 1);
		if (status == FP_OK)
			status = gather_text(gather, name, fp_text_str(&text),
			                     text.len, err);
		fp_text_free(&text);
	}
	return status;
}

/* A job that is still there has a RAS, if its NCCL is new enough. */
static void ask_neighbour(const struct opts *opts, struct gather *gather)
{
	const char *address = getenv("NCCL_RAS_ADDR");
	struct opts ask = *opts;
	struct fp_err err = { 0 };

	ask.ras = address && *address ? address : RAS_ADDRESS;
	if (ask_ras(&ask, gather, &err) != FP_OK)
		fp_log(FP_LOG_INFO, "no RAS of a job beside: %s", err.text);
}

enum fp_status explain_read(const struct cmd *cmd, struct gather *gather,
                            struct story *ret, struct fp_err *err)
{
	const struct opts *opts = cmd->opts;
	enum fp_status status = read_all(cmd, gather, err);

	if (status == FP_OK && opts->probe && !*opts->ras &&
	    topo_gpus_in_use(opts->sysroot))
		ask_neighbour(opts, gather);
	if (status == FP_OK)
		status = ask_ras(opts, gather, err);
	if (status == FP_OK)
		status = story_make(gather, ret, err);
	return status;
}

enum fp_status explain_write_json(const struct opts *opts,
                                  const struct fp_text *text,
                                  struct fp_err *err)
{
	if (strcmp(opts->json_path, "-") == 0)
		return output_fd(STDOUT_FILENO, fp_text_str(text), text->len,
		                 err);
	return output_file(opts->json_path, fp_text_str(text), text->len, err);
}
