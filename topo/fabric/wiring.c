// SPDX-License-Identifier: Apache-2.0
// Lists of plugs, and a fabric plugged by one.
#include "topo/fabric/wiring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

#define ROOM_MIN 64

void wiring_done(struct wiring *w)
{
	if (!w)
		return;
	free(w->plugs);
	*w = (struct wiring){ 0 };
}

enum fp_status wiring_add(struct wiring *w, const struct wiring_plug *plug,
                          struct fp_err *err)
{
	size_t room = w->room ? 2 * w->room : ROOM_MIN;
	struct wiring_plug *plugs;

	if (w->n == WIRING_MAX_PLUGS)
		return fp_err_set(err, FP_ERR_LIMIT, "more than %d ports",
		                  WIRING_MAX_PLUGS);
	if (w->n == w->room) {
		plugs = realloc(w->plugs, room * sizeof(*plugs));
		if (!plugs)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory for ports");
		w->plugs = plugs;
		w->room = room;
	}
	w->plugs[w->n++] = *plug;
	return FP_OK;
}

/* struct name - a name and what it stands for, to be sorted and found. */
struct name {
	const char *text;
	int32_t index;
};

static int name_cmp(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	return strcmp(a->text, b->text);
}

static int32_t name_find(const struct name *names, size_t n, const char *text)
{
	struct name key = { .text = text };
	const struct name *found;

	found = n ? bsearch(&key, names, n, sizeof(*names), name_cmp) : NULL;
	return found ? found->index : -1;
}

/* struct names - hosts and leaves by name. */
struct names {
	struct name *hosts, *leaves;
	size_t n_hosts, n_leaves;
	char (*numbers)[TOPO_NAME_MAX]; /* hosts without names */
};

static enum fp_status name_hosts(struct names *n, const struct fabric *f,
                                 struct fp_err *err)
{
	size_t i;

	n->n_hosts = (size_t)f->spec.hosts;
	n->hosts = calloc(n->n_hosts + 1, sizeof(*n->hosts));
	n->numbers = calloc(n->n_hosts + 1, sizeof(*n->numbers));
	if (!n->hosts || !n->numbers)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	for (i = 0; i < n->n_hosts; i++) {
		(void)snprintf(n->numbers[i], TOPO_NAME_MAX, "%zu", i);
		n->hosts[i] = (struct name){
			.text = f->host_names ? f->host_names[i]
			                      : n->numbers[i],
			.index = (int32_t)i,
		};
	}
	qsort(n->hosts, n->n_hosts, sizeof(*n->hosts), name_cmp);
	return FP_OK;
}

/* Leaves are numbered in the order of their names. */
static enum fp_status name_leaves(struct names *n, const struct wiring *w,
                                  struct fp_err *err)
{
	size_t i;

	n->leaves = calloc(w->n + 1, sizeof(*n->leaves));
	if (!n->leaves)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	for (i = 0; i < w->n; i++)
		n->leaves[i].text = w->plugs[i].leaf;
	qsort(n->leaves, w->n, sizeof(*n->leaves), name_cmp);
	for (i = 0; i < w->n; i++) {
		if (n->n_leaves && strcmp(n->leaves[n->n_leaves - 1].text,
		                          n->leaves[i].text) == 0)
			continue;
		n->leaves[n->n_leaves] = n->leaves[i];
		n->leaves[n->n_leaves].index = (int32_t)n->n_leaves;
		n->n_leaves++;
	}
	return FP_OK;
}

static bool plug_in(const struct wiring_plug *p, const struct names *n,
                    struct fabric *f, int32_t *leaf_of)
{
	int32_t host = name_find(n->hosts, n->n_hosts, p->host);
	int32_t nics = f->spec.nics, first, last, i;
	struct fabric_port *at;

	if (host < 0 || p->nic >= nics)
		return false;
	first = p->nic < 0 ? 0 : p->nic;
	last = p->nic < 0 ? nics - 1 : p->nic;
	for (i = first; i <= last; i++) {
		at = &f->ports[host * nics + i];
		leaf_of[host * nics + i] =
			name_find(n->leaves, n->n_leaves, p->leaf);
		at->port = p->nic < 0 ? -1 : p->port;
		fp_copy(at->cable, sizeof(at->cable), p->cable);
	}
	return true;
}

static enum fp_status keep_leaf_names(struct fabric *f, const struct names *n,
                                      struct fp_err *err)
{
	size_t i;

	f->leaf_names = calloc(n->n_leaves + 1, sizeof(*f->leaf_names));
	if (!f->leaf_names)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for names");
	for (i = 0; i < n->n_leaves; i++)
		fp_copy(f->leaf_names[i], TOPO_NAME_MAX, n->leaves[i].text);
	return FP_OK;
}

enum fp_status wiring_apply(const struct wiring *w, struct fabric *f,
                            size_t *ret_unknown, struct fp_err *err)
{
	size_t ports = (size_t)f->spec.hosts * (size_t)f->spec.nics, i;
	int32_t *leaf_of = calloc(ports + 1, sizeof(*leaf_of));
	struct names n = { 0 };
	enum fp_status status;
	size_t unknown = 0;

	if (!leaf_of)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for ports");
	status = name_hosts(&n, f, err);
	if (!status)
		status = name_leaves(&n, w, err);
	if (!status) {
		for (i = 0; i < ports; i++)
			leaf_of[i] = -1;
		for (i = 0; i < w->n; i++)
			unknown += !plug_in(&w->plugs[i], &n, f, leaf_of);
		status = fabric_rewire(f, leaf_of, (int32_t)n.n_leaves, err);
	}
	if (!status)
		status = keep_leaf_names(f, &n, err);
	if (!status && ret_unknown)
		*ret_unknown = unknown;
	free(leaf_of);
	free(n.hosts);
	free(n.numbers);
	free(n.leaves);
	return status;
}
