// SPDX-License-Identifier: Apache-2.0
// Masks identities in texts: known ones by name, others by their form.
#include "mpi/cmd/mask.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/reading/reading.h"
#include "topo/reading/reading_names.h"

#define WORD_MAX 128
#define WORDS_MAX 65536

/** enum mask_kind - of what a stand-in speaks. */
enum mask_kind { MASK_HOST, MASK_ADDRESS, MASK_MAC, MASK_ID, MASK_KIND_COUNT };

static const char *const stand_ins[MASK_KIND_COUNT] = {
	[MASK_HOST] = "host",
	[MASK_ADDRESS] = "address",
	[MASK_MAC] = "mac",
	[MASK_ID] = "id",
};

/* A word and its stand-in's number; sorted by nothing, found by hash. */
struct entry {
	char word[WORD_MAX];
	uint32_t number;
	uint8_t kind; /* enum mask_kind */
};

struct mask {
	struct entry *entries;
	size_t n, room;
	uint32_t *slots; /* entry + 1; 0: free */
	size_t n_slots;
	uint32_t count[MASK_KIND_COUNT];
	bool failed;
};

static size_t hash_of(const char *word, size_t len)
{
	size_t hash = 1469598103934665603u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)tolower((unsigned char)word[i])) *
		       1099511628211u;
	return hash;
}

static bool same_word(const struct entry *e, const char *word, size_t len)
{
	return strncasecmp(e->word, word, len) == 0 && e->word[len] == '\0';
}

static size_t slot_of(const struct mask *mask, const char *word, size_t len)
{
	size_t at = hash_of(word, len) & (mask->n_slots - 1);

	while (mask->slots[at] &&
	       !same_word(&mask->entries[mask->slots[at] - 1], word, len))
		at = (at + 1) & (mask->n_slots - 1);
	return at;
}

static const struct entry *find(const struct mask *mask, const char *word,
                                size_t len)
{
	uint32_t slot = mask->slots[slot_of(mask, word, len)];

	return slot ? &mask->entries[slot - 1] : NULL;
}

static const struct entry *add(struct mask *mask, uint8_t kind,
                               const char *word, size_t len)
{
	size_t at = slot_of(mask, word, len);
	struct entry *e;

	if (mask->slots[at])
		return &mask->entries[mask->slots[at] - 1];
	if (len >= WORD_MAX || mask->n >= mask->n_slots / 2) {
		mask->failed |= len < WORD_MAX;
		return NULL;
	}
	e = &mask->entries[mask->n++];
	*e = (struct entry){ .kind = kind, .number = ++mask->count[kind] };
	memcpy(e->word, word, len);
	mask->slots[at] = (uint32_t)mask->n;
	return e;
}

static void add_text(struct mask *mask, uint8_t kind, const char *word)
{
	if (strlen(word) > 1)
		(void)add(mask, kind, word, strlen(word));
}

/* Identities among the readings; device names are none. */
static uint8_t kind_of(const char *name)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} rows[] = {
		{ "gpu.uuid", MASK_ID },           { "gpu.serial", MASK_ID },
		{ "gpu.fabric_cluster", MASK_ID }, { "hca.guid", MASK_ID },
		{ "hca.image_guid", MASK_ID },     { "netdev.mac", MASK_MAC },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(name, rows[i].name) == 0)
			return rows[i].kind;
	}
	return strncmp(name, "port.gid.", 9) == 0 ? (uint8_t)MASK_ADDRESS
	                                          : (uint8_t)MASK_KIND_COUNT;
}

static void add_host(struct mask *mask, const struct topo_host *host)
{
	size_t n = readings_count(host->readings);

	add_text(mask, MASK_HOST, host->name);
	add_text(mask, MASK_ID, host->boot_id);
	for (size_t i = 0; i < host->n_netdevs; i++) {
		if (!host->netdevs[i].loopback)
			add_text(mask, MASK_ADDRESS, host->netdevs[i].addr);
	}
	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->readings, i);
		uint8_t kind = kind_of(r.name);

		if (kind < MASK_KIND_COUNT && r.kind == READING_TEXT)
			add_text(mask, kind, r.text);
	}
}

