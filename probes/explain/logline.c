// SPDX-License-Identifier: Apache-2.0
// Takes off what launchers, terminals and mail put around a line.
#include "probes/explain/logline.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/event.h"

#define PREFIXES_MAX 6 /* one behind the other */
#define LATE_MAX 120   /* bytes of what a logger puts before a line */

/* A prefix at the start of @text: how many bytes, 0 if it is not there. */
typedef size_t take_fn(const char *text, struct logline *line);

static size_t blanks(const char *text)
{
	return strspn(text, " \t");
}

static int32_t small_number(const char *text)
{
	long n = strtol(text, NULL, 10);

	return n >= 0 && n < (1 << 26) ? (int32_t)n : -1;
}

/* The span of digits at @text, up to nine. */
static size_t digits(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n <= 9 ? n : 0;
}

/* The outermost one is that of whoever carried the line. */
static void set_time(struct logline *line, const struct stamp *stamp)
{
	if (line->stamp != STAMP_NONE)
		return;
	line->time_ns = stamp->ns;
	line->stamp = stamp->form;
}

static size_t take_stamp(const char *text, struct logline *line)
{
	struct stamp stamp;
	size_t n = logline_stamp(text, &stamp);

	if (n)
		set_time(line, &stamp);
	return n;
}

/* "stdout F " of a container's log, behind its time. */
static size_t take_container(const char *text, struct logline *line)
{
	(void)line;
	if (!strncmp(text, "stdout F ", 9) || !strncmp(text, "stderr F ", 9))
		return 8;
	return 0;
}

/* "[1,31]<stdout>:" of Open MPI, "[prterun-h-1@1,31]<stdout>: " of PRRTE. */
static size_t take_mpirun(const char *text, struct logline *line)
{
	size_t close = strcspn(text, "]");
	const char *comma;

	if (text[0] != '[' || close > 80 ||
	    (strncmp(text + close, "]<stdout>:", 10) &&
	     strncmp(text + close, "]<stderr>:", 10)))
		return 0;
	comma = memchr(text, ',', close);
	if (comma)
		line->rank = small_number(comma + 1);
	return close + 10;
}

/* "12: " of srun --label. */
static size_t take_srun(const char *text, struct logline *line)
{
	size_t pad = blanks(text), n = digits(text + pad);

	if (!n || text[pad + n] != ':' || text[pad + n + 1] != ' ')
		return 0;
	line->rank = small_number(text + pad);
	return pad + n + 1;
}

/* "[rank12]:" of PyTorch, "[default0]:" of torchrun. */
static size_t take_torch(const char *text, struct logline *line)
{
	bool global = !strncmp(text, "[rank", 5);
	size_t at = global ? 5 : 8, n;

	if (!global && strncmp(text, "[default", 8))
		return 0;
	n = digits(text + at);
	if (!n || strncmp(text + at + n, "]:", 2))
		return 0;
	if (global)
		line->rank = small_number(text + at);
	return at + n + 2;
}

/* "(Actor pid=3855, ip=10.1.66.27) " of Ray. */
static size_t take_ray(const char *text, struct logline *line)
{
	size_t close = strcspn(text, ")");
	const char *pid, *ip;

	if (text[0] != '(' || text[close] != ')' || close > 200)
		return 0;
	pid = memmem(text, close, "pid=", 4);
	if (!pid)
		return 0;
	line->pid = small_number(pid + 4);
	ip = memmem(text, close, "ip=", 3);
	if (ip)
		(void)snprintf(line->host, sizeof(line->host), "%.*s",
		               (int)(text + close - ip - 3), ip + 3);
	return close + 1;
}

/* "[80746] " of a log viewer, where a log goes on behind it. */
static size_t take_number(const char *text, struct logline *line)
{
	size_t n = text[0] == '[' ? digits(text + 1) : 0;

	(void)line;
	if (n < 2 || strncmp(text + n + 1, "] [", 3))
		return 0;
	return n + 3;
}

