// SPDX-License-Identifier: Apache-2.0
// libnccl's double: waiting for peers, and what never comes back.
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/doubles/nccl_impl.h"

#define WAIT_NS 20000000
#define LOOK_NS 50000000ULL /* between two looks whether peers live */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/* Only a network tells that the other end has gone: memory does not. */
static bool tells(const struct ncclComm *c, int peer)
{
	struct fpd_path p = nc_path(c, peer, c->rank);

	return p.via == FPD_VIA_NET || p.via == FPD_VIA_SOCKET;
}

static bool is_gone(const struct nc_seat *s)
{
	return atomic_load(&s->gone) || (kill(s->pid, 0) < 0 && errno == ESRCH);
}

static void look_for_peers(struct ncclComm *c)
{
	uint64_t now = now_ns();

	if (now - c->looked_ns < LOOK_NS)
		return;
	c->looked_ns = now;
	for (int r = 0; r < c->n; r++) {
		const struct nc_seat *s = &c->sh->seats[r];

		if (r == c->rank || !atomic_load(&s->taken) || !is_gone(s) ||
		    !tells(c, r))
			continue;
		(void)nc_fail(ncclRemoteError,
		              "socketProgress: Connection closed by remote "
		              "peer %s",
		              fpd_world()->hosts[s->place.host]);
		atomic_store(&c->async, ncclRemoteError);
	}
}

bool nc_wait(struct ncclComm *c, const _Atomic uint32_t *word, uint32_t old)
{
	const struct timespec ts = { .tv_nsec = WAIT_NS };

	if (atomic_load(&c->abort))
		return false;
	if (atomic_load(word) != old)
		return true;
	(void)syscall(SYS_futex, (const void *)word, FUTEX_WAIT, old, &ts, NULL,
	              0);
	look_for_peers(c);
	return !atomic_load(&c->abort);
}

void nc_wake(const _Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, (const void *)word, FUTEX_WAKE, 1 << 30, NULL,
	              NULL, 0);
}

void nc_stuck(struct ncclComm *c)
{
	const struct timespec ts = { .tv_nsec = WAIT_NS };

	while (!atomic_load(&c->abort))
		nanosleep(&ts, NULL);
}
