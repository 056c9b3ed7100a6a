// SPDX-License-Identifier: Apache-2.0
// Reads which GPUs may reach each other's memory, as CUDA's samples say it.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"
#include "topo/path/expect.h"

#define GPUS_MAX 64
#define MODEL_MAX 48
#define BRIDGE_LINKS_MAX 4

/* struct peers_state - bits by GPU: whom each was told to reach, or not. */
struct peers_state {
	uint64_t can[GPUS_MAX], cannot[GPUS_MAX];
	char model[GPUS_MAX][MODEL_MAX];
	uint32_t n,
		line; /* the highest GPU, and one; where the first pair is */
};

static const char *const words[] = { "Access Peer Device", "Peer access from ",
	                             ", pciBusID: " };

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

/* The number of a GPU behind @word, at or behind @*at, which moves on. */
static bool take_gpu(const char **at, const char *word, uint32_t *ret)
{
	const char *found = strstr(*at, word);
	unsigned long gpu;
	char *end;

	if (!found)
		return false;
	found += strlen(word);
	if (!isdigit((unsigned char)*found))
		return false;
	gpu = strtoul(found, &end, 10);
	if (gpu >= GPUS_MAX)
		return false;
	*at = end;
	*ret = (uint32_t)gpu;
	return true;
}

/* "Device: 0, NVIDIA A100-SXM4-80GB, pciBusID: 7, ...". */
static void take_model(struct peers_state *s, const char *text)
{
	const char *at = text, *end;
	uint32_t gpu;

	if (!take_gpu(&at, "Device: ", &gpu) || strncmp(at, ", ", 2) != 0)
		return;
	at += 2;
	end = strstr(at, ", pciBusID");
	if (end)
		snprintf(s->model[gpu], MODEL_MAX, "%.*s",
		         (int)(end - at < MODEL_MAX ? end - at : MODEL_MAX - 1),
		         at);
}

/* "Device=0 CANNOT Access Peer Device=1", or
 * "> Peer access from NVIDIA L4 (GPU0) -> NVIDIA L4 (GPU1) : No". */
static bool take_pair(const char *text, uint32_t *ret_from, uint32_t *ret_to,
                      bool *ret_can)
{
	const char *at = text, *said;

	if (take_gpu(&at, "Device=", ret_from)) {
		*ret_can = strncmp(at, " CAN ", 5) == 0;
		return (*ret_can || strncmp(at, " CANNOT ", 8) == 0) &&
		       take_gpu(&at, "Peer Device=", ret_to);
	}
	if (!take_gpu(&at, "(GPU", ret_from) || !take_gpu(&at, "(GPU", ret_to))
		return false;
	said = strchr(at, ':');
	*ret_can = said && strstr(said, "Yes");
	return *ret_can || (said && strstr(said, "No"));
}

static enum reader_want peers_line(struct intake *r, const struct logline *line)
{
	struct peers_state *s = r->state;
	uint32_t from, to;
	bool can;

	take_model(s, line->text);
	if (!take_pair(line->text, &from, &to, &can) || from == to)
		return LINE_DONE;
	if (!s->line)
		s->line = line->number;
	s->n = from >= s->n ? from + 1 : s->n;
	s->n = to >= s->n ? to + 1 : s->n;
	if (can)
		s->can[from] |= UINT64_C(1) << to;
	else
		s->cannot[from] |= UINT64_C(1) << to;
	return LINE_DONE;
}

/* Boards whose GPUs have NVLinks to all others of the host; cards of the same
 * model have them by bridges. */
static bool is_nvlink_board(const char *model)
{
	const struct expect_gpu *gpu = expect_gpu_find(model);

	return gpu && gpu->nvlinks > BRIDGE_LINKS_MAX &&
	       !strstr(model, "PCIe") && !strstr(model, "NVL");
}

/* Of @gpu, all others by the file: does it reach none, and none it? */
static bool is_alone(const struct peers_state *s, uint32_t gpu)
{
	const uint64_t bit = UINT64_C(1) << gpu;

	if (s->can[gpu] || !s->cannot[gpu])
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->can[i] & bit)
			return false;
	return true;
}

/* Do the others, of the same model, all reach one another? Elsewhere than on
 * boards with NVLink many reach only some: by a bridge, a socket. */
static bool others_meet(const struct peers_state *s, uint32_t gpu)
{
	const bool nvlink = is_nvlink_board(s->model[gpu]);
	uint64_t same = 0;
	uint32_t met = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (i != gpu && strcmp(s->model[i], s->model[gpu]) == 0)
			same |= UINT64_C(1) << i;
	for (uint32_t i = 0; i < s->n; i++) {
		if (!(same >> i & 1) || (nvlink && is_alone(s, i)))
			continue;
		if (s->cannot[i] & same && (!nvlink || !s->can[i]))
			return false;
		met++;
	}
	return met >= (nvlink ? 2 : 3);
}

static bool none_meet(const struct peers_state *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->can[i])
			return false;
	return true;
}

static void add(struct intake *r, unsigned kind, int32_t gpu, const char *text)
{
	const struct peers_state *s = r->state;
	struct event e = intake_event(r, NULL, kind);

	e.line = s->line;
	e.gpu = gpu;
	e.text = intake_name(r, text);
	intake_add(r, NULL, &e);
}

static void peers_end(struct intake *r)
{
	const struct peers_state *s = r->state;
	char text[128];

	if (!s->n)
		return;
	snprintf(text, sizeof(text), "peer access of %" PRIu32 " GPUs", s->n);
	add(r, KIND_PEERS_READ, -1, text);
	if (none_meet(s) && is_nvlink_board(s->model[0])) {
		snprintf(text, sizeof(text),
		         "no GPU of %s can access a peer, which NVLink gives",
		         s->model[0]);
		add(r, KIND_P2P_OFF, -1, text);
	}
	for (uint32_t i = 0; i < s->n && !none_meet(s); i++) {
		if (!is_alone(s, i) || !others_meet(s, i))
			continue;
		snprintf(text, sizeof(text),
		         "GPU %" PRIu32 " can access no peer, the others can",
		         i);
		add(r,
		    is_nvlink_board(s->model[i]) ? KIND_P2P_OFF : KIND_CUDA_P2P,
		    (int32_t)i, text);
	}
}

const struct explain_reader reader_peers = {
	.name = "peer access",
	.help = "peer access by p2pBandwidthLatencyTest, simpleP2P",
	.needle = needle,
	.state_size = sizeof(struct peers_state),
	.line = peers_line,
	.end = peers_end,
};
