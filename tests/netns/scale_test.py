# SPDX-License-Identifier: Apache-2.0
"""Sixteen hosts at 1 Gbit/s both ways: every directed pair, right to 1 %."""
import statistics

import bed_case
import report

WIRE_BPS = 119.55e6  # goodput of 1 Gbit/s Ethernet with full frames


class Scale(bed_case.BedCase):
    HOSTS = 16

    def test_clean(self):
        result = self.run_it(measure_s=40)
        self.healthy(result)
        matrix = report.matrices(result.report, xport="tcp", op="write")[0]
        values = report.rates(matrix)
        known = report.known(self.folder)
        self.assertEqual(len(values), 240)
        # Where cores were taken away for so long that a rate was not known
        # to 1 % in its time, its outcome says so; then it is near still.
        off = {pair: rate / WIRE_BPS for pair, rate in values.items()
               if abs(rate / WIRE_BPS - 1) > 0.01}
        self.assertEqual([pair for pair in off if pair in known], [], off)
        self.assertEqual([pair for pair, part in off.items()
                          if abs(part - 1) > 0.05], [], off)
        self.assertLess(len(off), len(values) // 20, off)
        median = statistics.median(values.values())
        self.assertLess(abs(median / WIRE_BPS - 1), 0.002)


if __name__ == "__main__":
    bed_case.main()
