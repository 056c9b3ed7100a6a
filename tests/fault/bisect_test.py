# SPDX-License-Identifier: Apache-2.0
"""fabricprobe bisect: by whom a collective hangs, in the run that it hangs in."""
import unittest

import fault_case
import case
import report


@fault_case.both_boots
class Bisect(fault_case.FaultCase):
    """Ranks of one host, or that look like several."""

    OPTIONS = ["bisect", "--no-progress", "-T", "2", "--lost-after", "3"]

    def bisect(self, n, *options):
        # A hang costs its time-out, and up to eight groups hang.
        return self.run_it(n, *options, measure_s=15 + 8 * 2)

    def test_clean(self):
        p = self.bisect(4)
        self.healthy(p)
        self.assertEqual([f["id"] for f in p.report["findings"]],
                         ["FP-APPLICATION"])
        self.assertIn("Look at the application", p.told)

    def test_one_rank(self):
        p = self.bisect(4, "--inject", "hang src=2")
        self.faulty(p, {"id": "FP-COLL-CULPRIT", "kind": "rank", "rank": 2})


class Sets(Bisect, unittest.TestCase):
    """What does not depend on how the ranks were started."""

    BOOT = "local"
    test_clean = test_one_rank = None

    def test_suspects_first(self):
        p = self.bisect(4, "--suspects", "3", "--inject", "hang src=3")
        self.faulty(p, {"id": "FP-COLL-CULPRIT", "kind": "rank", "rank": 3})

    def test_two_ranks(self):
        p = self.bisect(6, "--inject", "hang src=1", "--inject", "hang src=4")
        self.faulty(p, {"id": "FP-COLL-CULPRIT", "rank": 1},
                    {"id": "FP-COLL-CULPRIT", "rank": 4})

    def test_a_rank_of_a_host(self):
        p = self.bisect(6, "--local-hosts", "3", "--inject", "hang src=5")
        self.faulty(p, {"id": "FP-COLL-CULPRIT", "kind": "rank", "rank": 5})

    def test_two_together(self):
        p = self.bisect(4, "--inject", "hang src=1 dst=2")
        self.faulty(p, {"id": "FP-COLL-INTERACTION", "kind": "pair",
                        "rank": 1, "peer_rank": 2})

    @case.alone
    def test_slow_rank(self):
        # What this rank sends arrives at 1/100 of its rate: 4 to 57 MB/s on
        # hosts idle to busy, where the others do 195 to 1342.
        p = self.bisect(4, "--quick", "-T", "20", "--floor", "100MB/s",
                        "--inject", "slow src=2 factor=100")
        self.faulty(p, {"id": "FP-COLL-CULPRIT", "kind": "rank", "rank": 2})
        self.assertIn("below 100.0 MB/s counts as failed", p.told)

    def test_setting(self):
        with self.start(3, "--inject", "hang xport=shm") as p:
            p.wait(fault_case.START_S + 31 + fault_case.END_S)
            live = report.load(p.json)
            with fault_case.Local([case.PROGRAM, "report", p.saved,
                                   "--format", "json"]) as again:
                again.wait(fault_case.END_S)
                said = again.tell()
        found = report.faults(live)
        self.assertEqual([f["id"] for f in found], ["FP-COLL-SETTING"])
        self.assertEqual(found[0]["detail"], "With --xport tcp it runs")
        self.assertIn("With --xport tcp it runs", said)

    def test_wrong_suspect(self):
        p = self.bisect(4, "--suspects", "nobody")
        self.assertEqual(p.status, 2, p.told)

    def test_replay_says_the_same(self):
        with self.start(4, "--inject", "hang src=0") as p:
            p.wait(fault_case.START_S + 31 + fault_case.END_S)
            live = report.load(p.json)
            with fault_case.Local([case.PROGRAM, "report", p.saved,
                                   "--format", "json"]) as again:
                again.wait(fault_case.END_S)
                said = again.tell()
        self.assertEqual([f["id"] for f in report.faults(live)],
                         ["FP-COLL-CULPRIT"])
        self.assertIn('"FP-COLL-CULPRIT"', said)
        self.assertNotIn('"FP-COLL-HANG"', said)


if __name__ == "__main__":
    fault_case.main(3)
