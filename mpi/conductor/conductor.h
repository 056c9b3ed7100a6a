/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conductor: rank 0's other half. Knows who is there, runs rounds of
 * trials over all agents, never waits past a deadline, goes on without those
 * who are lost. It executes; it decides nothing about what to measure.
 */
#ifndef FP_MPI_CONDUCTOR_CONDUCTOR_H
#define FP_MPI_CONDUCTOR_CONDUCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/boot/boot.h"
#include "mpi/mailbox/mailbox.h"
#include "probes/session/exec.h"
#include "probes/trial/wire.h"
#include "topo/model/model.h"

struct event_base;
struct conductor;

/** struct conductor_opts - seconds. */
struct conductor_opts {
	struct mailbox_opts mailbox;
	double start_s; /* for hellos; again for workers */
	/* PREPARE to endpoint; 0: 5.5, above the agents' own. */
	double prepare_s;
	/* Past a trial's deadline; 0: 2, above what an agent takes to help a
	 * stuck worker. */
	double grace_s;
	struct wire_setup setup; /* for every worker; the token is made here */
	bool loopback;           /* every rank is on this machine: --local */
	bool gpus;               /* ranks drive GPUs, not network devices */
};

/**
 * conductor_open() - serve the mailbox of a job of @listen->size ranks.
 * @listen: as mailbox_open(); its meet's token is what agents must carry.
 *
 * Return: FP_OK or mailbox_open()'s. Undo with conductor_close().
 */
enum fp_status conductor_open(const struct mailbox_listen *listen,
                              const struct conductor_opts *opts,
                              struct conductor **ret, struct fp_err *err);

/** conductor_adopt() - see mailbox_adopt(): rank 0's own agent. */
enum fp_status conductor_adopt(struct conductor *c, int fd, struct fp_err *err);

/**
 * conductor_gather() - wait for hellos, give out SETUP, wait for workers and
 * their facts, each under start_s; who does not come becomes an event.
 *
 * Return: FP_OK when at least one rank has a worker; FP_ERR_SYS with the
 * worker's own words when none has; FP_ERR_INTR after conductor_stop().
 */
enum fp_status conductor_gather(struct conductor *c, struct fp_err *err);

/** conductor_job() - who is where; valid from gather to close. */
const struct topo_job *conductor_job(const struct conductor *c);

/**
 * conductor_pick() - what to measure where nobody said: NCCL where every rank
 * has a GPU and its libraries, else RDMA where every rank has a port and there
 * are several hosts, else XPORT_AUTO: shared memory and TCP. After gather. With
 * NCCL the ranks of conductor_job() have no network device: NCCL chooses.
 *
 * Return: enum trial_xport.
 */
uint32_t conductor_pick(struct conductor *c);

/** The executor; its self is a struct conductor. */
extern const struct exec_ops conductor_exec_ops;

/**
 * conductor_note() - an event of the program's own, e.g. that control and
 * data share an interface; reaches the sink with the next round.
 */
void conductor_note(struct conductor *c, unsigned kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * conductor_events() - those that no sink has taken yet, *@ret_n of them;
 * valid until the next call on @c.
 */
const struct run_event *conductor_events(const struct conductor *c,
                                         size_t *ret_n);

/** conductor_stop() - a signal came: run() returns FP_ERR_INTR at once. */
void conductor_stop(struct conductor *c, int signum);

/** conductor_stopped() - the signal, or 0. */
int conductor_stopped(const struct conductor *c);

/**
 * conductor_finish() - send every agent its BYE and see it on its way, within
 * a second.
 *
 * Return: true if every rank answers, so that MPI_Finalize may be tried.
 */
bool conductor_finish(struct conductor *c);

/** conductor_close() - takes NULL. */
void conductor_close(struct conductor *c);

#endif
