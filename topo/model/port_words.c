// SPDX-License-Identifier: Apache-2.0
// States of ports in words.
#include "topo/model/port_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const states[PORT_STATE_COUNT] = {
	[PORT_DOWN] = "Down",
	[PORT_INIT] = "Init",
	[PORT_ARMED] = "Armed",
	[PORT_ACTIVE] = "Active",
};

static const char *const physes[PHYS_COUNT] = {
	[PHYS_SLEEP] = "Sleep",       [PHYS_POLLING] = "Polling",
	[PHYS_DISABLED] = "Disabled", [PHYS_TRAINING] = "Training",
	[PHYS_LINKUP] = "LinkUp",     [PHYS_RECOVERY] = "Recovery",
};

/* Do the letters of @word begin @text, whatever stands between them? */
static bool same_letters(const char *text, const char *word)
{
	while (*word) {
		if (!isalpha((unsigned char)*text)) {
			if (!*text++)
				return false;
			continue;
		}
		if (tolower((unsigned char)*text++) !=
		    tolower((unsigned char)*word++))
			return false;
	}
	return true;
}

static int32_t find(const char *text, const char *const *names, int32_t n)
{
	while (isdigit((unsigned char)*text) || *text == ':' || *text == ' ')
		text++;
	if (strncmp(text, "PORT_", 5) == 0)
		text += 5;
	for (int32_t i = 1; i < n; i++) {
		if (same_letters(text, names[i]))
			return i;
	}
	return 0;
}

int32_t port_state_read(const char *text)
{
	return find(text, states, PORT_STATE_COUNT);
}

int32_t port_phys_read(const char *text)
{
	return find(text, physes, PHYS_COUNT);
}

int32_t port_layer_read(const char *text)
{
	if (strncasecmp(text, "InfiniBand", 10) == 0)
		return PORT_LAYER_IB;
	return strncasecmp(text, "Ethernet", 8) == 0 ? PORT_LAYER_ETHERNET
	                                             : PORT_LAYER_UNKNOWN;
}

int64_t port_rate_read(const char *text)
{
	char *end;
	double Gbps = strtod(text, &end);

	if (end == text || !(Gbps > 0) || Gbps > 1e6)
		return -1;
	return (int64_t)(Gbps * 1e9 + 0.5);
}

const char *port_state_name(int32_t state)
{
	return state > 0 && state < PORT_STATE_COUNT ? states[state] : "?";
}

const char *port_phys_name(int32_t phys)
{
	return phys > 0 && phys < PHYS_COUNT ? physes[phys] : "?";
}

const char *port_layer_name(int32_t layer)
{
	if (layer == PORT_LAYER_IB)
		return "InfiniBand";
	return layer == PORT_LAYER_ETHERNET ? "Ethernet" : "?";
}
