/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of NVML's binary interface that is used, written down so that
 * neither its header nor its library is needed to build. Source: nvml.h of
 * API 13 (NVIDIA/go-nvml). Symbols without a suffix are often of an older
 * interface: those with the newest one are asked for.
 */
#ifndef FP_TOPO_SOURCE_NVML_ABI_H
#define FP_TOPO_SOURCE_NVML_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NVML_LIBRARY "libnvidia-ml.so.1"
#define NVML_TEXT_MAX 96
#define NVML_LINKS_MAX 36

typedef struct nvml_device *nvml_dev; /* opaque */

/** enum nvml_return - those that are told apart. */
enum nvml_return {
	NVML_OK = 0,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_TIMEOUT = 10,
	NVML_FUNCTION_NOT_FOUND = 13,
	NVML_VERSION_MISMATCH = 25
};

enum nvml_clock { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum nvml_ecc { NVML_ECC_CORRECTED, NVML_ECC_UNCORRECTED };
enum nvml_counter { NVML_VOLATILE, NVML_AGGREGATE };
enum nvml_link_counter { NVML_LINK_REPLAY, NVML_LINK_RECOVERY, NVML_LINK_CRC };
enum nvml_remote {
	NVML_REMOTE_GPU,
	NVML_REMOTE_NPU,
	NVML_REMOTE_SWITCH,
	NVML_REMOTE_UNKNOWN = 255
};
enum nvml_p2p_caps { NVML_P2P_READ, NVML_P2P_WRITE };
enum nvml_p2p {
	NVML_P2P_OK,
	NVML_P2P_CHIPSET,
	NVML_P2P_GPU,
	NVML_P2P_TOPOLOGY,
	NVML_P2P_REGISTRY,
	NVML_P2P_UNSUPPORTED,
	NVML_P2P_UNKNOWN
};
enum nvml_level {
	NVML_LEVEL_INTERNAL = 0,
	NVML_LEVEL_SINGLE = 10,
	NVML_LEVEL_MULTIPLE = 20,
	NVML_LEVEL_HOSTBRIDGE = 30,
	NVML_LEVEL_NODE = 40,
	NVML_LEVEL_SYSTEM = 50
};

/** enum nvml_field - ids of nvmlDeviceGetFieldValues(). */
enum nvml_field {
	NVML_FIELD_MEMORY_TEMPERATURE = 82,
	NVML_FIELD_LINK_REPLAYS = 161, /* of the link in scope; these three */
	NVML_FIELD_LINK_RECOVERIES = 162, /* up to NVLink 4 */
	NVML_FIELD_LINK_CRC = 163,
	NVML_FIELD_LINK_SPEED = 164, /* of the link in scope; MB/s */
	NVML_FIELD_LINK_STATE = 165, /* of the link in scope */
	NVML_FIELD_C2C_COUNT = 170,
	NVML_FIELD_C2C_STATE = 171, /* of the link in scope */
	NVML_FIELD_C2C_SPEED = 172, /* of the link in scope; MB/s */
	NVML_FIELD_PCIE_TX = 197,   /* bytes */
	NVML_FIELD_PCIE_RX = 198,
	NVML_FIELD_LINK5_ERRORS = 208,     /* of the link in scope: received */
	NVML_FIELD_LINK5_RECOVERIES = 215, /* of the link in scope */
	NVML_FIELD_RECOVERY = 230
};

enum nvml_value {
	NVML_VALUE_DOUBLE,
	NVML_VALUE_UINT,
	NVML_VALUE_ULONG,
	NVML_VALUE_ULL,
	NVML_VALUE_SLL,
	NVML_VALUE_INT,
	NVML_VALUE_USHORT
};

struct nvml_pci {
	char bus_legacy[16];
	uint32_t domain, bus, device, pci_device, pci_subsystem;
	char bus_id[32]; /* "00000000:0F:00.0" */
};
_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_v3");
_Static_assert(offsetof(struct nvml_pci, bus_id) == 36, "nvmlPciInfo_v3");

struct nvml_field_value {
	uint32_t field, scope;
	int64_t timestamp, latency_us;
	uint32_t type; /* enum nvml_value */
	int32_t status;
	union {
		double real;
		uint32_t ui;
		int32_t si;
		uint64_t ull;
		int64_t sll;
		uint16_t us;
	} value;
};
_Static_assert(sizeof(struct nvml_field_value) == 40, "nvmlFieldValue");
_Static_assert(offsetof(struct nvml_field_value, value) == 32,
               "nvmlFieldValue");

struct nvml_fabric {
	uint32_t version; /* NVML_FABRIC_V2 */
	uint8_t cluster[16];
	int32_t status;
	uint32_t clique;
	uint8_t state;
	uint8_t pad[3];
	uint32_t health;
};
#define NVML_FABRIC_V2 0x02000024u
_Static_assert(sizeof(struct nvml_fabric) == 36, "nvmlGpuFabricInfo_v2");
_Static_assert(offsetof(struct nvml_fabric, health) == 32,
               "nvmlGpuFabricInfo_v2");

struct nvml_process {
	uint32_t pid;
	uint64_t used_bytes; /* UINT64_MAX: not told */
	uint32_t gpu_instance, compute_instance;
};
_Static_assert(sizeof(struct nvml_process) == 24, "nvmlProcessInfo");

struct nvml_memory {
	uint64_t total, free, used;
};
_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory");

struct nvml_event {
	nvml_dev dev;
	unsigned long long type; /* enum nvml_event_type */
	unsigned long long data; /* of an Xid: its number */
	uint32_t gpu_instance, compute_instance;
};
_Static_assert(sizeof(struct nvml_event) == 32, "nvmlEventData");
_Static_assert(offsetof(struct nvml_event, data) == 16, "nvmlEventData");

enum nvml_event_type { NVML_EVENT_XID = 0x8 };

typedef struct nvml_events *nvml_set; /* opaque */

struct nvml_utilization {
	uint32_t gpu, memory;
};
_Static_assert(sizeof(struct nvml_utilization) == 8, "nvmlUtilization");

#endif
