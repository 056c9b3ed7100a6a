/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables of an environment become readings "env.NAME". */
#ifndef FP_TOPO_READING_READING_ENV_H
#define FP_TOPO_READING_READING_ENV_H

#include <stdbool.h>
#include <stddef.h>

/** reading_env_shown() - does a communication library look at it, and may it
 * be shown? @entry: begins with the name, of @name_len bytes. */
bool reading_env_shown(const char *entry, size_t name_len);

#endif
