/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank with several RDMA ports measures each by itself: its k-th port and
 * the k-th of another rank are rail k. A job as one rail sees it has one port a
 * rank, and whoever knows how to plan and judge that needs to know no more.
 */
#ifndef FP_TOPO_MODEL_RAILS_H
#define FP_TOPO_MODEL_RAILS_H

#include "topo/model/model.h"

#define TOPO_RAILS_MAX 16

/** topo_ports_add() - append @name to @ports, a list as topo_rank.ports is.
 * Return: false if there is no room, or are TOPO_RAILS_MAX already. */
bool topo_ports_add(char ports[static TOPO_PORTS_MAX], const char *name);

/** topo_ports_count() - of such a list. */
uint32_t topo_ports_count(const char *ports);

/** topo_ports_at() - its @k-th name, "" if there is none. Return: @buf. */
const char *topo_ports_at(const char *ports, uint32_t k,
                          char buf[static TOPO_PORT_MAX]);

/** topo_rank_rails() - how many RDMA ports @r has. */
uint32_t topo_rank_rails(const struct topo_rank *r);

/** topo_rank_port() - the name of its port on rail @ep; -1: of the only one it
 * is asked for, the first. Return: @buf; "" if it has none there. */
const char *topo_rank_port(const struct topo_rank *r, int32_t ep,
                           char buf[static TOPO_PORT_MAX]);

/** topo_job_rails() - most ports of any rank; 1 where none is known. */
uint32_t topo_job_rails(const struct topo_job *job);

/** topo_job_set_ports() - @rank has the ports of list @ports; "" for none. */
void topo_job_set_ports(struct topo_job *job, int32_t rank, const char *ports);

/**
 * topo_job_on_rail() - @job as rail @ep sees it (-1: as its first): port is
 * that of the rail, "" where a rank has none, and stands in netdev's place:
 * netdev is a number beyond the host's devices, the same for ranks of a host
 * that share the port.
 * @ret: borrows all but its ranks from @job; topo_job_on_rail_done().
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status topo_job_on_rail(const struct topo_job *job, int32_t ep,
                                struct topo_job *ret, struct fp_err *err);
void topo_job_on_rail_done(struct topo_job *view); /* takes a zero one */

/** topo_rank_rate_bps() - what the port of @rank is said to carry by its host's
 * map; -1: not known. */
int64_t topo_rank_rate_bps(const struct topo_job *job, int32_t rank);

#endif