enum fp_status mask_new(const struct topo_job *job, struct mask **ret,
                        struct fp_err *err)
{
	struct mask *mask = calloc(1, sizeof(*mask));

	if (mask) {
		mask->n_slots = 2 * WORDS_MAX;
		mask->room = WORDS_MAX;
		mask->entries = calloc(mask->room, sizeof(*mask->entries));
		mask->slots = calloc(mask->n_slots, sizeof(*mask->slots));
	}
	if (!mask || !mask->entries || !mask->slots) {
		mask_free(mask);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a mask");
	}
	for (size_t i = 0; i < job->n_hosts; i++)
		add_host(mask, &job->hosts[i]);
	*ret = mask;
	return FP_OK;
}

void mask_free(struct mask *mask)
{
	if (!mask)
		return;
	free(mask->entries);
	free(mask->slots);
	free(mask);
}

/* What words are made of: names of hosts, addresses, GUIDs. */
static bool in_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("-.:_%", c));
}

/* Fits @form: 'd' digits, 'x' two or more hexadecimal ones, else itself. */
static bool fits(const char *word, size_t len, const char *form)
{
	const char *end = word + len;

	for (; *form; form++) {
		const char *set = *form == 'd'   ? "0123456789"
		                  : *form == 'x' ? "0123456789abcdefABCDEF"
		                                 : NULL;
		size_t n = set ? strspn(word, set) : (size_t)(*word == *form);

		if (!n || word + n > end || (*form == 'x' && n < 2))
			return false;
		word += n;
	}
	return word == end;
}

/* "fe80::1" and the like: hexadecimal digits, and a gap between colons. */
static bool is_short_ipv6(const char *word, size_t len)
{
	size_t n = strspn(word, "0123456789abcdefABCDEF:");
	const char *gap = strstr(word, "::");

	return n >= len && len > 3 && gap && gap < word + len;
}

static uint8_t form_of(const char *word, size_t len)
{
	static const struct {
		const char *form;
		uint8_t kind;
	} rows[] = {
		{ "d.d.d.d", MASK_ADDRESS },
		{ "d.d.d.d:d", MASK_ADDRESS },
		{ "x:x:x:x:x:x", MASK_MAC },
		{ "x:x:x:x", MASK_ID },
		{ "x:x:x:x:x:x:x:x", MASK_ADDRESS },
		{ "x-x-x-x-x", MASK_ID },
		{ "GPU-x-x-x-x-x", MASK_ID },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (fits(word, len, rows[i].form))
			return rows[i].kind;
	}
	return is_short_ipv6(word, len) ? (uint8_t)MASK_ADDRESS
	                                : (uint8_t)MASK_KIND_COUNT;
}

/* Everybody has these. */
static bool is_common(const char *word, size_t len)
{
	static const char *const words[] = { "127.0.0.1", "0.0.0.0", "::1",
		                             "localhost" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i]) == len &&
		    strncmp(word, words[i], len) == 0)
			return true;
	}
	return false;
}

static void put_word(struct mask *mask, const char *word, size_t len,
                     struct fp_text *out)
{
	const struct entry *e =
		is_common(word, len) ? NULL : find(mask, word, len);
	uint8_t kind = e ? e->kind : form_of(word, len);

	if (!e && kind < MASK_KIND_COUNT && !is_common(word, len))
		e = add(mask, kind, word, len);
	if (e)
		fp_text_printf(out, "%s%u", stand_ins[e->kind], e->number);
	else
		fp_text_append(out, word, len);
}

/* A name may have punctuation behind it, and "host/boot id" has both. */
void mask_apply(struct mask *mask, const char *text, struct fp_text *out)
{
	while (*text) {
		size_t len = 0, end;

		while (in_word(text[len]))
			len++;
		for (end = len; end > 0 && strchr(".:-", text[end - 1]); end--)
			;
		if (end)
			put_word(mask, text, end, out);
		fp_text_append(out, text + end, len - end);
		text += len;
		if (*text)
			fp_text_append(out, text++, 1);
	}
	out->failed |= mask->failed;
}
