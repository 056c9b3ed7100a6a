# SPDX-License-Identifier: Apache-2.0
"""Hosts made of namespaces: several machines, a switch, and real faults.

A bed is N hosts h0.. and a switch. Each host has its own network, host name,
processes, /etc/hosts, /dev/shm and temporary folder (the rest of the file
system is that of this machine); its eth0 hangs on a port
of the switch and is rate limited both ways by token buckets (what a host sends
leaves by its eth0, what it receives leaves by the switch's port). With
control=True there is a second, unlimited network on eth1, and host names mean
addresses there. Nothing of a bed has a name outside, so that beds can stand
side by side, and all of it goes when its first processes end.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import proc  # noqa: E402
import rsh  # noqa: E402

DATA, CONTROL = "10.77.0.", "10.78.0."
NETS = ((DATA, "eth0", "p", "br0"), (CONTROL, "eth1", "c", "br1"))

# The first process of a host. What it adopts it reaps, by ignoring SIGCHLD;
# when it ends, so does everything on the host.
INIT = """
hostname "$1" && { umount -l /sys; mount -t sysfs sysfs /sys; } &&
mount --bind "$2/hosts" /etc/hosts && mount -t tmpfs tmpfs /dev/shm &&
mount -t tmpfs tmpfs "$2/tmp" &&
ip link set lo up && echo up && trap "" CHLD && exec sleep infinity
"""

class Unsupported(Exception):
    """Beds cannot be made here; says why."""


def run(*argv, text=None):
    """Run a command to its end; what it printed. Names it when it fails."""
    done = subprocess.run(argv, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=60)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(argv), done.stderr.strip()))
    return done.stdout


def bucket(mbit):
    return ("root", "tbf", "rate", "%gmbit" % mbit, "burst", "128kb",
            "latency", "20ms")


class Host:
    """A machine: a process that holds its namespaces, and their PID."""

    def __init__(self, name, folder):
        self.name = name
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", "--pid", "--fork",
             "--kill-child", "--mount-proc", "sh", "-c", INIT, "-", name,
             folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True)
        answer = self.holder.stdout.readline()
        if answer != "up\n":
            self.holder.kill()
            self.holder.wait()
            raise RuntimeError("namespaces of a host: %s" % answer.strip())
        self.pid = proc.children(self.holder.pid)[0]

    def net(self, *argv, text=None):
        """Run a command of this machine's in its network."""
        return run("nsenter", "-t", str(self.pid), "-n", "--", *argv,
                   text=text)

    def pids(self):
        """What runs on it, dead ones that nobody reaped apart."""
        mine = os.readlink("/proc/%d/ns/pid" % self.pid)
        return [pid for pid in proc.all_pids() if pid != self.pid
                and namespace(pid) == mine and proc.alive(pid)]

    def off(self):
        if self.holder.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.holder.wait(10)
        self.holder.stdout.close()


