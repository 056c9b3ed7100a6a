# SPDX-License-Identifier: Apache-2.0
"""Links that pass nothing: one way, of a pair or of a host, from the start or
in mid-run. Control traffic has a network of its own here."""
import bed_case
import report

# A hang costs a run the deadline of its trial, and those of its retest and of
# the trials of what is inside the pair's direction; not one for each pair.
HANG_S = 4 * bed_case.TRIAL_TIMEOUT_S


class Dead(bed_case.BedCase):
    HOSTS = 5
    BED = {"control": True}
    OPTIONS = ["--quick", "--netdev", "eth0", "--control-if", "eth1"]

    def one_way(self, result):
        self.faulty(result, {"id": "FP-PAIR-BLACKHOLE", "host": "h2",
                             "peer_host": "h3", "direction": "tx"})

    @bed_case.case.alone
    def test_clean(self):
        self.healthy(self.run_it())

    def test_black_hole_from_the_start(self):
        self.bed.drop("h2", "h3")
        self.one_way(self.run_it(measure_s=10 + HANG_S))

    def test_black_hole_in_mid_run(self):
        act = self.once_begun(lambda: self.bed.drop("h2", "h3"),
                              src=2, dst=3)
        self.one_way(self.run_it("--trial-time", "0.5", act=act,
                                 measure_s=20 + HANG_S))

    def test_port_down_in_mid_run(self):
        act = self.once_begun(lambda: self.bed.port("h3", "down"), dst=3)
        result = self.run_it("--trial-time", "0.5", act=act,
                             measure_s=20 + HANG_S)
        self.faulty(result, {"id": "FP-NIC-DEAD", "host": "h3",
                             "netdev": "eth0"})
        self.assertEqual(result.report["exclude_hosts"], ["h3"])

    def test_deaf_host(self):
        """Nothing that is sent to it arrives; what it sends does."""
        self.bed.drop(dst="h1")
        self.faulty(self.run_it(measure_s=10 + HANG_S),
                    {"id": "FP-NIC-RX-DEAD", "host": "h1",
                     "direction": "rx"})

    @bed_case.case.alone
    def test_dead_and_slow(self):
        self.bed.drop("h2", "h3")
        self.bed.limit("h4", tx=700)
        self.faulty(self.run_it(measure_s=10 + HANG_S),
                    {"id": "FP-PAIR-BLACKHOLE", "host": "h2",
                     "peer_host": "h3", "direction": "tx"},
                    {"id": "FP-NIC-TX-SLOW", "host": "h4"})


class DeadMtu(bed_case.BedCase):
    """9000-byte hosts behind a switch port of 1500 bytes, no offloads."""

    HOSTS = 4
    BED = {"control": True, "mtu": 9000, "offload": False}
    OPTIONS = Dead.OPTIONS

    def test_clean(self):
        self.healthy(self.run_it())

    def test_port_of_1500(self):
        self.bed.port_mtu("h2", 1500)
        result = self.run_it(measure_s=15 + HANG_S)
        self.faulty(result, {"id": "FP-NIC-MTU", "host": "h2"})
        for m in report.matrices(result.report, op="latency"):
            for state in report.cells(m).values():
                self.assertIn(state, ("OK", "NOTRUN"))


if __name__ == "__main__":
    bed_case.main(2)
