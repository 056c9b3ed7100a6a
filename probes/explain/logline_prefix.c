// SPDX-License-Identifier: Apache-2.0
// Takes off what launchers, loggers and mail put before a line.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "probes/explain/logline_part.h"

#define PREFIXES_MAX 6 /* one behind the other */

/* A prefix at the start of @text: how many bytes, 0 if it is not there. */
typedef size_t take_fn(const char *text, struct logline *line);

static size_t blanks(const char *text)
{
	return strspn(text, " \t");
}

int32_t logline_number(const char *text)
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
void logline_set_time(struct logline *line, const struct stamp *stamp)
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
		logline_set_time(line, &stamp);
	/* "2019-06-02T16:13:44.884Z: [1,12]<stdout>:..." */
	if (n && text[n] == ':' && text[n + 1] == ' ')
		n++;
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
		line->rank = logline_number(comma + 1);
	return close + 10;
}

/* "12: " of srun --label. */
static size_t take_srun(const char *text, struct logline *line)
{
	size_t pad = blanks(text), n = digits(text + pad);

	if (!n || text[pad + n] != ':' || text[pad + n + 1] != ' ')
		return 0;
	line->rank = logline_number(text + pad);
	return pad + n + 1;
}

/* "[rank12]:" of PyTorch, "[default0]:" of torchrun. */
size_t logline_take_rank(const char *text, struct logline *line)
{
	bool global = !strncmp(text, "[rank", 5);
	size_t at = global ? 5 : 8, n;

	if (!global && strncmp(text, "[default", 8))
		return 0;
	n = digits(text + at);
	if (!n || strncmp(text + at + n, "]:", 2))
		return 0;
	if (global)
		line->rank = logline_number(text + at);
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
	line->pid = logline_number(pid + 4);
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

/* "epoch3: ", "step_12: ": a word of programs that count, and no host. */
static bool is_count(const char *name, size_t len)
{
	static const char *const words[] = {
		"epoch", "step",   "iter",  "iteration", "stage", "layer",
		"batch", "phase",  "trial", "attempt",   "fold",  "task",
		"cuda",  "device", "round", "try",       "part",  "chunk",
	};
	size_t word = strcspn(name, "0123456789-_.");

	word = word < len ? word : len;
	if (word + strspn(name + word, "0123456789-_.") < len)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == word &&
		    !strncasecmp(name, words[i], word))
			return true;
	return false;
}

/* "192.168.11.119", of @len bytes. */
static bool is_address(const char *name, size_t len)
{
	size_t dots = 0;

	for (size_t i = 0; i < len; i++)
		dots += name[i] == '.';
	return dots == 3 && strspn(name, "0123456789.") == len;
}

/* "node17: " of pdsh and clush, "10.0.0.7: " of talosctl, "worker-0  | " of
 * docker compose. */
static size_t take_host(const char *text, struct logline *line)
{
	static const char of_name[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t n = strspn(text, of_name), pad = blanks(text + n);
	bool pipe = text[n + pad] == '|' && pad;

	if (n < 3 || n >= LOGLINE_NAME_MAX || is_driver(text) ||
	    strcspn(text, "0123456789") >= n || is_count(text, n))
		return 0;
	if (!isalpha((unsigned char)text[0]) && !is_address(text, n))
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

/* "job.py", "ProcessGroup.cpp": a file of a program, and no host. */
static bool is_source(const char *name, size_t len)
{
	static const char *const ends[] = { ".py", ".cc",  ".cpp", ".cu", ".c",
		                            ".h",  ".hpp", ".go",  ".rs" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (n < len && !memcmp(name + len - n, ends[i], n))
			return true;
	}
	return false;
}

/* "[node7:19546] " of Open MPI, "[node7:19546:0:19546] " of UCX. */
static size_t take_process(const char *text, struct logline *line)
{
	size_t name = *text == '[' ? strcspn(text + 1, ":] ") : 0, end;
	const char *numbers = text + 1 + name;

	if (!name || *numbers != ':' || name >= LOGLINE_NAME_MAX ||
	    !isalpha((unsigned char)text[1]) || is_source(text + 1, name) ||
	    is_driver(text + 1) || is_count(text + 1, name) ||
	    !isdigit((unsigned char)numbers[1]))
		return 0;
	end = strspn(numbers, ":0123456789");
	if (numbers[end] != ']' || numbers[end + 1] != ' ')
		return 0;
	(void)snprintf(line->host, sizeof(line->host), "%.*s", (int)name,
	               text + 1);
	line->pid = logline_number(numbers + 1);
	return 1 + name + end + 1;
}

/* "[worker-0] " of many launchers: a name with a number, in brackets. */
static size_t take_bracket(const char *text, struct logline *line)
{
	size_t close = strcspn(text, "] "), digit;

	(void)line;
	/* "[node-1:4711] " is a process of MPI: its readers take it. */
	if (text[0] != '[' || !isalpha((unsigned char)text[1]) ||
	    text[close] != ']' || memchr(text, ':', close) ||
	    text[close + 1] != ' ' || is_driver(text + 1))
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
	logline_set_time(line, &stamp);
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
	logline_set_time(line, &time);
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
	take_quote,   take_stamp,   take_container,    take_mpirun, take_srun,
	take_ray,     take_number,  logline_take_rank, take_pod,    take_host,
	take_process, take_bracket, take_journal,      take_syslog,
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

void logline_take_prefixes(struct logline *line)
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
