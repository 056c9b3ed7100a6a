#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drawings of hosts whose files are made for this: each as it was before."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import topo_case  # noqa: E402

FOLDER = os.path.join(HERE, "trees")
sys.exit(topo_case.run_all(FOLDER, FOLDER))
