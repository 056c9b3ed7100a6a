# SPDX-License-Identifier: Apache-2.0
"""What NCCL does badly is tried again by plain copies and in other
environments: what runs there tells what is at fault. Several pairs of one
modelled cluster at a time, each with something else wrong."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import doubles  # noqa: E402

A, B = "local0", "local1"
ARMS = ("FP-NCCL-P2P", "FP-NCCL-SHM", "FP-NCCL-LOCAL", "FP-NCCL-GDR",
        "FP-NCCL-IB", "FP-NCCL-HCA", "FP-NCCL-ENV", "FP-NCCL-FEATURE",
        "FP-NCCL-ONLY", "FP-NCCL-INCONCLUSIVE")


def between(kind, src, dst, **more):
    return {"kind": kind, "host": src[0], "gpu": src[1], "to_host": dst[0],
            "to_gpu": dst[1], **more}


class Arms(doubles.Case):

    OPTIONS = ["--xport", "nccl", "--quick"]

    def told(self, p):
        """{(rank, peer): (id, detail)} of what arms tell; job: (-1, -1)."""
        return {(f["locus"]["rank"], f["locus"]["peer_rank"])
                if f["locus"]["kind"] == "pair" else (-1, -1):
                (f["id"], f["detail"]) for f in p.report["findings"]
                if f["id"] in ARMS}

    def see(self, *faults, env=None, options=()):
        return self.run_it(doubles.scenario(2, 4, faults), "--trial-timeout",
                           "3", *options, env=env)

    def test_pairs(self):
        p = self.see(
            between("no-p2p", (A, 0), (A, 3)),
            between("corrupt", (A, 1), (B, 1), via="net", n=7001,
                    unless="NCCL_NET_GDR_LEVEL=LOC"),
            between("corrupt", (A, 2), (B, 2), n=7001),
            between("slow", (B, 2), (B, 0), via="nvlink", factor=20,
                    nccl=True))
        told = self.told(p)
        self.assertEqual(told[(0, 3)],
                         ("FP-NCCL-P2P",
                          "With NCCL_P2P_DISABLE=1 the pair runs"), p.told)
        self.assertEqual(told[(1, 5)][0], "FP-NCCL-GDR", p.told)
        self.assertEqual(told[(2, 6)],
                         ("FP-NCCL-INCONCLUSIVE",
                          "INCONCLUSIVE: the controls fail too"), p.told)
        found = [f for f in p.report["findings"] if f["id"] == "FP-NCCL-P2P"]
        self.assertTrue(any("rank 6" in line for line in found[0]["evidence"]),
                        p.told)
        self.assertEqual(self.left, [])

    def test_settings(self):
        p = self.see(
            between("slow", (B, 2), (B, 0), factor=20, nccl=True),
            between("slow", (A, 2), (A, 1), factor=20, nccl=True,
                    when="NCCL_TUNER_PLUGIN=bad"),
            env={"NCCL_TUNER_PLUGIN": "bad"})
        self.assertEqual(self.told(p), {
            (6, 4): ("FP-NCCL-ONLY", "A plain copy is fine, NCCL is not, "
                     "whatever its settings"),
            (2, 1): ("FP-NCCL-ENV", "A plain copy is fine, NCCL is not: with "
                     "no NCCL_* setting the pair runs faster")}, p.told)

    def test_hang(self):
        p = self.see(between("hang", (B, 2), (B, 0), where="data",
                             via="nvlink"))
        self.assertEqual(self.told(p), {(4, 6): (
            "FP-NCCL-P2P", "A plain copy is fine, NCCL is not: with "
            "NCCL_P2P_DISABLE=1 the pair runs")}, p.told)
        self.assertEqual(self.left, [])

    def test_collective(self):
        p = self.see({"kind": "corrupt", "host": B, "gpu": 1, "n": 70,
                      "where": "collective", "unless": "NCCL_ALGO=Tree"})
        self.assertEqual(self.told(p), {(-1, -1): (
            "FP-NCCL-FEATURE", "With NCCL_ALGO=Tree it runs")}, p.told)

    def test_bisect(self):
        """Whoever takes part, it fails: then settings are tried."""
        faults = [{"kind": "corrupt", "host": A, "gpu": gpu, "n": 70,
                   "where": "collective", "unless": "NCCL_PROTO=Simple"}
                  for gpu in range(2)]
        p = self.run_it(doubles.scenario(1, 2, faults), "bisect")
        found = {f["id"]: f for f in p.report["findings"]}
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.assertEqual(found["FP-COLL-SETTING"]["detail"],
                         "With NCCL_PROTO=Simple it runs", p.told)
        self.assertNotIn("FP-COLL-INTERACTION", found)
        self.assertEqual(self.left, [])

    def own(self, *faults, env):
        """The setting that a bisection names."""
        p = self.run_it(doubles.scenario(1, 2, faults), "bisect",
                        "-T", "3", env=env)
        found = {f["id"]: f for f in p.report["findings"]}
        self.assertEqual(self.left, [])
        return p, found.get("FP-COLL-SETTING", {}).get("detail")

    def test_own_setting_that_hangs(self):
        """One of the job's own settings makes it hang, whoever takes part."""
        hangs = [{"kind": "hang", "host": A, "gpu": gpu, "where": "data",
                  "when": "NCCL_BUFFSIZE=7"} for gpu in range(2)]
        env = {"NCCL_ALGO": "Ring", "NCCL_BUFFSIZE": "7"}
        p, said = self.own(*hangs, env=env)
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.assertEqual(said, "Without NCCL_BUFFSIZE=7 it runs", p.told)
        self.assertIn("without NCCL_ALGO=Ring: fails too", p.told)
        p, said = self.own(*hangs, env=dict(env, NCCL_BUFFSIZE="4194304"))
        self.assertEqual((p.said, said), (("healthy", 0), None), p.told)

    def test_own_settings(self):
        """Two that both must go; one that must go while another must stay."""
        def corrupt(n, **when):
            return [{"kind": "corrupt", "host": A, "gpu": gpu, "n": n,
                     "where": "collective", **when} for gpu in range(2)]
        env = {"NCCL_ALGO": "Ring", "NCCL_BUFFSIZE": "7",
               "NCCL_SOCKET_IFNAME": "lo"}
        p, said = self.own(*corrupt(70, when="NCCL_ALGO=Ring"),
                           *corrupt(90, when="NCCL_BUFFSIZE=7"), env=env)
        self.assertEqual(said, "Without NCCL_ALGO=Ring and NCCL_BUFFSIZE=7 it "
                         "runs", p.told)
        p, said = self.own(*corrupt(70, when="NCCL_ALGO=Ring"),
                           *corrupt(90, unless="NCCL_SOCKET_IFNAME=lo"), env=env)
        self.assertEqual(said, "Without NCCL_ALGO=Ring it runs", p.told)

    # The job's own library.

    def test_own_library(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/libnccl.so.2"
            shutil.copy(doubles.FOLDER + "/libnccl.so.2", path)
            p = self.see(options=("--nccl-lib", path))
            self.assertEqual(p.said, ("healthy", 0), p.told)
            self.assertEqual(self.told(p), {})

    def test_own_library_is_not_there(self):
        p = self.see(options=("--nccl-lib", "/nowhere/libnccl.so.2"))
        self.assertEqual(p.said, ("incomplete", 3), p.told)
        self.assertTrue(any("/nowhere/libnccl.so.2: not on this host"
                            in s["why"]
                            for s in p.report["coverage"]["skipped"]), p.told)


if __name__ == "__main__":
    case.main()
