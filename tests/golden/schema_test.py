#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON reports against the schema, and the schema against bad reports."""
import copy
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skip: python3-jsonschema is not installed")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("FP_SOURCE", os.path.join(HERE, "..", ".."))
SCHEMA = os.path.join(SOURCE, "probes", "report", "report.schema.json")
REPORTS = os.path.join(SOURCE, "tests", "golden", "report")

# What a broken renderer might write: where, and what instead (None: nothing).
BROKEN = [
    (["schema"], "fabricprobe-report/2"),
    (["verdict"], "good"),
    (["exit"], 2),
    (["elapsed_s"], None),
    (["job", "ranks", 0, "host"], 7),
    (["coverage", "pairs_total"], -1),
    (["coverage", "skipped", 0, "why"], None),
    (["matrices", 0, "unit"], "MB/s"),
    (["matrices", 0, "states", 0, 1], "FINE"),
    (["matrices", 0, "cells", 0, 1], "119"),
    (["matrices", 0, "states"], None),
    (["matrices", 0, "sparse"], []),
    (["findings", 0, "id"], "NIC-RX-SLOW"),
    (["findings", 0, "severity"], "bad"),
    (["findings", 0, "confidence"], 1.5),
    (["findings", 0, "locus", "direction"], "up"),
    (["findings", 0, "next"], ""),
    (["exclude_hosts"], ["h3", "h3"]),
    (["surprise"], 1),
]


def load(path):
    """Strictly: NaN and Infinity are no JSON."""
    def refuse(word):
        raise ValueError(word + " in " + path)
    with open(path, encoding="utf-8") as text:
        return json.load(text, parse_constant=refuse)


def changed(report, where, value):
    report = copy.deepcopy(report)
    at = report
    for step in where[:-1]:
        at = at[step]
    if value is None:
        del at[where[-1]]
    else:
        at[where[-1]] = value
    return report


def live_report():
    """One of the program itself, where it has been built."""
    program = os.environ.get("FABRICPROBE")
    if not program or not os.access(program, os.X_OK):
        return None
    done = subprocess.run([program, "--local", "2", "--quick",
                           "--no-progress", "--json", "-"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=60, check=False)
    return json.loads(done.stdout.decode())


def main():
    schema = load(SCHEMA)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    names = sorted(n for n in os.listdir(REPORTS) if n.endswith(".json"))
    assert names, "no reports in " + REPORTS
    reports = {name: load(os.path.join(REPORTS, name)) for name in names}
    live = live_report()
    if live is None:
        print("no program: only saved reports are checked")
    else:
        reports["of this build"] = live
    failed = 0
    for name, report in reports.items():
        for error in validator.iter_errors(report):
            print("%s: %s: %s" % (name, list(error.path), error.message))
            failed += 1
    good = next(r for r in reports.values() if r["findings"])
    for where, value in BROKEN:
        if validator.is_valid(changed(good, where, value)):
            print("not caught: %s = %r" % (where, value))
            failed += 1
    print("%d reports, %d broken ones: %s"
          % (len(reports), len(BROKEN), "FAILED" if failed else "ok"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
