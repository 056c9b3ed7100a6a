// SPDX-License-Identifier: Apache-2.0
// Reads a saved run. All bytes here may be cut or hostile.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/journal/journal.h"
#include "probes/journal/lines.h"

#define JOURNAL_FILE_MAX (4ULL << 30)
#define JOURNAL_LINE_MAX (256u << 20)
#define REPORT_HEAD 256

static enum fp_status read_file(int fd, char *data, size_t len, size_t *ret_len,
                                struct fp_err *err)
{
	size_t at = 0;
	ssize_t n = 1;

	/* It may grow or shrink meanwhile: take what is there. */
	while (at < len && n) {
		n = read(fd, data + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fp_err_set(err, FP_ERR_INPUT, "cannot read: %s",
			                  strerror(errno));
		at += (size_t)n;
	}
	*ret_len = at;
	return FP_OK;
}

/* The journal in the folder @path, or @path itself. */
static enum fp_status find_journal(const char *path, char file[PATH_MAX],
                                   struct fp_err *err)
{
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	if (snprintf(file, PATH_MAX, "%s%s", path,
	             folder ? "/" JOURNAL_FILE : "") < PATH_MAX)
		return FP_OK;
	return fp_err_set(err, FP_ERR_INPUT, "path is too long");
}

static enum fp_status open_journal(const char *file, int *ret_fd,
                                   struct fp_err *err)
{
	*ret_fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*ret_fd < 0)
		return fp_err_set(err, FP_ERR_INPUT, "cannot open: %s",
		                  strerror(errno));
	return FP_OK;
}

/* The JSON of a report begins with its schema, on its first or second line. */
static bool is_report(const char *data, size_t len)
{
	static const char word[] = "\"schema\": \"fabricprobe-report/";

	return memmem(data, len < REPORT_HEAD ? len : REPORT_HEAD, word,
	              sizeof(word) - 1) != NULL;
}

static enum fp_status load_fd(int fd, struct journal_run *ret,
                              struct fp_err *err)
{
	enum fp_status status;
	char *data = NULL;
	struct stat st;
	size_t len = 0;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fp_err_set(err, FP_ERR_INPUT, "not a regular file");
	if ((uint64_t)st.st_size > JOURNAL_FILE_MAX)
		return fp_err_set(err, FP_ERR_INPUT, "larger than 4 GiB");
	data = malloc((size_t)st.st_size + 1);
	if (!data)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for it");
	status = read_file(fd, data, (size_t)st.st_size, &len, err);
	if (!status && is_report(data, len))
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "this is a report, which has no samples: "
		                    "name the folder that --out saved the run "
		                    "in, or its " JOURNAL_FILE);
	if (!status)
		status = journal_parse(data, len, ret, err);
	free(data);
	return status;
}

enum fp_status journal_load(const char *path, struct journal_run *ret,
                            struct fp_err *err)
{
	char file[PATH_MAX];
	enum fp_status status;
	int fd;

	status = find_journal(path, file, err);
	if (!status) {
		path = file;
		status = open_journal(file, &fd, err);
	}
	if (!status) {
		status = load_fd(fd, ret, err);
		close(fd);
	}
	if (status)
		fp_err_prefix(err, "%s", path);
	return status;
}

/* The next line of @data at *@at, without its end; false when there is none. */
static bool next_line(const char *data, size_t len, size_t *at,
                      const char **ret_line, size_t *ret_len)
{
	const char *end;

	if (*at >= len)
		return false;
	*ret_line = data + *at;
	end = memchr(*ret_line, '\n', len - *at);
	*ret_len = end ? (size_t)(end - *ret_line) : len - *at;
	*at += *ret_len + 1;
	return true;
}

static enum fp_status parse_lines(const char *data, size_t len,
                                  struct journal_lines *lines,
                                  struct fp_err *err)
{
	struct fp_err why = { 0 };
	enum fp_status status;
	const char *line;
	size_t at = 0, n, number = 0;

	while (next_line(data, len, &at, &line, &n)) {
		number++;
		if (n > JOURNAL_LINE_MAX)
			status = fp_err_set(&why, FP_ERR_INPUT,
			                    "line is too long");
		else
			status = journal_lines_take(lines, line, n, &why);
		if (status == FP_ERR_NOMEM || (status && number == 1) ||
		    lines->fatal)
			return fp_err_set(err, status, "line %zu: %s", number,
			                  why.text);
		lines->run->bad_lines += status != FP_OK;
		why = (struct fp_err){ 0 };
	}
	return FP_OK;
}

enum fp_status journal_parse(const char *data, size_t len,
                             struct journal_run *ret, struct fp_err *err)
{
	struct journal_run run = { 0 };
	struct journal_lines lines = { .run = &run };
	enum fp_status status;

	session_defaults(&run.opts);
	status = parse_lines(data, len, &lines, err);
	free(lines.ids);
	if (!status && !lines.has_head)
		status = fp_err_set(err, FP_ERR_INPUT, "line 1: empty");
	if (!status && !lines.has_job)
		status =
			fp_err_set(err, FP_ERR_INPUT,
		                   "the run ended before its ranks were known");
	if (status) {
		journal_run_done(&run);
		return status;
	}
	*ret = run;
	return FP_OK;
}

void journal_run_done(struct journal_run *r)
{
	if (!r)
		return;
	free(r->command);
	free(r->started_utc);
	free(r->options);
	free(r->fabric);
	topo_job_done(&r->job);
	results_done(&r->results);
	*r = (struct journal_run){ 0 };
}
