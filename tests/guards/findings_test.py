#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every finding of a check has a row in a test of checks, which has a clean
twin by its form."""
import os
import pathlib
import re

ROOT = pathlib.Path(os.environ["FP_SOURCE"])
ID = re.compile(r'"(FP-[A-Z0-9-]+)"')
WANT = re.compile(r"(?:fault|warn|info) (FP-[A-Z0-9-]+)")


def main():
    known = set()
    for name in ("catalogue_links.c", "catalogue_hosts.c"):
        known |= set(ID.findall(
            (ROOT / "probes" / "finding" / name).read_text()))
    assert known, "no finding in the catalogue"
    tested = set()
    for path in (ROOT / "tests" / "unit").glob("check_*_test.c"):
        tested |= set(WANT.findall(path.read_text()))
    missing = sorted(known - tested)
    print(f"{len(known)} findings of checks, without a test: {missing}")
    return 1 if missing else 0


raise SystemExit(main())
