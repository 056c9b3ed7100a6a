/* SPDX-License-Identifier: Apache-2.0 */
/* A probe beside a job that is still there, and may hang on its GPUs: what is
 * left out so as not to touch it, and where its processes are. */
#ifndef FP_PROBES_CONFIRM_BESIDE_H
#define FP_PROBES_CONFIRM_BESIDE_H

#include "probes/session/session.h"
#include "topo/base/fmt.h"

#define BESIDE_BYTES (64u << 10) /* of a message */
#define BESIDE_TRIAL_S 0.02      /* of data at a time */

/** struct beside_process - one that has a GPU open; "" is not known. */
struct beside_process {
	char host[TOPO_NAME_MAX], process[64]; /* "process 4711" */
	char name[32], gpus[64], state[32], wchan[64], stack[256];
	char unread[128]; /* why there is no stack */
};

/** struct beside - zero-initialise; beside_done(). */
struct beside {
	bool busy; /* a GPU of the job's hosts is in use */
	struct beside_process *p;
	size_t n;
};

/**
 * beside_find() - who uses the GPUs of @job's hosts, by their readings.
 *
 * Return: FP_OK; FP_ERR_NOMEM.
 */
enum fp_status beside_find(const struct topo_job *job, struct beside *ret,
                           struct fp_err *err);

/** beside_spare() - where GPUs are in use: host memory only, small messages,
 * little at a time. */
void beside_spare(const struct beside *b, struct session_opts *opts);

/** beside_words() - what was left out, and why: "" where nothing was. */
void beside_words(const struct beside *b, char *buf, size_t size);

/** beside_text() - a line for each process. */
void beside_text(const struct beside *b, int columns, struct fp_text *out);

/** beside_done() - free; takes NULL. */
void beside_done(struct beside *b);

#endif
