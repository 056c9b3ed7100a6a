/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the state of a port, as ibstat, ibstatus and ibv_devinfo say. */
#ifndef FP_TOPO_MODEL_PORT_WORDS_H
#define FP_TOPO_MODEL_PORT_WORDS_H

#include "topo/model/model_map.h"

/** port_state_read() - "Active", "4: ACTIVE", "PORT_ACTIVE (4)". */
int32_t port_state_read(const char *text);

/** port_phys_read() - "LinkUp", "5: LinkUp", "LINK_UP (5)". */
int32_t port_phys_read(const char *text);

/** port_layer_read() - "InfiniBand", "Ethernet". */
int32_t port_layer_read(const char *text);

/** port_rate_read() - "400", "200 Gb/sec (4X HDR)": bit/s; -1 unknown. */
int64_t port_rate_read(const char *text);

/** port_state_name(), port_phys_name(), port_layer_name() - for people; "?" if
 * not known. */
const char *port_state_name(int32_t state);
const char *port_layer_name(int32_t layer);
const char *port_phys_name(int32_t phys);

#endif
