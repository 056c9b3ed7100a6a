/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load in the background: kernels on a stream of their own keep the GPU busy
 * while something else is measured, for links fail when they are hot. A thread
 * starts them, a burst behind the one that runs, and none lasts long; the
 * stream has the lowest priority, so whoever is measured goes first.
 */
#ifndef FP_PROBES_XPORT_CUDA_LOAD_H
#define FP_PROBES_XPORT_CUDA_LOAD_H

#include "topo/base/status.h"

struct cuda_load;

/**
 * cuda_load_on() - keep GPU @dev of this process busy from now on.
 * *@load: NULL, or one that is on already; owned by the caller.
 *
 * Return: FP_OK; FP_ERR_LIMIT, FP_ERR_LIB, ...: why it cannot, or why the one
 * that was on has stopped.
 */
enum fp_status cuda_load_on(struct cuda_load **load, int dev,
                            struct fp_err *err);

/**
 * cuda_load_off() - start no more, and wait for what is under way. Takes NULL;
 * *@load is NULL afterwards.
 *
 * Return: FP_OK; FP_ERR_TIMEOUT: the GPU does not come to an end, and the
 * thread is left to the end of the process.
 */
enum fp_status cuda_load_off(struct cuda_load **load, struct fp_err *err);

#endif
