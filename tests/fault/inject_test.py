# SPDX-License-Identifier: Apache-2.0
"""Faults of a pair, injected: the right finding at the right place, whichever
way the ranks were started; and a clean twin that stays healthy."""
import fault_case
import report

HANG_S = 4 * fault_case.TRIAL_TIMEOUT_S


class Pair(fault_case.FaultCase):

    def pair(self, inject, finding, state, measure_s=15, **which):
        """The finding is at 1 -> 3, and the pair's cells have that state."""
        p = self.run_it(4, "--inject", inject, measure_s=measure_s)
        self.faulty(p, {"id": finding, "kind": "pair", "rank": 1,
                        "peer_rank": 3})
        for m in report.matrices(p.report, op="write", **which):
            self.assertEqual(report.cells(m)[1, 3], state, p.told)

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
