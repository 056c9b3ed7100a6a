# SPDX-License-Identifier: Apache-2.0
"""Slow, policed and lossy links: the right place and the right direction."""
import bed_case
import report

WIRE_BPS = 119.55e6  # goodput of 1 Gbit/s Ethernet with full frames


class Rates(bed_case.BedCase):
    HOSTS = 6

    def test_clean(self):
        result = self.run_it()
        self.healthy(result)
        for m in report.matrices(result.report, xport="tcp", op="write"):
            values = report.rates(m)
            self.assertEqual(len(values), 30)
            for pair, rate in values.items():
                self.assertAlmostEqual(rate / WIRE_BPS, 1, delta=0.01,
                                       msg="%s: %g" % (pair, rate))

    def test_slow_receive(self):
        self.bed.limit("h3", rx=900)
        self.faulty(self.run_it(), {"id": "FP-NIC-RX-SLOW", "host": "h3",
                                    "direction": "rx"})

    def test_slow_send(self):
        self.bed.limit("h4", tx=750)
        self.faulty(self.run_it(), {"id": "FP-NIC-TX-SLOW", "host": "h4",
                                    "direction": "tx"})

    def test_policed_pair(self):
        self.bed.police(500, "h2", "h5")
        self.faulty(self.run_it(), {"id": "FP-PAIR-SLOW", "host": "h2",
                                    "peer_host": "h5", "direction": "tx"})

    def test_jitter(self):
        """Every 25th message of 64 KiB, or so, is held back for 30 ms."""
        self.faulty(self.run_it("--bytes", "64K", "--inject",
                                "jitter src=2 dst=4 ms=30 p=0.04 op=write"),
                    {"id": "FP-PAIR-JITTER", "host": "h2",
                     "peer_host": "h4", "direction": "tx"})

    def test_corrupt(self):
        self.faulty(self.run_it("--inject", "corrupt dst=1"),
                    {"id": "FP-DATA-CORRUPT", "host": "h1",
                     "direction": "rx"})

    def test_two_at_once(self):
        self.bed.limit("h1", rx=850)
        self.bed.police(500, "h2", "h4")
        self.faulty(self.run_it(),
                    {"id": "FP-NIC-RX-SLOW", "host": "h1", "direction": "rx"},
                    {"id": "FP-PAIR-SLOW", "host": "h2", "peer_host": "h4"})


class Loss(bed_case.BedCase):
    """Without offloads, so that what is dropped are packets, not trains."""

    HOSTS = 6
    BED = {"offload": False}

    def test_clean(self):
        self.healthy(self.run_it())

    def test_loss(self):
        self.bed.lose(10, dst="h3")
        self.faulty(self.run_it(measure_s=20),
                    {"id": "FP-NIC-LOSS", "host": "h3", "direction": "rx"})


if __name__ == "__main__":
    bed_case.main()
