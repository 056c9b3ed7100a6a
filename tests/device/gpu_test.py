# SPDX-License-Identifier: Apache-2.0
"""One real GPU, its own libraries, four minutes at most: kernels and copies,
the life of a communicator, two ranks that are to look like two hosts, one of
which stops. What is seen is kept in FP_DEVICE_OUT, as a model for the doubles.
Without a GPU, or a build for one: exit status 77."""
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import proc  # noqa: E402
import report  # noqa: E402

LIMIT_S = 60  # of each case; all of them together stay below four minutes
WORKER = os.path.join(os.path.dirname(case.PROGRAM),
                      "fabricprobe-worker-cuda")


def visible_gpus():
    """What nvidia-smi lists; [] without a driver."""
    if not shutil.which("nvidia-smi"):
        return []
    got = subprocess.run(["nvidia-smi", "--query-gpu=index,name",
                          "--format=csv,noheader"], capture_output=True,
                         text=True, check=False, timeout=30)
    return got.stdout.splitlines() if got.returncode == 0 else []


class Run(proc.Proc):

    def __init__(self, argv, env):
        self.env = env
        super().__init__([case.PROGRAM] + argv)

    def prepare(self, argv):
        self.json, self.saved = self.path("report.json"), self.path("saved")
        return argv + ["--json", self.json, "--out", self.saved,
                       "--no-progress"], self.env


class Device(unittest.TestCase):

    # Two ranks on one GPU: NCCL takes them for two hosts with one each, whose
    # traffic has to go through sockets of the loopback.
    TWO = {"CUDA_VISIBLE_DEVICES": "0", "NCCL_IB_DISABLE": "1",
           "NCCL_SOCKET_IFNAME": "lo", "NCCL_MNNVL_ENABLE": "0",
           "NCCL_MAX_CTAS": "1"}

    def setUp(self):
        if not os.path.exists(WORKER):
            self.skipTest("no GPU worker in this build")
        if not visible_gpus():
            self.skipTest("no GPU, or no driver")

    def run_it(self, argv, env, act=None):
        with Run(argv, env) as p:
            if act:
                act(p)
            p.status = p.wait(LIMIT_S)
            p.told, p.said = p.tell(), p.verdict()
            p.report = (report.load(p.json) if os.path.exists(p.json)
                        else None)
            self.keep(p)
        self.assertIsNotNone(p.report, p.told)
        return p

    def keep(self, p):
        folder = os.environ.get("FP_DEVICE_OUT")
        if folder and p.report:
            name = self.id().rpartition(".")[2]
            with open(os.path.join(folder, name + ".json"), "w") as f:
                json.dump(p.report, f, indent=1)

    def test_two_ranks_through_sockets(self):
        p = self.run_it(["sweep", "--local", "2", "--local-hosts", "2",
                         "--xport", "nccl", "-b", "1K", "-e", "4M", "-f", "16",
                         "-n", "5"], self.TWO)
        self.assertEqual(p.said, ("healthy", 0), p.told)
        for row in p.report["collectives"]:
            self.assertEqual((row["state"], row["wrong_bytes"]), ("OK", 0))

    def test_all_operations_are_right(self):
        for op in ("all_gather", "reduce_scatter", "broadcast", "alltoall",
                   "sendrecv"):
            with self.subTest(op=op):
                p = self.run_it(["sweep", "--local", "2", "--local-hosts", "2",
                                 "--xport", "nccl", "--op", op, "-b", "256K",
                                 "-e", "256K", "-n", "3"], self.TWO)
                self.assertEqual(p.said, ("healthy", 0), p.told)

    def test_two_ranks_of_one_host_share_it(self):
        p = self.run_it(["sweep", "--local", "2", "--xport", "nccl", "-b",
                         "1K", "-e", "1K", "-n", "1"],
                        {"CUDA_VISIBLE_DEVICES": "0"})
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.assertIn("uplicate GPU", json.dumps(p.report)
                      + "or Multiple Ranks are using the same GPU")

    def test_one_that_stops(self):
        def stop(p):
            proc.wait_for("a trial", lambda: report.begun(p.saved)
                          or p.popen.poll() is not None, 30)
            workers = p.pids("fabricprobe-worker")
            if workers:
                proc.send(workers[0], signal.SIGSTOP)

        p = self.run_it(["sweep", "--local", "2", "--local-hosts", "2",
                         "--xport", "nccl", "-b", "64K", "-e", "64K", "-n",
                         "100000", "-T", "15"], self.TWO, stop)
        self.assertEqual(p.said, ("fault", 1), p.told)


if __name__ == "__main__":
    case.main()
