// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover's output: switches, their ports, and the hosts behind.
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/fabric/wiring.h"

#define LINE_MAX_LEN 1024

/* The @n-th text in double quotes of @line, without them. */
static bool quoted(const char *line, int n, char *buf, size_t size)
{
	size_t len;

	for (;; n--) {
		line = strchr(line, '"');
		if (!line)
			return false;
		len = strcspn(++line, "\"");
		if (line[len] == '\0')
			return false;
		if (n == 0)
			break;
		line += len + 1;
	}
	if (len >= size)
		len = size - 1;
	memcpy(buf, line, len);
	buf[len] = '\0';
	return len > 0;
}

/* "mlx5_3" is 3, "HCA-4" is 3, others are not numbered. */
static int32_t hca_number(const char *hca)
{
	size_t len = strlen(hca), at = len;
	long n;

	while (at > 0 && hca[at - 1] >= '0' && hca[at - 1] <= '9')
		at--;
	if (at == len || len - at > 4)
		return -1;
	n = strtol(hca + at, NULL, 10);
	if (at > 0 && hca[at - 1] == '-')
		n--;
	return n < FABRIC_MAX_PER_HOST ? (int32_t)n : -1;
}

/* "MF0;leaf7:MQM9700/U1" is leaf7; others are taken whole. */
static void switch_name(char *name)
{
	char *from = strchr(name, ';'), *to;

	if (!from)
		return;
	from++;
	to = strchr(from, ':');
	if (to)
		*to = '\0';
	memmove(name, from, strlen(from) + 1);
}

/* "[1]	"H-...."[1](...) # "h0 mlx5_0" lid 5 4xHDR" of switch @leaf. */
static enum fp_status read_port(struct wiring *w, const char *line,
                                const char *leaf, struct fp_err *err)
{
	char peer[TOPO_NAME_MAX], about[2 * TOPO_NAME_MAX];
	struct wiring_plug p = { .nic = -1 };
	const char *hash;
	char *space;

	hash = strchr(line, '#');
	if (!leaf[0] || !hash || !quoted(line, 0, peer, sizeof(peer)) ||
	    strncmp(peer, "H-", 2) != 0 ||
	    !quoted(hash, 0, about, sizeof(about)))
		return FP_OK;
	space = strchr(about, ' ');
	if (space) {
		*space = '\0';
		p.nic = hca_number(space + 1);
	}
	p.port = (int32_t)strtol(line + 1, NULL, 10) % 65536;
	fp_copy(p.host, sizeof(p.host), about);
	fp_copy(p.leaf, sizeof(p.leaf), leaf);
	return wiring_add(w, &p, err);
}

static void read_head(const char *line, char leaf[static 2 * TOPO_NAME_MAX])
{
	const char *hash = strchr(line, '#');

	leaf[0] = '\0';
	if (strncmp(line, "Switch", 6) != 0)
		return;
	if (hash && quoted(hash, 0, leaf, 2 * TOPO_NAME_MAX))
		switch_name(leaf);
	else
		(void)quoted(line, 0, leaf, 2 * TOPO_NAME_MAX);
}

enum fp_status wiring_read_ibnet(struct wiring *w, const char *text,
                                 struct fp_err *err)
{
	char line[LINE_MAX_LEN], leaf[2 * TOPO_NAME_MAX] = "";
	enum fp_status status = FP_OK;
	size_t len, kept;

	for (; !status && *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, "\n");
		kept = len < sizeof(line) - 1 ? len : sizeof(line) - 1;
		memcpy(line, text, kept);
		line[kept] = '\0';
		if (line[0] == '[')
			status = read_port(w, line, leaf, err);
		else if (line[0] != '\0' && line[0] != '#')
			read_head(line, leaf);
	}
	return status;
}
