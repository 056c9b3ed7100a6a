/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the error record that every fallible function fills. */
#ifndef FP_TOPO_BASE_STATUS_H
#define FP_TOPO_BASE_STATUS_H

/**
 * enum fp_status - "could not do it", and why; never "did it and it is bad".
 * @FP_OK:          done
 * @FP_ERR_USAGE:   a person gave something that cannot be used
 * @FP_ERR_INPUT:   a file, a saved run or an environment cannot be read
 * @FP_ERR_NOMEM:   memory could not be had
 * @FP_ERR_SYS:     a system call failed
 * @FP_ERR_PROTO:   the other side spoke something else
 * @FP_ERR_TIMEOUT: a deadline passed
 * @FP_ERR_PEER:    the other side went away
 * @FP_ERR_NOTSUP:  does not exist here
 * @FP_ERR_LIMIT:   larger than a stated limit
 * @FP_ERR_LIB:     a library refused
 * @FP_ERR_INTR:    told to stop
 */
enum fp_status {
	FP_OK,
	FP_ERR_USAGE,
	FP_ERR_INPUT,
	FP_ERR_NOMEM,
	FP_ERR_SYS,
	FP_ERR_PROTO,
	FP_ERR_TIMEOUT,
	FP_ERR_PEER,
	FP_ERR_NOTSUP,
	FP_ERR_LIMIT,
	FP_ERR_LIB,
	FP_ERR_INTR,
	FP_STATUS_COUNT
};

#define FP_ERR_TEXT_MAX 256

/** struct fp_err - the first cause of a failure. Zero-initialise it. */
struct fp_err {
	enum fp_status status;      /* FP_OK: nothing recorded yet */
	char text[FP_ERR_TEXT_MAX]; /* one line, lower case, no full stop */
};

/**
 * fp_status_name() - a short constant name of @status, for logs.
 *
 * Return: never NULL.
 */
const char *fp_status_name(enum fp_status status);

/**
 * fp_err_set() - record a failure, unless an earlier one is recorded.
 * @err: may be NULL: then only @status is passed on.
 *
 * Return: @status, so that "return fp_err_set(...)" works.
 */
enum fp_status fp_err_set(struct fp_err *err, enum fp_status status,
                          const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * fp_err_sys() - like fp_err_set() with FP_ERR_SYS and ": strerror(errnum)"
 * behind the text.
 *
 * Return: FP_ERR_SYS.
 */
enum fp_status fp_err_sys(struct fp_err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * fp_err_prefix() - put "@fmt: " before the recorded text, so that the thing
 * is named at the level that knows it. Does nothing if nothing is recorded.
 */
void fp_err_prefix(struct fp_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
