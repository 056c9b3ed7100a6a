// SPDX-License-Identifier: Apache-2.0
// Reads what people paste about a host: ulimit, df, lspci's ACS.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/reader.h"
#include "topo/base/fmt.h"

#define MEMLOCK_ENOUGH_KB (1 << 20) /* NCCL pins buffers of every channel */
#define SHM_ENOUGH_KB (256 << 10)   /* a container's default is 64 MiB */

struct limits_state {
	char device[24];
	bool wants_memlock; /* "ulimit -l" was typed; its answer comes */
};

static const char *const words[] = {
	"ACSCtl:", "max locked memory", "ulimit -l", "/dev/shm", "lspci -",
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

static void add(struct intake *r, const struct logline *line, unsigned kind,
                int64_t kb)
{
	struct event e = intake_event(r, line, kind);

	e.n[0] = kb;
	intake_add(r, line, &e);
}

/* Peers' requests are sent up to the root, where they are checked. */
static void take_acs(struct intake *r, const struct logline *line)
{
	const struct limits_state *s = r->state;
	const char *at = strstr(line->text, "ACSCtl:");
	struct event e;

	if (!strstr(at, "ReqRedir+") && !strstr(at, "CmpltRedir+") &&
	    !strstr(at, "SrcValid+"))
		return;
	e = intake_event(r, line, KIND_ACS_ON);
	e.bus = intake_name(r, s->device);
	intake_add(r, line, &e);
}

static void take_memlock(struct intake *r, const struct logline *line,
                         const char *text)
{
	char *end;
	long long kb;

	text += strspn(text, " \t");
	if (strncmp(text, "unlimited", 9) == 0)
		return;
	kb = strtoll(text, &end, 10);
	if (end != text && !end[strspn(end, " \t")] && kb >= 0 &&
	    kb < MEMLOCK_ENOUGH_KB)
		add(r, line, KIND_MEMLOCK, kb);
}

/* "shm  64M  0  64M  0% /dev/shm", or 1K blocks. */
static void take_shm(struct intake *r, const struct logline *line)
{
	const char *at = line->text + strspn(line->text, " \t");
	const char *mount = strstr(at, " /dev/shm");
	char word[16];
	uint64_t bytes;
	size_t len;

	if (!mount || mount[9] || !strchr(at, '%'))
		return;
	at += strcspn(at, " \t");
	at += strspn(at, " \t");
	len = strcspn(at, " \t");
	if (!len || len >= sizeof(word))
		return;
	memcpy(word, at, len);
	word[len] = '\0';
	if (strspn(word, "0123456789") == len)
		bytes = strtoull(word, NULL, 10) << 10;
	else if (fp_parse_bytes(word, &bytes, NULL) != FP_OK)
		return;
	if (bytes >> 10 < SHM_ENOUGH_KB)
		add(r, line, KIND_SHM_SIZE, (int64_t)(bytes >> 10));
}

/* "$ lspci -vvv -s 40:01.1", or the heading of what lspci prints. */
static void take_device(struct limits_state *s, const char *text)
{
	const char *at = strstr(text, "-s ");
	size_t len;

	at = at ? at + 3 : text;
	len = strspn(at, "0123456789abcdefABCDEF:.");
	if (len < 7 || len >= sizeof(s->device))
		return;
	memcpy(s->device, at, len);
	s->device[len] = '\0';
}

static enum reader_want limits_line(struct intake *r,
                                    const struct logline *line)
{
	struct limits_state *s = r->state;
	const char *at;

	if (s->wants_memlock) {
		s->wants_memlock = false;
		take_memlock(r, line, line->text);
	}
	if (strstr(line->text, "ACSCtl:")) {
		take_acs(r, line);
	} else if ((at = strstr(line->text, "max locked memory"))) {
		at = strchr(at, ')');
		if (at)
			take_memlock(r, line, at + 1);
	} else if (strstr(line->text, "ulimit -l")) {
		s->wants_memlock = true;
		return LINE_MORE;
	} else if (strstr(line->text, "/dev/shm")) {
		take_shm(r, line);
	} else if (strstr(line->text, "lspci -")) {
		take_device(s, line->text);
	}
	return LINE_DONE;
}

const struct explain_reader reader_limits = {
	.bare = true,
	.name = "limits of a host",
	.help = "ulimit -l, df /dev/shm, lspci's ACSCtl",
	.needle = needle,
	.state_size = sizeof(struct limits_state),
	.line = limits_line,
};
