// SPDX-License-Identifier: Apache-2.0
// Reads the kernel log: of the running host without waiting, or a saved one.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "topo/source/kmsg_event.h"
#include "topo/source/live.h"
#include "topo/source/sysfs.h"

#define RECORD_MAX 8192
#define EVENTS_MAX 256 /* the last ones are kept */
#define SAVED_MAX (1u << 20)
#define SAVED LIVE_EXTRAS "/tools/dmesg.txt"

/* Where the events of a log go: the last EVENTS_MAX of them. */
struct log {
	struct {
		struct kmsg_event event;
		char text[READING_TEXT_MAX];
		int64_t time_s;
	} * kept;
	uint64_t n; /* seen; the n-th is at n % EVENTS_MAX */
	int64_t boot_s;
	struct kmsg_lines open;
};

/* Unix time of what was logged then; 0: nobody can tell. */
static int64_t unix_time(const struct log *log, const struct kmsg_stamp *stamp)
{
	if (stamp->clock == KMSG_UNIX)
		return (int64_t)stamp->time_s;
	return stamp->clock == KMSG_BOOT && log->boot_s
	               ? log->boot_s + (int64_t)stamp->time_s
	               : 0;
}

static void take(struct log *log, const char *line)
{
	size_t at = log->n % EVENTS_MAX;
	struct kmsg_event event;
	struct kmsg_stamp stamp;

	kmsg_stamp_read(line, &stamp);
	if (!kmsg_lines_read(&log->open, stamp.message, &event))
		return;
	log->kept[at].event = event;
	(void)snprintf(log->kept[at].text, sizeof(log->kept[at].text), "%s",
	               stamp.message);
	log->kept[at].time_s = unix_time(log, &stamp);
	log->n++;
}

static void put_events(const struct log *log, struct live *live,
                       struct reading_pen *pen)
{
	uint64_t first = log->n > EVENTS_MAX ? log->n - EVENTS_MAX : 0;

	for (uint64_t i = first; i < log->n; i++) {
		size_t at = i % EVENTS_MAX;
		struct reading reading = {
			.device = log->kept[at].event.device,
			.name = kmsg_kind_reading(log->kept[at].event.kind),
			.kind = READING_INT,
			.source = READ_KMSG,
			.number = log->kept[at].event.number,
			.text = log->kept[at].text,
			.time_s = log->kept[at].time_s,
		};
		enum fp_status status =
			readings_add(live->readings, &reading, pen->err);

		if (pen->status == FP_OK)
			pen->status = status;
	}
	reading_put_int(pen, "kmsg.events", (int64_t)log->n);
}

static int64_t boot_time_s(const struct live *live)
{
	char text[64];
	double up_s = 0;

	if (sysfs_read(live->root_fd, "proc/uptime", text, sizeof(text)))
		up_s = strtod(text, NULL);
	return up_s > 0 ? readings_time_s(live->readings) - (int64_t)up_s : 0;
}

/* Each read is one record; EPIPE says that some were overwritten. */
static int read_records(int fd, struct log *log)
{
	char record[RECORD_MAX];

	for (;;) {
		ssize_t n = read(fd, record, sizeof(record) - 1);

		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return n < 0 && errno != EAGAIN ? errno : 0;
		record[n] = '\0';
		/* What follows the first line are the device's keys. */
		record[strcspn(record, "\n")] = '\0';
		take(log, record);
	}
}

static void read_running(struct live *live, struct log *log,
                         struct reading_pen *pen)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int error = fd < 0 ? errno : read_records(fd, log);

	if (fd >= 0)
		close(fd);
	if (error)
		reading_put_skip(pen, "kmsg.events", "/dev/kmsg: %s",
		                 strerror(error));
	else
		put_events(log, live, pen);
}

static enum fp_status read_saved(struct live *live, struct log *log,
                                 struct reading_pen *pen)
{
	char *data = malloc(SAVED_MAX), *save = NULL;
	ssize_t n;

	if (!data)
		return fp_err_set(pen->err, FP_ERR_NOMEM,
		                  "no memory for a kernel log");
	n = sysfs_read_all(live->root_fd, SAVED, data, SAVED_MAX);
	for (char *line = n > 0 ? strtok_r(data, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		take(log, line);
	free(data);
	if (n >= 0)
		put_events(log, live, pen);
	return pen->status;
}

static enum fp_status read_log(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_KMSG, "", err);
	struct log log = { .boot_s = boot_time_s(live) };
	enum fp_status status = FP_OK;

	log.kept = calloc(EVENTS_MAX, sizeof(*log.kept));
	if (!log.kept)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for a kernel log");
	if (live->running)
		read_running(live, &log, &pen);
	else
		status = read_saved(live, &log, &pen);
	free(log.kept);
	return status == FP_OK ? pen.status : status;
}

const struct live_ops live_kmsg_ops = {
	.name = "kernel log",
	.help = "Xids, AER, lost devices and links, out of memory",
	.where = LIVE_FILES,
	.read = read_log,
};
