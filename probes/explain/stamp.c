// SPDX-License-Identifier: Apache-2.0
// Times as logs have them at the start of a line.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "probes/explain/logline.h"

#define NS_PER_S 1000000000

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

/* 0..11, or -1. */
static int month_of(const char *name)
{
	const char *at = NULL;

	if (isalpha((unsigned char)name[0]) && name[1] && name[2])
		at = strstr(months, (char[4]){ name[0], name[1], name[2], 0 });
	return at && (at - months) % 3 == 0 ? (int)(at - months) / 3 : -1;
}

/* Behind the seconds: ".498559" or ",498559"; how many bytes. */
static size_t fraction(const char *text, int64_t *ns)
{
	int64_t scale = NS_PER_S / 10;
	size_t n = 1;

	if ((text[0] != '.' && text[0] != ',') ||
	    !isdigit((unsigned char)text[1]))
		return 0;
	for (; isdigit((unsigned char)text[n]); n++, scale /= 10)
		*ns += (text[n] - '0') * scale;
	return n;
}

/* "Z", "+00:00" or "+0000"; how many bytes. */
static size_t zone(const char *text, int64_t *ns)
{
	int h, m, used = 0;

	if (text[0] == 'Z')
		return 1;
	if ((text[0] == '+' || text[0] == '-') &&
	    (sscanf(text + 1, "%2d:%2d%n", &h, &m, &used) == 2 ||
	     sscanf(text + 1, "%2d%2d%n", &h, &m, &used) == 2) &&
	    used >= 4) {
		int64_t s = (h * INT64_C(60) + m) * 60;

		*ns -= (text[0] == '+' ? s : -s) * NS_PER_S;
		return (size_t)used + 1;
	}
	return 0;
}

static int64_t epoch_ns(const struct tm *when)
{
	struct tm copy = *when;
	int64_t s = timegm(&copy);

	return s < -INT64_C(9000000000) || s > INT64_C(9000000000)
	               ? 0
	               : s * NS_PER_S;
}

/* "2025-01-17T15:36:26,128279+00:00", "2026-03-13 23:33:02". */
static size_t iso(const char *text, int64_t *ret_ns)
{
	struct tm t = { 0 };
	int used = 0;
	size_t n;

	if (sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &t.tm_year,
	           &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec,
	           &used) < 6 ||
	    !used || t.tm_year < 1970)
		return 0;
	t.tm_year -= 1900;
	t.tm_mon--;
	*ret_ns = epoch_ns(&t);
	n = (size_t)used;
	n += fraction(text + n, ret_ns);
	return n + zone(text + n, ret_ns);
}

/* "Sun Feb 23 16:24:18 2025". */
static size_t ctime_like(const char *text, int64_t *ret_ns)
{
	struct tm t = { 0 };
	char month[4];
	int used = 0;

	if (sscanf(text, "%*3[A-Z a-z] %3[A-Za-z] %2d %2d:%2d:%2d %4d%n", month,
	           &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec, &t.tm_year,
	           &used) < 6 ||
	    !used)
		return 0;
	t.tm_mon = month_of(month);
	t.tm_year -= 1900;
	if (t.tm_mon < 0)
		return 0;
	*ret_ns = epoch_ns(&t);
	return (size_t)used;
}

size_t logline_stamp(const char *text, int64_t *ret_ns)
{
	size_t open = text[0] == '[', used;
	int64_t ns = 0;

	used = iso(text + open, &ns);
	if (!used)
		used = ctime_like(text + open, &ns);
	if (!used || (open && text[open + used] != ']'))
		return 0;
	*ret_ns = ns;
	return used + 2 * open;
}
