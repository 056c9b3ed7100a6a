# SPDX-License-Identifier: Apache-2.0
"""fabricprobe explain --probe: what a log suspects, tried in the same job."""
import json
import os
import tempfile
import unittest
from unittest import mock

import fault_case
import case
import host_tree
import report
from ras import Ras, status

TIMEOUT = ("[rank%d]:[E626 10:00:00.123456 ProcessGroupNCCL.cpp:616] [Rank %d] "
           "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=55, "
           "OpType=ALLREDUCE, NumelIn=1024, NumelOut=1024, Timeout(ms)=600000) "
           "ran for 600012 milliseconds before timing out.\n")
WELL = "\n".join(
    "vm:10%d:10%d [0] NCCL INFO ncclCommInitRank comm 0x55 rank %d nranks 2 "
    "cudaDev 0 nvmlDev 0 busId 9c000 commId 0x77 - Init COMPLETE" % (r, r, r)
    for r in range(2)) + "\n"


@fault_case.both_boots
class Probe(fault_case.FaultCase):
    """Four ranks; the log's third one is silent."""

    OPTIONS = ["explain", "--probe", "--no-progress", "-T", "2",
               "--lost-after", "3"]
    LOG = "".join(TIMEOUT % (rank, rank) for rank in (0, 1, 3))

    def probe(self, *options, n=4, log=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "job.log")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.LOG if log is None else log)
            with self.start(n, *options, path) as p:
                p.status = p.wait(fault_case.START_S + 15 + 8 * 2
                                  + fault_case.END_S)
                self.clean(p)
                p.told, p.said = p.tell(), p.verdict()
                with open(p.json, encoding="utf-8") as file:
                    p.report = json.load(file)
        self.assertEqual(p.said[1], p.report["exit"], p.told)
        if self.BOOT == "local":
            self.assertEqual(p.status, p.said[1], p.told)
        return p

    def check(self, p, outcome, fabric, verdict, suspects):
        probed = p.report["probed"]
        self.assertEqual(
            (probed["outcome"], probed["fabric"], p.report["verdict"],
             probed["suspects"]), (outcome, fabric, verdict, suspects),
            p.told)
        self.assertIn("Probe %s" % outcome, p.told)
        self.assertEqual(p.told.count("fabricprobe: verdict="), 1, p.told)
        return probed

    def test_confirmed(self):
        p = self.probe("--inject", "hang src=2")
        probed = self.check(p, "confirmed", "fault", "fault", [2])
        self.assertTrue(probed["drill"] and probed["report"]["drill"])
        self.assertIn("drill", probed["why"])
        self.assertEqual(
            [(f["id"], f["locus"]["rank"])
             for f in report.faults(probed["report"])],
            [("FP-COLL-CULPRIT", 2)])

    def test_refuted(self):
        p = self.probe()
        probed = self.check(p, "refuted", "healthy", "incomplete", [2])
        self.assertEqual(p.said, ("incomplete", 3), p.told)
        self.assertIn("fabric healthy for rank 2", probed["why"])
        self.assertEqual(probed["report"]["verdict"], "healthy")
        self.assertIsNone(probed["beside"])


class Others(Probe, unittest.TestCase):
    """What does not depend on how the ranks were started."""

    BOOT = "local"
    test_confirmed = test_refuted = None

    def test_elsewhere(self):
        p = self.probe("--inject", "hang src=0")
        self.check(p, "elsewhere", "fault", "fault", [2])

    def test_not_this_job(self):
        p = self.probe(n=3, log=self.LOG + WELL.replace("nranks 2",
                                                        "nranks 4"))
        probed = p.report["probed"]
        self.assertEqual(probed["outcome"], "not testable here", p.told)
        self.assertIn("rank 2 of a job of 4", probed["not_in_job"])

    def test_alone(self):
        p = self.probe(n=1)
        probed = p.report["probed"]
        self.assertEqual((probed["outcome"], probed["fabric"], p.said),
                         ("not testable here", "not measured",
                          ("incomplete", 3)), p.told)
        self.assertIn("--local", probed["why"])

    def test_healthy_twin(self):
        p = self.probe(n=2, log=WELL)
        self.check(p, "nothing to confirm", "healthy", "healthy", [])

    def test_beside_a_job(self):
        """A process has a GPU open, and hangs in the driver."""
        with tempfile.TemporaryDirectory() as root:
            self.host_of_a_job(root)
            p = self.probe("--sysroot", root)
        probed = self.check(p, "refuted", "healthy", "incomplete", [2])
        beside = probed["beside"]
        self.assertEqual((beside["gpus_in_use"], beside["kernels_launched"]),
                         (True, False))
        self.assertEqual(beside["processes"], [{
            "host": "made", "process": "process 4711", "name": "python3",
            "gpus": "3", "state": "D (disk sleep)", "wchan": "nvidia_poll",
            "stack": "os_acquire_mutex < nvidia_ioctl"}])
        self.assertIn("no kernel was launched", p.told)
        self.assertIn("os_acquire_mutex < nvidia_ioctl", p.told)
        self.assertEqual({c["bytes"] for c in
                          probed["report"]["collectives"]}, {65536})

    def test_asks_the_ras_of_the_job_beside(self):
        """It alone tells which rank is behind."""
        ras = Ras([status([9, 8])])
        with tempfile.TemporaryDirectory() as root, mock.patch.dict(
                os.environ, NCCL_RAS_ADDR=ras.address):
            self.host_of_a_job(root)
            p = self.probe("--sysroot", root, "--ras-times", "1", n=2,
                           log=WELL)
        ras.thread.join(30)
        self.assertEqual(ras.heard[-1], "VERBOSE STATUS")
        self.assertEqual(p.report["findings"][0]["id"],
                         "FP-EXPLAIN-RAS-BEHIND", p.told)
        self.assertEqual(p.report["culprits"]["ranks"], [1], p.told)
        self.assertEqual(p.report["probed"]["beside"]["kernels_launched"],
                         False)

    def host_of_a_job(self, root):
        tree = host_tree.Tree(root, "made")
        tree.write("proc/driver/nvidia/version", "550")
        for pid, name, device in (("4711", "python3", "nvidia3"),
                                  ("22", "nvidia-smi", "nvidia0"),
                                  ("23", "bash", "null")):
            tree.write("proc/%s/comm" % pid, name)
            os.mkdir(os.path.join(root, "proc", pid, "fd"))
            os.symlink("/dev/" + device,
                       os.path.join(root, "proc", pid, "fd", "9"))
        tree.write("proc/4711/status", "Name:\tpython3\n"
                                       "State:\tD (disk sleep)")
        tree.write("proc/4711/wchan", "nvidia_poll")
        tree.write("proc/4711/stack",
                   "[<0>] os_acquire_mutex+0x3/0x10 [nvidia]\n"
                   "[<0>] nvidia_ioctl+0x12/0x90 [nvidia]")

    def test_a_fault_no_log_tells_of(self):
        p = self.probe("--inject", "hang src=1", log=WELL)
        self.check(p, "elsewhere", "fault", "fault", [])

    def test_a_file_that_is_not_there(self):
        with self.start(2, "/nonexistent/job.log") as p:
            self.assertEqual(p.wait(fault_case.START_S), 2, p.tell())
            self.assertIn("/nonexistent/job.log", p.tell())

    def test_only_with_probe(self):
        with fault_case.Local([case.PROGRAM, "explain", "--local", "2",
                               "job.log"]) as p:
            self.assertEqual(p.wait(fault_case.END_S), 2, p.tell())
            self.assertIn("--probe", p.tell())


if __name__ == "__main__":
    fault_case.main(3)
