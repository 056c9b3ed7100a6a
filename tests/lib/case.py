# SPDX-License-Identifier: Apache-2.0
"""Test cases that skip with a reason, and exit 77 when all of them did."""
import os
import sys
import unittest

import beside

SOURCE = os.environ.get("FP_SOURCE") or os.path.normpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PROGRAM = os.environ.get("FABRICPROBE") or SOURCE + "/build/fabricprobe"
WRAPPER = SOURCE + "/scripts/fabricprobe-run"
MPIRUN = os.environ.get("MPIRUN") or "mpirun"
MPI_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1",
           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1"}


# Cases that take long and whose kind a shorter one tries.
long = unittest.skipUnless(os.environ.get("FABRICPROBE_LONG"),
                           "FABRICPROBE_LONG=1 runs it: it takes long")


alone = beside.alone


def main(width=1):
    """
    Run the cases of the calling script, @width of them side by side but for
    those that are @alone; exit status as ctest wants it.
    """
    program = unittest.main(
        module="__main__", exit=False, verbosity=2,
        testRunner=beside.Runner(width) if width > 1 else None)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    reasons = {reason for _, reason in result.skipped}
    if result.skipped and len(result.skipped) >= result.testsRun:
        print("skipped: " + "; ".join(sorted(reasons)), flush=True)
        sys.exit(77)
    sys.exit(0)
