// SPDX-License-Identifier: Apache-2.0
// Completion errors of InfiniBand and RoCE, and the addresses around them.
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/nccl.h"

/* enum ibv_wc_status of libibverbs. */
static const uint32_t status_kinds[] = {
	[1] = KIND_WC_LOC_LEN, [4] = KIND_WC_LOC_PROT, [5] = KIND_WC_FLUSH,
	[9] = KIND_WC_REM_INV, [10] = KIND_WC_REM_ACC, [11] = KIND_WC_REM_OP,
	[12] = KIND_WC_RETRY,  [13] = KIND_WC_RNR,
};

#define N_STATUS (sizeof(status_kinds) / sizeof(status_kinds[0]))

/* Subnets are told apart by this many bits where the mask is not known. */
#define V4_PREFIX_BYTES 3
#define V6_PREFIX_BYTES 8

static bool parse_gid(const char *text, unsigned char ret[16])
{
	char copy[64];
	size_t n = strcspn(text, " ,)\t");

	if (!n || n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return inet_pton(AF_INET6, copy, ret) == 1;
}

unsigned nccl_gids(const char *local, const char *remote)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned char a[16], b[16];
	bool v4;

	if (!parse_gid(local, a) || !parse_gid(remote, b))
		return NCCL_GIDS_UNKNOWN;
	if (a[0] == 0xfe && (a[1] & 0xc0) == 0x80)
		return NCCL_GIDS_LOCAL;
	v4 = !memcmp(a, mapped, 12) && !memcmp(b, mapped, 12);
	if (v4)
		return memcmp(a + 12, b + 12, V4_PREFIX_BYTES) ? NCCL_GIDS_APART
		                                               : NCCL_GIDS_SAME;
	return memcmp(a, b, V6_PREFIX_BYTES) ? NCCL_GIDS_APART : NCCL_GIDS_SAME;
}

static uint32_t name_span(struct intake *r, const char *text, const char *stops)
{
	return event_name(r->events, text, strcspn(text, stops));
}

/* "10.0.0.2<45832>", "host<port>"; of PyTorch "(host, port)". */
static uint32_t read_peer(struct intake *r, const char *msg)
{
	const char *open = strchr(msg, '<'), *at;
	const char *torch = strstr(msg, "network address of (");

	if (!torch)
		torch = strstr(msg, "trying to connect to (");
	if (!torch) {
		const char *plain = strstr(msg, "trying to connect to ");

		if (plain)
			return name_span(r, plain + 21, ":,) ");
	}
	if (torch)
		return name_span(r, strchr(torch, '(') + 1, ",) ");
	while (open && !(isdigit((unsigned char)open[1]) &&
	                 open[1 + strspn(open + 1, "0123456789")] == '>'))
		open = strchr(open + 1, '<');
	if (!open)
		return 0;
	for (at = open; at > msg && (isalnum((unsigned char)at[-1]) ||
	                             strchr(".:_-%", at[-1]));)
		at--;
	return event_name(r->events, at, (size_t)(open - at));
}

/* "hca mlx5_10", "on dev mlx5_5:1", "NET/IB : mlx5_0:1 Got ...". */
static uint32_t read_nic(struct intake *r, const char *msg)
{
	static const char *const before[] = { " hca ",        " dev ",
		                              "open device ", "NET/IB : ",
		                              "NET/IB: ",     "for HCA " };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		const char *at = strstr(msg, before[i]);

		if (!at)
			continue;
		at += strlen(before[i]);
		/* A port behind it tells a NIC from any other word. */
		if (i < 3 || at[strcspn(at, " :")] == ':')
			return name_span(r, at, " :,)");
	}
	return 0;
}

static const char *behind(const char *msg, const char *word)
{
	const char *at = strcasestr(msg, word);

	return at ? at + strlen(word) + strspn(at + strlen(word), " ") : NULL;
}

void nccl_addresses(struct intake *r, const char *msg, struct event *e)
{
	const char *local = behind(msg, "localGid");
	const char *remote = behind(msg, "remoteGids");

	if (!local) {
		local = behind(msg, "local GID ::");
		local = local ? local - 2 : behind(msg, "local GID ");
		if (local && !strncmp(local, "index", 5))
			local = behind(local, "local GID ");
		remote = behind(msg, "remote GID ");
	}
	e->peer_host = read_peer(r, msg);
	e->device = read_nic(r, msg);
	if (!local || !remote)
		return;
	e->group = name_span(r, local, " ,)");
	e->op = name_span(r, remote, " ,)");
	e->n[3] = nccl_gids(local, remote);
}

/* The number behind the first of @names that is there; -1 for none. */
static int64_t number_behind(const char *msg, const char *const names[],
                             size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *at = strstr(msg, names[i]);
		char *end;
		long value;

		if (!at)
			continue;
		at += strlen(names[i]);
		/* "status=IBV_WC_RETRY_EXC_ERR(12)" */
		if (isalpha((unsigned char)*at) && strchr(at, '('))
			at = strchr(at, '(') + 1;
		value = strtol(at, &end, 10);
		if (end != at)
			return value;
	}
	return -1;
}

uint32_t nccl_wc_kind(int64_t status)
{
	return status >= 0 && (size_t)status < N_STATUS && status_kinds[status]
	               ? status_kinds[status]
	               : KIND_WC_OTHER;
}

enum reader_want nccl_completion(struct intake *r, const struct logline *line,
                                 struct event *e, const char *msg)
{
	static const char *const status_names[] = { "status=", "with error ",
		                                    "status " };
	static const char *const vendor_names[] = {
		"vendor err ", "vendor_err=", "vendor err"
	};
	int64_t status = number_behind(msg, status_names, 3);
	int64_t vendor = number_behind(msg, vendor_names, 3);
	bool cut = vendor < 0 && isdigit((unsigned char)msg[strlen(msg) - 1]);

	/* More stands behind a status, always. */
	if (cut)
		status = -1;
	if ((status < 0 || vendor < 0) && !line->last)
		return LINE_JOIN;
	e->kind = nccl_wc_kind(status);
	e->n[0] = status;
	e->n[1] = vendor;
	e->n[2] = strstr(msg, "(Recv)") != NULL;
	nccl_addresses(r, msg, e);
	intake_add(r, line, e);
	return LINE_DONE;
}
