/* SPDX-License-Identifier: Apache-2.0 */
/* What the switch port at the other end of a cable counts, out of its MADs. */
#ifndef FP_TOPO_SOURCE_MAD_H
#define FP_TOPO_SOURCE_MAD_H

#include "topo/reading/reading.h"
#include "topo/source/live.h"
#include "topo/source/mad_abi.h"

/** struct mad_node - what NodeInfo says of who answered. */
struct mad_node {
	bool is_switch;
	uint8_t port; /* of it, by which the question came */
};

/** mad_node_info(), mad_port_lid() - of the data of NodeInfo, PortInfo. */
struct mad_node mad_node_info(const uint8_t data[static MAD_DATA_BYTES]);
uint16_t mad_port_lid(const uint8_t data[static MAD_DATA_BYTES]);

/**
 * mad_put_counters() - readings port.switch.counter.*, of the data of
 * PortCounters and of PortCountersExtended (NULL: not answered). The short
 * ones stop at their largest value; the long ones are 0 where a switch does
 * not have them: so the larger of both.
 */
void mad_put_counters(struct reading_pen *pen,
                      const uint8_t counters[static MAD_PERFORMANCE_BYTES],
                      const uint8_t *extended);

/**
 * live_mad_read() - ask by @library (libibmad.so.5, or a test's) the switch at
 * the other end of each InfiniBand port that is up. What cannot be asked is a
 * skip of port.switch; nothing waits for longer than MAD_WAIT_MS a question.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT.
 */
enum fp_status live_mad_read(struct live *live, const char *library,
                             struct fp_err *err);

#define MAD_WAIT_MS 100

#endif
