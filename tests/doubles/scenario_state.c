// SPDX-License-Identifier: Apache-2.0
// Counts that outlive a process: a GPU that failed once has failed for the one
// that comes after, too.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/doubles/scenario.h"

struct state {
	_Atomic uint64_t calls[FPD_FAULTS_MAX];
	_Atomic uint64_t operations[FPD_HOSTS_MAX][FPD_GPUS_MAX];
};

static struct state *the_state; /* written once, see map_once() */
static pthread_once_t state_once = PTHREAD_ONCE_INIT;

/* Beside the scenario; where nothing can be written, of this process alone. */
static void map_once(void)
{
	char path[4096];
	void *map = MAP_FAILED;
	int fd;

	(void)snprintf(path, sizeof(path), "%s.state", getenv("FP_DOUBLES"));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, sizeof(struct state)) == 0)
		map = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE,
		           MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		map = calloc(1, sizeof(struct state));
	the_state = map;
}

uint64_t fpd_count_fault(const struct fpd_fault *f)
{
	pthread_once(&state_once, map_once);
	return atomic_fetch_add(&the_state->calls[f - fpd_world()->faults], 1);
}

bool fpd_fault_seen(const struct fpd_fault *f)
{
	pthread_once(&state_once, map_once);
	return atomic_load(&the_state->calls[f - fpd_world()->faults]) > 0;
}

bool fpd_fault_ripe(const struct fpd_fault *f)
{
	return f->busy_s <= 0 || fpd_fault_seen(f);
}

uint64_t fpd_count_operation(struct fpd_end at)
{
	pthread_once(&state_once, map_once);
	return atomic_fetch_add(&the_state->operations[at.host][at.gpu], 1);
}

uint64_t fpd_operations(struct fpd_end at)
{
	pthread_once(&state_once, map_once);
	return atomic_load(&the_state->operations[at.host][at.gpu]);
}
