// SPDX-License-Identifier: Apache-2.0
// What the verbs transport is asked for, by options or as NCCL is.
#include "probes/xport/verbs_env.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/verbs_limits.h"

/* A number that the environment may give where no option did. */
struct env_number {
	const char *name;
	long min, max;
	size_t field; /* an int32_t in struct verbs_env */
};

#define NUMBER(variable, least, most, member)                             \
	{                                                                 \
		variable, least, most, offsetof(struct verbs_env, member) \
	}

static const struct env_number numbers[] = {
	NUMBER("NCCL_IB_GID_INDEX", -1, GID_TABLE_MAX - 1, gid.index),
	NUMBER("NCCL_IB_SL", 0, 15, sl),
	NUMBER("NCCL_IB_TC", 0, 255, tc),
	NUMBER("NCCL_IB_PKEY", 0, 65535, pkey_index),
	NUMBER("NCCL_IB_QPS_PER_CONNECTION", 1, VERBS_QPS_MAX, qps),
	NUMBER("NCCL_IB_PCI_RELAXED_ORDERING", 0, 2, relaxed),
};

static enum fp_status number_read(const struct env_number *row,
                                  char *(*get)(const char *),
                                  struct verbs_env *env, struct fp_err *err)
{
	const char *text = get(row->name);
	int32_t *field = (int32_t *)((char *)env + row->field);
	char *end;
	long value;

	if (!text || !*text || *field != WIRE_RDMA_UNSET)
		return FP_OK;
	value = strtol(text, &end, 0);
	if (*end || value < row->min || value > row->max)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "%s=%.40s: is not a number from %ld to %ld",
		                  row->name, text, row->min, row->max);
	*field = (int32_t)value;
	return FP_OK;
}

static enum fp_status family_read(const char *text, struct gid_wish *wish,
                                  struct fp_err *err)
{
	if (!text || !*text)
		return FP_OK;
	if (strcmp(text, "AF_INET") == 0)
		wish->family = GID_IPV4;
	else if (strcmp(text, "AF_INET6") == 0)
		wish->family = GID_IPV6;
	else
		return fp_err_set(err, FP_ERR_USAGE,
		                  "NCCL_IB_ADDR_FAMILY=%.40s: is neither "
		                  "AF_INET nor AF_INET6",
		                  text);
	return FP_OK;
}

static enum fp_status gid_read(char *(*get)(const char *),
                               struct gid_wish *wish, struct fp_err *err)
{
	const char *range = get("NCCL_IB_ADDR_RANGE");
	const char *version = get("NCCL_IB_ROCE_VERSION_NUM");
	enum fp_status status;

	status = family_read(get("NCCL_IB_ADDR_FAMILY"), wish, err);
	if (status == FP_OK && range && *range)
		status = gid_wish_net(range, wish, err);
	if (version && strcmp(version, "1") == 0)
		wish->type = GID_ROCE_V1;
	return status;
}

#define OWN_LIST 1

/* The option is for all ranks, the first variable for one of them, which
 * shares it with nobody, the other one for the job. */
static enum fp_status hcas_read(const char *option, char *(*get)(const char *),
                                struct verbs_env *ret, struct fp_err *err)
{
	const char *texts[] = { option, get("FABRICPROBE_HCA"),
		                get("NCCL_IB_HCA") };
	static const char *const names[] = { "--hca", "FABRICPROBE_HCA",
		                             "NCCL_IB_HCA" };
	enum fp_status status;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!texts[i] || !*texts[i])
			continue;
		status = hca_list_parse(texts[i], &ret->hcas, err);
		if (i == OWN_LIST) {
			ret->local_rank = 0;
			ret->local_size = 1;
		}
		fp_err_prefix(err, "%s", names[i]);
		return status;
	}
	return FP_OK;
}

static void defaults(struct verbs_env *env)
{
	if (env->gid.index == WIRE_RDMA_UNSET)
		env->gid.index = -1;
	if (env->qps == WIRE_RDMA_UNSET)
		env->qps = 1;
	if (env->sl == WIRE_RDMA_UNSET)
		env->sl = 0;
	if (env->tc == WIRE_RDMA_UNSET)
		env->tc = 0;
	if (env->relaxed == WIRE_RDMA_UNSET)
		env->relaxed = 1;
	if (env->pkey_index == WIRE_RDMA_UNSET)
		env->pkey_index = 0;
}

enum fp_status verbs_env_read(const struct wire_setup *setup,
                              char *(*get)(const char *), struct verbs_env *ret,
                              struct fp_err *err)
{
	const struct wire_rdma *want = &setup->rdma;
	struct verbs_env env = {
		.gid = { .index = want->gid_index },
		.local_rank = setup->local_rank,
		.local_size = setup->local_size,
		.qps = want->qps > 0 ? want->qps : WIRE_RDMA_UNSET,
		.mtu_bytes = want->mtu_bytes,
		.sl = want->sl,
		.tc = want->tc,
		.op = want->op,
		.pkey_index = WIRE_RDMA_UNSET,
		.relaxed = WIRE_RDMA_UNSET,
		.sysroot = setup->sysroot,
	};
	enum fp_status status = hcas_read(want->hca, get, &env, err);

	if (status != FP_OK)
		return status;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		status = number_read(&numbers[i], get, &env, err);
		if (status != FP_OK)
			return status;
	}
	status = gid_read(get, &env.gid, err);
	defaults(&env);
	if (status == FP_OK)
		*ret = env;
	return status;
}

uint64_t verbs_counter_delta(uint64_t before, uint64_t now)
{
	if (now >= before)
		return now - before;
	if (before <= UINT32_MAX)
		return (uint32_t)(now - before);
	return now;
}
