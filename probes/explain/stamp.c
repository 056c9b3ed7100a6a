// SPDX-License-Identifier: Apache-2.0
// Times as logs have them at the start of a line.
#include <ctype.h>
#include <stdlib.h>
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

/*
 * Numbers in @text as @shape has them: a digit there is that many digits at
 * most, '?' is a blank or a 'T', a blank is as many as there are, all else is
 * itself. Returns how many bytes, 0 if it is something else.
 */
static size_t scan(const char *text, const char *shape, int *ret)
{
	const char *at = text;

	for (; *shape; shape++) {
		if (isdigit((unsigned char)*shape)) {
			int most = *shape - '0', n = 0;

			for (*ret = 0; n < most && isdigit((unsigned char)*at);
			     n++)
				*ret = *ret * 10 + (*at++ - '0');
			if (!n)
				return 0;
			ret++;
		} else if (*shape == ' ') {
			at += strspn(at, " ");
		} else if (*at == *shape ||
		           (*shape == '?' && (*at == ' ' || *at == 'T'))) {
			at++;
		} else {
			return 0;
		}
	}
	return (size_t)(at - text);
}

/* "Z", "+00:00" or "+0000"; how many bytes. */
static size_t zone(const char *text, struct stamp *ret)
{
	int part[2];
	int64_t s;
	size_t n;

	if (text[0] == 'Z') {
		ret->form = STAMP_UTC;
		return 1;
	}
	if (text[0] != '+' && text[0] != '-')
		return 0;
	n = scan(text + 1, "2:2", part);
	if (!n)
		n = scan(text + 1, "22", part);
	if (n < 4)
		return 0;
	s = (part[0] * INT64_C(60) + part[1]) * 60;
	ret->ns -= (text[0] == '+' ? s : -s) * NS_PER_S;
	ret->form = STAMP_UTC;
	return n + 1;
}

static int64_t epoch_ns(const struct tm *when)
{
	struct tm copy = *when;
	int64_t s = timegm(&copy);

	return s < 0 || s > STAMP_S_MAX ? 0 : s * NS_PER_S;
}

/* "2025-01-17T15:36:26,128279+00:00", "2026-03-13 23:33:02". */
static size_t iso(const char *text, struct stamp *ret)
{
	int part[6];
	size_t n = scan(text, "4-2-2?2:2:2", part);

	if (!n || part[0] < 1970)
		return 0;
	ret->form = STAMP_LOCAL;
	ret->ns = epoch_ns(&(struct tm){ .tm_year = part[0] - 1900,
	                                 .tm_mon = part[1] - 1,
	                                 .tm_mday = part[2],
	                                 .tm_hour = part[3],
	                                 .tm_min = part[4],
	                                 .tm_sec = part[5] });
	n += fraction(text + n, &ret->ns);
	return n + zone(text + n, ret);
}

/* "Sun Feb 23 16:24:18 2025": the weekday is not looked at. */
static size_t ctime_like(const char *text, struct stamp *ret)
{
	int part[5], month = -1;
	size_t n = 0;

	if (strnlen(text, 8) == 8 && text[3] == ' ' && text[7] == ' ')
		month = month_of(text + 4);
	if (month >= 0)
		n = scan(text + 7, " 2 2:2:2 4", part);
	if (!n)
		return 0;
	ret->form = STAMP_LOCAL;
	ret->ns = epoch_ns(&(struct tm){ .tm_year = part[4] - 1900,
	                                 .tm_mon = month,
	                                 .tm_mday = part[0],
	                                 .tm_hour = part[1],
	                                 .tm_min = part[2],
	                                 .tm_sec = part[3] });
	return n + 7;
}

size_t logline_stamp(const char *text, struct stamp *ret)
{
	size_t open = text[0] == '[', used;
	struct stamp got = { 0 };

	used = iso(text + open, &got);
	if (!used)
		used = ctime_like(text + open, &got);
	if (!used || (open && text[open + used] != ']'))
		return 0;
	*ret = got;
	return used + 2 * open;
}

/* Month, day, hour, minute and second of a year that is not told. */
static struct stamp no_year(int month, const int part[static 4])
{
	return (struct stamp){
		.ns = epoch_ns(&(struct tm){ .tm_year = STAMP_YEAR - 1900,
		                             .tm_mon = month,
		                             .tm_mday = part[0],
		                             .tm_hour = part[1],
		                             .tm_min = part[2],
		                             .tm_sec = part[3] }),
		.form = STAMP_NO_YEAR,
	};
}

size_t logline_syslog(const char *text, struct stamp *ret)
{
	int part[4], month = month_of(text);
	size_t n;

	if (month < 0 || text[3] != ' ')
		return 0;
	n = scan(text + 3, " 2 2:2:2", part);
	if (!n || text[3 + n] != ' ')
		return 0;
	*ret = no_year(month, part);
	return n + 4;
}

bool logline_glog(const char *text, struct stamp *ret)
{
	size_t digits, n;
	int part[4];
	long day;

	text += text[0] == '[';
	if (!text[0] || !strchr("IWEF", text[0]))
		return false;
	digits = strspn(text + 1, "0123456789");
	n = digits == 3 || digits == 4
	            ? scan(text + 1 + digits, " 2:2:2", part + 1)
	            : 0;
	day = strtol(text + 1, NULL, 10);
	if (!n || day % 100 > 31 || day / 100 < 1 || day / 100 > 12)
		return false;
	part[0] = (int)(day % 100);
	*ret = no_year((int)(day / 100) - 1, part);
	(void)fraction(text + 1 + digits + n, &ret->ns);
	return true;
}
