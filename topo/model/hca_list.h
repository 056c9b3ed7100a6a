/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which HCA ports a user wants, written as NCCL_IB_HCA is: "mlx5" (all whose
 * name begins so), "=mlx5_0:1,mlx5_1" (exactly these, a port where one is
 * given), "^mlx5_3" or "^=mlx5_3" (all but these). Source of the grammar: the
 * NCCL user guide, environment variables, NCCL_IB_HCA.
 */
#ifndef FP_TOPO_MODEL_HCA_LIST_H
#define FP_TOPO_MODEL_HCA_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define HCA_LIST_MAX 32
#define HCA_NAME_MAX 64

/** struct hca_want - one name of a list. */
struct hca_want {
	char name[HCA_NAME_MAX];
	int32_t port; /* -1: any */
};

/** struct hca_list - a parsed list; of no names: every port will do. */
struct hca_list {
	struct hca_want wants[HCA_LIST_MAX];
	size_t n;
	bool exact;    /* names are whole, not beginnings */
	bool excluded; /* all but these */
};

/**
 * hca_list_parse() - read @text; "" and NULL make an empty list.
 *
 * Return: FP_OK; FP_ERR_USAGE naming the part that is no HCA; FP_ERR_LIMIT
 * for more than HCA_LIST_MAX names.
 */
enum fp_status hca_list_parse(const char *text, struct hca_list *ret,
                              struct fp_err *err);

/** hca_list_takes() - does the list want port @port of HCA @name? */
bool hca_list_takes(const struct hca_list *list, const char *name,
                    int32_t port);

/** struct hca_candidate - a port as the choice sees it. */
struct hca_candidate {
	char name[HCA_NAME_MAX];
	int32_t port;
	bool active;   /* passes data now */
	bool near_gpu; /* PIX or PXB to a GPU of this host */
};

/**
 * hca_pick() - the ports that are measured, in their order: those that @list
 * wants, whatever their state; with an empty list those near a GPU, if the
 * host has such, else all that are active, else all. What nobody asked for
 * and no GPU uses may carry storage traffic: it is left alone where it can be.
 * @ret: room for @n indices into @from.
 *
 * Return: how many.
 */
size_t hca_pick(const struct hca_list *list, const struct hca_candidate *from,
                size_t n, size_t *ret);

/**
 * hca_share() - which of @n picked ports rank @local_rank of @local_size of a
 * host (0: not known, then it has one) measures: ports are dealt, so that each
 * is measured by one rank, and where there are too few they are shared.
 * @k: of its ports the how many-th.
 *
 * Return: the port's place among the picked, or -1: it has no more.
 */
int64_t hca_share(size_t n, int32_t local_rank, int32_t local_size, size_t k);

#endif
