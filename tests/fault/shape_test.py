# SPDX-License-Identifier: Apache-2.0
"""Jobs of every shape: odd, one rank, one pair, unequal hosts; clean ones, and
faults where the shape is odd."""
import unittest

import fault_case
import report


@fault_case.both_boots
class Shape(fault_case.FaultCase):

    def test_odd(self):
        for n in (3, 5):
            p = self.run_it(n)
            self.healthy(p)
            self.assertEqual(p.report["coverage"]["pairs_measured"],
                             n * (n - 1))

    def test_odd_with_a_fault(self):
        p = self.run_it(5, "--inject", "corrupt src=4 dst=0")
        self.faulty(p, {"id": "FP-DATA-CORRUPT", "rank": 4, "peer_rank": 0})

    def test_one_pair(self):
        self.healthy(self.run_it(2))

    def test_one_rank(self):
        p = self.run_it(1)
        self.assertEqual(p.said, ("incomplete", 3), p.told)
        self.assertIn("--local", p.told)
        self.assertEqual(report.faults(p.report), [])


class Unequal(fault_case.FaultCase, unittest.TestCase):
    """Ranks that look like several hosts with different numbers of them."""

    BOOT = "local"

    def test_clean(self):
        p = self.run_it(5, "--local-hosts", "2")
        self.healthy(p)
        self.assertEqual([len(h["ranks"]) for h in p.report["job"]["hosts"]],
                         [3, 2])

    def test_hang_across_paths(self):
        """One partner inside the host and one outside: it is the rank."""
        p = self.run_it(4, "--local-hosts", "2", "--inject", "hang src=1",
                        measure_s=15 + 4 * fault_case.TRIAL_TIMEOUT_S)
        self.faulty(p, {"id": "FP-RANK-HANG", "kind": "rank", "rank": 1,
                        "direction": "tx"})

    def test_address_of_nobody(self):
        """What could not run was not looked at."""
        p = self.run_it(2, "--addr", "192.0.2.77")
        self.healthy(p)
        looked, *rest = " ".join(p.told.split()).partition("looked at: ")[
            2].partition(" checked: ")
        self.assertIn("shm write", looked)
        self.assertNotIn("tcp", looked)
        self.assertIn("192.0.2.77", "".join(rest))

    def test_with_a_fault(self):
        p = self.run_it(7, "--local-hosts", "3", "--inject", "corrupt src=6")
        self.faulty(p, {"id": "FP-DATA-CORRUPT", "rank": 6,
                        "direction": "tx"})


if __name__ == "__main__":
    fault_case.main(3)
