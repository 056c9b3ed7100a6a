// SPDX-License-Identifier: Apache-2.0
// What NCCL tells while all is well: channels, start, NICs, settings.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/nccl.h"

static bool number_behind(const char *msg, const char *word, int64_t *ret)
{
	const char *at = strstr(msg, word);

	if (!at)
		return false;
	*ret = strtol(at + strlen(word), NULL, 10);
	return true;
}

static uint32_t word_behind(struct intake *r, const char *msg, const char *word)
{
	const char *at = strstr(msg, word);

	if (!at)
		return 0;
	at += strlen(word);
	return event_name(r->events, at, strcspn(at, " ,"));
}

static void read_rank(const char *msg, struct event *e)
{
	int64_t rank;

	if (number_behind(msg, " rank ", &rank) && rank >= 0 &&
	    rank <= INT32_MAX)
		e->rank = (int32_t)rank;
}

/* "... comm 0x.. rank 3 nranks 16 ... busId 48000 commId 0x.. - Init START" */
static void add_init(struct intake *r, const struct logline *line,
                     struct event *e, const char *msg)
{
	e->kind = strstr(msg, "Init START") ? KIND_INIT_START : KIND_INIT_DONE;
	read_rank(msg, e);
	if (!number_behind(msg, "nranks ", &e->n[0]))
		(void)number_behind(msg, "nRanks ", &e->n[0]);
	e->bus = word_behind(r, msg, "busId ");
	e->group = word_behind(r, msg, "commId ");
	intake_add(r, line, e);
}

/* A rank at @at: "9[1a000]"; and what stands behind it. */
static const char *read_end(const char *at, int32_t *ret)
{
	char *end;
	long rank;

	at += strspn(at, " ");
	rank = strtol(at, &end, 10);
	if (end == at || rank < 0 || rank > INT32_MAX)
		return NULL;
	*ret = (int32_t)rank;
	if (*end == '[')
		end += strcspn(end, "]") + 1;
	return end;
}

/* Begins where "a -> b" does: behind the colon of "Channel 00/0 :". */
static const char *channel_start(const char *msg, const char *via)
{
	const char *arrow = strstr(msg, " -> "), *at;

	if (!arrow || arrow > via)
		return NULL;
	for (at = arrow; at > msg && at[-1] != ' ';)
		at--;
	return at;
}

static uint32_t channel_kind(const char *net)
{
	if (!strncmp(net, "Socket", 6))
		return KIND_CHANNEL_SOCKET;
	return strstr(net, "/GDRDMA") ? KIND_CHANNEL_GDR : KIND_CHANNEL_NET;
}

/* Which NIC: the number behind the plugin's name, "IB/0", "Libfabric/0". */
static int64_t channel_nic(const char *net)
{
	const char *slash = strchr(net, '/');

	return slash ? strtol(slash + 1, NULL, 10) : -1;
}

/*
 * "0[0] -> 1[0] [send] via NET/IB/0/GDRDMA": the receiver's line has the
 * sender first too, and the rank that writes it is the second one then.
 */
static bool add_channel(struct intake *r, const struct logline *line,
                        struct event *e, const char *msg)
{
	const char *via = strstr(msg, "via NET/");
	const char *at = via ? channel_start(msg, via) : NULL;
	int32_t a, b;

	if (!at)
		return false;
	at = read_end(at, &a);
	if (!at || strncmp(at, " -> ", 4) || !read_end(at + 4, &b))
		return false;
	e->kind = channel_kind(via + 8);
	e->n[0] = channel_nic(via + 8);
	e->n[1] = strstr(at, "[receive]") != NULL;
	e->rank = e->n[1] ? b : a;
	e->peer = e->n[1] ? a : b;
	e->gpu = -1; /* as it is missing in some forms: one event, not two */
	intake_add(r, line, e);
	return true;
}

/* "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:..." */
static void add_nics(struct intake *r, const struct logline *line,
                     struct event *e, const char *msg)
{
	const char *at = strstr(msg, "Using "), *p;
	size_t len;

	at += 6 + strspn(at + 6, " ");
	len = strcspn(at, ";");
	for (p = at; p < at + len; p++)
		e->n[0] += *p == '[' && isdigit((unsigned char)p[1]);
	e->n[1] = strstr(at, "/RoCE") != NULL;
	e->kind = KIND_HCAS;
	e->op = event_name(r->events, at, len);
	e->gpu = -1;
	e->pid = -1;
	intake_add(r, line, e);
}

static void add_text(struct intake *r, const struct logline *line,
                     struct event *e, const char *text, const char *stops)
{
	e->op = event_name(r->events, text, strcspn(text, stops));
	e->gpu = -1;
	e->pid = -1;
	e->rank = -1;
	intake_add(r, line, e);
}

/* "NCCL_IB_GID_INDEX set by environment to 3." */
static void add_setting(struct intake *r, const struct logline *line,
                        struct event *e, const char *msg)
{
	const char *at = strstr(msg, "NCCL_"), *to = strstr(msg, " to ");
	char text[160];

	if (!at || !to || to < at)
		return;
	(void)snprintf(text, sizeof(text), "%.*s=%.*s", (int)strcspn(at, " "),
	               at, (int)strcspn(to + 4, " "), to + 4);
	e->kind = KIND_ENV;
	add_text(r, line, e, text, " ");
}

bool nccl_info(struct intake *r, const struct logline *line, struct event *e,
               const char *msg)
{
	const char *version;

	if (strstr(msg, "Init START") || strstr(msg, "Init COMPLETE")) {
		add_init(r, line, e, msg);
		return true;
	}
	if (strstr(msg, "via NET/"))
		return add_channel(r, line, e, msg);
	if (strstr(msg, "Using ") && strstr(msg, "NET/IB")) {
		add_nics(r, line, e, msg);
		return true;
	}
	if (strstr(msg, "Using network ")) {
		e->kind = KIND_NETWORK;
		add_text(r, line, e, strstr(msg, "Using network ") + 14, "");
		return true;
	}
	if (strstr(msg, "by environment")) {
		add_setting(r, line, e, msg);
		return true;
	}
	version = strstr(msg, "NCCL version ");
	if (version && isdigit((unsigned char)version[13]) &&
	    !strstr(msg, "rror")) {
		e->kind = KIND_LIBRARY;
		add_text(r, line, e, version + 13, " +");
		return true;
	}
	return false;
}
