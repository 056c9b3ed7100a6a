// SPDX-License-Identifier: Apache-2.0
// Takes netlink messages about Data Center Bridging apart.
#include "topo/source/dcb_answer.h"

#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>

#define ATTR_TYPE 0x3fffu /* without the flags above it */

/* A run of attributes that is being walked. */
struct walk {
	const uint8_t *at;
	size_t left;
};

/* One attribute: its type, and its value as another walk. */
struct attr {
	uint16_t type;
	struct walk value;
};

static bool next(struct walk *walk, struct attr *ret)
{
	struct nlattr head;
	size_t step;

	if (walk->left < sizeof(head))
		return false;
	memcpy(&head, walk->at, sizeof(head));
	if (head.nla_len < sizeof(head) || head.nla_len > walk->left)
		return false;
	ret->type = head.nla_type & ATTR_TYPE;
	ret->value.at = walk->at + sizeof(head);
	ret->value.left = head.nla_len - sizeof(head);
	step = (head.nla_len + 3u) & ~3u;
	step = step > walk->left ? walk->left : step;
	walk->at += step;
	walk->left -= step;
	return true;
}

/* One rule after another. */
static void take_apps(struct walk rules, struct dcb_answer *dcb)
{
	struct dcb_app app;
	struct attr rule;

	while (next(&rules, &rule)) {
		if (rule.type != DCB_ATTR_IEEE_APP ||
		    rule.value.left < sizeof(app))
			continue;
		memcpy(&app, rule.value.at, sizeof(app));
		dcb->dscp_rules += app.selector == IEEE_8021QAZ_APP_SEL_DSCP;
	}
	dcb->has_apps = true;
}

static void take_ieee(struct walk attrs, struct dcb_answer *dcb)
{
	struct ieee_pfc pfc;
	struct attr attr;

	while (next(&attrs, &attr)) {
		if (attr.type == DCB_ATTR_IEEE_PFC &&
		    attr.value.left >= sizeof(pfc)) {
			memcpy(&pfc, attr.value.at, sizeof(pfc));
			dcb->has_pfc = true;
			dcb->pfc = pfc.pfc_en;
		}
		if (attr.type == DCB_ATTR_IEEE_APP_TABLE)
			take_apps(attr.value, dcb);
	}
}

bool dcb_answer_read(const void *data, size_t len, struct dcb_answer *ret)
{
	struct dcb_answer dcb = { .pfc = 0 };
	struct walk walk;
	struct nlmsghdr head;
	struct attr attr;
	bool found = false;

	if (len < NLMSG_LENGTH(sizeof(struct dcbmsg)))
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.nlmsg_type != RTM_GETDCB || head.nlmsg_len > len ||
	    head.nlmsg_len < NLMSG_LENGTH(sizeof(struct dcbmsg)))
		return false;
	walk.at = (const uint8_t *)data + NLMSG_LENGTH(sizeof(struct dcbmsg));
	walk.left = head.nlmsg_len - NLMSG_LENGTH(sizeof(struct dcbmsg));
	while (next(&walk, &attr)) {
		if (attr.type != DCB_ATTR_IEEE)
			continue;
		take_ieee(attr.value, &dcb);
		found = true;
	}
	if (found)
		*ret = dcb;
	return found;
}
