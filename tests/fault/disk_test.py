# SPDX-License-Identifier: Apache-2.0
"""Outputs that cannot be written: said once, no result is lost, and the last
line says what the exit status says."""
import os
import tempfile
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
            p.status = p.wait(fault_case.START_S + 15 + fault_case.END_S)
            self.clean(p)
            p.told, p.said = p.tell(), p.verdict()
            p.report = (report.load(p.json) if os.path.exists(p.json)
                        else None)
        return p

    def test_room(self):
        self.healthy(self.run_on(1000))

    def test_full(self):
        p = self.run_on(6)
        self.assertEqual((p.said, p.status), (("error", 2), 2), p.told)
        self.assertEqual(p.report["verdict"], "healthy")
        self.assertEqual(len(p.report["matrices"]), 4)
        journal = [f for f in p.report["findings"] if f["id"] == "FP-JOURNAL"]
        self.assertEqual([f["severity"] for f in journal], ["warn"], p.told)
        self.assertIn("No space left", p.told)

    def test_evidence(self):
        """What cannot be kept is known to the report that is."""
        with tempfile.TemporaryDirectory() as folder:
            taken, out = folder + "/file", folder + "/out"
            open(taken, "w").close()
            with fault_case.proc.Proc(
                    [fault_case.case.PROGRAM, "check", "--local", "1",
                     "--evidence", taken + "/x", "--out", out]) as p:
                status = p.wait(fault_case.START_S + fault_case.END_S)
                self.assertEqual(status, 2, p.tell())
                self.assertIn("--evidence: " + taken, p.err)
            with open(out + "/report.txt") as f:
                self.assertEqual(f.read().splitlines()[-1],
                                 "fabricprobe: verdict=error exit=2")

    def to_full(self, *argv):
        """A command whose standard output is a full disk."""
        return fault_case.proc.Proc(
            ["sh", "-c", "exec \"$@\" >/dev/full", "-",
             fault_case.case.PROGRAM] + list(argv))

    def test_stdout(self):
        """It cannot take the last line: standard error does."""
        for form in ([], ["--json", "-"]):
            with self.subTest(form), self.to_full(
                    "--local", "2", *self.OPTIONS, *form) as p:
                status = p.wait(fault_case.START_S + 15 + fault_case.END_S)
                self.assertEqual(status, 2, p.tell())
                self.assertIn("No space left", p.err)
                self.assertEqual(p.err.splitlines()[-1],
                                 "fabricprobe: verdict=error exit=2")

    def test_stdout_of_a_fault(self):
        """That a fault was found is more than that nobody reads of it."""
        with self.to_full("--local", "2", *self.OPTIONS, "--inject",
                          "corrupt src=0 dst=1") as p:
            status = p.wait(fault_case.START_S + 15 + fault_case.END_S)
            self.assertEqual(status, 1, p.tell())
            self.assertEqual(p.err.splitlines()[-1],
                             "fabricprobe: verdict=fault exit=1")

    def test_json_file(self):
        with fault_case.proc.Proc(
                [fault_case.case.PROGRAM, "--local", "2", *self.OPTIONS,
                 "--json", "/dev/full"]) as p:
            status = p.wait(fault_case.START_S + 15 + fault_case.END_S)
            self.assertEqual((p.verdict(), status), (("error", 2), 2),
                             p.tell())
            self.assertTrue(p.out.startswith("HEALTHY  "), p.tell())
            self.assertIn("/dev/full: No space left", p.err)

    def test_words(self):
        for argv in (["--help"], ["--version"], ["list"], ["sweep", "-h"]):
            with self.subTest(argv), self.to_full(*argv) as p:
                self.assertEqual(p.wait(fault_case.START_S), 2, p.tell())
                self.assertIn("No space left", p.err)

    def test_cannot_be_made(self):
        with self.start(2, "--out", "/proc/nowhere") as p:
            self.assertEqual(p.wait(fault_case.START_S), 2, p.tell())
            self.assertIn("--out", p.err)
            self.assertIn("/proc/nowhere", p.err)
            self.clean(p)


if __name__ == "__main__":
    fault_case.main(3)
