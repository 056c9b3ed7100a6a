#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader of NVML, on a library that is a fake: what it says is drawn and
kept; that it is not there, refuses, or hangs is said and harms nothing."""
import json
import os
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import case  # noqa: E402

FAKE = os.path.join(os.environ.get("FP_PROGS", ""), "fake")
START_S = 5


def topo(*options, words="", fake=True):
    env = dict(os.environ, FAKE_NVML=words)
    if fake:
        env["LD_LIBRARY_PATH"] = FAKE
    return subprocess.run([case.PROGRAM, "topo", *options], env=env,
                          capture_output=True, text=True, timeout=60,
                          check=False)


def tasks(n, *words, word="only"):
    """@n ranks, of which each has the GPU of its number, and no other."""
    env = dict(os.environ, LD_LIBRARY_PATH=FAKE, FP=case.PROGRAM)
    shell = 'FAKE_NVML=%s$OMPI_COMM_WORLD_RANK exec "$FP" "$@"' % word
    return subprocess.run(["mpirun", "-np", str(n), "--oversubscribe", "sh",
                           "-c", shell, "sh", *words], env=env, text=True,
                          capture_output=True, timeout=100, check=False)


def readings(run):
    """{(device, name): [source, value, ...]} of the only host."""
    host, = json.loads(run.stdout)["hosts"]
    return {(row[0], row[1]): row[2:] for row in host["readings"]["rows"]}


class Nvml(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FAKE + "/libnvidia-ml.so.1"):
            self.skipTest("the fake library is not built")

    def test_what_it_says_is_drawn(self):
        run = topo()
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split("\t") for line in run.stdout.splitlines()
                if line.startswith("GPU")]
        self.assertEqual([row[1] for row in rows if row[0] == "GPU1"],
                         ["NV2", "OK"])
        self.assertIn("4 GPUs (NVIDIA H100 80GB HBM3)", run.stdout)
        p2p = [row for row in rows if "CNS" in row]
        self.assertEqual([row[0] for row in p2p], ["GPU2", "GPU3"])

    def test_what_it_says_is_kept(self):
        got = readings(topo("--json", "-"))
        gpu = "0000:1c:00.0"
        for device, name, value in (
                ("", "driver.cuda", "12.4"), (gpu, "gpu.uuid", "GPU-2"),
                (gpu, "gpu.sm", 80), (gpu, "gpu.ecc_uncorrected", 7),
                (gpu, "gpu.remap_pending", 1), (gpu, "gpu.nvlinks_up", 2),
                ("0000:1a:00.0", "gpu.process", 1 << 20)):
            self.assertEqual(got[device, name][:2], ["nvml", value], name)
        self.assertNotIn((gpu, "gpu.mig"), got)
        self.assertNotIn((gpu + "/nvlink0", "nvlink.state"), got)

    def test_a_link_that_is_down_is_named(self):
        run = topo(words="down")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("FAULT  GPU1: ", run.stdout)
        got = readings(topo("--json", "-", words="down"))
        self.assertEqual(got["0000:1b:00.0/nvlink1", "nvlink.state"],
                         ["nvml", 0])

    def test_links_to_the_cpu_are_one_row(self):
        host, = json.loads(topo("--json", "-", words="c2c").stdout)["hosts"]
        to_cpu = [(link["gpu"], link["count"], link["speed_MBps"])
                  for link in host["map"]["nvlinks"] if link["remote"] == 3]
        self.assertEqual(to_cpu, [(0, 2, 44712)])

    def test_tasks_with_a_gpu_each_make_one_map(self):
        run = tasks(3, "topo", "--json", "-")
        host, = json.loads(run.stdout)["hosts"]
        self.assertEqual(sorted((gpu["index"], gpu["uuid"])
                                for gpu in host["map"]["gpus"]),
                         [(i, "GPU-%d" % i) for i in range(3)])
        found = [f for f in json.loads(tasks(3, "check", "--json", "-")
                                       .stdout)["findings"]
                 if f["id"] == "FP-GPU-VISIBLE"]
        self.assertEqual([f["locus"]["kind"] for f in found], ["host"])
        # One that sees all of them has nothing to complain of.
        whole = tasks(2, "check", "--json", "-", word="all")
        self.assertNotIn("FP-GPU-VISIBLE", whole.stdout)

    def test_a_lost_gpu_is_said(self):
        got = readings(topo("--json", "-", words="lost"))
        self.assertEqual(got["gpu3", "gpu.name"],
                         ["nvml", None, "NVML: GPU is lost (15)"])
        self.assertIn(("0000:1a:00.0", "gpu.name"), got)

    def test_a_library_that_refuses_is_a_skip(self):
        run = topo("--json", "-", words="refuse")
        self.assertEqual(run.returncode, 0, run.stderr)
        source, value, why = readings(run)["", "driver.nvml"]
        self.assertIsNone(value)
        self.assertIn("nvmlInit: Unknown Error (999)", why)

    def test_no_library_is_a_skip_with_the_loaders_words(self):
        run = topo("--json", "-", fake=False)
        got = readings(run).get(("", "driver.nvml"))
        if got and got[1] is not None:
            self.skipTest("this host has NVML")
        self.assertIn("libnvidia-ml.so.1", got[2])

    def test_a_library_that_hangs_costs_one_deadline(self):
        start = time.monotonic()
        run = topo("--start-timeout", str(START_S), words="hang")
        took = time.monotonic() - start
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("the next does not ask drivers", run.stderr)
        self.assertIn("0 GPUs", run.stdout)
        # Start, then a worker that does not read, and the wait for it all.
        self.assertLess(took, 4 * START_S + 10)


if __name__ == "__main__":
    case.main()
