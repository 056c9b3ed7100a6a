# SPDX-License-Identifier: Apache-2.0
"""Faults that are a matter of speed: what is slow, what comes late now and
then. They run alone, since others on the same cores change what is measured."""
import fault_case
import inject_case
import report


@fault_case.both_boots
class Steady(inject_case.Pair):
    """Rates, on a loopback that has one."""

    SHAPED = True
    OPTIONS = fault_case.FaultCase.OPTIONS + ["--xport", "tcp"]

    def test_slow(self):
        self.pair("slow src=1 dst=3 factor=3 op=write", "FP-PAIR-SLOW",
                  "SLOW")


@fault_case.both_boots
class Jitter(fault_case.FaultCase):

    def test_jitter(self):
        """Messages wait now and then: it is no hang, of nobody."""
        p = self.run_it(4, "--inject", "jitter src=1 dst=3 ms=20",
                        measure_s=40)
        self.assertEqual(p.said, ("fault", 1), p.told)
        found = report.faults(p.report)
        self.assertEqual([f["id"] for f in found], ["FP-PAIR-JITTER"], p.told)
        self.assertEqual({found[0]["locus"]["rank"],
                          found[0]["locus"]["peer_rank"]}, {1, 3}, p.told)


if __name__ == "__main__":
    fault_case.main()
