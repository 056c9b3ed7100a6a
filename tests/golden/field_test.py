#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts that people pasted, where a collection of them is at hand: a folder
named by FP_SHARED, or beside the source tree."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import topo_case  # noqa: E402

SOURCE = os.environ.get("FP_SOURCE", os.path.join(HERE, "..", ".."))
SHARED = os.environ.get("FP_SHARED", os.path.join(SOURCE, "..", "shared"))
CASES = os.path.join(SHARED, "cases")

if not os.path.isdir(CASES):
    print("skipped: no collection of field cases is here (FP_SHARED)")
    sys.exit(77)
sys.exit(topo_case.run_all(os.path.join(HERE, "field"), CASES))
