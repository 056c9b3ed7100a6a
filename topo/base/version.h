/* SPDX-License-Identifier: Apache-2.0 */
/* The program's version; agents and workers must agree on it. */
#ifndef FP_TOPO_BASE_VERSION_H
#define FP_TOPO_BASE_VERSION_H

#define FP_VERSION "0.1.0"

#endif
