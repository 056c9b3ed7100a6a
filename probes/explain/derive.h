/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from several events together, as events of their own. */
#ifndef FP_PROBES_EXPLAIN_DERIVE_H
#define FP_PROBES_EXPLAIN_DERIVE_H

#include "probes/explain/event.h"
#include "probes/explain/hang.h"

/** derive_all() - add derived events, the hangs' and RAS' among them. */
enum fp_status derive_all(struct events *events, struct hangs *hangs,
                          struct fp_err *err);

/** derive_net() - channels, NICs, addresses, MTUs. */
void derive_net(struct events *events);

/** derive_ras() - ranks that have launched less, as hangs too. */
enum fp_status derive_ras(struct events *events, struct hangs *hangs,
                          struct fp_err *err);

/** derive_init() - ranks that did not begin or end initialisation. */
void derive_init(struct events *events);

/** derive_add() - a derived event like @of, of @kind. */
void derive_add(struct events *events, const struct event *of, unsigned kind);

#endif
