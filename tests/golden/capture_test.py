#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture-host saves what is read: this host and its capture say the same,
and a masked capture names neither host nor card."""
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