/* What begins a line of the kernel and is no host. */
static bool is_driver(const char *name)
{
	static const char *const drivers[] = {
		"nvidia", "mlx",  "NVRM", "pcie", "eth",   "ib",   "en",  "GPU",
		"nvme",   "rank", "Rank", "bond", "irdma", "bnxt", "efa",
	};

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strncmp(name, drivers[i], strlen(drivers[i])))
			return true;
	return false;
}

/* "node17: " of pdsh and clush, "worker-0  | " of docker compose. */
static size_t take_host(const char *text, struct logline *line)
{
	static const char of_name[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-";
	size_t n = strspn(text, of_name), pad = blanks(text + n);
	bool pipe = text[n + pad] == '|' && pad;

	if (n < 3 || n >= LOGLINE_NAME_MAX || is_driver(text) ||
	    !isalpha((unsigned char)text[0]) ||
	    strcspn(text, "0123456789") >= n)
		return 0;
	if (!pipe && (text[n] != ':' || text[n + 1] != ' '))
		return 0;
	(void)snprintf(line->host, sizeof(line->host), "%.*s", (int)n, text);
	return n + (pipe ? pad : 0) + 1;
}

/* "[pod/worker-0/pytorch] " of kubectl logs --prefix. */
static size_t take_pod(const char *text, struct logline *line)
{
	const char *name = text + 5;
	size_t n;

	if (strncmp(text, "[pod/", 5) != 0)
		return 0;
	n = strcspn(name, "/] ");
	if (name[n] != '/' || name[n + strcspn(name + n, "] ")] != ']')
		return 0;
	(void)snprintf(line->host, sizeof(line->host), "%.*s", (int)n, name);
	return 5 + n + strcspn(name + n, "]") + 1;
}

/* "[worker-0] " of many launchers: a name with a number, in brackets. */
static size_t take_bracket(const char *text, struct logline *line)
{
	size_t close = strcspn(text, "] "), digit;

	(void)line;
	if (text[0] != '[' || !isalpha((unsigned char)text[1]) ||
	    text[close] != ']' || text[close + 1] != ' ' || is_driver(text + 1))
		return 0;
	digit = strcspn(text, "0123456789");
	return digit < close && memchr(text, '-', close) ? close + 1 : 0;
}

/* "Jun 26 10:00:00 node7 python3[4711]: " of a journal; what the kernel says
 * there its own reader takes apart. */
static size_t take_journal(const char *text, struct logline *line)
{
	const char *host, *program, *end;
	struct stamp stamp;
	size_t n = logline_syslog(text, &stamp);

	if (!n)
		return 0;
	set_time(line, &stamp);
	host = text + n;
	program = host + strcspn(host, " ");
	end = *program ? strstr(program + 1, ": ") : NULL;
	if (!end || end - program > 64 || end[-1] != ']' ||
	    !strncmp(program + 1, "kernel", 6))
		return 0;
	(void)snprintf(line->host, sizeof(line->host), "%.*s",
	               (int)(program - host), host);
	return (size_t)(end - text) + 1;
}

/* "<134>1 2025-06-26T10:00:00Z node7 train 4711 - - " of a syslog. */
static size_t take_syslog(const char *text, struct logline *line)
{
	size_t n = text[0] == '<' ? digits(text + 1) : 0, stamp;
	const char *at = text + n + 1;
	struct stamp time;

	if (!n || strncmp(at, ">1 ", 3) != 0)
		return 0;
	at += 3;
	stamp = logline_stamp(at, &time);
	if (!stamp || at[stamp] != ' ')
		return 0;
	at += stamp + 1;
	set_time(line, &time);
	(void)snprintf(line->host, sizeof(line->host), "%.*s",
	               (int)strcspn(at, " "), at);
	/* host, program, process, message, data */
	for (int i = 0; i < 5 && *at; i++)
		at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
	return (size_t)(at - text) - (at[-1] == ' ');
}

/* "> " of a quoted mail. */
static size_t take_quote(const char *text, struct logline *line)
{
	(void)line;
	return text[0] == '>' && text[1] == ' ' ? 1 : 0;
}

static take_fn *const takers[] = {
	take_quote,   take_stamp,   take_container, take_mpirun, take_srun,
	take_ray,     take_number,  take_torch,     take_pod,    take_host,
	take_bracket, take_journal, take_syslog,
};

#define N_TAKERS (sizeof(takers) / sizeof(takers[0]))

static size_t take_any(const char *text, struct logline *line)
{
	for (size_t i = 0; i < N_TAKERS; i++) {
		size_t n = takers[i](text, line);

		if (n)
			return n;
	}
	return 0;
}

static void take_prefixes(struct logline *line)
{
	size_t at = 0;

	for (int i = 0; i < PREFIXES_MAX; i++) {
		size_t pad = blanks(line->text + at);
		size_t n = take_any(line->text + at + pad, line);

		if (!n)
			break;
		at += pad + n;
	}
	/* What stands behind a prefix keeps its indentation but one blank. */
	if (at && line->text[at] == ' ')
		at++;
	line->len -= at;
	memmove(line->text, line->text + at, line->len + 1);
}

/* Behind ESC: "[4m", "]0;title BEL"; how many bytes. */
static size_t escape_len(const char *p, const char *end)
{
	const char *at = p;

	if (at < end && *at == '[') {
		at++;
		while (at < end && (unsigned char)*at < 0x40)
			at++;
		return (size_t)(at - p) + (at < end);
	}
	if (at < end && *at == ']') {
		while (at < end && *at != '\a' && *at != '\x1b')
			at++;
		return (size_t)(at - p) + (at < end && *at == '\a');
	}
	return at < end;
}

/* Colours off, NULs visible. */
static void copy_plain(struct logline *line, const char *raw, size_t len)
{
	const char *end = raw + len;

	for (const char *p = raw; p < end; p++) {
		if (*p == '\x1b') {
			p += escape_len(p + 1, end);
			continue;
		}
		if (line->len + 1 >= sizeof(line->text)) {
			line->cut = true;
			break;
		}
		line->text[line->len++] = *p ? *p : '?';
	}
}

static void trim_end(struct logline *line)
{
	while (line->len && isspace((unsigned char)line->text[line->len - 1]))
		line->len--;
	line->text[line->len] = '\0';
}

/* "[rank3]:" behind what some logger put before it. */
static void take_late_rank(struct logline *line)
{
	const char *at = line->rank < 0 ? strstr(line->text, "[rank") : NULL;
	size_t n;

	if (!at || at - line->text > LATE_MAX)
		return;
	n = take_torch(at, line);
	if (!n)
		return;
	at += n + (at[n] == ' ');
	line->len -= (size_t)(at - line->text);
	memmove(line->text, at, line->len + 1);
}

/* " [repeated 6x across cluster]" of Ray, behind a line. */
static void take_repeated(struct logline *line)
{
	char *at = strstr(line->text, "[repeated ");

	if (!at || !strstr(at, "across cluster]"))
		return;
	line->repeated = (uint32_t)small_number(at + 10);
	line->len = (size_t)(at - line->text);
	trim_end(line);
}

/* What is the line's own, and tells the time. */
static void take_glog(struct logline *line)
{
	struct stamp stamp;

	if (logline_glog(line->text, &stamp))
		set_time(line, &stamp);
}

void logline_clean(struct logline *line, const char *raw, size_t len,
                   uint32_t number)
{
	line->len = 0;
	line->raw = raw;
	line->raw_len = len;
	line->number = number;
	line->time_ns = EVENT_NO_TIME;
	line->stamp = STAMP_NONE;
	line->rank = -1;
	line->pid = -1;
	line->host[0] = '\0';
	line->repeated = 0;
	line->cut = false;
	line->last = false;
	line->unended = false;
	copy_plain(line, raw, len);
	trim_end(line);
	take_prefixes(line);
	take_late_rank(line);
	take_glog(line);
	take_repeated(line);
}
