// SPDX-License-Identifier: Apache-2.0
// Reads the kernel's version and settings, and those of its modules.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

#define CHANNELS "dev/nvidia-caps-imex-channels"
#define CHANNELS_MAX 4096

/* What moves data between GPUs, NICs and hosts. */
static const char *const modules[] = {
	"nvidia",         "nvidia_uvm",  "nvidia_drm",
	"nvidia_peermem", "nv_peer_mem", "nvidia_fs",
	"gdrdrv",         "amdgpu",      "ib_core",
	"ib_uverbs",      "ib_umad",     "ib_ipoib",
	"rdma_cm",        "rdma_ucm",    "mlx4_core",
	"mlx4_ib",        "mlx5_core",   "mlx5_ib",
	"bnxt_en",        "bnxt_re",     "ice",
	"irdma",          "ena",         "efa",
	"hfi1",           "rdma_rxe",    "siw",
	"knem",           "xpmem",       "vfio_iommu_type1",
};

/* A module that is part of the kernel may have no version. */
static void put_modules(const struct live *live, struct reading_pen *pen)
{
	char name[READING_NAME_MAX], text[128];

	pen->source = READ_SYSFS;
	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		struct sysfs_dir dir =
			sysfs_dir(live->root_fd, "sys/module/%s", modules[i]);

		if (!sysfs_exists(live->root_fd, dir.path))
			continue;
		(void)snprintf(name, sizeof(name), "module.%s", modules[i]);
		if (!sysfs_dir_read(&dir, "version", text, sizeof(text)))
			fp_copy(text, sizeof(text), "loaded");
		reading_put_text(pen, name, text);
	}
	pen->source = READ_PROCFS;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)". */
static void put_os(const struct live *live, struct reading_pen *pen)
{
	static const char key[] = "PRETTY_NAME=";
	char text[SYSFS_TEXT_MAX], *at, *end;

	if (sysfs_read_all(live->root_fd, "etc/os-release", text,
	                   sizeof(text)) < 0 &&
	    sysfs_read_all(live->root_fd, "usr/lib/os-release", text,
	                   sizeof(text)) < 0)
		return;
	at = strstr(text, key);
	if (!at || (at > text && at[-1] != '\n'))
		return;
	at += strlen(key);
	at += *at == '"';
	end = at + strcspn(at, "\"\n");
	*end = '\0';
	reading_put_text(pen, "os.name", at);
}

static void put_driver(const struct live *live, struct reading_pen *pen)
{
	char text[256], version[64];

	if (sysfs_read(live->root_fd, "proc/driver/nvidia/version", text,
	               sizeof(text)) &&
	    proc_text_version(text, version, sizeof(version)))
		reading_put_text(pen, "driver.nvidia", version);
}

/* Channels that this user may open, where the driver has any (NVIDIA IMEX
 * guide, "IMEX Channels"). They are not opened. */
static enum fp_status put_imex(const struct live *live, struct reading_pen *pen)
{
	char text[SYSFS_TEXT_MAX], path[320];
	enum fp_status status;
	int64_t usable = 0;
	char **names;
	size_t n;

	if (sysfs_read_all(live->root_fd, "proc/devices", text, sizeof(text)) <
	            0 ||
	    !strstr(text, " nvidia-caps-imex-channels\n"))
		return FP_OK;
	status = sysfs_list(live->root_fd, CHANNELS, CHANNELS_MAX, &names, &n,
	                    pen->err);
	for (size_t i = 0; status == FP_OK && i < n; i++) {
		(void)snprintf(path, sizeof(path), CHANNELS "/%s", names[i]);
		usable += strncmp(names[i], "channel", 7) == 0 &&
		          faccessat(live->root_fd, path, R_OK | W_OK,
		                    AT_EACCESS) == 0;
	}
	if (status == FP_OK)
		reading_put_int(pen, "imex.channels", usable);
	sysfs_list_free(names, n);
	return status;
}

static enum fp_status put_iommu(const struct live *live,
                                struct reading_pen *pen)
{
	enum fp_status status;
	char **names;
	size_t n;

	status = sysfs_list(live->root_fd, "sys/kernel/iommu_groups", 65536,
	                    &names, &n, pen->err);
	if (status == FP_OK &&
	    sysfs_exists(live->root_fd, "sys/kernel/iommu_groups"))
		reading_put_int(pen, "iommu.groups", (int64_t)n);
	sysfs_list_free(names, n);
	return status;
}

static enum fp_status read_kernel(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_PROCFS, "", err);
	enum fp_status status;

	if (live->host->kernel[0])
		reading_put_text(&pen, "kernel.release", live->host->kernel);
	live_put_file(&pen, "kernel.cmdline", live->root_fd, "proc/cmdline");
	put_os(live, &pen);
	put_driver(live, &pen);
	put_modules(live, &pen);
	status = put_iommu(live, &pen);
	if (status == FP_OK)
		status = put_imex(live, &pen);
	return status == FP_OK ? pen.status : status;
}

const struct live_ops live_kernel_ops = {
	.name = "kernel",
	.help = "kernel, distribution, driver and module versions, IOMMU",
	.where = LIVE_FILES,
	.read = read_kernel,
};
