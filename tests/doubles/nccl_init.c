// SPDX-License-Identifier: Apache-2.0
// libnccl's double: unique ids and how members of a communicator meet.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "tests/doubles/nccl_impl.h"

#define ID_MAGIC 0x6469656b6166ULL

ncclResult_t ncclGetUniqueId(ncclUniqueId *ret)
{
	struct ncclUniqueId_words id = { .pid = getpid(), .magic = ID_MAGIC };
	ncclResult_t rc = nc_call("ncclGetUniqueId");

	if (rc != ncclSuccess)
		return rc;
	id.fd = memfd_create("fake-nccl", MFD_CLOEXEC);
	if (id.fd < 0 || ftruncate(id.fd, sizeof(struct nc_shared)) < 0 ||
	    getrandom(&id.serial, sizeof(id.serial), 0) != sizeof(id.serial))
		return nc_fail(ncclSystemError, "memfd: %s", strerror(errno));
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, &id, sizeof(id));
	return ncclSuccess;
}

static bool env_set(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0") != 0;
}

static struct fpd_switches switches(void)
{
	const char *gdr = getenv("NCCL_NET_GDR_LEVEL");
	const char *net = getenv("NCCL_NET");

	return (struct fpd_switches){
		.no_p2p = env_set("NCCL_P2P_DISABLE"),
		.no_shm = env_set("NCCL_SHM_DISABLE"),
		.no_ib = env_set("NCCL_IB_DISABLE") ||
		         (net && !strcasecmp(net, "Socket")),
		.no_gdr = gdr && (!strcasecmp(gdr, "LOC") || !strcmp(gdr, "0")),
	};
}

struct fpd_path nc_path(const struct ncclComm *c, int src, int dst)
{
	const struct nc_seat *a = &c->sh->seats[src], *b = &c->sh->seats[dst];
	const struct fpd_switches sw = {
		.no_p2p = a->sw.no_p2p || b->sw.no_p2p,
		.no_shm = a->sw.no_shm || b->sw.no_shm,
		.no_ib = a->sw.no_ib || b->sw.no_ib,
		.no_gdr = a->sw.no_gdr || b->sw.no_gdr,
		.nccl = true,
	};

	return fpd_path(a->place, b->place, sw);
}

static ncclResult_t shared_map(struct ncclComm *c)
{
	char path[64];
	void *p;
	int fd;

	if (c->id.magic != ID_MAGIC)
		return nc_fail(ncclInvalidArgument, "this is no unique id");
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)c->id.pid,
	               (int)c->id.fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return nc_fail(ncclSystemError,
		               "socketStartConnect: connect to the root failed "
		               ": %s",
		               strerror(errno));
	p = mmap(NULL, sizeof(struct nc_shared), PROT_READ | PROT_WRITE,
	         MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return nc_fail(ncclSystemError, "mmap: %s", strerror(errno));
	c->sh = p;
	return ncclSuccess;
}

static int own_version(const struct ncclComm *c)
{
	const struct fpd_fault *f = fpd_fault_find(
		FPD_NCCL_VERSION, c->place.host, c->place.gpu, NULL);

	return f ? f->code : fpd_world()->nccl_version;
}

static void seat_take(struct ncclComm *c)
{
	struct nc_seat *s = &c->sh->seats[c->rank];

	s->pid = getpid();
	s->place = c->place;
	s->version = own_version(c);
	s->sw = switches();
	c->sw = s->sw;
	atomic_store(&s->taken, 1);
	atomic_fetch_add(&c->sh->seated, 1);
	nc_wake(&c->sh->seated);
}

static ncclResult_t peers_check(const struct ncclComm *c)
{
	const struct nc_seat *s = c->sh->seats, *me = &s[c->rank];

	for (int r = 0; r < c->n; r++) {
		if (r == c->rank)
			continue;
		if (s[r].version != me->version)
			return nc_fail(ncclInvalidUsage,
			               "Mismatched NCCL version detected : "
			               "rank %d version %d rank %d version %d",
			               r, s[r].version, c->rank, me->version);
		if (s[r].place.host == me->place.host &&
		    s[r].place.gpu == me->place.gpu)
			return nc_fail(ncclInvalidUsage,
			               "Duplicate GPU detected : rank %d and "
			               "rank %d both on CUDA device %x",
			               c->rank, r,
			               0x1000 * (me->place.gpu + 1) + 0x10);
	}
	return ncclSuccess;
}

/* As NCCL does, which takes this for broken hardware. */
static ncclResult_t p2p_check(const struct ncclComm *c)
{
	const struct nc_seat *s = c->sh->seats;

	for (int a = 0; a < c->n; a++) {
		for (int b = 0; b < a; b++) {
			if (s[a].place.host != s[b].place.host ||
			    fpd_peer_ok(s[a].place, s[b].place) ||
			    !fpd_nvlinks(s[a].place) ||
			    !fpd_nvlinks(s[b].place) ||
			    env_set("NCCL_IGNORE_DISABLED_P2P") ||
			    env_set("NCCL_P2P_DISABLE"))
				continue;
			return nc_fail(ncclUnhandledCudaError,
			               "P2P is disabled between NVLINK "
			               "connected GPUs %d and %d. This should "
			               "not be the case given their "
			               "connectivity, and is probably due to "
			               "a hardware issue.",
			               s[a].place.gpu, s[b].place.gpu);
		}
	}
	return ncclSuccess;
}

static bool hangs_in(const struct ncclComm *c, const char *where)
{
	const struct fpd_fault *f = NULL;

	while ((f = fpd_fault_find(FPD_HANG, c->place.host, c->place.gpu, f)))
		if (strcmp(f->where, where) == 0)
			return true;
	return false;
}

static void tell_init(struct ncclComm *c)
{
	nc_info("NCCL version %d.%d.%d+cuda13.0", own_version(c) / 10000,
	        own_version(c) / 100 % 100, own_version(c) % 100);
	nc_info("ncclCommInitRankConfig comm %p rank %d nranks %d cudaDev %d "
	        "nvmlDev %d - Init COMPLETE",
	        (void *)c, c->rank, c->n, c->dev, c->place.gpu);
	if (c->n < 2)
		return;
	nc_tell_path(c, (c->rank + 1) % c->n, true);
	nc_tell_path(c, (c->rank + c->n - 1) % c->n, false);
}

ncclResult_t nc_init(struct ncclComm *c)
{
	ncclResult_t rc = shared_map(c);
	uint32_t seated;

	if (rc != ncclSuccess)
		return rc;
	if (hangs_in(c, "init"))
		nc_stuck(c);
	else
		seat_take(c);
	while ((seated = atomic_load(&c->sh->seated)) < (uint32_t)c->n)
		if (!nc_wait(c, &c->sh->seated, seated))
			return ncclInternalError;
	rc = peers_check(c);
	if (rc == ncclSuccess)
		rc = p2p_check(c);
	if (rc == ncclSuccess)
		tell_init(c);
	return rc;
}
