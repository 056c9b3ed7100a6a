/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers and counters saw on one host: named values, each of a device,
 * from a source, at a time; and what could not be read, with the reason.
 *
 * A device is "" for the host itself, else the name that the system has for
 * it: "0000:0f:00.0" (any PCI function, GPUs too), "mlx5_0", "mlx5_0/1" (a
 * port), "eth0", "numa1", "0000:0f:00.0/nvlink3". The names of readings, what
 * each means, its unit, and whether hosts should agree on it are in a table:
 * topo/reading/reading_names.h.
 */
#ifndef FP_TOPO_READING_READING_H
#define FP_TOPO_READING_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define READING_NAME_MAX 64    /* of a name and of a device, with the NUL */
#define READING_TEXT_MAX 1024  /* of a text; longer ones are cut */
#define READINGS_MAX 65536     /* of a host */
#define READINGS_NONE SIZE_MAX /* no such row */

/**
 * enum reading_kind - what a reading holds.
 * @READING_SKIP: nothing: it could not be read; the text says why
 * @READING_INT:  a whole number
 * @READING_REAL: any other number; never NaN or infinite
 * @READING_TEXT: a text
 */
enum reading_kind {
	READING_SKIP,
	READING_INT,
	READING_REAL,
	READING_TEXT,
	READING_KIND_COUNT
};

/** enum reading_source - who said it. */
enum reading_source {
	READ_UNKNOWN,
	READ_SYSFS,
	READ_PROCFS,
	READ_CONFIG,  /* PCI configuration space */
	READ_PROCESS, /* limits and affinity of the reading process */
	READ_ENV,     /* its environment */
	READ_FILES,   /* libraries and other files, by their names */
	READ_KMSG,    /* the kernel log */
	READ_NETLINK,
	READ_HWLOC,
	READ_NVML,
	READ_VERBS,
	READ_MAD,
	READ_TOOL, /* saved output of a tool */
	READ_SOURCE_COUNT
};

/**
 * struct reading - one of them, as it goes in and comes out. Texts that come
 * out belong to the set and are valid until it changes.
 */
struct reading {
	const char *device; /* "": the host */
	const char *name;
	uint32_t kind;    /* enum reading_kind */
	uint32_t source;  /* enum reading_source */
	int64_t number;   /* READING_INT */
	double real;      /* READING_REAL */
	const char *text; /* the value, the reason of a skip, or "" */
	int64_t time_s;   /* Unix time when read; of a log line: of the event */
};

/**
 * struct readings - a set, in the order in which it was read. Sets of hosts
 * that are alike keep only what differs (readings_share()).
 */
struct readings;

/**
 * readings_new() - an empty set.
 * @time_s: Unix time of the readings that do not say another.
 *
 * Return: NULL without memory. Undo with readings_unref().
 */
struct readings *readings_new(int64_t time_s);

/** readings_ref() - one more owner of @set. Return: @set; takes NULL. */
struct readings *readings_ref(struct readings *set);

/** readings_unref() - one owner less; the last one frees. Takes NULL. */
void readings_unref(struct readings *set);

/** readings_time_s() - when @set was read; Unix time. */
int64_t readings_time_s(const struct readings *set);

/** readings_count() - 0 for NULL. */
size_t readings_count(const struct readings *set);

/** readings_at() - row @i of readings_count(). */
struct reading readings_at(const struct readings *set, size_t i);

/**
 * readings_find() - the first row of that device and name.
 * @hint: where it is likely to be: its row in the set of another host. Any
 *        value will do.
 *
 * Return: its row, or READINGS_NONE.
 */
size_t readings_find(const struct readings *set, const char *device,
                     const char *name, size_t hint);

/**
 * readings_get() - as readings_find(), with the reading.
 *
 * Return: false if there is none, or it is a skip; a skip is given, too.
 */
bool readings_get(const struct readings *set, const char *device,
                  const char *name, struct reading *ret);

/** readings_get_int() - the whole number, or @none. */
int64_t readings_get_int(const struct readings *set, const char *device,
                         const char *name, int64_t none);

/** readings_get_text() - the text, or "". */
const char *readings_get_text(const struct readings *set, const char *device,
                              const char *name);

/**
 * readings_add() - one more row, at the end.
 * @set:     one that nobody else owns and that shares nothing.
 * @reading: what it points at is copied, and made fit to print; time_s 0 is
 *           the set's.
 *
 * Return: FP_OK; FP_ERR_LIMIT for a name that is too long or rows that are
 * too many; FP_ERR_INPUT for one without a name or a number that is none;
 * FP_ERR_NOMEM.
 */
enum fp_status readings_add(struct readings *set, const struct reading *reading,
                            struct fp_err *err);

/**
 * readings_merge() - add to *@set what @more has and it does not have yet,
 * by device, name and source. *@set may be NULL, or shared: then it is
 * replaced by one that is not. @more may be NULL.
 *
 * Return: FP_OK, FP_ERR_LIMIT, FP_ERR_NOMEM.
 */
enum fp_status readings_merge(struct readings **set,
                              const struct readings *more, struct fp_err *err);

/**
 * readings_share() - keep of *@set only what differs from @base, if it has
 * the same rows to begin with and most of them are alike; else leave it.
 * Either may be NULL. Without memory nothing is shared, and nothing lost.
 */
void readings_share(struct readings **set, struct readings *base);

/** readings_base() - the set that @set shares most with, or NULL. */
const struct readings *readings_base(const struct readings *set);

/** readings_differs() - is row @i another than in readings_base()? */
bool readings_differs(const struct readings *set, size_t i);

/**
 * readings_next_change() - the first row from @i on that readings_base() has
 * too, and @set otherwise.
 *
 * Return: READINGS_NONE if there is none.
 */
size_t readings_next_change(const struct readings *set, size_t i);

/** reading_source_name() - "sysfs", "nvml", ...; "?" for none. */
const char *reading_source_name(unsigned source);

/** reading_equal() - the same kind and value? Device, name, source and time
 * are not looked at. */
bool reading_equal(const struct reading *a, const struct reading *b);

/**
 * struct reading_pen - writes readings of one source and device. What fails
 * is remembered, so that a reader may go on and look once, at its end.
 */
struct reading_pen {
	struct readings *set;
	uint32_t source;
	const char *device;
	struct fp_err *err;
	enum fp_status status; /* of the first write that failed */
};

/** reading_put_*() - one more reading. */
void reading_put_int(struct reading_pen *pen, const char *name, int64_t value);
void reading_put_real(struct reading_pen *pen, const char *name, double value);
void reading_put_text(struct reading_pen *pen, const char *name,
                      const char *value);

/** reading_put_skip() - @name could not be read, and why. */
void reading_put_skip(struct reading_pen *pen, const char *name,
                      const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
