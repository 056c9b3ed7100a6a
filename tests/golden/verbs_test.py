#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader of RDMA MTUs, on a fake library and a fake /sys/class: what the
library says, what it refuses, and that it is not asked where no HCA is."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import case  # noqa: E402

FAKE = os.path.join(os.environ.get("FP_PROGS", ""), "fake")
OVERLAY = ("mount -t overlay overlay -o lowerdir=\"$1\":/sys/class /sys/class"
           " && shift && exec \"$@\"")


def readings(run):
    host, = json.loads(run.stdout)["hosts"]
    return {(row[0], row[1]): row[2:] for row in host["readings"]["rows"]}


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, timeout=60,
                          check=False,
                          env=dict(os.environ, LD_LIBRARY_PATH=FAKE))


class Verbs(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FAKE + "/libibverbs.so.1"):
            self.skipTest("the fake library is not built")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for hca in ("mlx5_0", "mlx5_1"):
            for port in (1, 2):
                path = f"{self.folder.name}/infiniband/{hca}/ports/{port}"
                os.makedirs(path)
                with open(path + "/state", "w") as f:
                    f.write("4: ACTIVE\n")

    def on_fake_class(self, *argv):
        return run("unshare", "--mount", "sh", "-c", OVERLAY, "sh",
                   self.folder.name, *argv)

    def test_mtus_are_read_or_said_to_be_hidden(self):
        if self.on_fake_class("true").returncode != 0:
            self.skipTest("an overlay over /sys/class needs root")
        got = readings(self.on_fake_class(case.PROGRAM, "topo", "--json", "-"))
        self.assertEqual(got["mlx5_0/1", "port.active_mtu"], ["verbs", 4096])
        self.assertEqual(got["mlx5_0/2", "port.active_mtu"][:2],
                         ["verbs", None])
        self.assertIn("ibv_query_port",
                      got["mlx5_0/2", "port.active_mtu"][2])
        self.assertEqual(got["mlx5_1", "port.active_mtu"],
                         ["verbs", None,
                          "ibv_open_device: Permission denied"])

    def test_without_hcas_nobody_is_asked(self):
        if os.path.isdir("/sys/class/infiniband"):
            self.skipTest("this host has HCAs")
        got = readings(run(case.PROGRAM, "topo", "--json", "-"))
        self.assertFalse([key for key in got if key[1] == "port.active_mtu"])


if __name__ == "__main__":
    case.main()
