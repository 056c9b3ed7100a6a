// SPDX-License-Identifier: Apache-2.0
// Combinations of versions, settings and hardware that are known to hang.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "probes/check/accuse.h"
#include "probes/check/known.h"
#include "probes/check/look.h"
#include "topo/path/path.h"

/** enum known_with - what else has to be true. Bits. */
enum known_with {
	WITH_OTHER_HCAS = 1,   /* hosts that offer different HCAs */
	WITH_CONSUMER_P2P = 2, /* boards sold without peer access, and the
	                          driver grants it */
	WITH_RDMA = 4,         /* the host has HCAs */
};

/**
 * struct known_row - one of them. A version is major * 10000 + minor * 100 +
 * patch; 0: any. @value: what @env is, or lists.
 * @source: who says so
 */
static const struct known_row {
	int64_t nccl_from, nccl_below;
	const char *env, *value;
	uint32_t with; /* enum known_with */
	uint32_t severity;
	const char *says, *source;
} rows[] = {
	{ .env = "env.NCCL_IGNORE_NET_MISMATCH",
	  .value = "1",
	  .with = WITH_OTHER_HCAS,
	  .severity = SEVERITY_FAULT,
	  .says = "NCCL_IGNORE_NET_MISMATCH=1, and hosts offer different "
	          "HCAs: kernels spin at 100 % for ever",
	  .source = "nccl#2428" },
	{ .with = WITH_CONSUMER_P2P,
	  .severity = SEVERITY_WARN,
	  .says = "peer access is granted on boards that are sold without it: "
	          "copies hang, are slow, or corrupt; NCCL_P2P_DISABLE=1",
	  .source = "nccl#2335, nccl PR#2338" },
	{ .env = "env.NCCL_ALGO",
	  .value = "NVLSTree",
	  .severity = SEVERITY_WARN,
	  .says = "NCCL_ALGO forces NVLSTree, which was seen to be unstable",
	  .source = "nccl#1752" },
	{ .env = "env.NCCL_IB_ECE_ENABLE",
	  .value = "1",
	  .with = WITH_RDMA,
	  .severity = SEVERITY_WARN,
	  .says = "NCCL_IB_ECE_ENABLE=1 is set: ECE was seen to be unstable",
	  .source = "nccl#1403" },
	{ .nccl_from = 23003,
	  .env = "env.NCCL_MULTI_RANK_GPU_ENABLE",
	  .value = "1",
	  .severity = SEVERITY_WARN,
	  .says = "several ranks on one GPU: hangs where multiprocessors run "
	          "out; lower NCCL_MAX_CTAS",
	  .source = "NCCL user guide 2.30" },
	{ .nccl_below = 21400,
	  .severity = SEVERITY_WARN,
	  .says = "NCCL before 2.14: the start cannot be broken off, and hangs "
	          "for ever if a rank never comes",
	  .source = "nccl#289, nccl#582" },
	{ .nccl_from = 21400,
	  .nccl_below = 21900,
	  .severity = SEVERITY_INFO,
	  .says = "NCCL before 2.19: ncclCommAbort by several threads hangs, a "
	          "watchdog's too",
	  .source = "nccl#992" },
};

static int64_t version_of(const char *text)
{
	int major = 0, minor = 0, patch = 0;

	/* NOLINTNEXTLINE(cert-err34-c): what is no number stays 0 */
	if (sscanf(text, "%3d.%3d.%3d", &major, &minor, &patch) < 2 ||
	    major < 0 || minor < 0 || patch < 0 || minor > 99 || patch > 99)
		return 0;
	return (int64_t)major * 10000 + (int64_t)minor * 100 + patch;
}

bool known_is_consumer(const char *name)
{
	static const char *const words[] = { "GeForce", "GTX", "TITAN" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strstr(name, words[i]))
			return true;
	}
	return false;
}

