/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of the kernel log, however it was printed: dmesg with or without
 * -T, -e, -x or --time-format=iso, /dev/kmsg, syslog, the journal.
 */
#ifndef FP_TOPO_SOURCE_KMSG_EVENT_H
#define FP_TOPO_SOURCE_KMSG_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KMSG_DEVICE_MAX 48
#define KMSG_WORD_MAX 32

/** enum kmsg_clock - what struct kmsg_stamp counts from. */
enum kmsg_clock {
	KMSG_NO_CLOCK, /* the line has no stamp */
	KMSG_BOOT,     /* seconds since boot */
	KMSG_DELTA,    /* seconds since the line before */
	KMSG_UNIX,     /* Unix time; a stamp without a zone is taken as UTC */
	KMSG_NO_YEAR,  /* syslog: day and time, the year is not told */
};

/** struct kmsg_stamp - when, and where the message begins. */
struct kmsg_stamp {
	uint32_t clock; /* enum kmsg_clock */
	double time_s;
	const char *message; /* into the line; behind host and "kernel:" */
};

/** enum kmsg_kind - what a line reports. */
enum kmsg_kind {
	KMSG_OTHER,
	KMSG_XID,       /* number: the Xid */
	KMSG_SXID,      /* number: the SXid */
	KMSG_AER,       /* number: 0 corrected, 1 not fatal, 2 fatal */
	KMSG_BUS_LOST,  /* a GPU is gone */
	KMSG_LINK_DOWN, /* of a network device */
	KMSG_LINK_UP,
	KMSG_PCIE_BANDWIDTH, /* number: Mb/s that a link carries */
	KMSG_OOM,            /* number: process that was killed */
	KMSG_MCE,            /* the CPU's machine check */
	KMSG_KIND_COUNT
};

/** struct kmsg_event - what it is about. */
struct kmsg_event {
	uint32_t kind;  /* enum kmsg_kind */
	int64_t number; /* of an Xid that another one caused: that one's */
	char device[KMSG_DEVICE_MAX]; /* PCI address or network device; "" */
	int64_t pid;                  /* of the process named; -1 */
	char process[KMSG_WORD_MAX];  /* its name; "" */
	int32_t link;                 /* of an Xid about an NVLink; -1 */
};

/** kmsg_stamp_read() - take the stamp off @line. */
void kmsg_stamp_read(const char *line, struct kmsg_stamp *ret);

/**
 * kmsg_event_read() - what @message says; its stamp is off already.
 *
 * Return: false, with ret->kind KMSG_OTHER, for anything else.
 */
bool kmsg_event_read(const char *message, struct kmsg_event *ret);

#define KMSG_LINES_MAX 3

/**
 * struct kmsg_lines - what was begun in an earlier line; zeroed: nothing.
 * A GPU that is gone when the driver comes is told of without an Xid, in three
 * lines: "NVRM: The NVIDIA GPU 0000:b3:00.0", "NVRM: (PCI ID: ...) installed in
 * this system has", "NVRM: fallen off the bus and is not responding to
 * commands."; in a record of /dev/kmsg all of them are one.
 */
struct kmsg_lines {
	char device[KMSG_DEVICE_MAX];
	uint32_t left; /* lines that may still belong to it */
};

/** kmsg_lines_read() - as kmsg_event_read(), of one line after the other. */
bool kmsg_lines_read(struct kmsg_lines *l, const char *message,
                     struct kmsg_event *ret);

/** kmsg_kind_reading() - the reading's name, "kmsg.xid"; NULL for none. */
const char *kmsg_kind_reading(unsigned kind);

#endif
