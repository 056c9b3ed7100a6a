# SPDX-License-Identifier: Apache-2.0
"""What scripts/test says of skipped tests: their reasons, and no failure."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/lib/skips.py"

RESULTS = """<testsuite>
<testcase name="skips" status="notrun">
<skipped message="SKIP_RETURN_CODE=77"/>
<system-out>one
skipped: no clang
</system-out></testcase>
<testcase name="silent" status="notrun">
<skipped message="SKIP_RETURN_CODE=77"/><system-out></system-out></testcase>
<testcase name="absent" status="notrun">
<skipped message="Unable to find executable"/></testcase>
<testcase name="broken" status="fail"><failure message=""/>
<system-out>bad</system-out></testcase>
<testcase name="good" status="run"><system-out>fine</system-out></testcase>
</testsuite>
"""
EXPECTED = """
2 tests were skipped:
  skips: no clang
  silent: gave no reason
"""


def said(results):
    with tempfile.TemporaryDirectory(prefix="fp-skips-") as folder:
        path = pathlib.Path(folder) / "tests.xml"
        path.write_text(results)
        return subprocess.run([sys.executable, SCRIPT, path], check=True,
                              capture_output=True, text=True).stdout


assert said(RESULTS) == EXPECTED, said(RESULTS)
assert said("<testsuite/>") == "", said("<testsuite/>")
