# SPDX-License-Identifier: Apache-2.0
"""The disk under --out is full: said once, and no result is lost."""
import os
import unittest

import fault_case
import report

PAGE = 4096


class Disk(fault_case.FaultCase, unittest.TestCase):
    """A file system of few pages stands for a full disk."""

    BOOT = "local"

    def run_on(self, pages):
        if not fault_case.can("--mount"):
            self.skipTest("mounting a small file system needs root")
        mount = "mount -t tmpfs -o size=%d small /mnt && exec \"$@\"" % (
            pages * PAGE)
        argv = ["sh", "-c", mount, "-"] + self.argv(4, ["--out", "/mnt/out"])
        with fault_case.Local(argv) as p:
            p.wait(fault_case.START_S + 15 + fault_case.END_S)
            self.clean(p)
            p.told, p.said = p.tell(), p.verdict()
            p.report = (report.load(p.json) if os.path.exists(p.json)
                        else None)
        return p

    def test_room(self):
        self.healthy(self.run_on(1000))

    def test_full(self):
        p = self.run_on(6)
        self.assertEqual(p.said, ("healthy", 0), p.told)
        self.assertEqual(len(p.report["matrices"]), 4)
        journal = [f for f in p.report["findings"] if f["id"] == "FP-JOURNAL"]
        self.assertEqual([f["severity"] for f in journal], ["warn"], p.told)
        self.assertIn("No space left", p.told)

    def test_cannot_be_made(self):
        with self.start(2, "--out", "/proc/nowhere") as p:
            self.assertEqual(p.wait(fault_case.START_S), 2, p.tell())
            self.assertIn("--out", p.err)
            self.assertIn("/proc/nowhere", p.err)
            self.clean(p)


if __name__ == "__main__":
    fault_case.main()
