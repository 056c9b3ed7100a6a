// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of a captured host: a tree whose files and links hold
// any bytes is read or refused, drawn, kept, and compared with itself.
//
// The input is a row of records: which file, whether it is a link, a length
// of 16 bits, and that many bytes.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/map_fuzz.h"
#include "topo/compare/compare.h"
#include "topo/discover/discover.h"
#include "topo/render/render_job.h"

#define PCI "sys/bus/pci/devices/"
#define IB "sys/class/infiniband/mlx5_0/"
#define GPU "proc/driver/nvidia/gpus/0000:02:01.0/"

static const char *const paths[] = {
	"proc/cpuinfo",
	"proc/meminfo",
	"proc/uptime",
	"proc/cmdline",
	"proc/self/environ",
	"proc/self/limits",
	"proc/self/status",
	"proc/self/cgroup",
	"proc/sys/kernel/hostname",
	"proc/sys/kernel/osrelease",
	"proc/driver/nvidia/version",
	GPU "information",
	GPU "numa_status",
	"etc/os-release",
	"sys/devices/system/node/node0/cpulist",
	"sys/devices/system/node/node0/distance",
	"sys/devices/system/node/node0/meminfo",
	"sys/devices/system/node/node1/cpulist",
	"sys/devices/system/cpu/online",
	PCI "0000:02:01.0/class",
	PCI "0000:02:01.0/vendor",
	PCI "0000:02:01.0/numa_node",
	PCI "0000:02:01.0/max_link_speed",
	PCI "0000:02:01.0/max_link_width",
	PCI "0000:02:01.0/current_link_speed",
	PCI "0000:02:01.0/local_cpulist",
	PCI "0000:02:01.0/config",
	PCI "0000:02:01.0/aer_dev_fatal",
	PCI "0000:02:01.0/iommu_group",
	PCI "0000:03:01.0",
	PCI "0000:04:01.0/class",
	PCI "0000:04:01.0/infiniband/mlx5_0/x",
	IB "node_guid",
	IB "device",
	IB "ports/1/state",
	IB "ports/1/phys_state",
	IB "ports/1/rate",
	IB "ports/1/link_layer",
	IB "ports/1/lid",
	IB "ports/1/gids/0",
	IB "ports/1/gids/1",
	IB "ports/1/gid_attrs/types/0",
	IB "ports/1/gid_attrs/ndevs/0",
	IB "ports/1/counters/link_downed",
	"sys/class/net/eth0/mtu",
	"sys/class/net/eth0/operstate",
	"sys/class/net/eth0/device",
	"sys/module/mlx5_core/version",
	"sys/fs/cgroup/cpuset.cpus.effective",
	"sys/fs/cgroup/memory.max",
	"usr/lib/libnccl.so.2",
	"fabricprobe/shm",
	"fabricprobe/library_path",
	"fabricprobe/tools/dmesg.txt",
	"fabricprobe/tools/topo.txt",
	"fabricprobe/tools/nvlink.txt",
};

#define N_PATHS (sizeof(paths) / sizeof(*paths))

static void make_parents(int root, const char *path)
{
	char part[128];

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - path),
		               path);
		(void)mkdirat(root, part, 0700);
	}
}

static void write_file(int root, const char *path, const uint8_t *data,
                       size_t len)
{
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
	                0600);

	if (fd < 0)
		return;
	(void)!write(fd, data, len);
	close(fd);
}

static void write_link(int root, const char *path, const uint8_t *data,
                       size_t len)
{
	char target[256];

	(void)snprintf(target, sizeof(target), "%.*s", (int)len,
	               (const char *)data);
	(void)unlinkat(root, path, 0);
	(void)symlinkat(target, root, path);
}

/* Return: bytes of the record; 0 at the end. */
static size_t take_record(int root, const uint8_t *data, size_t size)
{
	size_t len;
	const char *path;

	if (size < 4)
		return 0;
	path = paths[data[0] % N_PATHS];
	len = (size_t)(data[2] | data[3] << 8);
	if (len > size - 4)
		len = size - 4;
	make_parents(root, path);
	if (data[1] & 1)
		write_link(root, path, data + 4, len);
	else
		write_file(root, path, data + 4, len);
	return 4 + len;
}

static void use(const struct topo_host *host)
{
	struct job_verdict verdict;
	struct fp_text text = { 0 };
	struct topo_job job;

	CHECK(topo_job_init(&job, 2, NULL) == FP_OK);
	CHECK(topo_job_place(&job, 0, host, NULL) == FP_OK);
	CHECK(render_job(&job, PATH_VIEW_NCCL, &text, &verdict, NULL) == FP_OK);
	CHECK(verdict.unread == 0 && verdict.missing == 1);
	fp_text_free(&text);
	topo_job_done(&job);
	if (topo_map_devices(host->map) <= FUZZ_DEVICES)
		fuzz_draw(host->map, PATH_VIEW_SMI);
	fuzz_keep(host->map);
}

static void read_tree(const char *folder)
{
	const struct topo_env env = { .sysroot = folder,
		                      .reads = TOPO_READ_HOST };
	struct topo_host host;
	char *json;

	if (topo_discover_host(&env, &host, NULL) != FP_OK)
		return;
	json = topo_host_to_json(&host);
	CHECK(json);
	use(&host);
	free(json);
	topo_host_done(&host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	char folder[128];
	size_t used;
	int root;

	(void)snprintf(folder, sizeof(folder), "%.80s/fp-tree-%ld",
	               tmp ? tmp : P_tmpdir, (long)getpid());
	(void)mkdir(folder, 0700);
	root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(root >= 0);
	while ((used = take_record(root, data, size)) > 0) {
		data += used;
		size -= used;
	}
	read_tree(folder);
	for (size_t i = 0; i < N_PATHS; i++)
		(void)unlinkat(root, paths[i], 0);
	close(root);
	return 0;
}
