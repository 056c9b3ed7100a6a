# SPDX-License-Identifier: Apache-2.0
"""Hosts that the cases in trees/ name: a function each, of a host_tree.Tree."""

TWO_NODES = ["0-55,112-167", "56-111,168-223"]


def dgx(t, up=18, rate=400, mtu=9000, down=None):
    """Eight GPUs by NVSwitch, a NIC for each one switch further, and two
    functions of one card for storage. @up: links of the last GPU; @down: the
    NIC that is not up."""
    t.cpu(TWO_NODES)
    for i in range(8):
        top = t.host_bridge(numa=i // 4)
        near, far = t.switch(t.bridge(top), 2)
        t.gpu(near)
        t.hca(t.switch(far, 1)[0], rate=rate,
              state="1: DOWN" if i == down else "4: ACTIVE",
              phys="2: Polling" if i == down else "5: LinkUp")
    card = t.bridge(t.host_bridge(numa=0))
    t.hca(card, rate=200)
    t.hca(card, rate=200, fn=1, new=False)
    top = t.host_bridge(numa=0)
    for _ in range(4):
        t.nvswitch(t.bridge(top))
    t.netdev("ens1f0", mtu=mtu)
    t.nvlinks(lambda a, b: min(up if a == 7 or b == 7 else 18, 18))


def dgx_lost_link(t):
    dgx(t, up=17)


def dgx_port_down(t):
    dgx(t, down=3, mtu=1500)


def pcie_only(t):
    """Two GPUs below each of two switches, a NIC on one of them."""
    t.cpu(["0-31", "32-63"], vendor="AuthenticAMD", family=25, model=1)
    for numa in (0, 1):
        ports = t.switch(t.bridge(t.host_bridge(numa), (16, 16)), 3, (16, 16))
        for port in ports[:2]:
            t.gpu(port, "NVIDIA A40", 0x2235, (16, 16))
        if numa == 0:
            t.hca(ports[2], rate=100, layer="Ethernet", link=(16, 16))


def nvlink_pairs(t):
    """Four GPUs, bridges between 0 and 1 and between 2 and 3."""
    t.cpu(["0-15,32-47", "16-31,48-63"])
    for i in range(4):
        t.gpu(t.bridge(t.host_bridge(i // 2), (16, 16)), "NVIDIA RTX A6000",
              0x2230, (16, 16))
    t.nvlinks(lambda a, b: 4 if a // 2 == b // 2 else 0)


def cube_mesh(t):
    """Eight GPUs of six links each, as in a DGX-1."""
    mesh = {(0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1,
            (1, 5): 2, (2, 3): 1, (2, 6): 2, (3, 7): 2, (4, 5): 1, (4, 6): 1,
            (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 1}
    t.cpu(["0-19,40-59", "20-39,60-79"], model=79)
    for quad in range(4):
        ports = t.switch(t.bridge(t.host_bridge(quad // 2), (8, 16)), 3,
                         (8, 16))
        for port in ports[:2]:
            t.gpu(port, "Tesla V100-SXM2-32GB", 0x1db5, (8, 16))
        t.hca(ports[2], rate=100, link=(8, 16))
    t.nvlinks(lambda a, b: mesh.get((min(a, b), max(a, b)), 0))


def grace(t):
    """One GPU with its memory as a NUMA node, a NIC in another domain."""
    t.cpu(["0-71", ""], vendor="ARM", model=0xd4f)
    t.gpu(t.bridge(t.host_bridge(0, domain=9), (32, 16)),
          "NVIDIA GH200 480GB", 0x2342, numa_id=1)
    t.hca(t.bridge(t.host_bridge(0, domain=0)), rate=400)


def virtual(t):
    """A virtual machine: one node, no width, all on one bus."""
    t.cpu(["0-95"], flags="fpu hypervisor")
    top = t.host_bridge(-1)
    for _ in range(2):
        t.gpu(t.bridge(top, (2.5, 1)), link=(32, 16), now=(2.5, 0))
    t.hca(top, rate=200, link=(0, 0))


def container(t):
    """A container that may use some CPUs of one node only."""
    pcie_only(t)
    t.write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t32-35\n"
            "Mems_allowed_list:\t0-1")


def two_functions(t):
    """Both functions of one card, each below its own port too."""
    t.cpu(["0-15"])
    port = t.bridge(t.host_bridge(0))
    t.gpu(t.bridge(t.host_bridge(0)))
    t.hca(port)
    t.hca(port, fn=1, new=False)
    t.hca(t.bridge(t.host_bridge(0)))


def plain(t):
    """No GPU, no RDMA: a host of a CPU cluster."""
    t.cpu(["0-7"])
    t.netdev("eth0")


def plain_env(t):
    plain(t)
    t.environment(NCCL_IB_HCA="mlx5_0", NCCL_API_KEY="x", HOME="/nowhere")
