/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of the check of HCAs. */
#ifndef FP_PROBES_CHECK_HCA_H
#define FP_PROBES_CHECK_HCA_H

#include "probes/check/check.h"
#include "probes/check/ports.h"

/** hca_judge_gids() - has every RoCE port an address that can be routed? */
void hca_judge_gids(const struct check_input *in,
                    const struct check_ports *ports, struct check_out *out);

/** hca_judge_subnets() - is every RoCE port's address in its rail's subnet? */
void hca_judge_subnets(const struct check_input *in,
                       const struct check_ports *ports, struct check_out *out);

/** hca_judge_firmware() - the same in all HCAs of one type? */
void hca_judge_firmware(const struct check_input *in,
                        const struct check_ports *ports, struct check_out *out);

/** hca_judge_mixed() - the same HCAs, flow control and trust on all hosts? */
void hca_judge_mixed(const struct check_input *in, struct check_out *out);

/** hca_judge_errors() - ports of a host that count more than the others. */
void hca_judge_errors(const struct check_input *in,
                      const struct check_host *host, struct check_out *out);

#endif
