# SPDX-License-Identifier: Apache-2.0
"""A saved run names the very components that the run itself named: all of
them, where it is whole; nobody else, where it was cut or killed."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import report  # noqa: E402

GPUS = {"hosts": 8, "gpus": 8, "nics": 8, "hosts_per_leaf": 2}
HOSTS = {"hosts": 16, "gpus": 0, "nics": 1, "hosts_per_leaf": 4,
         "rail_optimised": False}
LONG = ("--time-limit", "1h")  # of the model, not of the test
DEADLINE_S = 60


class Replay(unittest.TestCase):

    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.addCleanup(self.tmp.cleanup)
        self.saved = os.path.join(self.tmp.name, "saved")

    def run_it(self, *argv):
        """(exit status, standard output)"""
        done = subprocess.run([case.PROGRAM, *argv], capture_output=True,
                              text=True, timeout=DEADLINE_S, check=False)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return done.returncode, done.stdout

    def simulate(self, cluster, *options):
        path = os.path.join(self.tmp.name, "cluster.json")
        with open(path, "w") as f:
            json.dump(cluster, f)
        return self.run_it("simulate", "--cluster", path, "--out", self.saved,
                           "--no-progress", *options)

    def live(self):
        return report.load(os.path.join(self.saved, "report.json"))

    def again(self):
        status, out = self.run_it("report", self.saved, "--format", "json")
        said = json.loads(out)
        self.assertEqual(status, said["exit"])
        return said

    def same(self, cluster, *options):
        """How it ended; its report and that of what it saved are one."""
        status, out = self.simulate(cluster, *options)
        self.assertEqual((status, out), self.run_it("report", self.saved))
        live, again = self.live(), self.again()
        for said in (live, again):
            del said["timing"]
        self.assertEqual(json.dumps(live), json.dumps(again))
        self.assertTrue(live["model"])
        return live

    @staticmethod
    def accused(said):
        return {(f["id"], f["locus"]["host"], f["locus"]["device"])
                for f in report.faults(said)}

    def test_components(self):
        for cluster, fault, expected in (
                (GPUS, "cable-tx 3/5", ("FP-PORT-TX-SLOW", "h3", "port 5")),
                (GPUS, "nic-dead h3/3", ("FP-HCA-DEAD", "h3", "HCA 3")),
                (GPUS, "gpu-lost 0/1", ("FP-GPU-LOST", "h0", "GPU 1")),
                (GPUS, "uplink-member 3",
                 ("FP-UPLINK-MEMBER", None, "uplinks of leaf 3")),
                (GPUS, "spines-slow",
                 ("FP-SPINES-SLOW", None, "settings of the whole cluster")),
                (HOSTS, "spines-slow",
                 ("FP-SPINES-SLOW", None, "settings of the whole cluster")),
                (HOSTS, "cable-tx 3/0", ("FP-NIC-TX-SLOW", "h3", None)),
                (HOSTS, "uplink-member 2",
                 ("FP-UPLINK-MEMBER", None, "uplinks of leaf 2")),
                (HOSTS, "leaf-slow 1", ("FP-LEAF-SLOW", None, "leaf 1"))):
            with self.subTest(fault):
                said = self.same(cluster, "--fault", fault, *LONG)
                self.assertEqual(self.accused(said), {expected})

    def test_leaf_in_its_time(self):
        """It makes many pairs suspect, whose tests leave time to find it."""
        said = self.same(HOSTS, "--fault", "leaf-slow 1")
        self.assertEqual(self.accused(said),
                         {("FP-LEAF-SLOW", None, "leaf 1")})

    def test_healthy(self):
        for cluster in (GPUS, HOSTS):
            with self.subTest(cluster):
                self.assertEqual(self.same(cluster)["verdict"], "healthy")

    def test_out_of_time(self):
        """In a stage, between stages and among the retests."""
        cut = 0
        for limit in range(2, 100, 14):
            with self.subTest(limit):
                said = self.same(GPUS, "--fault", "uplink-member 3",
                                 "--time-limit", str(limit))
                cut += any(e["kind"] == "locate-cut" for e in said["events"])
        self.assertGreater(cut, 3)

    def journal(self):
        with open(os.path.join(self.saved, "journal.jsonl"), "rb") as f:
            return f.read()

    def keep(self, data):
        with open(os.path.join(self.saved, "journal.jsonl"), "wb") as f:
            f.write(data)

    def test_killed(self):
        """Whatever was on disk by then; its last line may be cut."""
        self.simulate(GPUS, "--fault", "uplink-member 3")
        expected = self.accused(self.live())
        lines = self.journal().splitlines(True)
        for n in list(range(4, len(lines), len(lines) // 8)) + [len(lines)]:
            self.keep(b"".join(lines[:n])[:-9])
            said = self.again()
            self.assertTrue(said["cut_short"])
            self.assertLessEqual(self.accused(said), expected)
        self.assertEqual(self.accused(said), expected)  # without its end
        self.assertEqual(len(expected), 1)

    def test_lost_line(self):
        """A round that cannot be read is where its record ends."""
        self.simulate(GPUS, "--fault", "cable-tx 3/5")
        live, lines = self.live(), self.journal().splitlines(True)
        rounds = [i for i, line in enumerate(lines)
                  if line.startswith(b'{"batch"')]
        self.assertGreater(len(rounds), 12)
        self.assertTrue(self.accused(live))
        for i in rounds[::12]:
            self.keep(b"".join(lines[:i] + [b"?\n"] + lines[i + 1:]))
            self.assertLessEqual(self.accused(self.again()),
                                 self.accused(live))


if __name__ == "__main__":
    case.main()
