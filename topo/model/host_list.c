// SPDX-License-Identifier: Apache-2.0
// Compressed lists of hosts.
#include "topo/model/host_list.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 9

/* A name around its last number: prefix, digits, suffix. */
struct part {
	const char *name;
	size_t prefix, digits; /* lengths; no number: digits is 0 */
	unsigned long number;
};

static struct part take_apart(const char *name)
{
	size_t end = strlen(name), begin;

	while (end > 0 && !isdigit((unsigned char)name[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && end - begin < DIGITS_MAX &&
	       isdigit((unsigned char)name[begin - 1]))
		begin--;
	return (struct part){
		.name = name,
		.prefix = begin,
		.digits = end - begin,
		.number = end > begin ? strtoul(name + begin, NULL, 10) : 0,
	};
}

static const char *suffix(const struct part *p)
{
	return p->name + p->prefix + p->digits;
}

/* By all but the number, then by its width, then by itself. */
static int by_family(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	size_t n = x->prefix < y->prefix ? x->prefix : y->prefix;
	int diff = strncmp(x->name, y->name, n);

	if (diff == 0 && x->prefix != y->prefix)
		diff = x->prefix < y->prefix ? -1 : 1;
	if (diff == 0)
		diff = strcmp(suffix(x), suffix(y));
	if (diff == 0 && x->digits != y->digits)
		diff = x->digits < y->digits ? -1 : 1;
	if (diff == 0 && x->number != y->number)
		diff = x->number < y->number ? -1 : 1;
	return diff;
}

static bool has_zero(const struct part *p)
{
	return p->digits > 1 && p->name[p->prefix] == '0';
}

/* @first is the least of its width: where zeros are in front, it has one. */
static bool same_family(const struct part *first, const struct part *p)
{
	bool same_form = first->digits == p->digits ||
	                 (!has_zero(first) && !has_zero(p));

	return first->digits && p->digits && same_form &&
	       first->prefix == p->prefix &&
	       strncmp(first->name, p->name, first->prefix) == 0 &&
	       strcmp(suffix(first), suffix(p)) == 0;
}

/* "01-03,07" of parts[0..n), all of one family. */
static void write_numbers(const struct part *parts, size_t n,
                          struct fp_text *text)
{
	int width = has_zero(&parts[0]) ? (int)parts[0].digits : 1;

	for (size_t i = 0; i < n;) {
		size_t last = i;

		while (last + 1 < n &&
		       parts[last + 1].number <= parts[last].number + 1)
			last++;
		fp_text_printf(text, "%s%0*lu", i ? "," : "", width,
		               parts[i].number);
		if (parts[last].number > parts[i].number)
			fp_text_printf(text, "-%0*lu", width,
			               parts[last].number);
		i = last + 1;
	}
}

static void write_family(const struct part *parts, size_t n,
                         struct fp_text *text)
{
	const struct part *p = &parts[0];

	if (n == 1 || parts[n - 1].number == p->number) {
		fp_text_printf(text, "%s", p->name);
		return;
	}
	fp_text_printf(text, "%.*s[", (int)p->prefix, p->name);
	write_numbers(parts, n, text);
	fp_text_printf(text, "]%s", suffix(p));
}

enum fp_status host_list_write(const char *const *names, size_t n,
                               struct fp_text *text, struct fp_err *err)
{
	struct part *parts = calloc(n + 1, sizeof(*parts));

	if (!parts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu names",
		                  n);
	for (size_t i = 0; i < n; i++)
		parts[i] = take_apart(names[i]);
	qsort(parts, n, sizeof(*parts), by_family);
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;

		/* Two hosts of one name are written once. */
		if (i && strcmp(parts[i].name, parts[i - 1].name) == 0) {
			i++;
			continue;
		}

		while (end < n && same_family(&parts[i], &parts[end]))
			end++;
		fp_text_printf(text, "%s", i ? "," : "");
		write_family(&parts[i], end - i, text);
		i = end;
	}
	free(parts);
	return text->failed ? fp_err_set(err, FP_ERR_NOMEM, "no memory")
	                    : FP_OK;
}
