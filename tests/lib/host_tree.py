# SPDX-License-Identifier: Apache-2.0
"""Trees of files as a host's /sys and /proc have them, for --sysroot."""
import os


class Tree:
    """A host below the folder @root, built from its parts. Buses get their
    numbers in the order in which they are asked for."""

    def __init__(self, root, name="host"):
        self.root = str(root)
        self.gpus = []
        self.next_slot = {}
        self.next_bus = 1
        self.n_hcas = 0
        self.write("proc/sys/kernel/hostname", name)
        self.write("proc/sys/kernel/osrelease", "5.15.0-made")
        self.write("proc/sys/kernel/random/boot_id",
                   "00000000-0000-4000-8000-%012x" % sum(name.encode()))
        self.write("proc/self/limits",
                   "Max locked memory         unlimited            unlimited"
                   "            bytes")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text + "\n")

    def link(self, path, target):
        """A link at @path to @target, both below the root."""
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        os.symlink(os.path.relpath(target, os.path.dirname(path)), full)

    # CPUs

    def cpu(self, nodes, vendor="GenuineIntel", family=6, model=143,
            flags="fpu"):
        """@nodes: the list of CPUs of each NUMA node."""
        if vendor == "ARM":
            text = "CPU implementer : 0x41\nCPU part : 0x%x" % model
        else:
            text = f"vendor_id : {vendor}\ncpu family : {family}\n" \
                   f"model : {model}\nmodel name : A CPU\nflags : {flags}"
        self.write("proc/cpuinfo", "processor : 0\n" + text)
        for i, cpus in enumerate(nodes):
            folder = f"sys/devices/system/node/node{i}"
            self.write(folder + "/cpulist", cpus)
            self.write(folder + "/distance", " ".join(
                "10" if i == j else "21" for j in range(len(nodes))))
        self.nodes = nodes

    # the PCI tree

    def host_bridge(self, numa=0, domain=0):
        """A bus that hangs from a CPU."""
        bus = self.next_bus
        self.next_bus += 1
        return {"path": f"sys/devices/pci{domain:04x}:{bus:02x}",
                "bus": bus, "domain": domain, "numa": numa}

    def function(self, above, kind, link=(32, 16), now=None, fn=0, new=True):
        """One PCI function below @above; @kind: (class, vendor, device)."""
        slot = self.next_slot.get(above["bus"], 0) + (1 if new else 0)
        self.next_slot[above["bus"]] = slot
        bus_id = "%04x:%02x:%02x.%x" % (above["domain"], above["bus"], slot,
                                        fn)
        path = f"{above['path']}/{bus_id}"
        values = {"class": "0x%06x" % kind[0], "vendor": "0x%04x" % kind[1],
                  "device": "0x%04x" % kind[2],
                  "subsystem_vendor": "0x%04x" % kind[1],
                  "subsystem_device": "0x0001",
                  "numa_node": str(above["numa"]),
                  "max_link_speed": "%.1f GT/s PCIe" % link[0],
                  "max_link_width": str(link[1]),
                  "current_link_speed": "%.1f GT/s PCIe" % (now or link)[0],
                  "current_link_width": str((now or link)[1])}
        if above["numa"] >= 0:
            values["local_cpulist"] = self.nodes[above["numa"]]
        for name, value in values.items():
            self.write(f"{path}/{name}", value)
        self.link(f"sys/bus/pci/devices/{bus_id}", path)
        return dict(above, path=path, id=bus_id)

    def bridge(self, above, link=(32, 16), maker=0x8086):
        """A root port, or one port of a switch: the bus behind it."""
        made = self.function(above, (0x060400, maker, 0x0100), link)
        made["bus"] = self.next_bus
        self.next_bus += 1
        return made

    def switch(self, above, n, link=(32, 16)):
        """A PCIe switch: the buses of its @n downstream ports."""
        up = self.bridge(above, link, 0x1000)
        return [self.bridge(up, link, 0x1000) for _ in range(n)]

    def gpu(self, above, model="NVIDIA H100 80GB HBM3", device=0x2330,
            link=(32, 16), now=None, numa_id=None):
        made = self.function(above, (0x030200, 0x10de, device), link, now)
        n = len(self.gpus)
        folder = f"proc/driver/nvidia/gpus/{made['id']}"
        self.write(folder + "/information",
                   f"Model: \t\t {model}\n"
                   f"GPU UUID: \t GPU-00000000-0000-0000-0000-{n:012x}\n"
                   f"Device Minor: \t {n}")
        if numa_id is not None:
            self.write(folder + "/numa_status",
                       f"Node: {numa_id}\nStatus: online")
        self.link(made["path"] + "/driver", "sys/bus/pci/drivers/nvidia")
        self.gpus.append(made)
        return made

    def nvswitch(self, above):
        return self.function(above, (0x068000, 0x10de, 0x22a3), (16, 2))

    def hca(self, above, name=None, rate=400, state="4: ACTIVE",
            phys="5: LinkUp", layer="InfiniBand", fn=0, new=True,
            link=(32, 16)):
        name = name or "mlx5_%d" % self.n_hcas
        made = self.function(above, (0x020700, 0x15b3, 0x1021), link, fn=fn,
                             new=new)
        ib = f"{made['path']}/infiniband/{name}"
        self.write(ib + "/fw_ver", "28.39.1002")
        self.write(ib + "/board_id", "MT_0000000838")
        self.write(ib + "/hca_type", "MT4129")
        self.write(ib + "/node_guid", "0000:0000:0000:%04x" % self.n_hcas)
        for file, value in {"state": state, "phys_state": phys,
                            "rate": f"{rate} Gb/sec (4X NDR)",
                            "link_layer": layer, "lid": "0x1",
                            "gids/0": "fe80:" + "0000:" * 6 + "0001",
                            "gid_attrs/types/0": "IB/RoCE v1"}.items():
            self.write(f"{ib}/ports/1/{file}", value)
        # As the kernel writes it: with the address at its end.
        os.symlink("../../../" + made["id"], f"{self.root}/{ib}/device")
        self.link(f"sys/class/infiniband/{name}", ib)
        self.n_hcas += 1
        return made

    def netdev(self, name, mtu=1500, speed=100000):
        folder = f"sys/class/net/{name}"
        for file, value in {"mtu": mtu, "speed": speed, "carrier": 1,
                            "type": 1, "operstate": "up",
                            "address": "02:00:00:00:00:01"}.items():
            self.write(f"{folder}/{file}", str(value))

    # what no file of a host says

    def environment(self, **values):
        self.write("proc/self/environ", "\0".join(
            f"{name}={value}" for name, value in values.items()) + "\0")

    def tool(self, name, text):
        self.write("fabricprobe/tools/" + name, text)

    def nvlinks(self, links):
        """nvidia-smi topo -m of the GPUs, @links(a, b) links to a pair."""
        n = len(self.gpus)
        rows = ["\t" + "\t".join("GPU%d" % i for i in range(n))]
        for a in range(n):
            cells = [" X " if a == b else
                     "NV%d" % links(a, b) if links(a, b) else "SYS"
                     for b in range(n)]
            rows.append("\t".join(["GPU%d" % a] + cells))
        self.tool("nvidia-smi-topo.txt", "\n".join(rows))
