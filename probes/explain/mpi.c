// SPDX-License-Identifier: Apache-2.0
// Reads MPI libraries and libfabric: blocks of Open MPI, aborts of MPICH and
// its kin, completions with errors.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"

#define BLOCK_LINES_MAX 24

/* What begins a block of Open MPI that names a host below it. */
static const struct {
	const char *word;
	uint32_t kind;
} blocks[] = {
	{ "are unable to reach each other", KIND_SOCK_NONE },
	{ "failed to TCP connect to a peer", KIND_SOCK_CONNECT },
	{ "unable to complete a TCP connection", KIND_SOCK_CONNECT },
	{ "allocate some locked memory", KIND_REG_MEMORY },
	{ "OpenFabrics (openib) BTL failed to init", KIND_VERBS_FAIL },
	{ "retry count between two MPI processes", KIND_WC_RETRY },
	{ "has lost communication with a remote", KIND_EXIT },
	{ "unable to reliably start one or more daemons", KIND_EXIT },
};

#define N_BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

static const char retries[] = "transport retry counter exceeded";
static const char efa_peer[] = "Peer host id: ";
static const char aborted[] = "): Fatal error in ";

struct mpi_state {
	uint32_t left;   /* lines of a block; 0: outside of one */
	struct event of; /* the block, its first line as evidence */
};

static const char *needle(size_t i)
{
	static const char *const others[] = { retries, efa_peer, aborted };

	if (i < N_BLOCKS)
		return blocks[i].word;
	return i - N_BLOCKS < 3 ? others[i - N_BLOCKS] : NULL;
}

static uint32_t name_behind(struct intake *r, const char *text,
                            const char *word)
{
	const char *at = strstr(text, word);

	if (!at)
		return 0;
	at += strlen(word);
	at += strspn(at, " ");
	return event_name(r->events, at, strcspn(at, " ,:)("));
}

static void end_block(struct intake *r)
{
	struct mpi_state *s = r->state;

	intake_add(r, NULL, &s->of);
	s->left = 0;
}

/* A line below a block's first: the first name of each kind counts. */
static enum reader_want take_below(struct intake *r, const struct logline *line)
{
	static const char *const hosts[] = { "Local host:", "is on host:",
		                             "Remote daemon: " };
	static const char *const devices[] = { "Local device:", "Device:",
		                               "Local adapter:" };
	struct mpi_state *s = r->state;
	const char *text = line->text;
	uint32_t name;

	if (!strncmp(text, "----------", 10) || !--s->left) {
		end_block(r);
		return LINE_DONE;
	}
	for (size_t i = 0; i < 3; i++) {
		name = name_behind(r, text, hosts[i]);
		if (i == 2 && name)
			name = name_behind(r, text, " on node ");
		if (name && !s->of.host)
			s->of.host = name;
		else if (name && name != s->of.host && !s->of.peer_host)
			s->of.peer_host = name;
		name = name_behind(r, text, devices[i]);
		if (name && !s->of.device)
			s->of.device = name;
	}
	name = name_behind(r, text, "Peer host:");
	if (name)
		s->of.peer_host = name;
	return LINE_MORE;
}

/* "MPICH ERROR [Rank 3] [...] [c12] - Abort(5) (rank 3 in comm 0): Fatal ...",
 * "Abort(205) on node 16 (rank 16 in comm 0): Fatal error in PMPI_...". */
static void take_abort(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_EXIT);
	const char *rank = strstr(line->text, "(rank ");
	const char *close = strstr(line->text, "] - Abort");

	if (!rank || !isdigit((unsigned char)rank[6]))
		return;
	e.rank = logline_number(rank + 6);
	if (close) {
		const char *open =
			memrchr(line->text, '[', (size_t)(close - line->text));

		if (open)
			e.host = event_name(r->events, open + 1,
			                    (size_t)(close - open - 1));
	}
	intake_add(r, line, &e);
}

/* "err: 5, message: Invalid address My EFA addr: ... My host id: i-0db Peer
 * EFA addr: ... Peer host id: i-0ce (7)" */
static void take_efa(struct intake *r, const struct logline *line)
{
	struct event e = intake_event(r, line, KIND_OFI_ADDRESS);

	e.host = name_behind(r, line->text, "My host id:");
	e.peer_host = name_behind(r, line->text, efa_peer);
	intake_add(r, line, &e);
}

static enum reader_want mpi_line(struct intake *r, const struct logline *line)
{
	struct mpi_state *s = r->state;
	const char *text = line->text;

	for (size_t i = 0; i < N_BLOCKS; i++) {
		if (!strstr(text, blocks[i].word))
			continue;
		/* "... BTL failed to initialize while trying to / allocate
		 * some locked memory": the second line tells more. */
		if (!s->left) {
			s->of = intake_event(r, line, blocks[i].kind);
			s->of.text = intake_evidence(r, line);
		}
		s->of.kind = blocks[i].kind;
		s->left = BLOCK_LINES_MAX;
		return LINE_MORE;
	}
	if (s->left)
		return take_below(r, line);
	if (strstr(text, aborted))
		take_abort(r, line);
	else if (strstr(text, efa_peer))
		take_efa(r, line);
	else if (strstr(text, retries)) {
		struct event e = intake_event(r, line, KIND_WC_RETRY);

		e.n[0] = 12;
		intake_add(r, line, &e);
	}
	return LINE_DONE;
}

/* The file ends within a block. */
static void finish(struct intake *r)
{
	const struct mpi_state *s = r->state;

	if (s->left)
		end_block(r);
}

const struct explain_reader reader_mpi = {
	.bare = true,
	.name = "MPI and libfabric",
	.help = "blocks of Open MPI, aborts of MPICH, errors of libfabric",
	.needle = needle,
	.state_size = sizeof(struct mpi_state),
	.line = mpi_line,
	.end = finish,
};
