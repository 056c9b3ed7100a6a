/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that asks NVML how a GPU is while others use it. Started by an
 * agent with descriptor 3 = socketpair: a frame WIRE_WATCH names the device and
 * the trials that are over, the answer is the same record with its values. It
 * opens no GPU. A call that hangs in the driver hangs this process alone.
 */
#ifndef FP_PROBES_WATCH_WATCH_H
#define FP_PROBES_WATCH_WATCH_H

/**
 * watch_main() - answer until the agent is gone.
 *
 * Return: the process's exit status: 0 when the agent closed, 1 where NVML
 * cannot be asked, with the reason on stderr, or the protocol is broken, 2 when
 * the descriptor is none.
 */
int watch_main(void);

#endif
