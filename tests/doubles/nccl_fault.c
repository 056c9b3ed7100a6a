// SPDX-License-Identifier: Apache-2.0
// libnccl's double: what goes wrong, where the scenario says so.
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/doubles/nccl_impl.h"

ncclResult_t nc_call(const char *name)
{
	struct fpd_end here = fpd_current();
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(FPD_NCCL, here.host, here.gpu, f)))
		if (strcmp(f->call, name) == 0 &&
		    fpd_fault_due(f, fpd_count_fault(f)))
			return nc_fail((ncclResult_t)f->code, "%s failed",
			               name);
	return ncclSuccess;
}

/* Does this member's path to or from @peer pass where @f is? */
static bool passes(const struct ncclComm *c, const struct fpd_fault *f,
                   int peer)
{
	const struct fpd_end to = c->sh->seats[peer].place;
	struct fpd_path p = nc_path(c, c->rank, peer);

	if (f->via[0] && strcmp(f->via, fpd_via_name(p.via)) != 0)
		return false;
	if (strcmp(f->where, "net") == 0 && p.via != FPD_VIA_NET &&
	    p.via != FPD_VIA_SOCKET)
		return false;
	return (f->to.host < 0 || f->to.host == to.host) &&
	       (f->to.gpu < 0 || f->to.gpu == to.gpu);
}

/* Does any of these operations? */
static bool any_passes(const struct ncclComm *c, const struct fpd_fault *f,
                       const struct nc_op *ops, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n && !any; i++) {
		if (ops[i].kind == NC_SEND || ops[i].kind == NC_RECV)
			any = passes(c, f, ops[i].peer);
		else
			any = passes(c, f, (c->rank + 1) % c->n) ||
			      passes(c, f, (c->rank + c->n - 1) % c->n);
	}
	return any;
}

static const struct fpd_fault *hang_due(const struct ncclComm *c, uint64_t nth,
                                        const struct nc_op *ops, size_t n)
{
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(FPD_HANG, c->place.host, c->place.gpu, f)))
		if (fpd_fault_due(f, nth) &&
		    (strcmp(f->where, "data") == 0 ||
		     strcmp(f->where, "net") == 0) &&
		    any_passes(c, f, ops, n))
			return f;
	return NULL;
}

static const struct fpd_fault *due(enum fpd_fault_kind kind,
                                   const struct ncclComm *c, uint64_t nth)
{
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(kind, c->place.host, c->place.gpu, f)))
		if (fpd_fault_due(f, nth))
			return f;
	return NULL;
}

/* As one that waits in the kernel: what is sent to its group does not reach it,
 * and it does nothing any more. */
static void wedge(void)
{
	(void)setpgid(0, getpgid(getppid()));
	(void)raise(SIGSTOP);
}

static bool wedge_due(const struct ncclComm *c, uint64_t nth)
{
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(FPD_HANG, c->place.host, c->place.gpu, f)))
		if (strcmp(f->where, "wedged") == 0 && fpd_fault_due(f, nth))
			return true;
	return false;
}

bool nc_faults(struct ncclComm *c, const struct nc_op *ops, size_t n)
{
	uint64_t nth = fpd_count_operation(c->place);
	const struct fpd_fault *f = due(FPD_ASYNC, c, nth);

	if (wedge_due(c, nth))
		wedge();
	if (due(FPD_EXIT, c, nth))
		(void)raise(SIGKILL);
	if (f)
		atomic_store(&c->async, f->code);
	if (!f && !hang_due(c, nth, ops, n))
		return true;
	nc_stuck(c);
	return false;
}

void nc_corrupt(const struct ncclComm *c, int src, void *p, size_t bytes)
{
	const struct fpd_end from =
		src < 0 ? c->place : c->sh->seats[src].place;
	const struct fpd_fault *f = NULL;
	uint8_t *at = p;

	while ((f = fpd_fault_find(FPD_CORRUPT, from.host, from.gpu, f))) {
		if (!fpd_fault_ripe(f) || f->n >= bytes ||
		    (src < 0 && (f->to.gpu >= 0 || f->via[0])))
			continue;
		if (src >= 0 && strcmp(f->where, "collective") == 0)
			continue;
		if (f->via[0] &&
		    strcmp(f->via,
		           fpd_via_name(nc_path(c, src, c->rank).via)) != 0)
			continue;
		if (src >= 0 &&
		    ((f->to.host >= 0 && f->to.host != c->place.host) ||
		     (f->to.gpu >= 0 && f->to.gpu != c->place.gpu)))
			continue;
		at[f->n] = (uint8_t)~at[f->n];
	}
}
