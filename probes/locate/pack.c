// SPDX-License-Identifier: Apache-2.0
// First fit of tests into rounds, by what each occupies.
#include "probes/locate/pack.h"

#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

enum { OF_GPUS, OF_PORTS, OF_SWITCHES, OF_LEAVES };
#define OCCUPIED_MAX 8

/* Two slots each: for what is sent or goes up, and the other way. */
struct occupied {
	int32_t slot[OCCUPIED_MAX], limit[OCCUPIED_MAX];
	size_t n;
};

enum fp_status locate_pack_init(struct locate_pack *p, const struct fabric *f,
                                const struct locate_tests *tests,
                                struct fp_err *err)
{
	int32_t hosts = f->spec.hosts, n;

	*p = (struct locate_pack){ .f = f, .tests = tests };
	n = 2 * hosts * f->spec.gpus;
	p->first[OF_PORTS] = n;
	n += 2 * hosts * f->spec.nics;
	p->first[OF_SWITCHES] = n;
	n += 2 * hosts * f->each[FABRIC_PCIE_SWITCH];
	p->first[OF_LEAVES] = n;
	n += 2 * f->n_leaves;
	p->used = calloc((size_t)n + 1, sizeof(*p->used));
	if (!p->used)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for rounds");
	return FP_OK;
}

void locate_pack_done(struct locate_pack *p)
{
	free(p->used);
	free(p->dirty);
	*p = (struct locate_pack){ 0 };
}

static void occupy(struct occupied *o, int32_t slot, int32_t limit)
{
	o->slot[o->n] = slot;
	o->limit[o->n++] = limit;
}

/* The PCIe switch of an end whose bytes pass the CPU; -1: they do not. */
static int32_t switch_to_cpu(const struct fabric *f, const struct fabric_end *e,
                             const struct fabric_end *other)
{
	int32_t at;

	if (e->nic >= 0) {
		at = fabric_nic_switch(f, e->nic);
		return e->gpu < 0 || fabric_gpu_switch(f, e->gpu) != at ? at
		                                                        : -1;
	}
	if (e->gpu < 0)
		return -1;
	at = fabric_gpu_switch(f, e->gpu);
	if (other->gpu < 0)
		return at;
	if (locate_class_of(f, &(struct fabric_transfer){ *e, *other }) ==
	    LOCATE_INSIDE)
		return -1;
	return fabric_gpu_switch(f, other->gpu) != at ? at : -1;
}

static void occupy_end(const struct locate_pack *p, const struct fabric_end *e,
                       const struct fabric_end *other, int32_t way,
                       struct occupied *o)
{
	const struct fabric *f = p->f;
	int32_t at = switch_to_cpu(f, e, other);

	if (e->gpu >= 0)
		occupy(o, 2 * (e->host * f->spec.gpus + e->gpu) + way, 1);
	if (e->nic >= 0)
		occupy(o,
		       p->first[OF_PORTS] +
		               2 * (e->host * f->spec.nics + e->nic) + way,
		       1);
	if (at >= 0)
		occupy(o,
		       p->first[OF_SWITCHES] +
		               2 * (e->host * f->each[FABRIC_PCIE_SWITCH] +
		                    at) +
		               way,
		       1);
}

static void occupy_all(const struct locate_pack *p,
                       const struct fabric_transfer *t, struct occupied *o)
{
	const struct fabric *f = p->f;
	int32_t from = fabric_leaf(f, t->src.host, t->src.nic);
	int32_t to = fabric_leaf(f, t->dst.host, t->dst.nic);

	o->n = 0;
	occupy_end(p, &t->src, &t->dst, 0, o);
	occupy_end(p, &t->dst, &t->src, 1, o);
	if (from == to || from < 0 || to < 0)
		return;
	occupy(o, p->first[OF_LEAVES] + 2 * from, fabric_uplinks(f));
	occupy(o, p->first[OF_LEAVES] + 2 * to + 1, fabric_uplinks(f));
}

static bool fits(const struct locate_pack *p, const struct occupied *o)
{
	size_t i;

	for (i = 0; i < o->n; i++)
		if (p->used[o->slot[i]] >= o->limit[i])
			return false;
	return true;
}

static enum fp_status take(struct locate_pack *p, const struct occupied *o,
                           struct fp_err *err)
{
	enum fp_status status;
	size_t i;

	status = grow_room(&p->dirty, &p->room_dirty, p->n_dirty + o->n,
	                   sizeof(*p->dirty), err);
	if (status)
		return status;
	for (i = 0; i < o->n; i++) {
		p->used[o->slot[i]]++;
		p->dirty[p->n_dirty++] = o->slot[i];
	}
	return FP_OK;
}

static void round_clear(struct locate_pack *p)
{
	size_t i;

	for (i = 0; i < p->n_dirty; i++)
		p->used[p->dirty[i]] = 0;
	p->n_dirty = 0;
}

/* struct fill - one round being filled from what is left. */
struct fill {
	struct locate_ask *asks, *left;
	size_t n, n_left, n_done;
	uint32_t most, round;
};

/* One in each host does not disturb the others, however few may run. */
static bool is_full(const struct locate_pack *p, const struct fill *f,
                    const uint32_t taken[2], bool inside)
{
	uint32_t hosts = (uint32_t)p->f->spec.hosts;

	if (!f->most)
		return false;
	return taken[inside] >= (inside && hosts > f->most ? hosts : f->most);
}

/* Moves what fits behind what is done, and closes the ranks of the rest. */
static enum fp_status fill_round(struct locate_pack *p, struct fill *f,
                                 struct fp_err *err)
{
	uint8_t cls = p->tests->t[f->left[0].test].cls;
	enum fp_status status = FP_OK;
	uint32_t taken[2] = { 0 };
	size_t i, n = 0;

	for (i = 0; !status && i < f->n_left; i++) {
		const struct locate_test *t = &p->tests->t[f->left[i].test];
		bool inside = t->t.src.host == t->t.dst.host;
		struct occupied o;

		occupy_all(p, &t->t, &o);
		if ((t->cls != cls && !f->left[i].solo) ||
		    is_full(p, f, taken, inside) || !fits(p, &o)) {
			f->left[n++] = f->left[i];
			continue;
		}
		status = take(p, &o, err);
		taken[inside]++;
		f->asks[f->n_done] = f->left[i];
		f->asks[f->n_done++].round = f->round;
	}
	f->n_left = n;
	f->round++;
	round_clear(p);
	return status;
}

enum fp_status locate_pack(struct locate_pack *p, struct locate_ask *asks,
                           size_t n, uint32_t most, uint32_t *io_round,
                           struct fp_err *err)
{
	struct fill f = {
		.asks = asks,
		.n = n,
		.n_left = n,
		.most = most,
		.round = *io_round,
	};
	enum fp_status status = FP_OK;

	f.left = calloc(n + 1, sizeof(*f.left));
	if (!f.left)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for rounds");
	memcpy(f.left, asks, n * sizeof(*asks));
	while (!status && f.n_left)
		status = fill_round(p, &f, err);
	free(f.left);
	if (!status)
		*io_round = f.round;
	return status;
}
