// SPDX-License-Identifier: Apache-2.0
// Reads what a process may have here: limits, cgroup, shared memory.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

#define SHM_EXTRA LIVE_EXTRAS "/shm" /* "<bytes> <bytes free>" */

/* -1 for "unlimited" and "max"; false for what is no limit. */
static bool limit_read(const char *text, int64_t *ret)
{
	char *end;
	unsigned long long value;

	text += strspn(text, " ");
	if (strncmp(text, "unlimited", 9) == 0 ||
	    strncmp(text, "max", 3) == 0) {
		*ret = -1;
		return true;
	}
	errno = 0;
	value = strtoull(text, &end, 10);
	if (end == text || errno)
		return false;
	*ret = value > INT64_MAX ? -1 : (int64_t)value;
	return true;
}

static const struct {
	const char *name, *line;
} limits[] = {
	{ "limit.memlock", "Max locked memory" },
	{ "limit.nofile", "Max open files" },
	{ "limit.nproc", "Max processes" },
	{ "limit.stack", "Max stack size" },
	{ "limit.core", "Max core file size" },
};

static void put_limits(const struct live *live, struct reading_pen *pen)
{
	struct sysfs_dir process =
		sysfs_dir(live->root_fd, "%s", live->process);
	char text[SYSFS_TEXT_MAX];
	int64_t value;

	if (sysfs_dir_read_all(&process, "limits", text, sizeof(text)) < 0)
		return;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const char *at = strstr(text, limits[i].line);

		if (!at)
			continue;
		at += strlen(limits[i].line);
		at += strspn(at, " ");
		if (limit_read(at, &value))
			reading_put_int(pen, limits[i].name, value);
	}
}

static void put_allowed(const struct live *live, struct reading_pen *pen)
{
	static const struct {
		const char *name, *key;
	} rows[] = {
		{ "cpu.allowed", "Cpus_allowed_list" },
		{ "cgroup.mems", "Mems_allowed_list" },
	};
	struct sysfs_dir process =
		sysfs_dir(live->root_fd, "%s", live->process);
	char text[SYSFS_TEXT_MAX], value[READING_TEXT_MAX];

	if (sysfs_dir_read_all(&process, "status", text, sizeof(text)) < 0)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (proc_text_value(text, rows[i].key, value, sizeof(value)))
			reading_put_text(pen, rows[i].name, value);
	}
}

/* Of version 2, "0::/path", or of version 1 the row of @controller. */
static bool cgroup_path(const char *text, const char *controller, char *buf,
                        size_t size)
{
	char list[128], path[SYSFS_PATH_MAX];

	for (const char *line = text; *line;) {
		/* NOLINTNEXTLINE(cert-err34-c): no number is read */
		int n = sscanf(line, "%*[0-9]:%127[^:\n]:%383[^\n]", list,
		               path);
		bool v2 = strncmp(line, "0::", 3) == 0;

		if (v2 && !controller) {
			(void)snprintf(buf, size, "sys/fs/cgroup%.*s",
			               (int)strcspn(line + 3, "\n"), line + 3);
			return true;
		}
		if (n == 2 && controller && strcmp(list, controller) == 0) {
			(void)snprintf(buf, size, "sys/fs/cgroup/%s%s",
			               controller, path);
			return true;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

/* In a container the path may be the host's, and the root its own. */
static bool cgroup_read(const struct live *live, const char *path,
                        const char *file, char *buf, size_t size)
{
	struct sysfs_dir own = sysfs_dir(live->root_fd, "%s", path);
	struct sysfs_dir top = sysfs_dir(live->root_fd, "sys/fs/cgroup");

	return sysfs_dir_read(&own, file, buf, size) ||
	       sysfs_dir_read(&top, file, buf, size);
}

static void put_cgroup(const struct live *live, struct reading_pen *pen)
{
	struct sysfs_dir process =
		sysfs_dir(live->root_fd, "%s", live->process);
	char text[SYSFS_TEXT_MAX], path[SYSFS_PATH_MAX + 64];
	char value[READING_TEXT_MAX];
	int64_t bytes;

	if (sysfs_dir_read_all(&process, "cgroup", text, sizeof(text)) < 0)
		return;
	if (cgroup_path(text, NULL, path, sizeof(path))) {
		if (cgroup_read(live, path, "cpuset.cpus.effective", value,
		                sizeof(value)))
			reading_put_text(pen, "cgroup.cpus", value);
		if (cgroup_read(live, path, "memory.max", value,
		                sizeof(value)) &&
		    limit_read(value, &bytes))
			reading_put_int(pen, "cgroup.memory_max", bytes);
		if (cgroup_read(live, path, "cpu.max", value, sizeof(value)))
			reading_put_text(pen, "cgroup.cpu_max", value);
	}
	if (cgroup_path(text, "cpuset", path, sizeof(path)) &&
	    cgroup_read(live, path, "cpuset.cpus", value, sizeof(value)))
		reading_put_text(pen, "cgroup.cpus", value);
}

static void put_shm(const struct live *live, struct reading_pen *pen)
{
	struct statvfs fs;
	unsigned long long size, left;
	char text[64];

	pen->source = READ_FILES;
	if (live->running && statvfs("/dev/shm", &fs) == 0) {
		reading_put_int(pen, "shm.size",
		                (int64_t)(fs.f_blocks * fs.f_frsize));
		reading_put_int(pen, "shm.free",
		                (int64_t)(fs.f_bavail * fs.f_frsize));
	} else if (live->running) {
		reading_put_skip(pen, "shm.size", "/dev/shm: %s",
		                 strerror(errno));
	} else if (sysfs_read(live->root_fd, SHM_EXTRA, text, sizeof(text)) &&
	           /* NOLINTNEXTLINE(cert-err34-c): 18 digits always fit */
	           sscanf(text, "%18llu %18llu", &size, &left) == 2) {
		reading_put_int(pen, "shm.size", (int64_t)size);
		reading_put_int(pen, "shm.free", (int64_t)left);
	}
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_PROCESS, "", err);

	put_limits(live, &pen);
	put_allowed(live, &pen);
	put_cgroup(live, &pen);
	put_shm(live, &pen);
	return pen.status;
}

const struct live_ops live_limits_ops = {
	.name = "limits",
	.help = "limits, cgroup, allowed CPUs, size of /dev/shm",
	.where = LIVE_FILES,
	.read = read,
};
