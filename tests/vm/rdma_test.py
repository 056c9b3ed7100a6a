# SPDX-License-Identifier: Apache-2.0
"""fabricprobe on four soft-RoCE HCAs: nothing wrong, and each thing wrong."""
import vm_case
from vm_case import rig


class Pairs(vm_case.VmCase):
    def test_clean(self):
        self.healthy(self.run_it())

    def test_shaped(self):
        """What HCA 2 receives is limited to a fraction of the rest."""
        rig.toward(2, "rate 8mbit")
        self.faulty(self.run_it(), ("FP-PORT-RX-SLOW", "rxe2/1", "rx"))

    def test_port_down(self):
        rig.link(1, "down")
        self.faulty(self.run_it(), ("FP-PORT-DOWN", "rxe1/1", None))

    def test_black_hole(self):
        def then():
            rig.black_hole(3)
        self.faulty(self.run_it(act=self.once_begun(then)),
                    ("FP-HCA-DEAD", "rxe3/1", "both"))


if __name__ == "__main__":
    vm_case.main(300)
