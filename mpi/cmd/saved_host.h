/* SPDX-License-Identifier: Apache-2.0 */
/* One host of what was saved. */
#ifndef FP_MPI_CMD_SAVED_HOST_H
#define FP_MPI_CMD_SAVED_HOST_H

#include <stdbool.h>

#include "topo/base/fmt.h"
#include "topo/model/model.h"

/** saved_is_folder() - is @path a folder, and there? */
bool saved_is_folder(const char *path);

/** saved_is_captured() - is @path the folder of a captured host, with "sys"? */
bool saved_is_captured(const char *path);

/** saved_name() - "node3" of "run/node3.txt" and of "run/node3/". */
void saved_name(const char *path, char base[static TOPO_NAME_MAX]);

/**
 * saved_host() - the host that the text @path tells of, or the folder of
 * texts, or what was captured. It is named after @path if nothing in it says
 * how it is called.
 * @kinds: what was found is added, for people.
 *
 * Return: FP_OK; FP_ERR_SYS, FP_ERR_INPUT, FP_ERR_LIMIT naming the file;
 * FP_ERR_NOMEM. In any case @host is for topo_host_done().
 */
enum fp_status saved_host(const char *path, struct topo_host *host,
                          struct fp_text *kinds, struct fp_err *err);

#endif
