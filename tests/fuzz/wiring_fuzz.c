// SPDX-License-Identifier: Apache-2.0
// Wiring and descriptions from anywhere: what is read can be applied, and
// every component of what comes out has a place and words.
#include <stdlib.h>
#include <string.h>

#include "topo/fabric/wiring.h"
#include "topo/json/json_fabric.h"

#define COMPS_MAX 4096

/* Not assert(3): a release build must check, too. */
#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct fabric *f)
{
	char buf[FABRIC_NAME_MAX];
	int32_t id;

	for (id = 0; id < fabric_size(f) && id < COMPS_MAX; id++) {
		struct fabric_place at = fabric_place(f, id);

		CHECK(fabric_id(f, at.kind, at.index) == id);
		CHECK(strlen(fabric_locus(f, id, buf)) < sizeof(buf));
	}
}

static void apply(const struct wiring *w)
{
	struct fabric_spec spec;
	struct fabric f;
	size_t unknown;

	fabric_spec_defaults(&spec, 4);
	CHECK(fabric_init(&f, &spec, NULL) == FP_OK);
	CHECK(wiring_apply(w, &f, &unknown, NULL) == FP_OK);
	CHECK(unknown <= w->n);
	walk(&f);
	fabric_done(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static enum fp_status (*const readers[])(struct wiring *, const char *,
	                                         struct fp_err *) = {
		wiring_read_slurm,
		wiring_read_ibnet,
		wiring_read_csv,
	};
	char *text = strndup((const char *)data, size);
	struct fabric_spec spec;
	struct fabric f;
	size_t i;

	if (!text)
		return 0;
	for (i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		struct wiring w = { 0 };

		if (readers[i](&w, text, NULL) == FP_OK && w.n < 65536)
			apply(&w);
		wiring_done(&w);
	}
	if (fabric_spec_read(text, strlen(text), &spec, NULL) == FP_OK &&
	    spec.hosts < 64 && fabric_init(&f, &spec, NULL) == FP_OK) {
		walk(&f);
		fabric_done(&f);
	}
	free(text);
	return 0;
}
