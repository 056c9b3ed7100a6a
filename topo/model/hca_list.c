// SPDX-License-Identifier: Apache-2.0
// Which HCA ports are wanted, and which of a host are taken.
#include "topo/model/hca_list.h"

#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

#define PORT_MAX 255

static enum fp_status want_parse(const char *part, size_t len,
                                 struct hca_want *ret, struct fp_err *err)
{
	const char *colon = memchr(part, ':', len);
	size_t name_len = colon ? (size_t)(colon - part) : len;
	struct hca_want want = { .port = -1 };
	char *end = NULL;
	long port;

	if (name_len == 0 || name_len >= sizeof(want.name))
		return fp_err_set(err, FP_ERR_USAGE, "'%.*s' names no HCA",
		                  (int)(len < 80 ? len : 80), part);
	memcpy(want.name, part, name_len);
	if (colon) {
		port = strtol(colon + 1, &end, 10);
		if (end != part + len || end == colon + 1 || port < 1 ||
		    port > PORT_MAX)
			return fp_err_set(err, FP_ERR_USAGE,
			                  "'%.*s': behind the colon is the "
			                  "number of a port, 1 to %d",
			                  (int)(len < 80 ? len : 80), part,
			                  PORT_MAX);
		want.port = (int32_t)port;
	}
	*ret = want;
	return FP_OK;
}

enum fp_status hca_list_parse(const char *text, struct hca_list *ret,
                              struct fp_err *err)
{
	struct hca_list list = { .n = 0 };
	enum fp_status status = FP_OK;
	size_t len;

	if (text && *text == '^') {
		list.excluded = true;
		text++;
	}
	if (text && *text == '=') {
		list.exact = true;
		text++;
	}
	while (text && *text && status == FP_OK) {
		len = strcspn(text, ",");
		if (list.n == HCA_LIST_MAX)
			return fp_err_set(err, FP_ERR_LIMIT,
			                  "more than %d HCAs", HCA_LIST_MAX);
		status = want_parse(text, len, &list.wants[list.n++], err);
		text += len + (text[len] == ',');
	}
	if (status == FP_OK)
		*ret = list;
	return status;
}

static bool want_fits(const struct hca_list *list, const struct hca_want *want,
                      const char *name, int32_t port)
{
	bool named = list->exact ? strcmp(name, want->name) == 0
	                         : strncmp(name, want->name,
	                                   strlen(want->name)) == 0;

	return named && (want->port < 0 || want->port == port);
}

bool hca_list_takes(const struct hca_list *list, const char *name, int32_t port)
{
	bool listed = false;

	if (list->n == 0)
		return true;
	for (size_t i = 0; i < list->n; i++)
		listed |= want_fits(list, &list->wants[i], name, port);
	return listed != list->excluded;
}

static bool takes(const struct hca_list *list, const struct hca_candidate *c)
{
	return hca_list_takes(list, c->name, c->port);
}

static bool takes_near(const struct hca_list *list,
                       const struct hca_candidate *c)
{
	return takes(list, c) && c->near_gpu;
}

static bool takes_active(const struct hca_list *list,
                         const struct hca_candidate *c)
{
	return takes(list, c) && c->active;
}

size_t hca_pick(const struct hca_list *list, const struct hca_candidate *from,
                size_t n, size_t *ret)
{
	static bool (*const rules[])(const struct hca_list *,
	                             const struct hca_candidate *) = {
		takes_near, takes_active, takes
	};
	const size_t n_rules = sizeof(rules) / sizeof(rules[0]);
	bool named = list->n > 0 && !list->excluded;
	size_t taken = 0;

	/* what is named is taken as it is: a dead port is to be found dead */
	for (size_t r = named ? n_rules - 1 : 0; r < n_rules && !taken; r++)
		for (size_t i = 0; i < n; i++)
			if (rules[r](list, &from[i]))
				ret[taken++] = i;
	return taken;
}

int64_t hca_share(size_t n, int32_t local_rank, int32_t local_size, size_t k)
{
	size_t seat = local_rank > 0 ? (size_t)local_rank : 0;
	size_t step = local_size > 0 ? (size_t)local_size : n;

	if (n == 0)
		return -1;
	if (k == 0)
		return (int64_t)(seat % n);
	return seat + k * step < n ? (int64_t)(seat + k * step) : -1;
}
