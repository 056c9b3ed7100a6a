# SPDX-License-Identifier: Apache-2.0
"""Faults of a pair, injected: what is true of each of them."""
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
