/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, times and rates as people read and write them; growable text. */
#ifndef FP_TOPO_BASE_FMT_H
#define FP_TOPO_BASE_FMT_H

#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define FP_FMT_MAX 32 /* room for any short formatted value */

/**
 * fp_fmt_bytes() - "8", "64K", "1M", "2G" where it divides evenly, else bytes.
 * Sizes are binary: 1K = 1024.
 *
 * Return: @buf.
 */
char *fp_fmt_bytes(uint64_t bytes, char buf[static FP_FMT_MAX]);

/**
 * fp_fmt_seconds() - three digits and ns, us, ms, s, min or h: "1.26 ms",
 * "4.1 s", "2 min 05 s"; "-" if negative or not finite.
 *
 * Return: @buf.
 */
char *fp_fmt_seconds(double seconds, char buf[static FP_FMT_MAX]);

/**
 * fp_fmt_rate() - a rate with its unit. Decimal: 1 GB/s = 1e9 B/s; kB/s and
 * B/s for what hardly moves.
 * @gbits: Mb/s and Gb/s instead of MB/s and GB/s; Gb/s from a tenth of one.
 *
 * Return: @buf: "119.6 MB/s", "12.4 GB/s", "0.957 Gb/s"; "-" if negative or
 * not finite.
 */
char *fp_fmt_rate(double bytes_per_s, int gbits, char buf[static FP_FMT_MAX]);

/**
 * fp_parse_bytes() - a size as nccl-tests takes it: digits and an optional
 * K, M, G or T (binary; any case; "KiB" and "KB" too).
 *
 * Return: FP_OK; FP_ERR_USAGE for anything else or an overflow of 64 bits;
 * the text names @text but not the option: use fp_err_prefix().
 */
enum fp_status fp_parse_bytes(const char *text, uint64_t *ret_bytes,
                              struct fp_err *err);

/**
 * fp_parse_seconds() - "60", "1.5", "60s", "500ms", "2m", "2min", "1h".
 *
 * Return: FP_OK; FP_ERR_USAGE for anything else, negative, or not finite.
 */
enum fp_status fp_parse_seconds(const char *text, double *ret_s,
                                struct fp_err *err);

/**
 * fp_parse_rate() - "350GB/s", "350G", "90MB/s", "1.5Gb/s". Decimal; without
 * a unit it is no rate.
 *
 * Return: FP_OK with *@ret_Bps; FP_ERR_USAGE naming @text.
 */
enum fp_status fp_parse_rate(const char *text, double *ret_Bps,
                             struct fp_err *err);

/**
 * struct fp_text - text that grows. Zero-initialise; fp_text_free() at the
 * end. After a failed allocation further calls do nothing and @failed is set.
 */
struct fp_text {
	char *data; /* NUL-terminated, or NULL while empty */
	size_t len, room;
	int failed;
};

/** fp_text_printf() - append. */
void fp_text_printf(struct fp_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** fp_text_append() - append @len bytes, not @text's own, as they are. */
void fp_text_append(struct fp_text *text, const char *data, size_t len);

/** fp_text_str() - the text; "" while empty. Valid until the next append. */
const char *fp_text_str(const struct fp_text *text);

/** fp_text_free() - give the memory back and make it empty. Takes NULL. */
void fp_text_free(struct fp_text *text);

/**
 * fp_copy() - copy @src into @dst of @size bytes, cut if it must be (never
 * inside a character), always terminated, the rest zeroed. Control characters
 * and bytes that are no UTF-8 become '?', so that the result can go to a
 * terminal or into JSON. For names in fixed-width records.
 */
void fp_copy(char *dst, size_t size, const char *src);

#endif
