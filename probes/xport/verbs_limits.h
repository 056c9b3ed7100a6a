/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the verbs transport that need no verbs library to be known. */
#ifndef FP_PROBES_XPORT_VERBS_LIMITS_H
#define FP_PROBES_XPORT_VERBS_LIMITS_H

#define VERBS_QPS_MAX 8

#endif