/* Through a bridge of NVLinks it is what was sold. */
static bool is_granted(const struct topo_map *map,
                       const struct path_matrix *paths, size_t a, size_t b)
{
	return a != b && map->p2p[a * map->n_gpus + b] == P2P_OK &&
	       known_is_consumer(map->gpus[a].name) &&
	       known_is_consumer(map->gpus[b].name) &&
	       path_matrix_at(paths, a, b).type != PATH_NVLINK;
}

static bool any_consumer_p2p(const struct check_host *host)
{
	const struct topo_map *map = host->host->map;
	size_t n = map && map->p2p ? map->n_gpus : 0;
	struct path_matrix paths;
	bool any = false;

	if (!n || path_matrix_init(map, PATH_VIEW_SMI, &paths, NULL) != FP_OK)
		return false;
	for (size_t i = 0; i < n * n && !any; i++)
		any = is_granted(map, &paths, i / n, i % n);
	path_matrix_done(&paths);
	return any;
}

/* By number and names, as far as maps tell. */
static bool other_hcas(const struct check_input *in)
{
	const struct check_host *first = &in->hosts[0];

	for (size_t i = 1; i < in->n_hosts; i++) {
		const struct topo_map *map = in->hosts[i].host->map;

		if (look_hcas(&in->hosts[i]) != look_hcas(first))
			return true;
		for (size_t k = 0; map && first->host->map && k < map->n_hcas;
		     k++) {
			if (topo_map_find_hca(first->host->map,
			                      map->hcas[k].name) < 0)
				return true;
		}
	}
	return false;
}

/* "Ring,NVLSTree" has "NVLSTree"; "^NVLSTree" leaves it out. A collective may
 * have a list of its own: "broadcast:ring;allreduce:^NVLSTree". */
static bool has_value(const char *text, const char *value)
{
	size_t len = strlen(value), n;
	bool left_out = *text == '^';

	for (;;) {
		text += *text == '^';
		n = strcspn(text, ",;:");
		if (!left_out && n == len && !strncasecmp(text, value, n))
			return true;
		text += n;
		if (!*text)
			return false;
		if (*text++ != ',')
			left_out = *text == '^';
	}
}

static bool fits(const struct known_row *row, const struct check_host *host,
                 struct reading *cite)
{
	char text[READING_WORDS_MAX];

	if (row->nccl_from || row->nccl_below) {
		int64_t nccl;

		if (!look_get(host, "", "lib.libnccl.version", cite))
			return false;
		nccl = version_of(reading_words(cite, text));
		if (!nccl || nccl < row->nccl_from ||
		    (row->nccl_below && nccl >= row->nccl_below))
			return false;
	}
	if (row->env && (!look_get(host, "", row->env, cite) ||
	                 !has_value(reading_words(cite, text), row->value)))
		return false;
	return (!(row->with & WITH_RDMA) || look_hcas(host)) &&
	       (!(row->with & WITH_CONSUMER_P2P) || any_consumer_p2p(host));
}

static void accuse_known(const struct known_row *row,
                         const struct check_host *host,
                         const struct reading *cite, struct check_out *out)
{
	struct finding *f =
		accuse(out, FINDING_KNOWN_HANG, LOCUS_JOB, NULL, "");

	/* The worst of them says how bad it is. */
	if (f && (!f->n_evidence || f->severity < row->severity))
		f->severity = row->severity;
	if (f && f->n_evidence >= FINDING_EVIDENCE_MAX)
		return;
	accuse_note(f, "%s (%s)", row->says, row->source);
	accuse_note(f, "so on %.60s", host->host->name);
	if (cite->name)
		accuse_cite(f, cite);
}

void known_judge(const struct check_input *in, struct check_out *out)
{
	bool others = other_hcas(in);

	/* Each once, on the first host where it is so. */
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].with & WITH_OTHER_HCAS && !others)
			continue;
		for (size_t h = 0; h < in->n_hosts; h++) {
			struct reading cite = { .name = NULL };

			if (!fits(&rows[i], &in->hosts[h], &cite))
				continue;
			accuse_known(&rows[i], &in->hosts[h], &cite, out);
			break;
		}
	}
}
