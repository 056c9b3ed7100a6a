// SPDX-License-Identifier: Apache-2.0
// A small libibverbs: mlx5_0 with an RDMA MTU of 4096 on port 1, and
// mlx5_1 that cannot be opened.
#include <errno.h>
#include <string.h>

#include "topo/source/verbs_abi.h"

struct verbs_device {
	const char *name;
};

struct verbs_context {
	struct verbs_device *device;
};

static struct verbs_device devices[] = { { "mlx5_0" }, { "mlx5_1" } };
static struct verbs_device *list[] = { &devices[0], &devices[1], NULL };
static struct verbs_context context = { &devices[0] };

struct verbs_device **ibv_get_device_list(int *n);
void ibv_free_device_list(struct verbs_device **devices);
const char *ibv_get_device_name(struct verbs_device *device);
struct verbs_context *ibv_open_device(struct verbs_device *device);
int ibv_close_device(struct verbs_context *context);
int ibv_query_port(struct verbs_context *context, uint8_t port,
                   struct verbs_port *ret);

struct verbs_device **ibv_get_device_list(int *n)
{
	*n = 2;
	return list;
}

void ibv_free_device_list(struct verbs_device **unused)
{
	(void)unused;
}

const char *ibv_get_device_name(struct verbs_device *device)
{
	return device->name;
}

struct verbs_context *ibv_open_device(struct verbs_device *device)
{
	if (device == &devices[0])
		return &context;
	errno = EACCES;
	return NULL;
}

int ibv_close_device(struct verbs_context *unused)
{
	(void)unused;
	return 0;
}

int ibv_query_port(struct verbs_context *unused, uint8_t port,
                   struct verbs_port *ret)
{
	(void)unused;
	if (port != 1)
		return EINVAL;
	*ret = (struct verbs_port){ .state = 4, .max_mtu = 5, .active_mtu = 5 };
	return 0;
}
