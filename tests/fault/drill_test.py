# SPDX-License-Identifier: Apache-2.0
"""What drills say: the message, the way, the rank; and rules that do not fit
the job, or never act."""
import unittest

import fault_case
import inject_case
import report


@fault_case.both_boots
class Said(inject_case.Pair):
    test_clean = None  # its command line is that of inject_test.py

    def test_drop_says_why(self):
        p = self.run_it(4, "--inject", "drop src=1 dst=3")
        self.faulty(p, {"id": "FP-PAIR-ERROR", "rank": 1, "peer_rank": 3,
                        "direction": "tx"})
        self.assertIn("dropped by an injected fault",
                      " ".join(p.report["findings"][0]["evidence"]))

    def test_hang_of_a_sender(self):
        """The rank, not its pairs; and nobody waits for it twice over."""
        p = self.run_it(4, "--inject", "hang src=1", measure_s=15 + inject_case.HANG_S)
        self.faulty(p, {"id": "FP-RANK-HANG", "kind": "rank", "rank": 1,
                        "direction": "tx"})
        self.told_transport(p)
        for m in report.matrices(p.report, op="latency"):
            self.assertNotIn("HANG", report.cells(m).values(), p.told)
        self.assertIn("ran without rank 1", p.told)


class Drill(fault_case.FaultCase, unittest.TestCase):
    """Rules that do not fit the job, or never act."""

    BOOT = "local"

    def test_no_such_rank(self):
        for rule, word in (("slow src=4 dst=3 factor=2", "src=4"),
                           ("corrupt src=1 dst=9", "dst=9"),
                           ("die rank=4", "rank=4")):
            with self.start(4, "--inject", rule) as p:
                self.assertEqual(p.wait(fault_case.START_S), 2, p.tell())
                self.assertIn("--inject", p.err)
                self.assertIn(word + ": this job has ranks 0 to 3", p.err)
                self.clean(p)

    def test_never_acts(self):
        rules = ("corrupt src=0 dst=1 min=1G", "hang src=1 from=1000",
                 "die rank=0 after=100000")
        p = self.run_it(2, *(word for rule in rules
                             for word in ("--inject", rule)))
        self.healthy(p)
        idle = [f for f in p.report["findings"] if f["id"] == "FP-DRILL-IDLE"]
        self.assertEqual([f["severity"] for f in idle], ["warn"], p.told)
        self.assertEqual(sorted(idle[0]["evidence"]),
                         sorted("never acted: " + rule for rule in rules))

    def test_acts(self):
        """Also a rule whose worker cannot tell any more."""
        p = self.run_it(3, "--inject", "die rank=0 after=3", "--inject",
                        "corrupt src=1 dst=2", measure_s=25)
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.assertNotIn("FP-DRILL-IDLE", [f["id"] for f in
                                           p.report["findings"]], p.told)


if __name__ == "__main__":
    fault_case.main(3)
