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

/* struct axis - what came of those that were tried. */
struct axis {
	struct bisect_setting tried[SETTINGS_MAX];
	bool fails[SETTINGS_MAX];
	size_t n;
	bool cured; /* by the last one */
	struct bisect_own own;
};

static const char *setting_words(const struct bisect_setting *s,
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
static size_t other_xports(const struct inquest *q, struct bisect_setting *ret)
{
	size_t n = 0;

	if (!is_all(q, XPORT_TCP))
		ret[n++] = (struct bisect_setting){ .xport = XPORT_TCP };
	if (!spans_hosts(q) && !is_all(q, XPORT_SHM))
		ret[n++] = (struct bisect_setting){ .xport = XPORT_SHM };
	return n;
}

static size_t settings_of(const struct inquest *q,
                          struct bisect_setting ret[static SETTINGS_MAX])
{
	size_t i, n = 0;

	if (q->like.xport != XPORT_NCCL)
		return other_xports(q, ret);
	for (i = 0; i < SETTINGS_MAX; i++)
		if (variant_fits(q, variants[i]))
			ret[n++] = (struct bisect_setting){
				.xport = q->like.xport,
				.variant = variants[i],
			};
	return n;
}

bool bisect_try_setting(const struct inquest *q,
                        const struct bisect_setting *with, bool again,
                        bool *ret_fails)
{
	struct bisect_ask ask = bisect_ask_of(q, &q->units);
	int32_t *units = calloc(q->units.n + 1, sizeof(*units));
	struct bisect_group g = { units, q->units.n, again, false };
	struct trial like = q->like;
	bool tried;
	size_t i;

	for (i = 0; units && i < q->units.n; i++)
		units[i] = (int32_t)i;
	if (with) {
		like.xport = with->xport;
		like.variant = with->variant;
	}
	ask.like = &like;
	tried = units && bisect_ask_groups(&ask, &g, 1);
	*ret_fails = g.fails;
	free(units);
	return tried;
}

/* One after the other, until one helps. */
static void try_all(const struct inquest *q, struct axis *ret)
{
	struct bisect_setting settings[SETTINGS_MAX];
	size_t i, n = settings_of(q, settings);
	bool fails, still;

	for (i = 0; i < n && !ret->cured; i++) {
		if (!bisect_try_setting(q, &settings[i], false, &fails))
			continue;
		ret->tried[ret->n] = settings[i];
		ret->fails[ret->n++] = fails;
		/* It might just have passed this time. */
		ret->cured = !fails &&
		             bisect_try_setting(q, NULL, true, &still) && still;
	}
}

static void say_tried(const struct axis *a, struct finding *f)
{
	char words[SETTING_WORDS_MAX];
	const char *how;
	size_t i;

	bisect_own_evidence(&a->own, f);
	for (i = 0; i < a->n; i++) {
		how = a->fails[i] ? "fails too"
		      : a->cured  ? "passes, and without it fails again"
		                  : "passes, but then so it does without";
		finding_evidence(f, "%s: %s",
		                 setting_words(&a->tried[i], words), how);
	}
}

static void say_detail(const struct inquest *q, const struct axis *a,
                       struct finding *f)
{
	const char *runs = q->floor_Bps > 0 ? "it is fast enough" : "it runs";
	char words[SETTING_WORDS_MAX];

	if (a->own.cured)
		bisect_own_detail(&a->own, runs, f);
	else
		(void)snprintf(f->detail, sizeof(f->detail), "With %s %s",
		               setting_words(&a->tried[a->n - 1], words), runs);
}

static enum fp_status tell(struct inquest *q, const struct axis *a)
{
	struct finding *f = q->list->n ? &q->list->f[q->list->n - 1] : NULL;
	char size[FP_FMT_MAX];

	if (a->cured || a->own.cured) {
		/* That everybody fails together is said by the setting. */
		if (q->hosts.found[0].kind != BISECT_SCALE)
			q->list->n = 0;
		f = findings_add(q->list, FINDING_COLL_SETTING);
		if (!f)
			return fp_err_set(q->err, FP_ERR_NOMEM,
			                  "no memory to judge");
		f->confidence = .95;
		say_detail(q, a, f);
		finding_evidence(f,
		                 "%s %s over %u ranks as the job has it "
		                 "fails, whoever takes part",
		                 trial_op_name(q->like.op),
		                 fp_fmt_bytes(q->like.bytes, size),
		                 q->like.member_count);
	}
	if (f)
		say_tried(a, f);
	return FP_OK;
}

enum fp_status bisect_settings(struct inquest *q, bool own_only)
{
	struct axis a = { .n = 0 };
	enum fp_status status = bisect_own(q, &a.own);

	if (!status && !own_only && !a.own.cured)
		try_all(q, &a);
	if (!status && q->list)
		status = tell(q, &a);
	bisect_own_done(&a.own);
	return status;
}
