# SPDX-License-Identifier: Apache-2.0
"""Faults of a pair, injected: the right finding at the right place, whichever
way the ranks were started; and a clean twin that stays healthy."""
import fault_case
import inject_case


@fault_case.both_boots
class Inject(inject_case.Pair):

    def test_corrupt(self):
        self.pair("corrupt src=1 dst=3", "FP-DATA-CORRUPT", "CORRUPT")

    def test_hang(self):
        self.pair("hang src=1 dst=3", "FP-PAIR-HANG", "HANG",
                  15 + inject_case.HANG_S)

    def test_drop(self):
        self.pair("drop src=1 dst=3", "FP-PAIR-ERROR", "ERROR")

    def test_two_at_once(self):
        p = self.run_it(4, "--inject", "corrupt src=1 dst=3",
                        "--inject", "hang src=2 dst=0 op=write",
                        measure_s=15 + inject_case.HANG_S)
        self.faulty(p, {"id": "FP-DATA-CORRUPT", "rank": 1, "peer_rank": 3},
                    {"id": "FP-PAIR-HANG", "rank": 2, "peer_rank": 0})

    def test_of_a_rank(self):
        """All that rank 2 sends is changed: the rank, not three pairs."""
        p = self.run_it(4, "--inject", "corrupt src=2")
        self.faulty(p, {"id": "FP-DATA-CORRUPT", "kind": "rank", "rank": 2,
                        "direction": "tx"})


if __name__ == "__main__":
    fault_case.main(3)
