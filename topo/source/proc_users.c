// SPDX-License-Identifier: Apache-2.0
// Processes that have a GPU open, and where they are: by /proc alone, so that
// a job that hangs on its GPUs is not touched.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/live.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

#define PROCESSES_MAX 65536
#define FILES_MAX 4096 /* of a process */
#define USERS_MAX 64
#define MINORS 256
#define STACK_MAX 4096

/* Those watch GPUs or draw on them; a job is none of these. */
static const char *const watchers[] = {
	"fabricprobe", "nvidia-persiste", "nv-hostengine",
	"nvidia-smi",  "nvidia-device",   "dcgm",
	"Xorg",        "Xwayland",        "gnome-shell",
};

static bool is_watcher(const char *name)
{
	for (size_t i = 0; i < sizeof(watchers) / sizeof(*watchers); i++)
		if (!strncmp(name, watchers[i], strlen(watchers[i])))
			return true;
	return false;
}

/* Of a GPU's device file "nvidia3"; -1: of "nvidiactl", "nvidia-uvm", ... */
static int minor_of(const char *name)
{
	unsigned long minor;

	if (strncmp(name, "nvidia", 6) != 0 || !isdigit((unsigned char)name[6]))
		return -1;
	minor = strtoul(name + 6, NULL, 10);
	return minor < MINORS ? (int)minor : -1;
}

/* "0,3,10"; whole numbers, as many as there is room for. */
static void print_minors(const bool open[static MINORS], char *buf, size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (int i = 0; i < MINORS && used + sizeof(",255") <= size; i++) {
		if (open[i])
			used += (size_t)snprintf(buf + used, size - used,
			                         "%s%d", used ? "," : "", i);
	}
}

/* The GPUs that the process has open; false: none. */
static bool find_gpus(int root_fd, const char *pid, char *ret, size_t size)
{
	struct sysfs_dir dir = sysfs_dir(root_fd, "proc/%.20s/fd", pid);
	bool open[MINORS] = { false };
	struct fp_err err = { 0 };
	char target[64], **names;
	size_t n = 0;

	*ret = '\0';
	if (sysfs_list(root_fd, dir.path, FILES_MAX, &names, &n, &err) != FP_OK)
		return false;
	for (size_t i = 0; i < n; i++) {
		int minor;

		sysfs_dir_link(&dir, names[i], target, sizeof(target));
		minor = minor_of(target);
		if (minor >= 0)
			open[minor] = true;
	}
	sysfs_list_free(names, n);
	print_minors(open, ret, size);
	return *ret != '\0';
}

/* Is it a process of a job that has a GPU open? */
static bool is_user(int root_fd, const char *pid, char *gpus, size_t size)
{
	struct sysfs_dir dir = sysfs_dir(root_fd, "proc/%.20s", pid);
	char name[32];

	return isdigit((unsigned char)pid[0]) &&
	       sysfs_dir_read(&dir, "comm", name, sizeof(name)) &&
	       !is_watcher(name) && find_gpus(root_fd, pid, gpus, size);
}

/* A kernel stack, its innermost function first, on one line. */
static void put_stack(struct reading_pen *pen, const struct sysfs_dir *dir)
{
	char text[STACK_MAX], line[READING_TEXT_MAX] = "", *save = NULL;
	ssize_t len = sysfs_dir_read_all(dir, "stack", text, sizeof(text) - 1);
	size_t used = 0;

	if (len < 0) {
		reading_put_skip(pen, "process.stack",
		                 "%s; root may read it: cat /proc/PID/stack",
		                 strerror(errno));
		return;
	}
	text[len] = '\0';
	for (char *at = strtok_r(text, "\n", &save); at;
	     at = strtok_r(NULL, "\n", &save)) {
		const char *name = strstr(at, "] ");
		int n;

		name = name ? name + 2 : at;
		n = snprintf(line + used, sizeof(line) - used, "%s%.*s",
		             used ? " < " : "", (int)strcspn(name, "+ "), name);
		used += n > 0 ? (size_t)n : 0;
		if (used >= sizeof(line))
			break;
	}
	if (*line)
		reading_put_text(pen, "process.stack", line);
	else
		reading_put_skip(pen, "process.stack",
		                 "empty: it is not in the kernel");
}

static enum fp_status put_user(struct live *live, const char *pid,
                               const char *gpus, struct fp_err *err)
{
	struct sysfs_dir dir = sysfs_dir(live->root_fd, "proc/%.20s", pid);
	char device[READING_NAME_MAX], text[STACK_MAX], value[64];
	struct reading_pen pen = live_pen(live, READ_PROCFS, device, err);

	(void)snprintf(device, sizeof(device), "process %.20s", pid);
	if (sysfs_dir_read(&dir, "comm", value, sizeof(value)))
		reading_put_text(&pen, "process.name", value);
	reading_put_text(&pen, "process.gpus", gpus);
	if (sysfs_dir_read_all(&dir, "status", text, sizeof(text)) > 0 &&
	    proc_text_value(text, "State", value, sizeof(value)))
		reading_put_text(&pen, "process.state", value);
	if (sysfs_dir_read(&dir, "wchan", value, sizeof(value)) &&
	    strcmp(value, "0") != 0)
		reading_put_text(&pen, "process.wchan", value);
	put_stack(&pen, &dir);
	return pen.status;
}

/* Without the driver nobody has a GPU open. */
static bool has_driver(int root_fd)
{
	return sysfs_exists(root_fd, "proc/driver/nvidia");
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	enum fp_status status;
	char **pids, gpus[64];
	size_t n, users = 0;

	if (!has_driver(live->root_fd))
		return FP_OK;
	status = sysfs_list(live->root_fd, "proc", PROCESSES_MAX, &pids, &n,
	                    err);
	if (status != FP_OK)
		return status;
	for (size_t i = 0; i < n && users < USERS_MAX && !status; i++) {
		if (!is_user(live->root_fd, pids[i], gpus, sizeof(gpus)))
			continue;
		users++;
		status = put_user(live, pids[i], gpus, err);
	}
	sysfs_list_free(pids, n);
	return status;
}

bool live_users_any(int root_fd)
{
	struct fp_err err = { 0 };
	bool any = false;
	char **pids, gpus[64];
	size_t n;

	if (!has_driver(root_fd) ||
	    sysfs_list(root_fd, "proc", PROCESSES_MAX, &pids, &n, &err))
		return false;
	for (size_t i = 0; i < n && !any; i++)
		any = is_user(root_fd, pids[i], gpus, sizeof(gpus));
	sysfs_list_free(pids, n);
	return any;
}

const struct live_ops live_users_ops = {
	.name = "processes",
	.help = "who has a GPU open: state, wait channel, kernel stack",
	.where = LIVE_FILES,
	.read = read,
};
