/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker process: all that touches a peer's data, a NIC or a GPU. Started
 * by an agent with descriptor 3 = socketpair (frames of wire.h) and 4 = the
 * stage board's memory. It may be killed at any time and leaves nothing.
 *
 *   SETUP -> READY, FACTS;  PREPARE -> ENDPOINT (or OUTCOME: could not);
 *   GO -> [SAMPLES] OUTCOME;  CANCEL -> nothing.
 *
 * It ends when the socketpair closes or its parent dies.
 */
#ifndef FP_PROBES_WORKER_WORKER_H
#define FP_PROBES_WORKER_WORKER_H

#include "topo/base/status.h"

#define WORKER_CONTROL_FD 3
#define WORKER_BOARD_FD 4

/**
 * worker_main() - serve an agent on the two descriptors until it is gone.
 *
 * Return: the process's exit status: 0 when the agent closed, 2 when the
 * descriptors are not what they should be, 1 on a broken protocol.
 */
int worker_main(void);

#endif
