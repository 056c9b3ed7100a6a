#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`fabricprobe check`: what it takes, and the bundle for a ticket."""
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SMI = """==============NVSMI LOG==============
Timestamp                                 : Wed Sep 25 10:40:24 2024
Driver Version                            : 535.129.03
CUDA Version                              : 12.2
Attached GPUs                             : 1
GPU 00000000:07:00.0
    Product Name                          : NVIDIA A10
    GPU UUID                              : GPU-12345678-f589-f867-4259-0123
    Performance State                     : P8
    FB Memory Usage
        Total                             : 23028 MiB
    ECC Errors
        Volatile
            DRAM Uncorrectable            : 0
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 4
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Temperature
        GPU Current Temp                  : 33 C
    Processes                             : None
"""
LOG = "[   12.5] NVRM: Xid (PCI:0000:07:00): 63, pid=7, name=python3, Row\n"
SECRETS = ("gpuhost17", "12345678-f589")


def check(*args):
    return subprocess.run([os.environ["FABRICPROBE"], "check", *args],
                          capture_output=True, text=True, timeout=60,
                          check=False)


class Evidence(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.saved = self.path / "gpuhost17"
        self.saved.mkdir()
        (self.saved / "smi.txt").write_text(SMI)
        (self.saved / "dmesg.txt").write_text(LOG)
        (self.saved / "notes.txt").write_text("call the vendor\n")

    def tearDown(self):
        self.folder.cleanup()

    def bundle(self, *args):
        out = self.path / "bundle"
        done = check("--from", str(self.saved), "--evidence", str(out), *args)
        self.assertEqual(done.returncode, 1, done.stderr)
        return {p.name: p.read_text() for p in out.iterdir()}, done

    def test_a_folder_is_a_host(self):
        """Texts of several kinds tell of one host; others are passed over."""
        files, done = self.bundle()
        ids = {(f["id"], f["locus"]["host"], f["locus"]["device"])
               for f in json.loads(files["report.json"])["findings"]}
        self.assertEqual(ids, {
            ("FP-GPU-REMAP-PENDING", "gpuhost17", "GPU0 (0000:07:00.0)"),
            ("FP-XID-HARDWARE", "gpuhost17", "GPU0 (0000:07:00.0)")})
        self.assertEqual(files["kernel.txt"],
                         "gpuhost17: " + LOG)
        self.assertIn("gpuhost17\t0000:07:00.0\tgpu.remap_pending\t1\t"
                      "tool\t", files["readings.txt"])
        self.assertEqual(files["report.txt"].splitlines()[0],
                         done.stdout.splitlines()[0])

    def test_masked(self):
        files, _ = self.bundle("--mask")
        for name, text in files.items():
            for secret in SECRETS:
                self.assertNotIn(secret, text, name)
        self.assertIn("host1: [   12.5] NVRM: Xid", files["kernel.txt"])

    def test_a_bundle_is_judged_again(self):
        self.bundle("--mask")
        again = check("--from", str(self.path / "bundle" / "snapshot.json"))
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("FP-GPU-REMAP-PENDING", again.stdout)
        self.assertIn("host1", again.stdout)

    def test_only_and_skip(self):
        for args, words in ((("--only", "kernel"), {"FP-XID-HARDWARE"}),
                            (("--skip", "kernel,hca"),
                             {"FP-GPU-REMAP-PENDING"})):
            done = check("--from", str(self.saved), *args)
            self.assertEqual({w for w in ("FP-XID-HARDWARE",
                                          "FP-GPU-REMAP-PENDING")
                              if w in done.stdout}, words)

    def test_refused(self):
        """Each names the thing and what to do."""
        empty = self.path / "empty"
        empty.mkdir()
        for args, word in (
                (("--only", "kernal"), "--only 'kernal'"),
                (("--only", "mtu", "--skip", "hca"), "use one of them"),
                (("--mask",), "--evidence"),
                (("--from", str(self.path / "none")), "none"),
                (("--from", str(self.saved / "notes.txt")), "notes.txt"),
                (("--from", str(empty)), str(empty))):
            done = check(*args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(word, done.stderr)

    def test_hosts_against_one_another(self):
        """Each file is a host."""
        for i, version in enumerate(("535.1", "550.2", "550.2")):
            (self.path / ("n%d.txt" % i)).write_text(
                SMI.replace("535.129.03", version).replace("Pending    "
                            "                       : Yes", "x : No"))
        args = [w for i in range(3)
                for w in ("--from", str(self.path / ("n%d.txt" % i)))]
        done = check(*args, "--json", "-", "--only", "versions")
        found = json.loads(done.stdout)["findings"]
        self.assertEqual([(f["id"], f["locus"]["host"]) for f in found],
                         [("FP-SOFTWARE-MIXED", "n0")])

    def hosts(self, name, versions):
        """Folders of captured hosts that all are called the same inside."""
        for i, version in enumerate(versions):
            root = self.path / name / ("node%d" % (i + 1))
            kernel = root / "proc/sys/kernel"
            kernel.mkdir(parents=True)
            (root / "sys").mkdir()
            (kernel / "hostname").write_text("host1\n")
            (kernel / "osrelease").write_text(version + "\n")
        return str(self.path / name)

    def test_a_folder_of_captured_hosts(self):
        """Each is a host, in the order of their numbers; masked ones are
        called as their folders are."""
        folder = self.hosts("all", ["6.1"] * 8 + ["6.2"] + ["6.1"] * 3)
        done = check("--from", folder, "--json", "-", "--only", "versions")
        said = json.loads(done.stdout)
        self.assertEqual([h["host"] for h in said["job"]["hosts"]],
                         ["node%d" % (i + 1) for i in range(12)])
        self.assertEqual([f["locus"]["host"] for f in said["findings"]],
                         ["node9"])
        drawn = subprocess.run([os.environ["FABRICPROBE"], "topo", "--from",
                                folder], capture_output=True, text=True,
                               timeout=60, check=False)
        self.assertIn("12 hosts look the same: node[1-12]", drawn.stdout)
        self.assertIn("6.2: node9", drawn.stdout)

    def test_what_carries_a_text_is_taken_off(self):
        """Packed, or in a container runtime's lines of JSON: the same."""
        lines = SMI.splitlines(True)
        forms = {
            "q.txt": SMI.encode(), "q.gz": gzip.compress(SMI.encode()),
            "q.u16": SMI.encode("utf-16"),
            "q.log": "".join(json.dumps(
                {"log": line, "stream": "stdout",
                 "time": "2026-03-04T10:11:12.123456789Z"}) + "\n"
                for line in lines).encode()}
        for name, data in forms.items():
            (self.path / name).write_bytes(data)
            for command, says in (("check", "FP-GPU-REMAP-PENDING"),
                                  ("topo", "1 GPU (NVIDIA A10)")):
                done = subprocess.run(
                    [os.environ["FABRICPROBE"], command, "--from",
                     str(self.path / name)], capture_output=True, text=True,
                    timeout=60, check=False)
                self.assertIn(says, done.stdout, (name, done.stderr))
        (self.path / "cut.gz").write_bytes(forms["q.gz"][:-9])
        done = check("--from", str(self.path / "cut.gz"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("cut.gz: the gzip file is cut", done.stderr)

    def test_what_a_text_does_not_tell_was_not_checked(self):
        """A kernel log says nothing of ports, nor a matrix of the kernel."""
        matrix = self.path / "topo.txt"
        matrix.write_text("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n")
        for path, names in ((self.saved / "dmesg.txt", "kernel"),
                            (matrix, "nvlink")):
            done = check("--from", str(path))
            self.assertIn("checked: %s of 1 host" % names, done.stdout)
            self.assertIn("not looked at: mtu p2p", done.stdout)

    def test_files_of_one_name(self):
        for i in range(2):
            (self.path / ("r%d" % i)).mkdir()
            (self.path / ("r%d" % i) / "q.txt").write_text(SMI)
        paths = [str(self.path / ("r%d" % i) / "q.txt") for i in range(2)]
        done = check("--from", paths[0], "--from", paths[1])
        for path in paths:
            self.assertIn(path, done.stdout.replace("\n       ", ""))


if __name__ == "__main__":
    unittest.main()
