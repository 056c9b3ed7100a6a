// SPDX-License-Identifier: Apache-2.0
// A list of findings, names, and a finding's place in words.
#include "probes/finding/finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

struct finding *findings_add(struct findings *list, unsigned code)
{
	struct finding *f;

	if (grow_room(&list->f, &list->room, list->n + 1, sizeof(*list->f),
	              NULL))
		return NULL;
	f = &list->f[list->n++];
	*f = (struct finding){
		.code = code,
		.severity = finding_info(code)->severity,
		.locus = { .kind = LOCUS_JOB, .rank = -1, .peer_rank = -1 },
		.observed = NAN,
		.expected = NAN,
		.confidence = 1,
	};
	return f;
}

void finding_evidence(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	if (f->n_evidence >= FINDING_EVIDENCE_MAX)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(f->evidence[f->n_evidence++], FINDING_TEXT_MAX, fmt,
	                ap);
	va_end(ap);
}

static int u32_cmp(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int i32_cmp(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

int locus_cmp(const struct locus *a, const struct locus *b)
{
	const int by[] = {
		u32_cmp(a->kind, b->kind),
		strcmp(a->host, b->host),
		i32_cmp(a->rank, b->rank),
		strcmp(a->netdev, b->netdev),
		strcmp(a->device, b->device),
		strcmp(a->peer_host, b->peer_host),
		i32_cmp(a->peer_rank, b->peer_rank),
		u32_cmp(a->direction, b->direction),
	};
	size_t i;

	for (i = 0; i < sizeof(by) / sizeof(by[0]); i++)
		if (by[i])
			return by[i];
	return 0;
}

static int finding_cmp(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if (a->severity != b->severity)
		return u32_cmp(b->severity, a->severity);
	if (a->code != b->code)
		return u32_cmp(a->code, b->code);
	return locus_cmp(&a->locus, &b->locus);
}

void findings_sort(struct findings *list)
{
	if (list->n)
		qsort(list->f, list->n, sizeof(*list->f), finding_cmp);
}

int findings_worst(const struct findings *list)
{
	int worst = -1;
	size_t i;

	for (i = 0; i < list->n; i++)
		if ((int)list->f[i].severity > worst)
			worst = (int)list->f[i].severity;
	return worst;
}

void findings_done(struct findings *list)
{
	if (!list)
		return;
	free(list->f);
	*list = (struct findings){ 0 };
}

const char *finding_severity_name(unsigned severity)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARN] = "warn",
		[SEVERITY_FAULT] = "fault",
	};

	return severity <= SEVERITY_FAULT ? names[severity] : "?";
}

const char *finding_layer_name(unsigned layer)
{
	static const char *const names[LAYER_COUNT] = {
		[LAYER_HARDWARE] = "hardware",
		[LAYER_DRIVER] = "driver",
		[LAYER_RESOURCES] = "resources",
		[LAYER_APPLICATION] = "application",
	};

	return layer < LAYER_COUNT ? names[layer] : "?";
}

const char *locus_kind_name(unsigned kind)
{
	static const char *const names[LOCUS_KIND_COUNT] = {
		[LOCUS_JOB] = "job",       [LOCUS_HOST] = "host",
		[LOCUS_NETDEV] = "netdev", [LOCUS_RANK] = "rank",
		[LOCUS_PAIR] = "pair",     [LOCUS_HOST_PAIR] = "host-pair",
		[LOCUS_GPU] = "gpu",       [LOCUS_NVLINK] = "nvlink",
		[LOCUS_PCIE] = "pcie",     [LOCUS_HCA] = "hca",
		[LOCUS_PORT] = "port",     [LOCUS_COMPONENT] = "component",
	};

	return kind < LOCUS_KIND_COUNT ? names[kind] : "?";
}

const char *locus_direction_name(unsigned direction)
{
	static const char *const names[] = {
		[DIRECTION_NONE] = "",
		[DIRECTION_TX] = "tx",
		[DIRECTION_RX] = "rx",
		[DIRECTION_BOTH] = "both",
	};

	return direction <= DIRECTION_BOTH ? names[direction] : "?";
}

static const char *direction_words(unsigned direction)
{
	static const char *const words[] = {
		[DIRECTION_NONE] = "",
		[DIRECTION_TX] = ", sending",
		[DIRECTION_RX] = ", receiving",
		[DIRECTION_BOTH] = ", both directions",
	};

	return direction <= DIRECTION_BOTH ? words[direction] : "";
}

/* What kind of thing it is, where its name does not tell. */
static const char *device_words(unsigned kind)
{
	if (kind == LOCUS_PORT)
		return "port ";
	return kind == LOCUS_PCIE ? "PCI " : "";
}

/* " (h3)", or nothing where the host is not known. */
static const char *in_brackets(const char *host, char buf[72])
{
	buf[0] = '\0';
	if (host[0])
		(void)snprintf(buf, 72, " (%s)", host);
	return buf;
}

void locus_text(const struct locus *l, char *buf, size_t size)
{
	const char *arrow = l->direction == DIRECTION_BOTH ? "<->" : "->";
	const char *way = direction_words(l->direction);
	char at[72], peer_at[72];

	switch (l->kind) {
	case LOCUS_HOST:
		(void)snprintf(buf, size, "host %s%s", l->host, way);
		break;
	case LOCUS_NETDEV:
		(void)snprintf(buf, size, "host %s, %s%s", l->host, l->netdev,
		               way);
		break;
	case LOCUS_GPU:
	case LOCUS_NVLINK:
	case LOCUS_PCIE:
	case LOCUS_HCA:
	case LOCUS_PORT:
		(void)snprintf(buf, size, "host %s, %s%s%s", l->host,
		               device_words(l->kind), l->device, way);
		break;
	case LOCUS_RANK:
		(void)snprintf(buf, size, "rank %d%s%s", (int)l->rank,
		               in_brackets(l->host, at), way);
		break;
	case LOCUS_PAIR:
		(void)snprintf(buf, size, "rank %d%s %s rank %d%s%s%s",
		               (int)l->rank, in_brackets(l->host, at), arrow,
		               (int)l->peer_rank,
		               in_brackets(l->peer_host, peer_at),
		               l->device[0] ? ", " : "", l->device);
		break;
	case LOCUS_HOST_PAIR:
		(void)snprintf(buf, size, "host %s %s host %s", l->host, arrow,
		               l->peer_host);
		break;
	case LOCUS_COMPONENT:
		(void)snprintf(buf, size, "%s%s%s%s%s",
		               l->host[0] ? "host " : "", l->host,
		               l->host[0] ? ", " : "", l->device, way);
		break;
	default:
		(void)snprintf(buf, size, "the job");
	}
}
