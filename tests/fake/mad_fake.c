// SPDX-License-Identifier: Apache-2.0
// A small libibmad. At the other end of mlx5_0/1 is port 7 of the switch with
// LID 12, which counts in both forms; of mlx5_0/2 another HCA, of mlx5_1/1
// nobody. mlx5_1/2 cannot be opened, and at mlx5_2/1 is a switch of old, which
// knows the short form alone.
#include <errno.h>
#include <string.h>

#include "topo/source/mad_abi.h"

#define SWITCH_LID 12
#define SWITCH_PORT 7

struct mad_port {
	char hca;
	int number;
	int wait_ms; /* every question has an end */
};

static struct mad_port the_port;

struct mad_port *mad_rpc_open_port(char *device, int port, int *classes, int n);
void mad_rpc_close_port(struct mad_port *port);
void mad_rpc_set_timeout(struct mad_port *port, int ms);
void mad_rpc_set_retries(struct mad_port *port, int n);
uint8_t *smp_query_via(void *buf, struct mad_dest *dest, unsigned attr,
                       unsigned mod, unsigned ms, const struct mad_port *port);
uint8_t *pma_query_via(void *buf, struct mad_dest *dest, int number,
                       unsigned ms, unsigned attr, const struct mad_port *port);

struct mad_port *mad_rpc_open_port(char *device, int port, int *classes, int n)
{
	(void)classes;
	the_port = (struct mad_port){ .hca = device[strlen(device) - 1],
		                      .number = port };
	if (n == 3 && !(the_port.hca == '1' && port == 2))
		return &the_port;
	errno = EIO;
	return NULL;
}

void mad_rpc_close_port(struct mad_port *port)
{
	*port = (struct mad_port){ 0 };
}

void mad_rpc_set_timeout(struct mad_port *port, int ms)
{
	port->wait_ms = ms;
}

void mad_rpc_set_retries(struct mad_port *port, int n)
{
	(void)port;
	(void)n;
}

/* One hop, by the port that was opened. */
static int is_next(const struct mad_dest *dest, const struct mad_port *port)
{
	return dest->lid == 0 && dest->path.hops == 1 &&
	       dest->path.ports[1] == port->number && port->wait_ms > 0;
}

uint8_t *smp_query_via(void *buf, struct mad_dest *dest, unsigned attr,
                       unsigned mod, unsigned ms, const struct mad_port *port)
{
	uint8_t *data = buf;

	(void)ms;
	if (port->hca == '1' || mod != 0 || !is_next(dest, port))
		return NULL;
	memset(data, 0, MAD_DATA_BYTES);
	if (attr == MAD_NODE_INFO) {
		data[2] = port->hca == '0' && port->number == 2 ? 1 : 2;
		data[36] = SWITCH_PORT;
	} else if (attr == MAD_PORT_INFO) {
		data[17] = SWITCH_LID;
	}
	return data;
}

uint8_t *pma_query_via(void *buf, struct mad_dest *dest, int number,
                       unsigned ms, unsigned attr, const struct mad_port *port)
{
	uint8_t *data = buf;

	(void)ms;
	if (dest->lid != SWITCH_LID || dest->qp != 1 || number != SWITCH_PORT)
		return NULL;
	memset(data, 0, MAD_PERFORMANCE_BYTES);
	if (attr == MAD_PORT_COUNTERS) {
		data[4] = data[5] = 0xff; /* symbol errors: no more fit */
		data[7] = 3;              /* times that the link went down */
		return data;
	}
	if (attr != MAD_PORT_COUNTERS_EXTENDED || port->hca == '2')
		return NULL;
	data[77] = 1; /* 65536 and 16 symbol errors */
	data[79] = 16;
	data[12] = 2; /* sent 2^25 words */
	return data;
}
