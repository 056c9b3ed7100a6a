# SPDX-License-Identifier: Apache-2.0
"""Faults of a pair, injected: the right finding at the right place, whichever
way the ranks were started; and a clean twin that stays healthy."""
import unittest

import fault_case
import report

# A pair: once, again, and over the other transport; a rank: with two partners.
HANG_S = 4 * fault_case.TRIAL_TIMEOUT_S


class Pair(fault_case.FaultCase):

    def pair(self, inject, finding, state, measure_s=15, **which):
        """The finding is at 1 -> 3, and the pair's cells have that state."""
        p = self.run_it(4, "--inject", inject, measure_s=measure_s)
        self.faulty(p, {"id": finding, "kind": "pair", "rank": 1,
                        "peer_rank": 3, "direction": "tx"})
        self.told_transport(p)
        for m in report.matrices(p.report, op="write", **which):
            self.assertEqual(report.cells(m)[1, 3], state, p.told)

    def told_transport(self, p):
        """Every line of evidence says what was run, and over what."""
        for line in p.report["findings"][0]["evidence"]:
            self.assertRegex(line, "shm|tcp|udp", p.told)

    def test_clean(self):
        self.healthy(self.run_it(4))


@fault_case.both_boots
class Inject(Pair):

    def test_corrupt(self):
        self.pair("corrupt src=1 dst=3", "FP-DATA-CORRUPT", "CORRUPT")

    def test_hang(self):
        self.pair("hang src=1 dst=3", "FP-PAIR-HANG", "HANG", 15 + HANG_S)

    def test_drop(self):
        self.pair("drop src=1 dst=3", "FP-PAIR-ERROR", "ERROR")

    def test_drop_says_why(self):
        p = self.run_it(4, "--inject", "drop src=1 dst=3")
        self.faulty(p, {"id": "FP-PAIR-ERROR", "rank": 1, "peer_rank": 3,
                        "direction": "tx"})
        self.assertIn("dropped by an injected fault",
                      " ".join(p.report["findings"][0]["evidence"]))

    def test_jitter(self):
        """Messages wait now and then: no hang, and the way is kept."""
        self.pair("jitter src=1 dst=3 ms=20", "FP-PAIR-JITTER", "SLOW",
                  xport="shm")

    def test_hang_of_a_sender(self):
        """The rank, not its pairs; and nobody waits for it twice over."""
        p = self.run_it(4, "--inject", "hang src=1", measure_s=15 + HANG_S)
        self.faulty(p, {"id": "FP-RANK-HANG", "kind": "rank", "rank": 1,
                        "direction": "tx"})
        self.told_transport(p)
        for m in report.matrices(p.report, op="latency"):
            self.assertNotIn("HANG", report.cells(m).values(), p.told)
        self.assertIn("ran without rank 1", p.told)

    def test_two_at_once(self):
        p = self.run_it(4, "--inject", "corrupt src=1 dst=3",
                        "--inject", "hang src=2 dst=0 op=write",
                        measure_s=15 + HANG_S)
        self.faulty(p, {"id": "FP-DATA-CORRUPT", "rank": 1, "peer_rank": 3},
                    {"id": "FP-PAIR-HANG", "rank": 2, "peer_rank": 0})

    def test_of_a_rank(self):
        """All that rank 2 sends is changed: the rank, not three pairs."""
        p = self.run_it(4, "--inject", "corrupt src=2")
        self.faulty(p, {"id": "FP-DATA-CORRUPT", "kind": "rank", "rank": 2,
                        "direction": "tx"})


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


@fault_case.both_boots
class Steady(Pair):
    """Rates, on a loopback that has one."""

    SHAPED = True
    OPTIONS = fault_case.FaultCase.OPTIONS + ["--xport", "tcp"]

    def test_slow(self):
        self.pair("slow src=1 dst=3 factor=3 op=write", "FP-PAIR-SLOW",
                  "SLOW")


if __name__ == "__main__":
    fault_case.main()
