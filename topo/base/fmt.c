// SPDX-License-Identifier: Apache-2.0
// Sizes, times and rates to text and back.
#include "topo/base/fmt.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct fmt_unit {
	const char *name;
	double scale;
};

char *fp_fmt_bytes(uint64_t bytes, char buf[static FP_FMT_MAX])
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	size_t n = 0, last = sizeof(units) / sizeof(units[0]) - 1;

	while (n < last && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		n++;
	}
	(void)snprintf(buf, FP_FMT_MAX, "%llu%s", (unsigned long long)bytes,
	               units[n]);
	return buf;
}

/* Whole minutes and more read better as "2 min 05 s" than as "125 s". */
static void fmt_long(double seconds, char buf[static FP_FMT_MAX])
{
	unsigned long whole;

	if (seconds >= 1e9) {
		(void)snprintf(buf, FP_FMT_MAX, "%.3g h", seconds / 3600);
		return;
	}
	whole = (unsigned long)(seconds + 0.5);
	if (whole < 3600) {
		(void)snprintf(buf, FP_FMT_MAX, "%lu min %02lu s", whole / 60,
		               whole % 60);
		return;
	}
	whole = (unsigned long)(seconds / 60 + 0.5);
	(void)snprintf(buf, FP_FMT_MAX, "%lu h %02lu min", whole / 60,
	               whole % 60);
}

char *fp_fmt_seconds(double seconds, char buf[static FP_FMT_MAX])
{
	/* The limit is where three digits would round up to the next unit. */
	static const struct {
		const char *name;
		double scale, limit;
	} units[] = {
		{ "ns", 1e9, 999.5 },
		{ "us", 1e6, 999.5 },
		{ "ms", 1e3, 999.5 },
		{ "s", 1, 59.95 },
	};
	size_t n = sizeof(units) / sizeof(units[0]);

	if (!isfinite(seconds) || seconds < 0)
		return strcpy(buf, "-");
	if (seconds <= 0)
		return strcpy(buf, "0 s");
	for (size_t i = 0; i < n; i++) {
		double value = seconds * units[i].scale;

		if (value >= units[i].limit)
			continue;
		(void)snprintf(buf, FP_FMT_MAX, "%.3g %s", value,
		               units[i].name);
		return buf;
	}
	fmt_long(seconds, buf);
	return buf;
}

/* At least three digits that count, and one behind the point. */
static int fmt_decimals(double value)
{
	if (value >= 9.995)
		return 1;
	return value >= 0.9995 ? 2 : 3;
}

char *fp_fmt_rate(double bytes_per_s, int gbits, char buf[static FP_FMT_MAX])
{
	/* Links are spoken of in Gb/s even where they carry less than one. */
	static const struct {
		const char *name;
		double from, scale;
	} units[2][4] = {
		{ { "GB/s", 0.99995e9, 1e9 },
		  { "MB/s", 0.99995e6, 1e6 },
		  { "kB/s", 0.99995e3, 1e3 },
		  { "B/s", 0, 1 } },
		{ { "Gb/s", 0.0999995e9, 1e9 },
		  { "Mb/s", 0.99995e6, 1e6 },
		  { "kb/s", 0.99995e3, 1e3 },
		  { "b/s", 0, 1 } },
	};
	double rate = gbits ? bytes_per_s * 8 : bytes_per_s;
	size_t row = gbits ? 1 : 0, i = 0;

	if (!isfinite(rate) || rate < 0)
		return strcpy(buf, "-");
	while (rate < units[row][i].from)
		i++;
	rate /= units[row][i].scale;
	if (rate >= 1e9)
		(void)snprintf(buf, FP_FMT_MAX, "%.4g %s", rate,
		               units[row][i].name);
	else
		(void)snprintf(buf, FP_FMT_MAX, "%.*f %s", fmt_decimals(rate),
		               rate, units[row][i].name);
	return buf;
}

static enum fp_status fmt_bad_bytes(const char *text, struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_USAGE,
	                  "'%.64s' is not a size: digits and K, M, G or T for "
	                  "powers of 1024, below 2^64",
	                  text);
}

/* Bits to shift by for what follows the digits, or -1. */
static int fmt_size_suffix(const char *suffix)
{
	static const char letters[] = "KMGT";
	const char *at;

	if (!*suffix)
		return 0;
	at = strchr(letters, toupper((unsigned char)*suffix));
	if (!at)
		return -1;
	suffix++;
	if (*suffix && strcasecmp(suffix, "B") != 0 &&
	    strcasecmp(suffix, "iB") != 0)
		return -1;
	return 10 * (int)(at - letters + 1);
}

enum fp_status fp_parse_bytes(const char *text, uint64_t *ret_bytes,
                              struct fp_err *err)
{
	unsigned long long digits;
	uint64_t bytes;
	char *end;
	int shift;

	if (!isdigit((unsigned char)*text))
		return fmt_bad_bytes(text, err);
	errno = 0;
	digits = strtoull(text, &end, 10);
	shift = fmt_size_suffix(end);
	if (errno || shift < 0 ||
	    __builtin_mul_overflow(digits, 1ULL << shift, &bytes))
		return fmt_bad_bytes(text, err);
	*ret_bytes = bytes;
	return FP_OK;
}

/* strtod() takes far more than we do: signs, exponents, hex, "nan". */
static size_t fmt_number_span(const char *text)
{
	size_t whole = strspn(text, "0123456789"), part = 0;

	if (text[whole] == '.')
		part = 1 + strspn(text + whole + 1, "0123456789");
	if (whole + part < 1 || (whole == 0 && part < 2))
		return 0;
	return whole + part;
}

/* A number and one of the units, nothing more. */
static bool fmt_parse_unit(const char *text, const struct fmt_unit *units,
                           size_t n, double *ret)
{
	size_t span = fmt_number_span(text);
	double value = strtod(text, NULL);

	for (size_t i = 0; span && i < n; i++) {
		if (strcmp(text + span, units[i].name) != 0)
			continue;
		value *= units[i].scale;
		if (!isfinite(value))
			break;
		*ret = value;
		return true;
	}
	return false;
}

enum fp_status fp_parse_seconds(const char *text, double *ret_s,
                                struct fp_err *err)
{
	static const struct fmt_unit units[] = {
		{ "", 1 },     { "s", 1 },  { "ms", 1e-3 }, { "us", 1e-6 },
		{ "min", 60 }, { "m", 60 }, { "h", 3600 },
	};

	if (fmt_parse_unit(text, units, sizeof(units) / sizeof(*units), ret_s))
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE,
	                  "'%.64s' is not a time: a number and ms, s, min or "
	                  "h, such as 500ms, 60s or 1.5h",
	                  text);
}

enum fp_status fp_parse_rate(const char *text, double *ret_Bps,
                             struct fp_err *err)
{
	static const struct fmt_unit units[] = {
		{ "GB/s", 1e9 },     { "MB/s", 1e6 },     { "GB", 1e9 },
		{ "MB", 1e6 },       { "G", 1e9 },        { "M", 1e6 },
		{ "Gb/s", 1e9 / 8 }, { "Mb/s", 1e6 / 8 }, { "Gbit/s", 1e9 / 8 },
	};

	if (fmt_parse_unit(text, units, sizeof(units) / sizeof(*units),
	                   ret_Bps))
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE,
	                  "'%.64s' is not a rate: a number and GB/s, MB/s or "
	                  "Gb/s, such as 350GB/s or 1.5Gb/s; G is GB/s",
	                  text);
}
