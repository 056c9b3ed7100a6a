// SPDX-License-Identifier: Apache-2.0
// What fails whoever takes part: with which setting does it not?
#include <stdio.h>
#include <stdlib.h>

#include "probes/session/arms.h"
#include "probes/session/bisect_part.h"
#include "probes/trial/variant.h"
#include "topo/base/fmt.h"

/* NCCL's settings: layers first, then how it uses them. */
static const uint8_t variants[] = {
	VARIANT_P2P_OFF,   VARIANT_SHM_OFF,     VARIANT_NET_ONLY,
	VARIANT_SOCKET,    VARIANT_GDR_OFF,     VARIANT_BARE,
	VARIANT_RING,      VARIANT_SIMPLE,      VARIANT_TREE,
	VARIANT_LL,        VARIANT_LL128,       VARIANT_NVLS_OFF,
	VARIANT_PXN_OFF,   VARIANT_COLLNET_OFF, VARIANT_MNNVL_OFF,
	VARIANT_CUMEM_OFF,
};

#define SETTINGS_MAX (sizeof(variants) / sizeof(variants[0]))
#define SETTING_WORDS_MAX (VARIANT_WORDS_MAX + 32)

/* struct setting - another way to run the same collective. */
struct setting {
	uint16_t xport;
	uint32_t variant;
};

/* struct axis - what came of those that were tried. */
struct axis {
	struct setting tried[SETTINGS_MAX];
	bool fails[SETTINGS_MAX];
	size_t n;
	bool cured; /* by the last one */
};

static const char *setting_words(const struct setting *s,
                                 char buf[static SETTING_WORDS_MAX])
{
	char words[VARIANT_WORDS_MAX];

	if (s->variant)
		(void)snprintf(buf, SETTING_WORDS_MAX, "%s",
		               variant_words(s->variant, words));
	else
		(void)snprintf(buf, SETTING_WORDS_MAX, "--xport %s",
		               trial_xport_name(s->xport));
	return buf;
}

static bool spans_hosts(const struct inquest *q)
{
	return q->units.hosts;
}

static bool variant_fits(const struct inquest *q, unsigned variant)
{
	uint32_t last = q->like.member_count - 1;
	uint32_t between = variant_info(variant)->places & VARIANT_BETWEEN;

	/* What is for pairs between hosts changes nothing in one. */
	if (between && !(variant_info(variant)->places & VARIANT_WHOLE) &&
	    !spans_hosts(q))
		return false;
	return arms_apply(q->s->job, variant, q->members[0], q->members[last]);
}

/* Does the collective take @xport for each of its edges already? */
static bool is_all(const struct inquest *q, unsigned xport)
{
	if (q->like.xport != XPORT_AUTO)
		return q->like.xport == xport;
	return xport == XPORT_SHM ? !spans_hosts(q)
	                          : spans_hosts(q) && q->units.least == 2;
}

/* Without NCCL: over another transport that reaches everybody. */
static size_t other_xports(const struct inquest *q, struct setting *ret)
{
	size_t n = 0;

	if (!is_all(q, XPORT_TCP))
		ret[n++] = (struct setting){ .xport = XPORT_TCP };
	if (!spans_hosts(q) && !is_all(q, XPORT_SHM))
		ret[n++] = (struct setting){ .xport = XPORT_SHM };
	return n;
}

static size_t settings_of(const struct inquest *q,
                          struct setting ret[static SETTINGS_MAX])
{
	size_t i, n = 0;

	if (q->like.xport != XPORT_NCCL)
		return other_xports(q, ret);
	for (i = 0; i < SETTINGS_MAX; i++)
		if (variant_fits(q, variants[i]))
			ret[n++] = (struct setting){
				.xport = q->like.xport,
				.variant = variants[i],
			};
	return n;
}

/* Does the whole fail with @with; NULL: as it is? false: it was not tried. */
static bool try_with(const struct inquest *q, const struct setting *with,
                     const struct bisect_group *whole, bool *ret_fails)
{
	struct bisect_ask ask = bisect_ask_of(q, &q->units);
	struct bisect_group g = *whole;
	struct trial like = q->like;
	bool tried;

	g.again = !with;
	if (with) {
		like.xport = with->xport;
		like.variant = with->variant;
	}
	ask.like = &like;
	tried = bisect_ask_groups(&ask, &g, 1);
	*ret_fails = g.fails;
	return tried;
}

/* One after the other, until one helps. */
static void try_all(const struct inquest *q, const struct bisect_group *whole,
                    struct axis *ret)
{
	struct setting settings[SETTINGS_MAX];
	size_t i, n = settings_of(q, settings);
	bool fails, still;

	for (i = 0; i < n && !ret->cured; i++) {
		if (!try_with(q, &settings[i], whole, &fails))
			continue;
		ret->tried[ret->n] = settings[i];
		ret->fails[ret->n++] = fails;
		/* It might just have passed this time. */
		ret->cured =
			!fails && try_with(q, NULL, whole, &still) && still;
	}
}

static void say_tried(const struct axis *a, struct finding *f)
{
	char words[SETTING_WORDS_MAX];
	const char *how;
	size_t i;

	for (i = 0; i < a->n; i++) {
		how = a->fails[i] ? "fails too"
		      : a->cured  ? "passes, and without it fails again"
		                  : "passes, but then so it does without";
		finding_evidence(f, "%s: %s",
		                 setting_words(&a->tried[i], words), how);
	}
}

static enum fp_status tell(struct inquest *q, const struct axis *a)
{
	char words[SETTING_WORDS_MAX], size[FP_FMT_MAX];
	struct finding *f = q->list->n ? &q->list->f[q->list->n - 1] : NULL;

	if (a->cured) {
		/* That everybody fails together is said by the setting. */
		if (q->hosts.found[0].kind != BISECT_SCALE)
			q->list->n = 0;
		f = findings_add(q->list, FINDING_COLL_SETTING);
		if (!f)
			return fp_err_set(q->err, FP_ERR_NOMEM,
			                  "no memory to judge");
		f->confidence = .95;
		(void)snprintf(f->detail, sizeof(f->detail), "With %s it %s",
		               setting_words(&a->tried[a->n - 1], words),
		               q->floor_Bps > 0 ? "is fast enough" : "runs");
	}
	if (a->cured)
		finding_evidence(f,
		                 "%s %s over %u ranks as the job has it "
		                 "fails, whoever takes part",
		                 trial_op_name(q->like.op),
		                 fp_fmt_bytes(q->like.bytes, size),
		                 q->like.member_count);
	if (f)
		say_tried(a, f);
	return FP_OK;
}

enum fp_status bisect_settings(struct inquest *q)
{
	int32_t *units = calloc(q->units.n + 1, sizeof(*units));
	const struct bisect_group whole = { .units = units, .n = q->units.n };
	struct axis a = { .n = 0 };
	size_t i;

	if (!units)
		return fp_err_set(q->err, FP_ERR_NOMEM, "no memory to bisect");
	for (i = 0; i < q->units.n; i++)
		units[i] = (int32_t)i;
	try_all(q, &whole, &a);
	free(units);
	return q->list && a.n ? tell(q, &a) : FP_OK;
}
