// SPDX-License-Identifier: Apache-2.0
// Which faults hit whom, and where a process is in the modelled cluster.
#include "tests/doubles/scenario.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fpd_world the_world; /* written once, see read_once() */
static pthread_once_t world_once = PTHREAD_ONCE_INIT;

static void read_once(void)
{
	const char *path = getenv("FP_DOUBLES");
	char why[256] = "FP_DOUBLES names no scenario";

	if (path && fpd_world_read(path, &the_world, why, sizeof(why)))
		return;
	fprintf(stderr, "doubles: %s: %s\n", path ? path : "no file", why);
	_exit(70);
}

const struct fpd_world *fpd_world(void)
{
	pthread_once(&world_once, read_once);
	return &the_world;
}

static int host_named(const char *name)
{
	const struct fpd_world *w = fpd_world();

	for (unsigned i = 0; name && i < w->n_hosts; i++)
		if (strcmp(w->hosts[i], name) == 0)
			return (int)i;
	return -1;
}

int fpd_host(void)
{
	char name[256] = "";
	int host = host_named(getenv("NCCL_HOSTID"));

	if (host < 0)
		host = host_named(getenv("FP_DOUBLES_HOST"));
	(void)gethostname(name, sizeof(name) - 1);
	if (host < 0)
		host = host_named(name);
	if (host >= 0 || fpd_world()->n_hosts == 1)
		return host < 0 ? 0 : host;
	fprintf(stderr, "doubles: host %s is not in the scenario\n", name);
	_exit(70);
}

static bool end_is(struct fpd_end end, int host, int gpu)
{
	return (end.host < 0 || end.host == host) &&
	       (end.gpu < 0 || end.gpu == gpu);
}

bool fpd_fault_at(const struct fpd_fault *f, int host, int gpu)
{
	return end_is(f->at, host, gpu);
}

const struct fpd_fault *fpd_fault_find(enum fpd_fault_kind kind, int host,
                                       int gpu, const struct fpd_fault *from)
{
	const struct fpd_world *w = fpd_world();
	const struct fpd_fault *f = from ? from + 1 : w->faults;

	for (; f < w->faults + w->n_faults; f++)
		if (f->kind == kind && end_is(f->at, host, gpu))
			return f;
	return NULL;
}

bool fpd_fault_due(const struct fpd_fault *f, uint64_t nth)
{
	return nth >= f->after && (f->times == 0 || nth - f->after < f->times);
}

void fpd_bus_id(int gpu, bool hca, char *buf, size_t size)
{
	/* Two devices below each switch, four switches a socket. */
	(void)snprintf(buf, size, "0000:%02x:00.0",
	               0x10u * ((unsigned)gpu + 1) + (hca ? 2u : 1u));
}
