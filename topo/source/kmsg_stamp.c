// SPDX-License-Identifier: Apache-2.0
// The stamps in front of lines of the kernel log.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "topo/source/kmsg_event.h"

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
static const char days[] = "SunMonTueWedThuFriSat";

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* Exactly @n digits at *@at. */
static bool digits(const char **at, int n, int *ret)
{
	*ret = 0;
	for (int i = 0; i < n; i++) {
		if (!isdigit((unsigned char)(*at)[i]))
			return false;
		*ret = 10 * *ret + ((*at)[i] - '0');
	}
	*at += n;
	return true;
}

static bool letter(const char **at, const char *any)
{
	if (!**at || !strchr(any, **at))
		return false;
	(*at)++;
	return true;
}

/* Three letters of @names: their place. */
static bool word3(const char **at, const char *names, int *ret)
{
	for (int i = 0; names[3 * i]; i++) {
		if (strncmp(*at, names + 3 * i, 3) == 0) {
			*ret = i;
			*at += 3;
			return true;
		}
	}
	return false;
}

static bool clock_time(const char **at, struct tm *tm)
{
	return digits(at, 2, &tm->tm_hour) && letter(at, ":") &&
	       digits(at, 2, &tm->tm_min) && letter(at, ":") &&
	       digits(at, 2, &tm->tm_sec);
}

/* ".498559" or ",498559", or nothing. */
static double fraction(const char **at)
{
	double value = 0, weight = 0.1;

	if (!letter(at, ".,"))
		return 0;
	while (isdigit((unsigned char)**at)) {
		value += weight * (*(*at)++ - '0');
		weight /= 10;
	}
	return value;
}

/* "+00:00", "+0000", "Z", or nothing: seconds east. */
static int zone(const char **at)
{
	int hours, minutes, sign = **at == '-' ? -1 : 1;
	const char *s = *at + 1;

	if (letter(at, "Z"))
		return 0;
	if ((**at != '+' && **at != '-') || !digits(&s, 2, &hours))
		return 0;
	(void)letter(&s, ":");
	if (!digits(&s, 2, &minutes))
		return 0;
	*at = s;
	return sign * (hours * 3600 + minutes * 60);
}

/* "2025-01-21T02:21:33,498559+00:00" */
static bool iso_stamp(const char **at, struct kmsg_stamp *ret)
{
	struct tm tm = { 0 };
	const char *s = *at;
	double parts;

	if (!digits(&s, 4, &tm.tm_year) || !letter(&s, "-") ||
	    !digits(&s, 2, &tm.tm_mon) || !letter(&s, "-") ||
	    !digits(&s, 2, &tm.tm_mday) || !letter(&s, "T ") ||
	    !clock_time(&s, &tm))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	parts = fraction(&s);
	parts -= zone(&s);
	ret->clock = KMSG_UNIX;
	ret->time_s = (double)timegm(&tm) + parts;
	*at = s;
	return true;
}

/* "Sun Feb 23 16:24:18 2025" */
static bool ctime_stamp(const char **at, struct kmsg_stamp *ret)
{
	struct tm tm = { 0 };
	const char *s = *at;
	int day;

	if (!word3(&s, days, &day))
		return false;
	s = skip_blanks(s);
	if (!word3(&s, months, &tm.tm_mon))
		return false;
	s = skip_blanks(s);
	tm.tm_mday = (int)strtol(s, (char **)&s, 10);
	s = skip_blanks(s);
	if (!clock_time(&s, &tm) || !letter(&s, " ") ||
	    !digits(&s, 4, &tm.tm_year))
		return false;
	tm.tm_year -= 1900;
	ret->clock = KMSG_UNIX;
	ret->time_s = (double)timegm(&tm);
	*at = s;
	return true;
}

/* What stands between brackets: "12.3", "  +0.000316", a date. */
static bool bracket_stamp(const char **at, struct kmsg_stamp *ret)
{
	const char *s = *at;
	bool delta;
	char *end;

	if (*s != '[')
		return false;
	s = skip_blanks(s + 1);
	delta = *s == '+';
	if (!ctime_stamp(&s, ret) && !iso_stamp(&s, ret)) {
		ret->time_s = strtod(s, &end);
		if (end == s || !isdigit((unsigned char)s[delta]))
			return false;
		ret->clock = delta ? KMSG_DELTA : KMSG_BOOT;
		s = end;
	}
	s = skip_blanks(s);
	if (*s != ']') {
		ret->clock = KMSG_NO_CLOCK;
		return false;
	}
	*at = s + 1;
	return true;
}

/* "6,3973,227996636,-;": level, number, microseconds since boot. */
static bool raw_stamp(const char **at, struct kmsg_stamp *ret)
{
	const char *semicolon = strchr(*at, ';');
	long long usec;
	char *end;

	if (!isdigit((unsigned char)**at) || !semicolon)
		return false;
	(void)strtol(*at, &end, 10);
	if (*end != ',')
		return false;
	(void)strtoll(end + 1, &end, 10);
	if (*end != ',')
		return false;
	usec = strtoll(end + 1, &end, 10);
	if (*end != ',' || end > semicolon)
		return false;
	ret->clock = KMSG_BOOT;
	ret->time_s = (double)usec / 1e6;
	*at = semicolon + 1;
	return true;
}

/* "Feb 23 16:24:18 ", and what syslog has behind it. */
static bool syslog_stamp(const char **at, struct kmsg_stamp *ret)
{
	struct tm tm = { .tm_year = 70 };
	const char *s = *at;

	if (!word3(&s, months, &tm.tm_mon))
		return false;
	s = skip_blanks(s);
	tm.tm_mday = (int)strtol(s, (char **)&s, 10);
	s = skip_blanks(s);
	if (tm.tm_mday < 1 || !clock_time(&s, &tm))
		return false;
	ret->clock = KMSG_NO_YEAR;
	ret->time_s = (double)timegm(&tm);
	*at = s;
	return true;
}

/* "kern  :warn  : " of dmesg -x, "<6>" of the console. */
static void skip_level(const char **at)
{
	const char *s = *at;

	if (*s == '<' && isdigit((unsigned char)s[1])) {
		s += strspn(s, "<0123456789");
		*at = *s == '>' ? s + 1 : *at;
		return;
	}
	s += strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
	s = skip_blanks(s);
	if (s == *at || *s++ != ':')
		return;
	s = skip_blanks(s + strspn(s, "abcdefghijklmnopqrstuvwxyz"));
	if (*s == ':')
		*at = skip_blanks(s + 1);
}

/* "node7 kernel: ", with the stamp since boot behind it or not. */
static void skip_host(const char **at)
{
	const char *s = skip_blanks(*at);
	const char *kernel = strstr(s, "kernel:");
	size_t host = strcspn(s, " \t");
	struct kmsg_stamp unused;

	if (!kernel || (kernel != s && kernel != skip_blanks(s + host)))
		return;
	*at = skip_blanks(kernel + strlen("kernel:"));
	(void)bracket_stamp(at, &unused);
}

void kmsg_stamp_read(const char *line, struct kmsg_stamp *ret)
{
	const char *at = skip_blanks(line);
	bool logged;

	*ret = (struct kmsg_stamp){ .clock = KMSG_NO_CLOCK };
	skip_level(&at);
	logged = iso_stamp(&at, ret) || syslog_stamp(&at, ret);
	if (!logged && !raw_stamp(&at, ret))
		(void)bracket_stamp(&at, ret);
	if (logged)
		skip_host(&at);
	ret->message = skip_blanks(at);
}