class Bed:
    """N hosts and a switch. A context manager: goes away on any exit."""

    def __init__(self, n, mbit=1000, mtu=1500, control=False, offload=True):
        self.names = ["h%d" % i for i in range(n)]
        self.mbit, self.mtu, self.offload = mbit, mtu, offload
        self.nets = NETS if control else NETS[:1]
        self.control = control
        self.dir, self.hosts, self.switch = None, {}, None
        self.rsh, self.overlaid = None, set()

    def __enter__(self):
        try:
            self._files()
            self._switch()
            for name in self.names:
                self.power_on(name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End what runs on the hosts, and them. Idempotent."""
        for host in list(self.hosts.values()) + [self.switch]:
            if host:
                host.off()
        self.hosts, self.switch = {}, None
        if self.rsh:
            self.rsh.close()
            self.rsh = None
        if self.dir:
            shutil.rmtree(self.dir, ignore_errors=True)
            self.dir = None

    # -- running on it ------------------------------------------------------

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    @property
    def agent(self):
        """The command that stands for ssh."""
        return "%s -SE %s %s" % (sys.executable, rsh.__file__,
                                 self.path("rsh"))

    def on(self, name, *argv):
        """The command line that runs @argv on a host."""
        return ["nsenter", "-t", str(self.hosts[name].pid), "-n", "-u", "-m",
                "-p", "--", "env", "TMPDIR=" + self.path("tmp")
                ] + list(argv)

    def leftovers(self):
        """What runs or lies on the hosts that are up: should be nothing."""
        found = []
        for name, host in self.hosts.items():
            found += ["%s: process %s" % (name, proc.command(pid))
                      for pid in host.pids()]
            for folder in self._folders(name):
                found += ["%s: %s in %s" % (name, f, os.path.basename(folder))
                          for f in os.listdir(folder)]
        return found

    def sweep(self):
        """End and remove all that leftovers() would tell."""
        for name, host in self.hosts.items():
            for pid in host.pids():
                proc.send(pid, signal.SIGKILL)
            for folder in self._folders(name):
                for f in os.listdir(folder):
                    shutil.rmtree(os.path.join(folder, f), ignore_errors=True)
                    if os.path.lexists(os.path.join(folder, f)):
                        os.unlink(os.path.join(folder, f))

    # -- faults -------------------------------------------------------------

    def limit(self, name, tx=None, rx=None):
        """What a host sends or receives at most, Mbit/s."""
        if tx:
            self._qdisc(self.hosts[name], "eth0", tx)
        if rx:
            self._qdisc(self.switch, self._port(name), rx)

    def drop(self, src=None, dst=None):
        """Black hole: data packets from @src to @dst vanish, one way."""
        self._rule(src, dst, "drop")

    def lose(self, permille, src=None, dst=None):
        """Random loss of data packets from @src to @dst."""
        self._rule(src, dst, "numgen random mod 1000 < %d drop" % permille)

    def police(self, mbit, src, dst):
        """
        Let no more than @mbit from @src to @dst through, and queue little of
        it. (Not by nft: the bucket of its limit holds a second of traffic.)
        """
        port, tc = self._port(dst), self.switch.net
        tc("tc", "qdisc", "replace", "dev", port, "root", "handle", "1:",
           "htb", "default", "1")
        for number, rate, burst in (("1", self.mbit, "128kb"),
                                    ("2", mbit, "16kb")):
            tc("tc", "class", "add", "dev", port, "classid", "1:" + number,
               "htb", "rate", "%gmbit" % rate, "burst", burst, "cburst",
               burst, "quantum", "1514")
        tc("tc", "qdisc", "add", "dev", port, "parent", "1:2", "bfifo",
           "limit", "64kb")
        tc("tc", "filter", "add", "dev", port, "parent", "1:", "protocol",
           "ip", "u32", "match", "ip", "src", address(src), "flowid", "1:2")

    def port_mtu(self, name, mtu):
        """What the switch's port of a host lets through, in bytes."""
        self.switch.net("ip", "link", "set", self._port(name), "mtu",
                        str(mtu))

    def host_mtu(self, name, mtu):
        """The MTU of a host's own data device."""
        self.hosts[name].net("ip", "link", "set", "eth0", "mtu", str(mtu))

    def drop_large(self, size, src=None, dst=None):
        """Packets of more than @size bytes, with IP, vanish one way."""
        self._rule(src, dst, "meta length > %d drop" % size)

    def overlay_sys(self, name, tree):
        """Files of @tree (a folder "sys") are on a host, beside its own."""
        run(*self.on(name, "mount", "-t", "overlay", "overlay", "-o",
                     "lowerdir=%s/sys:/sys" % tree, "/sys"))
        self.overlaid.add(name)

    def port(self, name, state):
        """Its data port at the switch: "up" or "down"."""
        self.switch.net("ip", "link", "set", self._port(name), state)

    def reach(self, name, state):
        """What its remote shell does: see rsh.py."""
        self.rsh.state[name] = state

    def power_off(self, name):
        """The whole machine, all of a sudden: nobody says goodbye."""
        self.reach(name, "hang")
        for _, _, kind, _ in self.nets:
            self.switch.net("ip", "link", "del", kind + name[1:])
        self.hosts.pop(name).off()
        self.overlaid.discard(name)

    def power_on(self, name):
        host = self.hosts[name] = Host(name, self.dir)
        for net, dev, kind, bridge in self.nets:
            self._cable(host, dev, kind + name[1:], bridge)
            host.net("ip", "addr", "add", address(name, net) + "/24", "dev",
                     dev)
        host.net("sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno")
        if self.mbit:
            self.limit(name, self.mbit, self.mbit)
        self.reach(name, "up")

    def heal(self):
        """Undo every fault."""
        self.switch.net("nft", "flush chain bridge bed faults")
        for name in self.names:
            if name not in self.hosts:
                self.power_on(name)
            self.reach(name, "up")
            self.port(name, "up")
            self.port_mtu(name, self.mtu)
            self.host_mtu(name, self.mtu)
            if name in self.overlaid:
                run(*self.on(name, "umount", "/sys"))
                self.overlaid.remove(name)
            if self.mbit:
                self.limit(name, self.mbit, self.mbit)

    # -- how ----------------------------------------------------------------

    def _folders(self, name):
        root = "/proc/%d/root" % self.hosts[name].pid
        return root + self.path("tmp"), root + "/dev/shm"

    def _port(self, name):
        return "p" + name[1:]

    def _qdisc(self, host, dev, mbit):
        host.net("tc", "qdisc", "replace", "dev", dev, *bucket(mbit))

    def _rule(self, src, dst, what):
        match = "ip saddr %s " % address(src, DATA) if src else ""
        match += "ip daddr %s " % address(dst, DATA) if dst else ""
        self.switch.net("nft", "add rule bridge bed faults " + match + what)

    def _files(self):
        self.dir = tempfile.mkdtemp(prefix="fabricprobe-bed.")
        os.mkdir(self.path("tmp"))
        net = CONTROL if self.control else DATA
        with open(self.path("hosts"), "w") as f:
            f.write("127.0.0.1 localhost\n")
            for name in self.names:
                f.write("%s %s\n" % (address(name, net), name))
        self.rsh = rsh.Server(self.path("rsh"), self.on)

    def _switch(self):
        self.switch = Host("switch", self.dir)
        for _, _, _, bridge in self.nets:
            self.switch.net("ip", "link", "add", bridge, "type", "bridge",
                            "stp_state", "0", "forward_delay", "0")
            self.switch.net("ip", "link", "set", bridge, "mtu",
                            str(self.mtu), "up")
        self.switch.net("nft", "-f", "-", text="""
            add table bridge bed
            add chain bridge bed faults \
            { type filter hook forward priority 0; policy accept; }
            """)

    def _cable(self, host, dev, port, bridge):
        mtu = str(self.mtu)
        run("ip", "link", "add", dev, "netns", str(host.pid), "mtu", mtu,
            "type", "veth", "peer", "name", port, "netns",
            str(self.switch.pid), "mtu", mtu)
        self.switch.net("ip", "link", "set", port, "master", bridge, "up")
        host.net("ip", "link", "set", dev, "up")
        if not self.offload:
            for end, name in ((host, dev), (self.switch, port)):
                end.net("ethtool", "-K", name, "tso", "off", "gso", "off",
                        "gro", "off")


def address(name, net=DATA):
    return net + str(int(name[1:]) + 1)


def namespace(pid):
    try:
        return os.readlink("/proc/%d/ns/pid" % pid)
    except OSError:
        return None


def require():
    """Raise Unsupported, with the reason, where a bed cannot be made."""
    if os.geteuid():
        raise Unsupported("network namespaces need root")
    for tool in ("ip", "tc", "nft", "unshare", "nsenter", "ethtool",
                 "sysctl"):
        if not shutil.which(tool):
            raise Unsupported("%s is not installed" % tool)
    try:
        with Bed(2, offload=False) as bed:
            bed.drop("h0", "h1")
            bed.police(100, "h1", "h0")
            bed.lose(10, "h1", "h0")
            bed.heal()
            run(*bed.on("h0", "true"))
    except (RuntimeError, OSError) as e:
        raise Unsupported("a bed of namespaces cannot be made: %s" % e)
