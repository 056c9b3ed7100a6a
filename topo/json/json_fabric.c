// SPDX-License-Identifier: Apache-2.0
// The short description of a cluster, from JSON.
#include "topo/json/json_fabric.h"

#include <jansson.h>
#include <string.h>

enum member_kind { MEMBER_COUNT, MEMBER_REAL, MEMBER_BOOL, MEMBER_INSIDE };

#define MEMBER(name, kind)                                               \
	{                                                                \
#name, offsetof(struct fabric_spec, name), MEMBER_##kind \
	}
static const struct member {
	const char *name;
	size_t at;
	enum member_kind kind;
} members[] = {
	MEMBER(hosts, COUNT),           MEMBER(gpus, COUNT),
	MEMBER(nvlinks, COUNT),         MEMBER(nics, COUNT),
	MEMBER(nic_gbps, REAL),         MEMBER(hosts_per_leaf, COUNT),
	MEMBER(leaves, COUNT),          MEMBER(spines, COUNT),
	MEMBER(oversubscription, REAL), MEMBER(rail_optimised, BOOL),
	MEMBER(inside, INSIDE),
};

static const char *const insides[FABRIC_INSIDE_COUNT] = {
	[FABRIC_INSIDE_NVSWITCH] = "nvswitch",
	[FABRIC_INSIDE_NVLINK] = "nvlink_pairs",
	[FABRIC_INSIDE_PCIE] = "pcie",
};

static bool set_count(void *at, const json_t *v)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || n > INT32_MAX)
		return false;
	*(int32_t *)at = (int32_t)n;
	return true;
}

static bool set_real(void *at, const json_t *v)
{
	if (!json_is_number(v))
		return false;
	*(double *)at = json_number_value(v);
	return true;
}

static bool set_bool(void *at, const json_t *v)
{
	if (!json_is_boolean(v))
		return false;
	*(bool *)at = json_is_true(v);
	return true;
}

static bool set_inside(void *at, const json_t *v)
{
	uint32_t i;

	for (i = 0; json_is_string(v) && i < FABRIC_INSIDE_COUNT; i++)
		if (strcmp(json_string_value(v), insides[i]) == 0) {
			*(uint32_t *)at = i;
			return true;
		}
	return false;
}

static enum fp_status set_member(struct fabric_spec *spec, const char *name,
                                 const json_t *v, struct fp_err *err)
{
	static bool (*const set[])(void *, const json_t *) = {
		[MEMBER_COUNT] = set_count,
		[MEMBER_REAL] = set_real,
		[MEMBER_BOOL] = set_bool,
		[MEMBER_INSIDE] = set_inside,
	};
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(*members); i++) {
		if (strcmp(members[i].name, name) != 0)
			continue;
		if (set[members[i].kind]((char *)spec + members[i].at, v))
			return FP_OK;
		return fp_err_set(err, FP_ERR_INPUT, "'%.64s': a bad value",
		                  name);
	}
	return fp_err_set(err, FP_ERR_INPUT, "'%.64s': no such member", name);
}

enum fp_status fabric_spec_read(const char *text, size_t len,
                                struct fabric_spec *ret, struct fp_err *err)
{
	struct fabric_spec spec;
	enum fp_status status = FP_OK;
	json_error_t where;
	const char *name;
	json_t *root, *v;

	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	if (!root)
		return fp_err_set(err, FP_ERR_INPUT, "line %d: %s", where.line,
		                  where.text);
	fabric_spec_defaults(&spec, 0);
	if (!json_is_object(root))
		status = fp_err_set(err, FP_ERR_INPUT, "it is no object");
	json_object_foreach(root, name, v)
	{
		if (!status)
			status = set_member(&spec, name, v, err);
	}
	json_decref(root);
	if (!status)
		status = fabric_spec_check(&spec, err);
	if (!status)
		*ret = spec;
	return status;
}
