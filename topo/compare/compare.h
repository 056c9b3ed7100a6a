/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts of a job against the majority of them: which look the same, and which
 * readings differ where hosts should agree. Pure.
 */
#ifndef FP_TOPO_COMPARE_COMPARE_H
#define FP_TOPO_COMPARE_COMPARE_H

#include "topo/model/model.h"
#include "topo/reading/reading.h"

#define COMPARE_VALUES_MAX 32 /* of one reading; more: nobody agrees */
#define COMPARE_NAME_MAX 128

/** struct host_groups - hosts by how they look, the largest group first. */
struct host_groups {
	int32_t *group; /* of each host; -1: its map was not read */
	size_t *first;  /* a host of each group */
	size_t *count;  /* hosts in each group */
	size_t n;
};

/**
 * host_groups_init() - sort the job's hosts by their maps: devices, how they
 * reach one another, models, states and rates of ports; not by names, serial
 * numbers and addresses. A job of many hosts that all differ takes long only
 * up to a limit: from then on each is a group of its own.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with host_groups_done().
 */
enum fp_status host_groups_init(const struct topo_job *job,
                                struct host_groups *ret, struct fp_err *err);

/** host_groups_done() - free; takes NULL. */
void host_groups_done(struct host_groups *groups);

/** map_look_equal() - would both be drawn the same? Maps without devices
 * are all alike. */
bool map_look_equal(const struct topo_map *a, const struct topo_map *b);

/** struct compare_odd - a host that differs in a row. */
struct compare_odd {
	size_t host;
	size_t reading; /* row of its set; READINGS_NONE: it has none */
};

/** struct compare_row - a reading on which hosts do not agree. */
struct compare_row {
	char device[READING_NAME_MAX], name[READING_NAME_MAX];
	size_t n_usual;       /* hosts that have the usual value */
	size_t usual_host;    /* one of them */
	size_t usual_reading; /* row of its set; READINGS_NONE: usually none */
	bool split;           /* no value has more than half of the hosts */
	struct compare_odd *odds;
	size_t n_odds;
};

/** struct compare - all of them, in the order of the readings. */
struct compare {
	struct compare_row *rows;
	size_t n, room;
	size_t n_hosts; /* with readings */
	bool capped; /* some reading has more than COMPARE_VALUES_MAX values */
};

/**
 * compare_readings() - every reading that hosts should agree on (table
 * topo/reading/reading_names.h: READING_SAME), over all hosts that were read. Of
 * several readings of one device and name the first counts. One that could
 * not be taken (a skip) differs from nothing.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with compare_done().
 */
enum fp_status compare_readings(const struct topo_job *job, struct compare *ret,
                                struct fp_err *err);

/** compare_done() - free; takes NULL. */
void compare_done(struct compare *compare);

/** compare_value() - a reading as people read it: "9000 bytes", "'1'",
 * "(none)" for READINGS_NONE. Return: @buf. */
char *compare_value(const struct topo_job *job, size_t host, size_t reading,
                    char buf[static COMPARE_NAME_MAX]);

#endif
