// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's "XID Errors" document says each means.
#include "probes/finding/xid.h"

#include <stddef.h>

#include "probes/finding/finding.h"

static const struct {
	int16_t first, last;
	unsigned code;
} xids[] = {
	{ 8, 8, FINDING_XID_APPLICATION },
	{ 13, 13, FINDING_XID_APPLICATION },
	{ 31, 31, FINDING_XID_APPLICATION },
	{ 32, 32, FINDING_XID_DRIVER },
	{ 38, 38, FINDING_XID_DRIVER },
	{ 43, 43, FINDING_XID_APPLICATION },
	{ 45, 45, FINDING_XID_APPLICATION },
	{ 46, 46, FINDING_XID_DRIVER },
	{ 48, 48, FINDING_XID_HARDWARE },
	{ 61, 62, FINDING_XID_DRIVER },
	{ 63, 64, FINDING_XID_HARDWARE },
	{ 68, 69, FINDING_XID_APPLICATION },
	{ 74, 74, FINDING_XID_LINK },
	{ 79, 79, FINDING_GPU_LOST },
	{ 92, 92, FINDING_XID_HARDWARE },
	{ 94, 95, FINDING_XID_HARDWARE },
	{ 109, 109, FINDING_XID_APPLICATION },
	{ 119, 120, FINDING_XID_DRIVER },
	{ 121, 121, FINDING_XID_LINK },
	{ 136, 136, FINDING_XID_LINK },
	{ 140, 140, FINDING_XID_HARDWARE },
	{ 143, 143, FINDING_XID_DRIVER },
	{ 144, 150, FINDING_XID_LINK },
	{ 154, 154, FINDING_GPU_RECOVERY },
	{ 155, 156, FINDING_XID_LINK },
	{ 158, 160, FINDING_XID_HARDWARE },
	{ 171, 172, FINDING_XID_HARDWARE },
};

unsigned finding_of_xid(int64_t number)
{
	for (size_t i = 0; i < sizeof(xids) / sizeof(*xids); i++) {
		if (number >= xids[i].first && number <= xids[i].last)
			return xids[i].code;
	}
	return FINDING_XID_DRIVER;
}
