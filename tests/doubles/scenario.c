// SPDX-License-Identifier: Apache-2.0
// Which faults hit whom, and where a process is in the modelled cluster.
#include "tests/doubles/scenario.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARENTS_MAX 4

static struct fpd_world the_world; /* written once, see read_once() */
static int the_host;               /* see host_once() */
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

/* The process's parent; 0: none that can be seen. */
static long parent_of(long pid)
{
	char path[64], text[512] = "";
	const char *end;
	long parent = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	(void)!fgets(text, sizeof(text), f);
	fclose(f);
	end = strrchr(text, ')');
	if (end && strlen(end) > 4)
		parent = strtol(end + 4, NULL, 10);
	return parent;
}

/* Ranks of --local that are to look like other hosts: their workers are not
 * told, but those who started them were. */
static int host_of_process(long pid)
{
	static const char name[] = "FABRICPROBE_LOCAL_HOST=";
	char path[64], *entry = NULL;
	size_t room = 0;
	int host = -1;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/environ", pid);
	f = fopen(path, "re");
	while (f && host < 0 && getdelim(&entry, &room, '\0', f) > 0)
		if (strncmp(entry, name, sizeof(name) - 1) == 0)
			host = host_named(entry + sizeof(name) - 1);
	if (f)
		fclose(f);
	free(entry);
	return host;
}

static int host_of_parents(void)
{
	long pid = getppid();
	int host = -1;

	for (int i = 0; i < PARENTS_MAX && pid > 1 && host < 0; i++) {
		host = host_of_process(pid);
		pid = parent_of(pid);
	}
	return host;
}

static int find_host(void)
{
	char name[256] = "";
	int host = host_named(getenv("NCCL_HOSTID"));

	if (host < 0)
		host = host_named(getenv("FP_DOUBLES_HOST"));
	if (host < 0 && fpd_world()->n_hosts > 1)
		host = host_of_parents();
	(void)gethostname(name, sizeof(name) - 1);
	if (host < 0)
		host = host_named(name);
	if (host >= 0 || fpd_world()->n_hosts == 1)
		return host < 0 ? 0 : host;
	fprintf(stderr, "doubles: host %s is not in the scenario\n", name);
	_exit(70);
}

static void host_once(void)
{
	the_host = find_host();
}

int fpd_host(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, host_once);
	return the_host;
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
