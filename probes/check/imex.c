// SPDX-License-Identifier: Apache-2.0
// Hosts of one NVLink domain, some of them without an IMEX channel.
#include "probes/check/imex.h"

#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/look.h"

/** struct seat - where the GPUs of a host are, and its channels. */
struct seat {
	const char *cluster; /* NULL: NVLinks end in the host, or not known */
	int64_t clique;
	int64_t channels; /* -1: not known */
};

/* Hosts whose NVLinks end inside them have zeros for a cluster. */
static struct seat seat_of(const struct check_host *host)
{
	struct seat s = { .clique = -1 };

	s.channels = look_int(host, "", "imex.channels", -1);
	for (size_t i = 0; i < host->n_devices && !s.cluster; i++) {
		const char *device = host->devices[i].name;
		const char *text =
			look_text(host, device, "gpu.fabric_cluster");

		if (s.channels < 0 || !text[strspn(text, "0-")])
			continue;
		s.cluster = text;
		s.clique = look_int(host, device, "gpu.fabric_clique", -1);
	}
	return s;
}

static bool same_domain(const struct seat *a, const struct seat *b)
{
	return a->cluster && b->cluster && a->clique == b->clique &&
	       strcmp(a->cluster, b->cluster) == 0;
}

/* Hosts of the domain of @mine that have a channel. */
static size_t count_with(const struct seat *seats, size_t n,
                         const struct seat *mine, size_t *ret_all)
{
	size_t with = 0;

	*ret_all = 0;
	for (size_t i = 0; i < n; i++) {
		bool same = same_domain(&seats[i], mine);

		*ret_all += same;
		with += same && seats[i].channels > 0;
	}
	return with;
}

static void accuse_host(const struct check_host *host, size_t with, size_t all,
                        struct check_out *out)
{
	struct finding *f =
		accuse(out, FINDING_IMEX_CHANNEL, LOCUS_HOST, host->host, "");
	struct reading r;

	if (look_get(host, "", "imex.channels", &r))
		accuse_cite(f, &r);
	accuse_note(f,
	            "%zu of %zu hosts of this NVLink domain and clique have "
	            "one",
	            with, all);
}

void imex_judge(const struct check_input *in, struct check_out *out)
{
	struct seat *seats = calloc(in->n_hosts + 1, sizeof(*seats));
	const struct seat *last = NULL; /* of whom with and all are */
	size_t with = 0, all = 0;

	if (!seats) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < in->n_hosts; i++)
		seats[i] = seat_of(&in->hosts[i]);
	for (size_t i = 0; i < in->n_hosts; i++) {
		if (!seats[i].cluster || seats[i].channels)
			continue;
		if (!last || !same_domain(last, &seats[i]))
			with = count_with(seats, in->n_hosts, &seats[i], &all);
		last = &seats[i];
		if (with)
			accuse_host(&in->hosts[i], with, all, out);
	}
	free(seats);
}
