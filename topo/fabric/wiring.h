/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which port of which host is plugged into which leaf, as somebody wrote it
 * down: Slurm's topology.conf, ibnetdiscover's output, or a list of ports.
 */
#ifndef FP_TOPO_FABRIC_WIRING_H
#define FP_TOPO_FABRIC_WIRING_H

#include "topo/fabric/fabric.h"

#define WIRING_MAX_PLUGS 4194304

/** struct wiring_plug - one of them. */
struct wiring_plug {
	char host[TOPO_NAME_MAX];
	char leaf[TOPO_NAME_MAX];
	char cable[24]; /* "": not known */
	int32_t nic;    /* -1: all of the host */
	int32_t port;   /* of the leaf; -1: not known */
};

/** struct wiring - a grown list. Zero-initialise; wiring_done(). */
struct wiring {
	struct wiring_plug *plugs;
	size_t n, room;
};
void wiring_done(struct wiring *w); /* takes NULL */

/**
 * wiring_read_slurm() - append the leaves of a topology.conf: lines
 * "SwitchName=s0 Nodes=h[0-7,9]". Switches of switches, comments and other
 * words are passed over.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT; FP_ERR_INPUT, naming the line,
 * for a host list that cannot be read.
 */
enum fp_status wiring_read_slurm(struct wiring *w, const char *text,
                                 struct fp_err *err);

/**
 * wiring_read_ibnet() - append the host ports of ibnetdiscover's output. A
 * host's HCA "mlx5_3" or "HCA-4" is its nic 3.
 *
 * Return: as above; what is no line of a switch is passed over.
 */
enum fp_status wiring_read_ibnet(struct wiring *w, const char *text,
                                 struct fp_err *err);

/**
 * wiring_read_csv() - append a port map. Its first line names the columns, in
 * any order: host, nic, switch, and, optional, port and cable.
 *
 * Return: as above; FP_ERR_INPUT for a missing column or a bad number.
 */
enum fp_status wiring_read_csv(struct wiring *w, const char *text,
                               struct fp_err *err);

/** wiring_add() - append one. FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT. */
enum fp_status wiring_add(struct wiring *w, const struct wiring_plug *plug,
                          struct fp_err *err);

/**
 * wiring_apply() - plug @f as @w says: its leaves replace all of @f's. Hosts
 * go by their names, or by number if @f has none. Ports that @w does not name
 * are then plugged nowhere.
 * @ret_unknown: rows about a host or nic that @f has not; may be NULL.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT.
 */
enum fp_status wiring_apply(const struct wiring *w, struct fabric *f,
                            size_t *ret_unknown, struct fp_err *err);

/**
 * fabric_infer() - what a job alone tells: its hosts by name, its ranks as
 * GPUs, its up devices as rails (not the loopback; one at least), all under
 * one leaf a rail. wiring_apply() knows better.
 *
 * Return: FP_OK, FP_ERR_INPUT for a job without hosts, FP_ERR_NOMEM,
 * FP_ERR_LIMIT.
 */
enum fp_status fabric_infer(struct fabric *f, const struct topo_job *job,
                            struct fp_err *err);

#endif
