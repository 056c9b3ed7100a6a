// SPDX-License-Identifier: Apache-2.0
// Cells, labels and headings of the matrices of nvidia-smi topo.
#include "topo/source/smi_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "topo/source/lines.h"

#define NVLINKS_MAX 36 /* of one GPU: a third digit belongs to what follows */

/* Longer words before those they begin with. @glued: the next cell may follow
 * without a blank. SOC is what SYS was called at first. */
static const struct word {
	const char *text;
	uint8_t path, p2p;
	bool glued;
} words[] = {
	{ "NODE", PATH_NODE, P2P_NONE, true },
	{ "SYS", PATH_SYS, P2P_NONE, true },
	{ "SOC", PATH_SYS, P2P_NONE, true },
	{ "PHB", PATH_PHB, P2P_NONE, true },
	{ "PXB", PATH_PXB, P2P_NONE, true },
	{ "PIX", PATH_PIX, P2P_NONE, true },
	{ "PSB", PATH_PIX, P2P_NONE, true },
	{ "C2C", PATH_C2C, P2P_NONE, false },
	{ "CNS", PATH_UNKNOWN, P2P_CNS, false },
	{ "GNS", PATH_UNKNOWN, P2P_GNS, false },
	{ "TNS", PATH_UNKNOWN, P2P_TNS, false },
	{ "OK", PATH_UNKNOWN, P2P_OK, false },
	{ "NS", PATH_UNKNOWN, P2P_NS, false },
	{ "DR", PATH_UNKNOWN, P2P_DR, false },
	{ "X", PATH_SELF, P2P_SELF, true },
	{ "x", PATH_SELF, P2P_SELF, false },
	{ "U", PATH_UNKNOWN, P2P_U, false },
};

static bool word_ends(const char *s)
{
	return !isalnum((unsigned char)*s) && *s != '_' && *s != '=';
}

/* Another cell, or the tail, right behind the one that ends at @s. */
static bool glued_on(const char *s)
{
	if (isdigit((unsigned char)*s) ||
	    (strncmp(s, "NV", 2) == 0 && isdigit((unsigned char)s[2])))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].glued &&
		    strncmp(s, words[i].text, strlen(words[i].text)) == 0)
			return true;
	}
	return false;
}

/* NV18; of "NV180-51" the 18, of "NV20-51" the 2. */
static bool take_nvlinks(const char **at, struct smi_cell *ret)
{
	const char *s = *at + 2;
	uint8_t n;

	if (strncmp(*at, "NV", 2) != 0 || *s < '1' || *s > '9')
		return false;
	n = (uint8_t)(*s++ - '0');
	if (isdigit((unsigned char)*s) && n * 10 + (*s - '0') <= NVLINKS_MAX &&
	    s[1] != '-' && s[1] != ',')
		n = (uint8_t)(n * 10 + (*s++ - '0'));
	*ret = (struct smi_cell){ .path = { PATH_NVLINK, n } };
	*at = s;
	return true;
}

bool smi_cell_take(const char **at, struct smi_cell *ret)
{
	if (take_nvlinks(at, ret))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const struct word *word = &words[i];
		const char *end = *at + strlen(word->text);

		if (strncmp(*at, word->text, strlen(word->text)) != 0 ||
		    !(word_ends(end) || (word->glued && glued_on(end))))
			continue;
		*ret = (struct smi_cell){ .path = { word->path, 0 },
			                  .p2p = word->p2p };
		*at = end;
		return true;
	}
	return false;
}

static bool is_cell(const char *s, size_t len)
{
	struct smi_cell cell;
	const char *at = s;

	return smi_cell_take(&at, &cell) && at <= s + len && word_ends(at);
}

static bool take_numbered(const char **at, const char *prefix,
                          struct smi_label *ret)
{
	const char *end = NULL;
	int32_t index = line_number(*at, prefix, &end);

	if (index < 0)
		return false;
	*ret = (struct smi_label){ .index = index };
	(void)snprintf(ret->name, sizeof(ret->name), "%s%d", prefix, index);
	*at = end;
	return true;
}

/* A device that a driver or a person named: mlx5_bond_0, rocep49s0. */
static bool take_named(const char **at, struct smi_label *ret)
{
	const char *s = *at;
	size_t len = 0;

	if (!isalpha((unsigned char)*s))
		return false;
	while (isalnum((unsigned char)s[len]) || s[len] == '_' ||
	       s[len] == '-' || s[len] == '.')
		len++;
	if (len < 3 || len >= MAP_NAME_MAX || (s[len] && !smi_gap(s + len)) ||
	    is_cell(s, len))
		return false;
	*ret = (struct smi_label){ .index = -1 };
	memcpy(ret->name, s, len);
	*at += len;
	return true;
}

bool smi_label_take(const char **at, struct smi_label *ret)
{
	if (take_numbered(at, "GPU", ret)) {
		ret->gpu = true;
		return true;
	}
	return take_numbered(at, "NIC", ret) || take_named(at, ret);
}

size_t smi_gap(const char *s)
{
	return strspn(s, " \t|*`");
}

/* "CPU   Affinity" or a beginning of it, where words may be apart. */
static bool heading_at(const char *s, const char *first, const char *second)
{
	size_t len = strlen(first), same = 0;

	if (strncmp(s, first, len) != 0)
		return false;
	s += len;
	len = strspn(s, " ");
	if (len == 0)
		return false;
	s += len;
	while (second[same] && s[same] == second[same])
		same++;
	return same > 0 && (!second[same] || !s[same]);
}

const char *smi_tail_find(const char *line, uint32_t *ret_columns)
{
	static const struct {
		const char *first, *second;
		uint32_t column;
	} headings[] = {
		{ "CPU", "Affinity", MAP_COLUMN_CPUS },
		{ "GPU", "NUMA", MAP_COLUMN_GPU_NUMA },
		{ "NUMA", "Affinity", MAP_COLUMN_NUMAS },
	};
	const char *first = NULL;

	*ret_columns = 0;
	for (const char *s = line; *s; s++) {
		for (size_t i = 0; i < 3; i++) {
			if (!heading_at(s, headings[i].first,
			                headings[i].second))
				continue;
			*ret_columns |= headings[i].column;
			if (!first)
				first = s;
		}
	}
	return first ? first : line + strlen(line);
}
