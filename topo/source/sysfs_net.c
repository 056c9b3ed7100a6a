// SPDX-License-Identifier: Apache-2.0
// What sysfs says of network devices, as readings.
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/netdev.h"
#include "topo/source/sysfs.h"

static enum fp_status
put_netdev(struct live *live, const struct topo_netdev *dev, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_SYSFS, dev->name, err);
	struct sysfs_dir dir =
		sysfs_dir(live->root_fd, "sys/class/net/%s", dev->name);
	char text[64], bus[MAP_BUS_MAX];
	int64_t changes = sysfs_dir_int(&dir, "carrier_changes", -1);

	if (dev->mtu_bytes >= 0)
		reading_put_int(&pen, "netdev.mtu", dev->mtu_bytes);
	if (dev->speed_bps >= 0)
		reading_put_int(&pen, "netdev.speed", dev->speed_bps);
	if (dev->driver[0])
		reading_put_text(&pen, "netdev.driver", dev->driver);
	if (live->running && !netdev_files_are_ours(live->root_fd, dev->name))
		return pen.status;
	if (sysfs_dir_read(&dir, "operstate", text, sizeof(text)))
		reading_put_text(&pen, "netdev.operstate", text);
	if (sysfs_dir_read(&dir, "address", text, sizeof(text)) && text[0])
		reading_put_text(&pen, "netdev.mac", text);
	if (changes >= 0)
		reading_put_int(&pen, "netdev.carrier_changes", changes);
	sysfs_dir_link(&dir, "device", text, sizeof(text));
	if (map_bus_id(text, bus))
		reading_put_text(&pen, "netdev.pci", bus);
	return pen.status;
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < live->host->n_netdevs && status == FP_OK; i++)
		status = put_netdev(live, &live->host->netdevs[i], err);
	return status;
}

const struct live_ops live_netdev_ops = {
	.name = "netdev",
	.help = "MTU, speed, state and driver of network devices",
	.where = LIVE_FILES,
	.read = read,
};
