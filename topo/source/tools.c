// SPDX-License-Identifier: Apache-2.0
// What saved output of tools adds to a captured host: NVLinks, P2P, names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/live.h"
#include "topo/source/source.h"
#include "topo/source/sysfs.h"

#define TOOLS LIVE_EXTRAS "/tools"
#define TEXT_MAX (4u << 20)

/** struct tools - a host, and what nvidia-smi drew of it. */
struct tools {
	struct live *live;
	struct topo_map drawn;
};

/* Everything but the drawing, which has an order of devices of its own, and
 * the kernel log, whose stamps need the time of the boot. */
static enum fp_status
add_details(struct tools *t, const struct source_text *text, struct fp_err *err)
{
	static const struct source_ops *const details[] = {
		&source_smi_query_ops,
		&source_smi_nvlink_ops,
		&source_ibstat_ops,
		&source_ibv_devinfo_ops,
	};
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < 4 && status == FP_OK; i++) {
		const struct source_ops *ops = details[i];

		if (!ops->sniff(text))
			continue;
		if (ops->read)
			status = ops->read(text, t->live->map, err);
		if (status == FP_OK && ops->tell)
			status = ops->tell(text, t->live->readings, err);
	}
	return status;
}

static enum fp_status add_text(struct tools *t, const char *file,
                               const struct source_text *text,
                               struct fp_err *err)
{
	struct fp_err cause = { 0 };
	enum fp_status status;

	if (source_smi_topo_ops.sniff(text))
		status = source_smi_topo_ops.read(text, &t->drawn, &cause);
	else
		status = add_details(t, text, &cause);
	if (status == FP_OK || status == FP_ERR_NOMEM)
		return status == FP_OK
		               ? FP_OK
		               : fp_err_set(err, status, "%s", cause.text);
	/* One bad text does not spoil the rest. */
	topo_map_note(t->live->map, 0, 0, "%s: %s", file, cause.text);
	return FP_OK;
}

static enum fp_status read_file(struct tools *t, const char *file, char *room,
                                struct fp_err *err)
{
	struct sysfs_dir dir = sysfs_dir(t->live->root_fd, TOOLS);
	ssize_t n = sysfs_dir_read_all(&dir, file, room, TEXT_MAX);
	struct source_text text = { room, n > 0 ? (size_t)n : 0 };

	return n > 0 ? add_text(t, file, &text, err) : FP_OK;
}

/* The links of @gpu that were said to be up: their speed; -1 unknown. They
 * go, for the drawing says where they lead. */
static int32_t take_links(struct topo_map *map, int32_t gpu)
{
	int32_t speed = -1;
	size_t kept = 0;

	for (size_t i = 0; i < map->n_nvlinks; i++) {
		const struct map_nvlink *link = &map->nvlinks[i];
		bool goes = link->gpu == gpu && link->state != LINK_DOWN &&
		            link->remote == REMOTE_UNKNOWN;

		if (goes)
			speed = link->speed_MBps;
		else
			map->nvlinks[kept++] = *link;
	}
	map->n_nvlinks = kept;
	return speed;
}

static uint8_t drawn_links(const struct topo_map *drawn, size_t a, size_t b)
{
	const struct path *cell =
		&drawn->drawn[a * topo_map_devices(drawn) + b];

	return cell->type == PATH_NVLINK ? cell->nvlinks : 0;
}

/* Are all other GPUs as far as each other, so that a switch is between? */
static bool is_switched(const struct topo_map *drawn)
{
	size_t n = drawn->n_gpus;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++) {
			if (a != b && !drawn_links(drawn, a, b))
				return false;
		}
	}
	/* No GPU has so many links that it could have a pair's to each. */
	return n > 2 && drawn_links(drawn, 0, 1) * (n - 1) > 18;
}

static enum fp_status add_links(struct topo_map *map,
                                const struct map_nvlink *link,
                                struct fp_err *err)
{
	struct map_nvlink *row;
	enum fp_status status;

	if (link->count == 0)
		return FP_OK;
	status = topo_map_add_nvlink(map, &row, err);
	if (status == FP_OK)
		*row = *link;
	return status;
}

static enum fp_status link_gpu(struct topo_map *map,
                               const struct topo_map *drawn, size_t gpu,
                               struct fp_err *err)
{
	struct map_nvlink link = {
		.gpu = (int32_t)gpu,
		.link = -1,
		.state = LINK_UP,
		.speed_MBps = take_links(map, (int32_t)gpu),
		.remote = REMOTE_NVSWITCH,
		.remote_gpu = -1,
		.count = 0,
	};
	enum fp_status status = FP_OK;

	/* Of the links to a switch, the best pair shows all that are up. */
	for (size_t b = 0; is_switched(drawn) && b < drawn->n_gpus; b++) {
		int32_t pair = gpu == b ? 0 : drawn_links(drawn, gpu, b);

		link.count = pair > link.count ? pair : link.count;
	}
	if (link.count)
		return add_links(map, &link, err);
	link.remote = REMOTE_GPU;
	for (size_t b = 0; b < drawn->n_gpus && status == FP_OK; b++) {
		link.count = gpu == b ? 0 : drawn_links(drawn, gpu, b);
		link.remote_gpu = (int32_t)b;
		if (map->gpus[b].pci >= 0)
			memcpy(link.remote_bus,
			       map->pcis[map->gpus[b].pci].bus_id,
			       sizeof(link.remote_bus));
		status = add_links(map, &link, err);
	}
	return status;
}

static enum fp_status take_drawing(struct tools *t, struct fp_err *err)
{
	struct topo_map *map = t->live->map, *drawn = &t->drawn;
	enum fp_status status = FP_OK;

	if (!drawn->n_gpus)
		return FP_OK;
	if (drawn->n_gpus != map->n_gpus) {
		topo_map_note(map, 0, 0,
		              "nvidia-smi topo drew %zu GPUs, not %zu: it is "
		              "not used",
		              drawn->n_gpus, map->n_gpus);
		return FP_OK;
	}
	for (size_t g = 0; drawn->drawn && g < map->n_gpus && status == FP_OK;
	     g++)
		status = link_gpu(map, drawn, g, err);
	if (drawn->p2p && !map->p2p) {
		map->p2p = drawn->p2p;
		drawn->p2p = NULL;
	}
	return status;
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	struct tools t = { .live = live };
	char **names, *room;
	enum fp_status status;
	size_t n;

	status = sysfs_list(live->root_fd, TOOLS, 64, &names, &n, err);
	if (status != FP_OK || n == 0)
		return status;
	room = malloc(TEXT_MAX);
	if (!room)
		status = fp_err_set(err, FP_ERR_NOMEM,
		                    "no memory for saved texts");
	for (size_t i = 0; i < n && status == FP_OK; i++)
		status = read_file(&t, names[i], room, err);
	if (status == FP_OK)
		status = take_drawing(&t, err);
	topo_map_done(&t.drawn);
	sysfs_list_free(names, n);
	free(room);
	return status;
}

const struct live_ops live_tools_ops = {
	.name = "tools",
	.help = "output of nvidia-smi and ibv_devinfo, saved by capture-host",
	.where = LIVE_FILES,
	.read = read,
};
