/* SPDX-License-Identifier: Apache-2.0 */
/* The measuring loops behind measure_run(), one per kind of operation. */
#ifndef FP_PROBES_MEASURE_PART_H
#define FP_PROBES_MEASURE_PART_H

#include "probes/measure/lane.h"
#include "probes/measure/measure.h"

/*
 * Each fills @o's figures, flags and wrong_bytes, sets m->n_samples, and moves
 * the board's stage on. They fail as steps do, and with FP_ERR_NOMEM before
 * anything was sent.
 */
enum fp_status measure_stream(struct measure *m, struct outcome *o,
                              struct fp_err *err);
enum fp_status measure_latency(struct measure *m, struct outcome *o,
                               struct fp_err *err);
enum fp_status measure_collective(struct measure *m, struct outcome *o,
                                  struct fp_err *err);
enum fp_status measure_team(struct measure *m, struct outcome *o,
                            struct fp_err *err);

/**
 * measure_send(), measure_receive() - the two ends of a one-way stream on @ep.
 * @tells: is the board told what is sent? Not where both run at once.
 */
enum fp_status measure_send(const struct measure *m, struct xport_ep *ep,
                            bool tells, struct outcome *o, struct fp_err *err);
enum fp_status measure_receive(struct measure *m, struct xport_ep *ep,
                               struct outcome *o, struct fp_err *err);

/** measure_lane_of() - @ep in this trial, words behind @data_bytes of data. */
struct measure_lane measure_lane_of(const struct measure *m,
                                    struct xport_ep *ep, size_t data_bytes);

/** measure_damaged() - FP_ERR_PROTO: a word from the other end is not intact,
 * or makes no sense. */
enum fp_status measure_damaged(struct outcome *o, struct fp_err *err);

/** measure_place() - where the messages of a batch go in a receive region: not
 * where those of the batch before did, which may still be looked at. */
size_t measure_place(size_t bytes, uint32_t batch);

/** measure_buffer() - @len bytes on page borders for free(3), poisoned with
 * what no pattern is, so that its pages are there; NULL without memory. */
void *measure_buffer(size_t len);

/** measure_check() - pattern_check(); then spoils a byte of each page, so that
 * the next message cannot be right without arriving. */
uint64_t measure_check(void *buf, size_t len, uint64_t seed);

#endif
