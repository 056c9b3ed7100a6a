// SPDX-License-Identifier: Apache-2.0
// The renderers that there are.
#include "probes/report/report.h"

#include <string.h>

static const struct report_ops *const renderers[] = {
	&report_text_ops,
	&report_json_ops,
	&report_sweep_ops,
};

const struct report_ops *report_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(renderers) / sizeof(*renderers); i++)
		if (strcmp(renderers[i]->name, name) == 0)
			return renderers[i];
	return NULL;
}

bool report_is_modelled(const struct report *report)
{
	const struct results *r = &report->session->results;

	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].kind == EVENT_MODELLED)
			return true;
	return false;
}
