# SPDX-License-Identifier: Apache-2.0
"""Trouble on the way: slow, lossy, silent, down, and what recovers."""
import subprocess
import time

import vm_case
from vm_case import rig


class Pairs(vm_case.VmCase):
    def test_clean(self):
        self.healthy(self.run_it())

    def test_clean_by_read_and_send(self):
        for op in ("read", "send"):
            with self.subTest(op):
                self.healthy(self.run_it("--rdma-op", op))

    def test_shaped_read(self):
        """Who asks for data is not at fault for it: its way is."""
        rig.toward(2, "rate 8mbit")
        self.faulty(self.run_it("--rdma-op", "read"),
                    ("FP-PORT-RX-SLOW", "rxe2/1", "rx"))

    def test_shaped(self):
        """What HCA 2 receives is limited to a fraction of the rest."""
        rig.toward(2, "rate 8mbit")
        self.faulty(self.run_it(), ("FP-PORT-RX-SLOW", "rxe2/1", "rx"))

    def test_foreign_traffic(self):
        """Others send to HCA 2 in all of the run: told, and not its fault."""
        with rig.foreign(2):
            result = self.run_it()
        self.faulty(result)
        found = [f for f in result["findings"]
                 if f["id"] == "FP-PORT-FOREIGN"]
        self.assertEqual({f["locus"]["device"] for f in found}, {"rxe2/1"},
                         result["told"])

    def test_foreign_traffic_for_a_while(self):
        """What they spoiled is measured again, and then is fine."""
        def act(p):
            self.await_trials(p, 1)
            with rig.foreign(2):
                self.await_trials(p, 5)  # of a round that began with it
        result = self.run_it(act=act)
        self.healthy(result)
        self.assertIn("FP-PORT-FOREIGN",
                      {f["id"] for f in result["findings"]}, result["told"])

    def test_loss(self):
        rig.toward(2, "loss 1%")
        self.faulty(self.run_it(), ("FP-PORT-RX-LOSSY", "rxe2/1", "rx"))

    def test_delay(self):
        rig.toward(1, "delay 20ms")
        result = self.run_it("--op", "latency", "--bytes", "8")
        self.faulty(result, ("FP-PAIR-LATENCY", "rxe1/1", "both"))

    def test_port_down(self):
        rig.link(1, "down")
        self.faulty(self.run_it(), ("FP-PORT-DOWN", "rxe1/1", None))

    def test_port_down_in_mid_run(self):
        def then():
            rig.link(1, "down")
        self.faulty(self.run_it(act=self.once_begun(then)),
                    ("FP-PORT-DOWN", "rxe1/1", None))

    def test_flap(self):
        """Down for 0.3 s: a warning at most."""
        def then():
            rig.link(1, "down")
            time.sleep(0.3)
            rig.link(1, "up")
            rig.ip(*rig.routes(1))
        result = self.run_it(act=self.once_begun(then))
        self.healthy(result)
        self.assertLessEqual({f["id"] for f in result["findings"]},
                             {"FP-LINK-FLAP", "FP-CONTROL-SHARED"},
                             result["told"])

    def test_black_hole(self):
        def then():
            rig.black_hole(3)
        self.faulty(self.run_it(act=self.once_begun(then)),
                    ("FP-HCA-DEAD", "rxe3/1", "both"))

    def test_two_at_once(self):
        rig.toward(2, "rate 8mbit")
        rig.link(1, "down")
        self.faulty(self.run_it(), ("FP-PORT-DOWN", "rxe1/1", None),
                    ("FP-PORT-RX-SLOW", "rxe2/1", "rx"))

    def test_removed_in_use(self):
        """The device stays until it is left; the run goes on with it."""
        left = []

        def then():
            left.append(subprocess.Popen(["rdma", "link", "del", "rxe3"]))
        self.healthy(self.run_it(act=self.once_begun(then)))
        self.assertEqual(left[0].wait(30), 0)
        self.assertEqual(rig.count(), vm_case.HCAS - 1)
        rig.add(3)


if __name__ == "__main__":
    vm_case.main(600)
