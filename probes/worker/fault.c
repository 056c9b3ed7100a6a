// SPDX-License-Identifier: Apache-2.0
// Injected faults of the worker process itself.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "probes/worker/part.h"
#include "probes/xport/fault.h"

#define FLOOD_FRAMES 4096
#define GARBAGE_BYTES 4096
#define PROCESS_KINDS                                                   \
	(1u << INJECT_DIE | 1u << INJECT_STOP | 1u << INJECT_STUBBORN | \
	 1u << INJECT_FLOOD | 1u << INJECT_GARBAGE | 1u << INJECT_HALF)

/* Ends like a crash: nothing is said and nothing is cleaned up. */
static void die(struct worker *w)
{
	(void)w;
	(void)raise(SIGKILL);
}

static void stop(struct worker *w)
{
	(void)w;
	(void)raise(SIGSTOP);
}

/* Only SIGKILL ends it; its parent's death is one. */
static void stubborn(struct worker *w)
{
	sigset_t all;

	(void)w;
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	for (;;)
		(void)pause();
}

static void flood(struct worker *w)
{
	struct wire_head beats[FLOOD_FRAMES];

	for (size_t i = 0; i < FLOOD_FRAMES; i++)
		beats[i] = wire_head_make(WIRE_HEARTBEAT,
		                          (uint32_t)w->setup.rank, 0);
	while (worker_write(w, beats, sizeof(beats), NULL) == FP_OK)
		;
}

static void garbage(struct worker *w)
{
	uint8_t bytes[GARBAGE_BYTES];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 167 + 13);
	(void)worker_write(w, bytes, sizeof(bytes), NULL);
}

static void half(struct worker *w)
{
	struct wire_head head = wire_head_make(
		WIRE_OUTCOME, (uint32_t)w->setup.rank, sizeof(struct outcome));
	const struct outcome o = { .trial = w->hand.trial.id };

	(void)worker_write(w, &head, sizeof(head), NULL);
	(void)worker_write(w, &o, sizeof(o) / 2, NULL);
	die(w);
}

void worker_misbehave(struct worker *w)
{
	static void (*const acts[INJECT_KIND_COUNT])(struct worker *) = {
		[INJECT_DIE] = die,           [INJECT_STOP] = stop,
		[INJECT_STUBBORN] = stubborn, [INJECT_FLOOD] = flood,
		[INJECT_GARBAGE] = garbage,   [INJECT_HALF] = half,
	};
	const struct trial *t = &w->hand.trial;
	const struct inject_rule *rule =
		fault_set_find(&w->faults, PROCESS_KINDS, t, -1, -1);

	if (!rule || !fault_chance(rule, t, -1, -1, 0))
		return;
	fault_acted(&w->faults, rule);
	acts[rule->kind](w);
}
