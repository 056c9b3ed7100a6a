# SPDX-License-Identifier: Apache-2.0
"""What every transport must do, by verbs, on a soft-RoCE HCA."""
import os
import subprocess
import unittest

import vm_case
from vm_case import case


class Transport(unittest.TestCase):
    def test_contract(self):
        program = os.path.join(
            os.environ.get("FP_PROGS") or case.SOURCE + "/build/tests",
            "unit/xport_verbs_test")
        done = subprocess.run([program], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=240,
                              universal_newlines=True)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip().splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    vm_case.main(240)
