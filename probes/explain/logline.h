/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a log without what launchers and terminals put around it. */
#ifndef FP_PROBES_EXPLAIN_LOGLINE_H
#define FP_PROBES_EXPLAIN_LOGLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOGLINE_MAX 8192 /* longer ones are cut */
#define LOGLINE_NAME_MAX 64

/** enum stamp_form - what a time is told in. */
enum stamp_form {
	STAMP_NONE,
	STAMP_UTC,    /* with a zone, or since the epoch */
	STAMP_LOCAL,  /* of some zone that is not told; counted as UTC */
	STAMP_NO_YEAR /* the same, in STAMP_YEAR */
};

#define STAMP_YEAR 1972 /* of times that tell none: it has a 29 February */

#define STAMP_S_MAX INT64_C(4000000000) /* of 2096: later ones are no times */

/** struct stamp - a time. */
struct stamp {
	int64_t ns;    /* since the epoch */
	uint32_t form; /* enum stamp_form */
};

/**
 * struct logline - a line. @text has no colours, no launcher's prefix, no
 * quoting and no blanks at its end; NULs in it became '?'. What the prefixes
 * told stands beside it; -1, "" and EVENT_NO_TIME if they told nothing.
 */
struct logline {
	char text[LOGLINE_MAX];
	size_t len;
	const char *raw; /* as it was, of raw_len bytes */
	size_t raw_len;
	uint32_t number; /* in the file, from 1 */
	int64_t time_ns;
	uint32_t stamp; /* enum stamp_form of time_ns */
	int32_t rank, pid;
	char host[LOGLINE_NAME_MAX];
	uint32_t repeated; /* copies that the launcher says it hid */
	bool cut, last;    /* last: nothing can be joined to it any more */
	bool unended;      /* the file ends in it: what is last may be cut */
};

/** logline_clean() - fill @line from the @len bytes at @raw. */
void logline_clean(struct logline *line, const char *raw, size_t len,
                   uint32_t number);

/**
 * logline_stamp() - a time at the start of @text, in any of the forms of
 * dmesg, journals, containers and NCCL: ISO, "Sun Feb 23 16:24:18 2025",
 * with or without brackets.
 *
 * Return: how many bytes it takes, 0 for none.
 */
size_t logline_stamp(const char *text, struct stamp *ret);

/** logline_syslog() - "Jun 26 10:00:00 " at the start of @text, which has no
 * year: how many bytes, 0 if it is something else. */
size_t logline_syslog(const char *text, struct stamp *ret);

/**
 * logline_glog() - "[E709 03:14:08.408271257 File.cpp:607] ", "W0321
 * 03:14:08.408000 140234 file.py:12] " at the start of @text: level, month
 * and day, time.
 *
 * Return: whether it is there; it stays in the text.
 */
bool logline_glog(const char *text, struct stamp *ret);

/** logline_number() - the number at @text; -1 for what is no rank or pid. */
int32_t logline_number(const char *text);

#endif
