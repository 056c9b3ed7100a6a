# SPDX-License-Identifier: Apache-2.0
"""What is measured on the modelled cluster is what the model says, at every
size, pair and direction: all of them differ, so that a swapped index or a
wrong factor shows."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import doubles  # noqa: E402
import report  # noqa: E402

WITHIN = 0.01
FACTOR = {"all_reduce": lambda n: 2 * (n - 1) / n, "broadcast": lambda n: 1,
          "sendrecv": lambda n: 1}


class Rates(doubles.Case):

    def near(self, got, want, what):
        self.assertLess(abs(got / want - 1), WITHIN,
                        "%s: %g instead of %g" % (what, got, want))

    def sweep(self, op, hosts, gpus):
        world = doubles.scenario(hosts, gpus)
        n = hosts * gpus
        p = self.run_it(world, "sweep", "--xport", "nccl", "--op", op, "-b",
                        "96K", "-e", "6M", "-f", "8", "-n", "5")
        self.assertEqual(p.said, ("healthy", 0), p.told)
        model = doubles.Model(world, n)
        rows = p.report["collectives"]
        self.assertEqual(len(rows), 2 * 3, p.told)
        for row in rows:
            what = "%s of %d, in place %s" % (op, row["bytes"],
                                              row["in_place"])
            size = row["bytes"] // (4 * n) * 4 * n \
                if op in ("all_gather", "reduce_scatter") else row["bytes"]
            took = model.collective_s(op, size)
            factor = FACTOR.get(op, lambda n: (n - 1) / n)(n)
            self.near(row["time_s"], took, what)
            self.near(row["busbw_Bps"], size / took * factor, what)
            self.assertEqual(row["wrong_bytes"], 0, what)

    def test_all_reduce(self):
        self.sweep("all_reduce", 2, 4)

    def test_all_reduce_of_an_odd_number(self):
        self.sweep("all_reduce", 1, 5)

    def test_all_gather(self):
        self.sweep("all_gather", 2, 3)

    def test_reduce_scatter(self):
        self.sweep("reduce_scatter", 2, 3)

    def test_broadcast(self):
        self.sweep("broadcast", 2, 2)

    def test_sendrecv(self):
        self.sweep("sendrecv", 1, 4)

    def types(self, op, *options):
        """All is right with other elements; a broken byte would show."""
        world = doubles.scenario(1, 4)
        p = self.run_it(world, "sweep", "--xport", "nccl", "--op", op, "-b",
                        "64K", "-e", "64K", "-n", "3", *options)
        self.assertEqual(p.said, ("healthy", 0), p.told)
        for row in p.report["collectives"]:
            self.assertEqual((row["state"], row["wrong_bytes"]), ("OK", 0))
        return p

    def test_half_precision(self):
        p = self.types("all_reduce", "-d", "half", "-o", "max", "-R", "1")
        self.assertEqual(p.report["settings"]["datatype"], "half")

    def test_bfloat16(self):
        self.types("reduce_scatter", "-d", "bfloat16")

    def test_bytes(self):
        self.types("all_reduce", "-d", "int8", "-o", "min", "-g", "1")

    def test_wrong_half_precision(self):
        world = doubles.scenario(1, 4, [{
            "kind": "corrupt", "host": "local0", "gpu": 2, "n": 4097,
            "where": "collective"}])
        p = self.run_it(world, "sweep", "--xport", "nccl", "-d", "half", "-b",
                        "64K", "-e", "64K", "-n", "3")
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.assertTrue(any(r["wrong_bytes"] for r in
                            p.report["collectives"]), p.told)

    def test_without_a_transport_gpus_are_found(self):
        p = self.run_it(doubles.scenario(1, 4), "sweep", "-b", "64K", "-e",
                        "64K", "-n", "3")
        self.assertEqual(p.report["settings"]["xport"], "nccl", p.told)
        self.assertEqual(p.said, ("healthy", 0), p.told)

    def test_a_probe_finds_gpus_that_nobody_uses(self):
        with doubles.Run(doubles.scenario(1, 2), ["explain", "--probe",
                         "--local", "2", "-T", "5", __file__]) as p:
            p.wait(60)
            saved = report.load(p.saved + "/report.json")
            self.assertEqual(saved["settings"]["xport"], "nccl", p.tell())

    def test_more_ranks_than_gpus_find_none(self):
        p = self.run_it(doubles.scenario(1, 2), "--quick", ranks=3)
        self.assertEqual(p.report["settings"]["xport"], "auto", p.told)

    def test_all_to_all_is_right(self):
        world = doubles.scenario(2, 3)
        p = self.run_it(world, "sweep", "--xport", "nccl", "--op", "alltoall",
                        "-b", "60K", "-e", "60K", "-n", "3")
        self.assertEqual(p.said, ("healthy", 0), p.told)
        for row in p.report["collectives"]:
            self.assertEqual(row["wrong_bytes"], 0)

    def pairs(self, xport, hosts, launch, *options):
        """Every directed pair, against the model."""
        world = doubles.scenario(hosts, 4)
        p = self.run_it(world, "pairs", "--quick", "--xport", xport,
                        "--bytes", "2M", *options)
        self.assertEqual(p.said, ("healthy", 0), p.told)
        model = doubles.Model(world, hosts * 4)
        found = {}
        for m in report.matrices(p.report, xport=xport, op="write"):
            found.update(report.rates(m))
        want = {(s, d) for s in range(model.n) for d in range(model.n)
                if s != d and (hosts == 1 or xport == "nccl"
                               or model.place(s)[0] == model.place(d)[0])}
        self.assertEqual(set(found), want)
        for (s, d), rate in found.items():
            took = model.message_s(s, d, 2 << 20) - launch * world["launch_s"]
            if "--bidirectional" in options and xport == "nccl":
                # A group ends when both of its messages have.
                took = max(took, model.message_s(d, s, 2 << 20))
            self.near(rate, (2 << 20) / took, "%d -> %d" % (s, d))

    def test_pairs_of_nccl(self):
        self.pairs("nccl", 2, 0)

    def test_pairs_of_copies(self):
        self.pairs("cuda", 1, 1)

    def test_pairs_of_copies_both_ways(self):
        self.pairs("cuda", 1, 1, "--bidirectional")

    def test_pairs_both_ways(self):
        self.pairs("nccl", 1, 0, "--bidirectional")


if __name__ == "__main__":
    case.main()
