// SPDX-License-Identifier: Apache-2.0
// Walks folders with fts(3).
#include "probes/explain/gather_walk.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/explain/gather.h"

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strverscmp((*a)->fts_name, (*b)->fts_name);
}

static enum fp_status visit_entry(FTS *fts, FTSENT *e, size_t *n,
                                  enum fp_status (*visit)(void *, const char *,
                                                          struct fp_err *),
                                  void *self, struct fp_err *err)
{
	if (e->fts_level > GATHER_DEPTH_MAX)
		return fp_err_set(err, FP_ERR_LIMIT, "%s: folders are too deep",
		                  e->fts_path);
	if (e->fts_level > 0 && e->fts_name[0] == '.') {
		(void)fts_set(fts, e, FTS_SKIP);
		return FP_OK;
	}
	if (e->fts_info == FTS_ERR || e->fts_info == FTS_NS ||
	    e->fts_info == FTS_DNR)
		return fp_err_sys(err, e->fts_errno, "%s", e->fts_path);
	if (e->fts_info != FTS_F)
		return FP_OK;
	if (++*n > GATHER_FILES_MAX)
		return fp_err_set(err, FP_ERR_LIMIT, "more than %d files",
		                  GATHER_FILES_MAX);
	return visit(self, e->fts_path, err);
}

static enum fp_status walk(const char *path,
                           enum fp_status (*visit)(void *, const char *,
                                                   struct fp_err *),
                           void *self, struct fp_err *err)
{
	char *paths[] = { (char *)path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	enum fp_status status = FP_OK;
	size_t n = 0;

	if (!fts)
		return fp_err_sys(err, errno, "%s", path);
	while (status == FP_OK) {
		FTSENT *e;

		errno = 0;
		e = fts_read(fts);
		if (!e && errno)
			status = fp_err_sys(err, errno, "%s", path);
		if (!e)
			break;
		status = visit_entry(fts, e, &n, visit, self, err);
	}
	(void)fts_close(fts);
	return status;
}

enum fp_status gather_walk(const char *path,
                           enum fp_status (*visit)(void *, const char *,
                                                   struct fp_err *),
                           void *self, struct fp_err *err)
{
	struct stat st;

	/* What was named is read whatever it is: a pipe, a link, a device. */
	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		return walk(path, visit, self, err);
	return visit(self, path, err);
}
