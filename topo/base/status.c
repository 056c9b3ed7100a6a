// SPDX-License-Identifier: Apache-2.0
// Status codes and the error record.
#include "topo/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ERR_REASON_ROOM 64 /* kept free for ": " and strerror's text */

static const char *const status_names[FP_STATUS_COUNT] = {
	[FP_OK] = "ok",
	[FP_ERR_USAGE] = "usage",
	[FP_ERR_INPUT] = "input",
	[FP_ERR_NOMEM] = "no memory",
	[FP_ERR_SYS] = "system",
	[FP_ERR_PROTO] = "protocol",
	[FP_ERR_TIMEOUT] = "timeout",
	[FP_ERR_PEER] = "peer",
	[FP_ERR_NOTSUP] = "not supported",
	[FP_ERR_LIMIT] = "limit",
	[FP_ERR_LIB] = "library",
	[FP_ERR_INTR] = "interrupted",
};

const char *fp_status_name(enum fp_status status)
{
	if ((unsigned)status >= FP_STATUS_COUNT)
		return "unknown";
	return status_names[status];
}

/* As strlcat(3), but @size counts from the start of @text and may be less
 * than what is there already. */
static void err_append(char *text, size_t size, const char *more)
{
	size_t used = strnlen(text, size - 1);
	size_t n = strnlen(more, size - 1 - used);

	memcpy(text + used, more, n);
	text[used + n] = '\0';
}

enum fp_status fp_err_set(struct fp_err *err, enum fp_status status,
                          const char *fmt, ...)
{
	va_list ap;

	if (!err || err->status != FP_OK)
		return status;
	err->status = status;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return status;
}

enum fp_status fp_err_sys(struct fp_err *err, int errnum, const char *fmt, ...)
{
	const char *reason = strerrordesc_np(errnum);
	va_list ap;

	if (!err || err->status != FP_OK)
		return FP_ERR_SYS;
	err->status = FP_ERR_SYS;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text) - ERR_REASON_ROOM, fmt,
	                ap);
	va_end(ap);
	err_append(err->text, sizeof(err->text), ": ");
	err_append(err->text, sizeof(err->text),
	           reason ? reason : "unknown error");
	return FP_ERR_SYS;
}

void fp_err_prefix(struct fp_err *err, const char *fmt, ...)
{
	char text[FP_ERR_TEXT_MAX];
	va_list ap;

	if (!err || err->status == FP_OK)
		return;
	va_start(ap, fmt);
	/* However long the name, the cause keeps half of the line. */
	(void)vsnprintf(text, sizeof(text) / 2, fmt, ap);
	va_end(ap);
	err_append(text, sizeof(text), ": ");
	err_append(text, sizeof(text), err->text);
	memcpy(err->text, text, sizeof(text));
}
