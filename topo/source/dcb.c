// SPDX-License-Identifier: Apache-2.0
// Reads priority flow control and trust of network devices: Data Center
// Bridging over rtnetlink, which answers without privilege.
#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "topo/base/fmt.h"
#include "topo/source/dcb_answer.h"
#include "topo/source/live.h"

#define ANSWER_MAX 4096
#define ANSWER_S 1 /* the kernel answers at once, or the driver is stuck */

struct request {
	struct nlmsghdr head;
	struct dcbmsg dcb;
	struct nlattr name;
	char text[IFNAMSIZ];
};

static enum fp_status socket_open(int *ret, struct fp_err *err)
{
	const struct timeval wait = { .tv_sec = ANSWER_S };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return fp_err_sys(err, errno, "open a netlink socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0) {
		enum fp_status status =
			fp_err_sys(err, errno, "set a netlink socket");

		close(fd);
		return status;
	}
	*ret = fd;
	return FP_OK;
}

static ssize_t ask(int fd, const char *dev, char *answer)
{
	struct request r = {
		.head = { .nlmsg_type = RTM_GETDCB,
		          .nlmsg_flags = NLM_F_REQUEST },
		.dcb = { .cmd = DCB_CMD_IEEE_GET },
		.name = { .nla_type = DCB_ATTR_IFNAME },
	};
	size_t len = strlen(dev) + 1;

	if (len > sizeof(r.text))
		return -1;
	memcpy(r.text, dev, len);
	r.name.nla_len = (uint16_t)(sizeof(r.name) + len);
	/* Attributes are padded to four bytes; the text has room for it. */
	r.head.nlmsg_len = (uint32_t)(offsetof(struct request, name) +
	                              ((r.name.nla_len + 3u) & ~3u));
	if (send(fd, &r, r.head.nlmsg_len, 0) < 0)
		return -1;
	return recv(fd, answer, ANSWER_MAX, 0);
}

static void put_answer(const struct dcb_answer *dcb, struct reading_pen *pen)
{
	if (dcb->has_pfc)
		reading_put_int(pen, "netdev.pfc", dcb->pfc);
	if (dcb->has_apps)
		reading_put_text(pen, "netdev.trust",
		                 dcb->dscp_rules ? "dscp" : "pcp");
}

static enum fp_status read_dcb(struct live *live, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct fp_err why = { 0 };
	int fd = -1;

	if (socket_open(&fd, &why) != FP_OK)
		return FP_OK; /* no netlink here: nothing is known */
	for (size_t i = 0; i < live->host->n_netdevs && status == FP_OK; i++) {
		const struct topo_netdev *dev = &live->host->netdevs[i];
		struct reading_pen pen =
			live_pen(live, READ_NETLINK, dev->name, err);
		alignas(struct nlmsghdr) char answer[ANSWER_MAX];
		struct dcb_answer dcb;
		ssize_t n = dev->loopback ? -1 : ask(fd, dev->name, answer);

		if (n > 0 && dcb_answer_read(answer, (size_t)n, &dcb))
			put_answer(&dcb, &pen);
		status = pen.status;
	}
	close(fd);
	return status;
}

const struct live_ops live_dcb_ops = {
	.name = "dcb",
	.help = "priority flow control and trust of network devices",
	.where = LIVE_RUNNING,
	.read = read_dcb,
};
