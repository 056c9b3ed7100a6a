# SPDX-License-Identifier: Apache-2.0
"""One thing wrong with a modelled cluster at a time: it is named, nothing else
is, and the run ends by itself. The clean twin of each is the same cluster
without it."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import doubles  # noqa: E402
import report  # noqa: E402

HOSTS, GPUS = 2, 4
A, B = "local0", "local1"


def fault(kind, host=None, gpu=None, **more):
    found = {"kind": kind, **more}
    if host is not None:
        found["host"] = host
    if gpu is not None:
        found["gpu"] = gpu
    return found


class Fault(doubles.Case):

    OPTIONS = ["--xport", "nccl"]

    def see(self, *faults, options=(), env=None, **changes):
        world = doubles.scenario(HOSTS, GPUS, faults, **changes)
        return self.run_it(world, "--quick", "--trial-timeout", "3", *options,
                           env=env)

    def named(self, p, *expected):
        """The faults are exactly these: (id, members of the locus)."""
        self.assertEqual(p.said, ("fault", 1), p.told)
        found = report.faults(p.report)
        self.assertEqual(len(found), len(expected), p.told)
        for want_id, want in expected:
            hits = [f for f in found if f["id"] == want_id and all(
                f["locus"].get(k) == v for k, v in want.items())]
            self.assertEqual(len(hits), 1, "no %s %s\n%s" % (want_id, want,
                                                             p.told))
        return found

    def evidence(self, found, text):
        self.assertTrue(any(text in line for f in found
                            for line in f["evidence"]),
                        "%r in none of %s" % (text, found))

    def test_clean(self):
        p = self.see()
        self.assertEqual(p.said, ("healthy", 0), p.told)
        self.assertEqual(self.left, [])
        gpus = p.report["gpus"]
        self.assertEqual([g["rank"] for g in gpus], list(range(8)), p.told)
        self.assertEqual([g["rose"] for g in gpus], [{}] * 8, p.told)
        for g in gpus:  # before, after its own trial, after all
            self.assertGreaterEqual(len(g["series"]), 3, p.told)

    # What is slow.

    def test_gpu_out_of_the_nvlink_fabric(self):
        p = self.see(fault("off-fabric", A, 2))
        self.named(p, ("FP-GPU-LINK-SLOW", {"rank": 2, "direction": "both"}),
                   ("FP-NVLINK-NONE", {"host": A}),
                   ("FP-FABRIC-STATE", {"host": A}))

    def test_gpu_slow_to_all(self):
        p = self.see(fault("slow", B, 1, factor=2, via="nvlink"),
                     {"kind": "slow", "to_host": B, "to_gpu": 1, "factor": 2,
                      "via": "nvlink"})
        self.named(p, ("FP-GPU-LINK-SLOW", {"rank": 5, "direction": "both"}))

    def test_gpu_slow_to_send(self):
        p = self.see(fault("slow", B, 1, factor=2, via="nvlink"))
        self.named(p, ("FP-GPU-LINK-SLOW", {"rank": 5, "direction": "tx"}))

    def test_one_direction_of_a_pair(self):
        p = self.see(fault("slow", A, 1, to_host=A, to_gpu=3, factor=3))
        self.named(p, ("FP-GPU-PAIR-SLOW", {"rank": 1, "peer_rank": 3}))

    def test_one_nvlink_of_eighteen(self):
        p = self.see(fault("nvlink-down", B, 1, n=1))
        self.assertEqual(p.said[0], "fault", p.told)
        self.assertTrue(any(f["id"].startswith("FP-NVLINK")
                            and f["locus"]["host"] == B
                            for f in report.faults(p.report)), p.told)

    def test_mig(self):
        p = self.see(fault("mig", A, 0))
        self.assertTrue(any(f["id"] == "FP-GPU-MIG"
                            for f in p.report["findings"]), p.told)

    def test_counter_that_moves(self):
        p = self.see(fault("counter", B, 2, call="ecc-uncorrected", n=3))
        self.assertTrue(any(f["id"] == "FP-GPU-ECC" and f["locus"]["host"] == B
                            for f in p.report["findings"]), p.told)

    def test_replays_name_the_nvlink_of_a_slow_pair(self):
        p = self.see(fault("slow", A, 1, to_host=A, to_gpu=3, factor=3),
                     fault("counter", A, 1, call="nvlink-replay", n=500))
        found = self.named(p, ("FP-GPU-PAIR-SLOW", {"rank": 1,
                                                    "peer_rank": 3}))
        self.evidence(found, "GPU of rank 1 (local0), NVLink 0: ")
        links = [f for f in p.report["findings"]
                 if f["id"] == "FP-NVLINK-ERRORS"]
        self.assertEqual([f["locus"]["device"] for f in links],
                         ["0000:21:00.0/nvlink0"], p.told)
        rose = [g["rank"] for g in p.report["gpus"] if g["rose"]]
        self.assertEqual(rose, [1], p.told)

    def test_xids_of_nvml(self):
        # Of a lost GPU, and of a program whose rank is well.
        p = self.see(fault("cuda", A, 1, call="*", after=3000, code=999),
                     fault("xid", A, 1, code=79, after=5),
                     fault("xid", B, 0, code=31, after=10))
        found = self.named(p, ("FP-GPU-ERROR", {"rank": 1}),
                           ("FP-GPU-LOST", {"host": A,
                                            "device": "GPU1 (0000:21:00.0)"}))
        for f in found:
            self.evidence([f], "GPU of rank 1 (local0): Xid 79 while trial")
        self.assertEqual(
            [(f["severity"], f["locus"]["device"])
             for f in p.report["findings"] if f["id"] == "FP-XID-APPLICATION"],
            [("warn", "GPU0 (0000:11:00.0)")], p.told)
        self.assertEqual({g["rank"]: g["rose"] for g in p.report["gpus"]
                          if g["rose"]}, {1: {"xids/79": 1},
                                          4: {"xids/31": 1}}, p.told)

    def test_heat_explains_a_slow_gpu(self):
        p = self.see(fault("throttle", B, 1, code=0x40),
                     fault("slow-gpu", B, 1, factor=1.5))
        found = self.named(p, ("FP-GPU-SLOW", {"rank": 5}),
                           ("FP-GPU-HOT", {"host": B}))
        for f in found:
            self.evidence([f], "heat, by the hardware; 41 C, "
                               "SM clock 1320 MHz")

    def test_gpu_that_slows_down_under_load(self):
        # Seconds of the modelled clock: twelve of them, hot after eight.
        p = self.see(fault("slow-gpu", B, 1, factor=1.5, busy_s=8),
                     options=["--load", "12s"])
        found = self.named(p, ("FP-GPU-SLOW", {"rank": 5}),
                           ("FP-GPU-HOT", {"host": B}))
        self.evidence(found, "under load: 59.8 TFLOP/s at first, 39.9 "
                             "from second ")
        self.evidence(found, "heat, by the hardware; 88 C")
        for load in p.report["loads"]:
            each = load["each_second_FLOPs"]
            self.assertIn(len(each), (11, 12, 13), p.told)
            self.assertAlmostEqual(each[0] / 6e13, 1, delta=0.02)
            self.assertAlmostEqual(
                each[-1] / 6e13, 1 / 1.5 if load["rank"] == 5 else 1,
                delta=0.02)
        self.assertEqual(len(p.report["loads"]), 8, p.told)
        self.assertIn("load: 8 GPUs for ", p.told)

    # Hot after some more kernels than the load itself has: only the one in
    # the background, beside what is measured, can bring them.
    HOT_LINK = fault("slow", A, 1, to_host=A, to_gpu=3, factor=3, busy_s=3.1)

    def test_link_that_is_slow_when_hot(self):
        p = self.see(self.HOT_LINK, options=["--load", "3s"])
        self.named(p, ("FP-GPU-PAIR-SLOW", {"rank": 1, "peer_rank": 3}))
        self.assertIn("links under load: 8 GPUs, ", p.told)
        self.assertIn(", 41 to 88 C, ", p.told)
        moments = [m for m in p.report["gpus"][1]["series"] if m["bandwidth"]]
        hot = [m for m in moments if m["temperature_C"] == 88]
        self.assertTrue(hot, p.told)
        self.assertTrue(any(b["busbw_Bps"] < 2e11 for m in hot
                            for b in m["bandwidth"]), moments)
        self.assertTrue(all("power_mW" in m and "clock_sm_MHz" in m
                            for m in moments), moments)

    def test_link_that_is_slow_when_hot_and_stays_cold(self):
        p = self.see(self.HOT_LINK)
        self.assertEqual(p.said, ("healthy", 0), p.told)
        self.assertEqual({m["temperature_C"] for g in p.report["gpus"]
                          for m in g["series"]}, {41}, p.told)

    def test_data_that_is_wrong_when_hot(self):
        p = self.see(fault("corrupt", B, 0, to_host=B, to_gpu=2, n=70001,
                           busy_s=2.1), options=["--load", "2s"])
        self.named(p, ("FP-DATA-CORRUPT", {"rank": 4, "peer_rank": 6}))

    def test_clean_under_load(self):
        p = self.see(options=["--load", "5s"])
        self.assertEqual(p.said, ("healthy", 0), p.told)
        self.assertEqual(len(p.report["loads"]), 8, p.told)
        self.assertEqual(self.left, [])

    def test_process_killed_under_load(self):
        # The one that comes after it gets the load, too.
        p = self.see(fault("exit", A, 3, after=50, times=1),
                     options=["--load", "2s"])
        self.named(p, ("FP-WORKER-DIED", {"rank": 3}))
        self.assertEqual(self.left, [])

    def test_nvml_that_does_not_answer(self):
        # Only who watches has this setting from its start.
        p = self.see(fault("hang", A, 2, where="nvml",
                           when="NCCL_HOSTID=" + A))
        self.assertEqual(p.said, ("healthy", 0), p.told)
        self.assertEqual(
            [s["what"] for s in p.report["coverage"]["skipped"]
             if "NVML" in s["why"]],
            ["what 1 GPU counts while it is measured, that of rank 2"])
        self.assertEqual([g["rank"] for g in p.report["gpus"]],
                         [0, 1, 3, 4, 5, 6, 7], p.told)
        self.assertEqual(self.left, [])

    def test_narrow_pcie_and_a_slow_gpu(self):
        p = self.see(fault("pcie", A, 3, n=4),
                     fault("slow-gpu", B, 1, factor=1.5))
        found = self.named(p, ("FP-GPU-PCIE-SLOW", {"rank": 3}),
                           ("FP-GPU-SLOW", {"rank": 5}))
        self.evidence(found, "nccl write")
        self.evidence(found, "copies from the host: 13.8 GB/s")
        self.evidence(found, "multiply-adds: 39.9 TFLOP/s")

    def test_gdr_off_on_one_host(self):
        p = self.see(fault("no-gdr", B))
        self.assertIn(("FP-NCCL-GDR-OFF", B),
                      [(f["id"], f["locus"]["host"])
                       for f in report.faults(p.report)], p.told)

    def test_sockets_on_one_host(self):
        world = doubles.scenario(3, 2, [fault("no-ib", "local2")])
        p = self.run_it(world, "--quick", "--trial-timeout", "3")
        self.assertIn(("FP-NCCL-SOCKET", "local2"),
                      [(f["id"], f["locus"]["host"])
                       for f in report.faults(p.report)], p.told)

    # What is wrong.

    def test_corruption_at_full_speed(self):
        p = self.see(fault("corrupt", B, 0, to_host=B, to_gpu=2, n=70001))
        self.named(p, ("FP-DATA-CORRUPT", {"rank": 4, "peer_rank": 6}))

    def test_peer_access_refused_on_one_pair(self):
        p = self.see(fault("no-p2p", A, 0, to_host=A, to_gpu=3))
        found = self.named(p, ("FP-PAIR-ERROR", {"rank": 0, "peer_rank": 3}))
        self.evidence(found, "P2P is disabled between NVLINK connected GPUs")

    def test_versions_of_nccl(self):
        p = self.see(fault("nccl-version", B, code=22703))
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.evidence(report.faults(p.report), "Mismatched NCCL version")

    def test_two_ranks_on_one_gpu(self):
        p = self.see(env={"CUDA_VISIBLE_DEVICES": "2"})
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.evidence(report.faults(p.report), "Duplicate GPU detected")

    def test_another_order_of_gpus(self):
        p = self.see(fault("off-fabric", A, 2),
                     env={"CUDA_VISIBLE_DEVICES": "3,2,1,0"})
        self.named(p, ("FP-GPU-LINK-SLOW", {"rank": 1}),
                   ("FP-NVLINK-NONE", {"host": A}),
                   ("FP-FABRIC-STATE", {"host": A}))

    # What does not come back.

    def test_hang_in_init(self):
        p = self.see(fault("hang", A, 1, where="init"))
        found = self.named(p, ("FP-GPU-HANG", {"rank": 1}))
        self.evidence(found, "HANG at CONNECT")

    def test_hang_of_a_nic(self):
        # Of a rank that has one partner between hosts: others are found.
        p = self.see(fault("hang", B, 1, where="net"))
        found = self.named(p, ("FP-NIC-DEAD", {"rank": 5}))
        self.evidence(found, "nccl write")

    def test_hang_in_an_all_reduce(self):
        p = self.see(fault("hang", B, 2, where="data", after=3))
        self.named(p, ("FP-GPU-HANG", {"rank": 6}))

    def test_hang_in_abort_too(self):
        p = self.see(fault("hang", A, 1, where="data", after=5),
                     fault("hang", A, 1, where="abort"))
        self.named(p, ("FP-GPU-HANG", {"rank": 1}))
        self.assertEqual(self.left, [], "nothing is left behind")

    def test_worker_that_cannot_be_killed(self):
        p = self.see(fault("hang", A, 2, where="wedged", after=40))
        found = self.named(p, ("FP-WORKER-WEDGED", {"rank": 2}))
        self.evidence(found, "cannot be killed (state T)")

    def test_asynchronous_error(self):
        # How many operations a trial has depends on the machine: in the first.
        p = self.see(fault("async", A, 2, code=3, after=3))
        self.assertEqual(p.said, ("fault", 1), p.told)
        ranks = {f["locus"]["rank"] for f in report.faults(p.report)
                 if f["locus"]["kind"] != "job"}
        self.assertEqual(ranks, {2}, p.told)

    def test_asynchronous_error_between_two_pairs(self):
        p = self.see(fault("async", A, 2, code=3, after=60))
        found = self.named(p, ("FP-RANK-ERROR", {"rank": 2}))
        self.evidence(found, "ncclInternalError of the communicator")

    def test_process_killed(self):
        p = self.see(fault("exit", A, 3, after=50, times=1))
        self.named(p, ("FP-WORKER-DIED", {"rank": 3}))

    def test_gpu_off_the_bus_in_mid_run(self):
        p = self.see(fault("cuda", A, 1, call="*", after=3000, code=999))
        found = self.named(p, ("FP-GPU-ERROR", {"rank": 1}))
        self.evidence(found, "cudaErrorUnknown")
        self.assertFalse([f for f in p.report["findings"]
                          if f["id"].startswith("FP-NCCL")], p.told)

    def test_memory_error_in_mid_run(self):
        p = self.see(fault("cuda", B, 3, call="*", after=2000, code=214))
        found = self.named(p, ("FP-GPU-ERROR", {"rank": 7}))
        self.evidence(found, "ECC error encountered (cudaErrorECCUncorrectable,"
                             " 214)")

    # What is not there: said, and no fault of a link.

    def incomplete(self, p, why):
        self.assertEqual(p.said, ("incomplete", 3), p.told)
        skips = [s for s in p.report["coverage"]["skipped"] if s["missing"]]
        self.assertTrue(any(why in s["why"] for s in skips), p.told)

    def test_no_driver(self):
        self.incomplete(self.see(fault("no-driver")), "no NVIDIA driver")

    def test_no_gpu(self):
        self.incomplete(self.see(fault("no-device", A)), "no GPU is visible")

    def test_fabric_manager_not_started(self):
        p = self.see(fault("cuda", B, call="*", code=802))
        self.incomplete(p, "fabric manager has not started")

    def test_library_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, "libnccl.so.2"), "wb").close()
            p = self.see(env={"LD_LIBRARY_PATH": folder})
        self.incomplete(p, "libnccl.so.2: file too short")

    def test_worker_without_gpu(self):
        p = self.see(options=["--worker", case.PROGRAM + "-worker"])
        self.incomplete(p, "nccl cannot run on rank")


if __name__ == "__main__":
    case.main(3)
