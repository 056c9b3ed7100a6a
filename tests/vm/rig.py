#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The fabric inside a guest, and what can be wrong with it: HCA i is rxe<i> on
netdev v<i>, which is cabled to port p<i> of the bridge br0, and has the
addresses 10.1.0.<i+1> and fd01::<i+1>. Netdevs take 4200 bytes, which makes
an RDMA path MTU of 4096. What comes to each is limited to RATE, which an
emulated machine can keep up with: then what is slower is so by what was done.

  rig.py up N
"""
import contextlib
import os
import socket
import subprocess
import sys
import threading

MTU = 4200
RATE = "rate 40mbit"
NET = "10.1.0."


def ip(*lines, tool="ip"):
    """Lines for ip -b, or another tool's; RuntimeError names what."""
    done = subprocess.run([tool, "-b", "-"], input="\n".join(lines),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=60)
    if done.returncode:
        raise RuntimeError("%s: %s" % (tool, done.stdout.strip()))


def tc(*lines):
    ip(*lines, tool="tc")


def read(path):
    with open(path) as f:
        return f.read()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def address(i):
    return NET + str(i + 1)


def routes(i):
    """
    What HCA i sends to another one of this machine leaves by its own netdev;
    what it sends to itself does not. (They vanish with the link.)
    """
    return ("route replace %s0/24 dev v%d src %s table %d" %
            (NET, i, address(i), 1000 + i),
            "route replace local %s dev v%d table %d" %
            (address(i), i, 1000 + i))


def loopback_rules(dev):
    """Answer and accept what comes from an address of this machine."""
    for name, value in (("accept_local", "1"), ("rp_filter", "0"),
                        ("arp_ignore", "1"), ("arp_announce", "2")):
        write("/proc/sys/net/ipv4/conf/%s/%s" % (dev, name), value)


def no_ipv6(dev):
    write("/proc/sys/net/ipv6/conf/%s/disable_ipv6" % dev, "1")


def up(n):
    """Make the fabric with @n HCAs."""
    loopback_rules("all")
    ip("link add br0 mtu 9000 type bridge stp_state 0 forward_delay 0",
       "rule add pref 100 lookup local", "rule del pref 0",
       *["link add v%d mtu %d type veth peer name p%d mtu 9000" % (i, MTU, i)
         for i in range(n)])
    no_ipv6("br0")
    for i in range(n):
        no_ipv6("p%d" % i)
        loopback_rules("v%d" % i)
        # an address is of use at once
        write("/proc/sys/net/ipv6/conf/v%d/accept_dad" % i, "0")
    ip("link set br0 up",
       *[line for i in range(n) for line in (
           "link set p%d master br0 up" % i, "link set v%d up" % i,
           "addr add %s/24 dev v%d" % (address(i), i),
           "rule add pref %d iif lo oif v%d lookup %d" %
           (10 + i, i, 1000 + i)) + routes(i)])
    for i in range(n):
        add(i)


def cables():
    return sum(name[0] == "v" and name[1:].isdigit()
               for name in os.listdir("/sys/class/net"))


def count():
    folder = "/sys/class/infiniband"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


# -- faults ------------------------------------------------------------------

def toward(i, netem):
    """What comes to HCA @i passes netem: "loss 1%", "rate 8mbit" ..."""
    rate = "" if "rate" in netem else RATE
    tc("qdisc replace dev p%d root netem limit 10000 %s %s" % (i, rate, netem))


def away(i, netem):
    """The same for what HCA @i sends."""
    tc("qdisc replace dev v%d root netem limit 10000 %s" % (i, netem))


def black_hole(i):
    """Nothing comes to HCA @i any more, and nobody is told."""
    toward(i, "loss 100%")


def mtu(i, own=None, port=None):
    """Of HCA @i's netdev, of its port at the switch."""
    if own:
        ip("link set v%d mtu %d" % (i, own))
    if port:
        ip("link set p%d mtu %d" % (i, port))


def link(i, state, end="v"):
    """ "up" or "down": of the netdev, or with end="p" of the switch's port."""
    ip("link set %s%d %s" % (end, i, state))


def no_address(i):
    ip("addr flush dev v%d" % i)


def remove(i):
    """The HCA goes; blocks until nobody has it open."""
    ip("link del rxe%d" % i, tool="rdma")


def add(i):
    ip("link add rxe%d type rxe netdev v%d" % (i, i), tool="rdma")


class Flood:
    """Frames to HCA @i's netdev from the bridge, 2.8 MB/s of its 5 MB/s: what
    netem holds back keeps no sender waiting."""

    def __init__(self, i):
        self.over = threading.Event()
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.sock.bind(("p%d" % i, 0))
        mac = bytes.fromhex(read("/sys/class/net/v%d/address" % i)
                            .strip().replace(":", ""))
        # of a type that nobody there listens to
        self.frame = mac + mac[:5] + bytes([mac[5] ^ 2]) + \
            b"\x88\xb5" + bytes(4000)
        self.thread = threading.Thread(target=self.send)
        self.thread.start()

    def send(self):
        while not self.over.wait(.01):
            for _ in range(7):
                self.sock.send(self.frame)

    def stop(self):
        self.over.set()
        self.thread.join()
        self.sock.close()


@contextlib.contextmanager
def foreign(i):
    """What comes to HCA @i is shared with a flood, while this lasts."""
    flood = Flood(i)
    try:
        yield flood
    finally:
        flood.stop()


def heal():
    """Undo every fault but that of remove()."""
    n = cables()
    for i in range(n):
        toward(i, "")
        subprocess.run(["tc", "qdisc", "del", "dev", "v%d" % i, "root"],
                       stderr=subprocess.DEVNULL, timeout=60)
    ip(*[line for i in range(n) for line in (
        "link set p%d mtu 9000 up" % i,
        "link set v%d mtu %d up" % (i, MTU),
        "addr replace %s/24 dev v%d" % (address(i), i)) + routes(i)])


if __name__ == "__main__":
    if sys.argv[1:2] != ["up"] or len(sys.argv) != 3:
        sys.exit(__doc__)
    up(int(sys.argv[2]))
