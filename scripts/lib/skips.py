# SPDX-License-Identifier: Apache-2.0
"""Lists the tests that ctest's JUnit files call skipped, each with the last
line that it printed: its reason."""
import sys
import xml.etree.ElementTree


def skipped(path):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        how = case.find("skipped")
        # "notrun" is also what could not be started: a failure
        if how is None or "SKIP_" not in how.get("message", ""):
            continue
        said = (case.findtext("system-out") or "").strip().splitlines()
        why = said[-1] if said else "gave no reason"
        yield case.get("name"), why.removeprefix("skipped: ")


def main():
    rows = [row for path in sys.argv[1:] for row in skipped(path)]
    if rows:
        print(f"\n{len(rows)} tests were skipped:")
    for name, why in rows:
        print(f"  {name}: {why}")


main()
