# SPDX-License-Identifier: Apache-2.0
"""Runs on the doubles of the GPU libraries, and the model they act out, worked
out once more: what a run measures is compared with the sums here."""
import json
import math
import os
import unittest

import case
import proc
import report

BUILD = os.environ.get("FP_BUILD") or case.SOURCE + "/build"
FOLDER = BUILD + "/doubles"
DEFAULTS = {
    "hosts": ["local0", "local1"], "gpus": 8, "vary": 0.02,
    "gpu": {"nvlinks": 18, "nvlink_Bps": 20.6e9, "pcie_Bps": 55.4e9,
            "pcie_width": 16},
    "nic_Bps": 48.6e9, "gdr_off": 0.4, "socket_Bps": 1.2e9, "shm_share": 0.5,
    "nvlink_s": 3e-6, "pcie_s": 6e-6, "shm_s": 9e-6, "net_s": 12e-6,
    "socket_s": 60e-6, "launch_s": 2e-6, "faults": [],
}


def scenario(hosts=2, gpus=8, faults=(), **changes):
    """A cluster as the doubles read it."""
    return {**DEFAULTS, "hosts": ["local%d" % i for i in range(hosts)],
            "gpus": gpus, "faults": list(faults), **changes}


class Model:
    """Paths of a cluster without faults, for ranks in blocks over its hosts."""

    def __init__(self, world, ranks):
        self.w = world
        self.n = ranks
        self.per_host = ranks // len(world["hosts"])

    def place(self, rank):
        return rank // self.per_host, rank % self.per_host

    def path(self, src, dst):
        """(bytes a second, latency) from one rank to another."""
        w, (sh, sg), (dh, dg) = self.w, self.place(src), self.place(dst)
        if sh == dh:
            rate = w["gpu"]["nvlinks"] * w["gpu"]["nvlink_Bps"]
            latency = w["nvlink_s"]
        else:
            rate, latency = w["nic_Bps"], w["net_s"]
        a, b = sh * w["gpus"] + sg, dh * w["gpus"] + dg
        return rate * (1 + w["vary"] * ((a * 7 + b * 13) % 11 - 5) / 5), latency

    def message_s(self, src, dst, size):
        rate, latency = self.path(src, dst)
        return self.w["launch_s"] + latency + size / rate

    def collective_s(self, op, size):
        n = self.n
        edges = [self.path(r, (r + 1) % n) for r in range(n)]
        if op == "sendrecv":
            return self.w["launch_s"] + max(
                latency + size / rate for rate, latency in edges)
        levels = math.ceil(math.log2(n)) * (2 if op == "all_reduce" else 1)
        share = {"all_reduce": 2 * (n - 1) / n, "broadcast": 1}.get(
            op, (n - 1) / n)
        return (self.w["launch_s"] + levels * max(e[1] for e in edges)
                + size * share / min(e[0] for e in edges))


class Run(proc.Proc):
    """fabricprobe on a modelled cluster."""

    def __init__(self, world, argv, env=None):
        self.world, self.more = world, env or {}
        super().__init__([case.PROGRAM] + argv)

    def prepare(self, argv):
        self.json, self.saved = self.path("report.json"), self.path("saved")
        path = self.path("scenario.json")
        with open(path, "w") as f:
            json.dump(self.world, f)
        return argv + ["--json", self.json, "--no-progress", "--out",
                       self.saved], {
            "FP_DOUBLES": path, "LD_BIND_NOW": "1",
            "LD_LIBRARY_PATH": FOLDER, "TMPDIR": self.dir, **self.more}


class Case(unittest.TestCase):
    """Cases that need the doubles, which need CUDA's headers to be built."""

    OPTIONS = []

    def setUp(self):
        if not os.path.isdir(FOLDER):
            self.skipTest("the doubles are not built: CUDA and NCCL headers")

    def run_it(self, world, *argv, ranks=None, seconds=90, env=None):
        """A finished run: p.report, p.status, p.told."""
        hosts = len(world["hosts"])
        ranks = ranks or hosts * world["gpus"]
        with Run(world, list(argv) + self.OPTIONS + [
                "--local", str(ranks), "--local-hosts", str(hosts)],
                env) as p:
            p.status = p.wait(seconds)
            self.left = p.pids()
            p.told, p.said = p.tell(), p.verdict()
            p.report = (report.load(p.json) if os.path.exists(p.json)
                        else None)
        self.assertIsNotNone(p.report, p.told)
        return p
