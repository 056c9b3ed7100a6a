// SPDX-License-Identifier: Apache-2.0
// What the command line means to a session and to a worker; its names.
#include <string.h>

#include "mpi/opts/opts.h"
#include "topo/base/fmt.h"
#include "topo/discover/discover.h"
#include "topo/path/path.h"

#define NAME_OF(names, value) \
	((value) < sizeof(names) / sizeof((names)[0]) ? (names)[value] : "?")

const char *opts_boot_name(unsigned boot)
{
	static const char *const names[OPTS_BOOT_COUNT] = {
		[OPTS_BOOT_AUTO] = "auto",
		[OPTS_BOOT_MPI] = "mpi",
		[OPTS_BOOT_ENV] = "env",
	};

	return NAME_OF(names, boot);
}

const char *opts_color_name(unsigned color)
{
	static const char *const names[OPTS_COLOR_COUNT] = {
		[OPTS_COLOR_AUTO] = "auto",
		[OPTS_COLOR_ALWAYS] = "always",
		[OPTS_COLOR_NEVER] = "never",
	};

	return NAME_OF(names, color);
}

const char *opts_view_name(unsigned view)
{
	static const char *const names[PATH_VIEW_COUNT] = {
		[PATH_VIEW_SMI] = "smi",
		[PATH_VIEW_NCCL] = "nccl",
	};

	return NAME_OF(names, view);
}

const char *opts_format_name(unsigned format)
{
	static const char *const names[OPTS_FORMAT_COUNT] = {
		[OPTS_FORMAT_TEXT] = "text",
		[OPTS_FORMAT_JSON] = "json",
		[OPTS_FORMAT_SWEEP] = "sweep",
	};

	return NAME_OF(names, format);
}

/* As in nccl-tests a factor above 1 wins over a step, whose default is 1M;
 * where neither is given a factor of 2 is ours. */
static void fill_sizes(const struct opts *opts, struct session_opts *ret)
{
	uint32_t factor = opts->factor;

	if (!factor && !opts->step_bytes)
		factor = 2;
	ret->min_bytes = opts->min_bytes;
	ret->max_bytes = opts->max_bytes;
	ret->factor = factor > 1 ? factor : 0;
	ret->step_bytes = 0;
	if (!ret->factor)
		ret->step_bytes =
			opts->step_bytes ? opts->step_bytes : 1u << 20;
}

void opts_session(const struct opts *opts, struct session_opts *ret)
{
	static const uint32_t kinds[CMD_COUNT] = {
		[CMD_RUN] = SESSION_RUN,        [CMD_PAIRS] = SESSION_PAIRS,
		[CMD_SWEEP] = SESSION_SWEEP,    [CMD_CHECK] = SESSION_CHECK,
		[CMD_SIMULATE] = SESSION_RUN,   [CMD_BISECT] = SESSION_BISECT,
		[CMD_EXPLAIN] = SESSION_BISECT,
	};

	session_defaults(ret);
	ret->kind = kinds[opts->command];
	ret->mode = opts->mode;
	ret->xport = opts->xport;
	ret->op = kinds[opts->command] == SESSION_RUN ||
	                          opts->command == CMD_CHECK
	                  ? OP_WRITE
	                  : opts->op;
	ret->offline = opts->saved.n > 0;
	(void)opts_checks_off(opts, &ret->checks_off, NULL);
	ret->bytes = opts->bytes;
	fill_sizes(opts, ret);
	ret->iters = opts->iters;
	ret->warmup = opts->warmup;
	ret->check = opts->check > 0;
	ret->datatype = opts->type;
	ret->redop = opts->redop;
	ret->registered = opts->registered > 0;
	ret->bidirectional = opts->bidirectional;
	ret->time_limit_s = opts->time_limit_s;
	ret->trial_s = opts->trial_time_s;
	ret->load_s = opts->load_s;
	ret->deadline_s = opts->trial_timeout_s;
	ret->seed = opts->seed;
	ret->floor_Bps = opts->floor_Bps;
	fp_copy(ret->suspects, sizeof(ret->suspects), opts->suspects);
}

static void fill_inject(const struct opts_texts *rules, char *out, size_t size)
{
	size_t i, used = 0;

	for (i = 0; i < rules->n; i++) {
		size_t len = strlen(rules->text[i]);

		if (len + 1 >= size - used)
			return;
		memcpy(out + used, rules->text[i], len);
		used += len;
		out[used++] = '\n';
	}
}

static int32_t index_or_unset(uint32_t kept)
{
	return kept ? (int32_t)kept - 1 : WIRE_RDMA_UNSET;
}

static void fill_rdma(const struct opts *opts, struct wire_rdma *ret)
{
	*ret = (struct wire_rdma){
		.gid_index = index_or_unset(opts->gid_index),
		.sl = index_or_unset(opts->sl),
		.tc = index_or_unset(opts->tc),
		.qps = (int32_t)opts->qps,
		.mtu_bytes = (int32_t)opts->rdma_mtu,
		.op = opts->rdma_op,
	};
	fp_copy(ret->hca, sizeof(ret->hca), opts->hca);
}

void opts_setup(const struct opts *opts, struct wire_setup *ret)
{
	fill_rdma(opts, &ret->rdma);
	ret->streams = (int32_t)opts->streams;
	ret->sockbuf = (int32_t)opts->sockbuf;
	ret->connect_s = opts->connect_timeout_s;
	/* A sweep is one table, which nothing is judged beside. */
	if (opts->command != CMD_SWEEP)
		ret->reads = TOPO_READ_HOST | TOPO_READ_DRIVERS;
	fp_copy(ret->netdev, sizeof(ret->netdev), opts->netdev);
	fp_copy(ret->addr, sizeof(ret->addr), opts->addr);
	fp_copy(ret->tcp_cc, sizeof(ret->tcp_cc), opts->tcp_cc);
	fp_copy(ret->host_id, sizeof(ret->host_id), opts->host_id);
	fp_copy(ret->sysroot, sizeof(ret->sysroot), opts->sysroot);
	fill_inject(&opts->inject, ret->inject, sizeof(ret->inject));
}
