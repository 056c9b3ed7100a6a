# SPDX-License-Identifier: Apache-2.0
"""fabricprobe on four soft-RoCE HCAs: nothing wrong, and each thing wrong."""
import vm_case


class Clean(vm_case.VmCase):
    def test_clean(self):
        self.healthy(self.run_it())


if __name__ == "__main__":
    vm_case.main(240)
