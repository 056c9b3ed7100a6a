#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture-host saves what is read: this host and its capture say the same,
and a masked capture names neither host nor card."""
import importlib.machinery
import importlib.util
import ipaddress
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import case  # noqa: E402

CAPTURE = case.SOURCE + "/scripts/capture-host"
# What only the running host can be asked for, or what changes meanwhile.
RUNNING = {"hwloc", "nvml", "netlink", "kernel log"}
CHANGES = re.compile(r"mem[.]available|mem[.]hugepages|shm[.]free|cpu[.]"
                     r"usable|cpu[.]allowed|netdev[.]carrier_changes|port"
                     r"[.]counter|pcie[.]aer|pcie[.]power|limit[.]|cgroup[.]")


def capture(folder, *options):
    run = subprocess.run([CAPTURE, *options, folder], capture_output=True,
                         text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run


def topo(*options):
    run = subprocess.run([case.PROGRAM, "topo", "--json", "-", *options],
                         capture_output=True, text=True, timeout=60,
                         check=False)
    assert run.returncode in (0, 1), run.stderr
    host, = json.loads(run.stdout)["hosts"]
    return host


def readings(host):
    return {(row[0], row[1]): row[3] for row in host["readings"]["rows"]
            if row[2] not in RUNNING and not CHANGES.match(row[1])}


def script():
    """capture-host as a module, for what it does to texts."""
    loader = importlib.machinery.SourceFileLoader("capture_host", CAPTURE)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("capture_host", loader))
    loader.exec_module(module)
    return module


def addresses(host):
    return {row[0]: row[3] for row in host["readings"]["rows"]
            if row[1] == "netdev.addr"}


class Masked(unittest.TestCase):
    """Addresses: subnets stay, hosts of one key agree, texts fit together."""
    ROWS = ("10.1.0.1", "10.1.0.2", "10.1.255.254", "10.2.0.1", "172.16.3.4",
            "192.168.7.9", "100.64.1.1", "141.1.2.3", "141.1.2.99",
            "fd00:1::5", "fd00:1::6", "2a01:4f8::1", "fe80::aa:bbff:fe00:1")

    def mask(self, key=b"k"):
        return script().Mask(key)

    def test_leading_bits_are_shared_as_before(self):
        mask = self.mask()
        for a in self.ROWS:
            for b in self.ROWS:
                old = [ipaddress.ip_address(x) for x in (a, b)]
                new = [ipaddress.ip_address(mask(x)) for x in (a, b)]
                if old[0].version != old[1].version or \
                        "141.1" in a + b or "2a01" in a + b:
                    continue
                self.assertEqual(int(old[0]) ^ int(old[1]) == 0,
                                 int(new[0]) ^ int(new[1]) == 0)
                self.assertEqual((int(old[0]) ^ int(old[1])).bit_length(),
                                 (int(new[0]) ^ int(new[1])).bit_length(),
                                 (a, b, new))

    def test_public_ones_keep_their_subnet_and_become_nobodys(self):
        mask = self.mask()
        one, two = (ipaddress.ip_interface(mask(x) + "/24").network
                    for x in ("141.1.2.3", "141.1.2.99"))
        self.assertEqual(one, two)
        self.assertTrue(one.subnet_of(ipaddress.ip_network("240.0.0.0/4")))
        self.assertTrue(ipaddress.ip_address(mask("2a01:4f8::1")) in
                        ipaddress.ip_network("2001:db8::/32"))

    def test_none_is_left_as_it_was(self):
        for text in self.ROWS:
            self.assertNotEqual(self.mask()(text), text)

    def test_gids_are_masked_as_the_addresses_in_them(self):
        mask = self.mask()
        gid = "0000:0000:0000:0000:0000:ffff:0a01:0001"
        got = mask(gid + "\n")
        self.assertRegex(got, r"^(0000:){5}ffff:0a[0-9a-f]{2}:[0-9a-f]{4}\n$")
        self.assertEqual(ipaddress.ip_address(got.strip()).ipv4_mapped,
                         ipaddress.ip_address(mask("10.1.0.1")))
        self.assertTrue(ipaddress.ip_address(
            mask("fe80:0000:0000:0000:0ac0:ebff:fe00:0001")).is_link_local)
        zero = "0000:0000:0000:0000:0000:0000:0000:0000"
        self.assertEqual(mask(zero), zero)

    def test_a_key_is_what_hosts_agree_by(self):
        one, same, other = self.mask(), self.mask(), self.mask(None)
        self.assertEqual(one("10.1.0.1/24"), same("10.1.0.1/24"))
        self.assertNotEqual(one("10.1.0.1 172.16.3.4"),
                            other("10.1.0.1 172.16.3.4"))

    def test_what_only_looks_like_one_stays(self):
        for text in ("12:34:56", "0000:3b:00.0", "1.2.3.4.5", "127.0.0.1/8",
                     "mask 255.255.255.0", "std::string", "::1"):
            self.assertEqual(self.mask()(text), text)


def files(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if not os.path.islink(full):
                with open(full, errors="replace") as f:
                    yield full, f.read()


class Capture(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name + "/host"

    def test_the_capture_reads_as_the_host(self):
        capture(self.path, "--no-mask")
        live, saved = topo(), topo("--sysroot", self.path)
        want, got = readings(live), readings(saved)
        for key in want.keys() | got.keys():
            self.assertEqual(got.get(key), want.get(key), key)
        self.assertEqual(addresses(saved), addresses(live))
        for member in ("numas", "pcis", "gpus", "hcas", "ports"):
            self.assertEqual(saved["map"][member], live["map"][member])
        self.assertEqual(saved["name"], live["name"])
        self.assertEqual(saved["kernel"], live["kernel"])

    def test_a_snapshot_draws_as_the_capture(self):
        capture(self.path)
        saved = self.folder.name + "/topo.json"
        runs = [subprocess.run([case.PROGRAM, "topo", *options],
                               capture_output=True, text=True, timeout=60,
                               check=False)
                for options in (["--sysroot", self.path],
                                ["--sysroot", self.path, "--json", saved],
                                ["--from", saved])]
        self.assertEqual(runs[0].stdout, runs[2].stdout, runs[2].stderr)
        self.assertEqual(runs[0].returncode, runs[2].returncode)

    def test_all_forms_go_into_a_folder(self):
        capture(self.path)
        out = self.folder.name + "/out"
        run = subprocess.run([case.PROGRAM, "topo", "--sysroot", self.path,
                              "--out", out], capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        self.assertLessEqual({"map.txt", "map.json", "map.dot"},
                             set(os.listdir(out)))
        with open(out + "/map.txt") as f:
            self.assertEqual(f.read(), run.stdout)

    def test_nothing_masked_is_left(self):
        names = {socket.gethostname(), socket.gethostname().split(".")[0]}
        with open("/proc/sys/kernel/random/boot_id") as f:
            names.add(f.read().strip())
        macs = set()
        for dev in os.listdir("/sys/class/net"):
            try:
                with open(f"/sys/class/net/{dev}/address") as f:
                    macs.add(f.read().strip())
            except OSError:
                pass
        macs = {mac for mac in macs if mac.strip("0:")
                and not mac.startswith("02:00:00:00:")}
        capture(self.path)
        for path, text in files(self.path):
            for name in names:
                self.assertNotRegex(text, rf"(?<![\w-]){re.escape(name)}"
                                    r"(?![\w-])", path)
            for mac in macs:
                self.assertNotIn(mac, text, path)
        self.assertEqual(topo("--sysroot", self.path)["name"], "host1")

    def test_a_stand_in_is_the_same_everywhere(self):
        capture(self.path)
        capture(self.path + "2")
        first = dict((p[len(self.path):], t) for p, t in files(self.path))
        again = dict((p[len(self.path) + 1:], t)
                     for p, t in files(self.path + "2"))
        for name in ("/proc/sys/kernel/hostname",
                     "/proc/sys/kernel/random/boot_id", "/proc/cmdline"):
            self.assertEqual(first.get(name), again.get(name))

    def test_a_folder_in_use_is_refused(self):
        run = subprocess.run([CAPTURE, self.folder.name + "/.."],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("not an empty folder", run.stderr)


if __name__ == "__main__":
    case.main()
