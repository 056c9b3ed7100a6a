# SPDX-License-Identifier: Apache-2.0
"""Hosts with two HCAs each, which one rank measures one by one."""
import vm_case
from vm_case import report, rig


class Rails(vm_case.VmCase):
    """Rail 0 is rxe0, rxe1 and rxe2, one a host; rail 1 rxe3, rxe4, rxe5."""

    RANKS = 3
    RAILS = 2

    def test_clean(self):
        result = self.run_it()
        self.healthy(result)
        self.assertEqual([m["rail"] for m in result["matrices"]], [0, 1],
                         result["told"])

    def test_shaped(self):
        """One of a host's two is slow: that one is named, the other not."""
        rig.toward(4, "rate 8mbit")
        result = self.run_it()
        self.faulty(result, ("FP-PORT-RX-SLOW", "rxe4/1", "rx"))
        self.assertIn("rail 1: h0 -> h1, h2 -> h1", result["told"])

    def test_down(self):
        """The host's other one goes on, and all of its pairs are fine."""
        rig.link(4, "down")
        result = self.run_it()
        self.faulty(result, ("FP-PORT-DOWN", "rxe4/1", None))
        good = [m for m in result["matrices"] if m["rail"] == 0][0]
        self.assertEqual({good["states"][i][j] for i in range(3)
                          for j in range(3) if i != j}, {"OK"},
                         result["told"])
        self.assertEqual(report.faults(result)[0]["locus"]["host"], "h1")


if __name__ == "__main__":
    vm_case.main(300, hcas=6)
