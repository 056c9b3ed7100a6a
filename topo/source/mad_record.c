// SPDX-License-Identifier: Apache-2.0
// Records of MADs: big-endian fields at places that the specification gives.
#include <stdio.h>

#include "topo/source/mad.h"

#define NODE_TYPE_AT 2
#define NODE_SWITCH 2
#define NODE_PORT_AT 36
#define PORT_LID_AT 16

static uint64_t number_at(const uint8_t *data, unsigned at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | data[at + i];
	return value;
}

struct mad_node mad_node_info(const uint8_t data[static MAD_DATA_BYTES])
{
	return (struct mad_node){
		.is_switch = data[NODE_TYPE_AT] == NODE_SWITCH,
		.port = data[NODE_PORT_AT],
	};
}

uint16_t mad_port_lid(const uint8_t data[static MAD_DATA_BYTES])
{
	return (uint16_t)number_at(data, PORT_LID_AT, 2);
}

/* struct counter - where both records have it; 0 bytes: not. */
struct counter {
	const char *name; /* as sysfs has it of an own port */
	uint8_t at, bytes;
	uint8_t extended_at; /* of 8 bytes; 0: not */
};

static const struct counter counters_of_port[] = {
	{ "symbol_error", 4, 2, 72 },
	{ "link_error_recovery", 6, 1, 80 },
	{ "link_downed", 7, 1, 88 },
	{ "port_rcv_errors", 8, 2, 96 },
	{ "port_rcv_remote_physical_errors", 10, 2, 104 },
	{ "port_xmit_discards", 14, 2, 120 },
	{ "port_xmit_wait", 40, 4, 168 },
	{ "port_xmit_data", 24, 4, 8 },
	{ "port_rcv_data", 28, 4, 16 },
};

void mad_put_counters(struct reading_pen *pen,
                      const uint8_t counters[static MAD_PERFORMANCE_BYTES],
                      const uint8_t *extended)
{
	const size_t n = sizeof(counters_of_port) / sizeof(*counters_of_port);
	char name[READING_NAME_MAX];
	uint64_t value, wide;

	for (size_t i = 0; i < n; i++) {
		const struct counter *c = &counters_of_port[i];

		value = number_at(counters, c->at, c->bytes);
		wide = extended ? number_at(extended, c->extended_at, 8) : 0;
		value = wide > value ? wide : value;
		(void)snprintf(name, sizeof(name), "port.switch.counter.%s",
		               c->name);
		reading_put_int(pen, name,
		                value < INT64_MAX ? (int64_t)value : INT64_MAX);
	}
}
