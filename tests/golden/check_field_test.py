#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`fabricprobe check --from` of what people pasted, where a collection of it
is at hand (a folder named by FP_SHARED, or beside the source tree): what is
faulty is named, and nothing else is."""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("FP_SOURCE", HERE / ".." / ".."))
SHARED = pathlib.Path(os.environ.get("FP_SHARED", SOURCE / ".." / "shared"))

# What is found in a case: severity, id, device. Notes ("info") apart; a case
# that is not here is healthy, and nothing at all is said of it.
FOUND = {
    "015": {("fault", "FP-NVLINK-NONE", "GPU2")},
    "017": {("warn", "FP-CPUSET", None)},
    "145": {("fault", "FP-PORT-POLLING", "mlx5_11/1"),
            ("fault", "FP-PORT-DISABLED", "mlx5_5/1")},
    "148": {("warn", "FP-PORT-GID", "mlx5_0/1"),
            ("warn", "FP-PORT-GID", "mlx5_1/1")},
    "170": {("fault", "FP-XID-DRIVER", "0000:9b:00.0")},
    "171": {("warn", "FP-XID-APPLICATION", "0000:38:00.0")},
    "177": {("fault", "FP-GPU-REMAP-PENDING", "GPU0 (0000:07:00.0)")},
    "179": {("warn", "FP-GPU-SLOWDOWN", "0000:19:00.0")},
    "185": {("fault", "FP-GPU-LOST", "0000:03:00.0"),
            ("warn", "FP-AER-LOG", "0000:00:03.0")},
    "187": {("fault", "FP-GPU-LOST", "0000:09:00.0"),
            ("warn", "FP-AER-LOG", "0000:00:01.1")},
    "189": {("fault", "FP-GPU-LOST", "0000:02:00.0"),
            ("fault", "FP-AER-LOG", "0000:00:02.0")},
    "200": {("fault", "FP-NVLINK-DOWN", "GPU3")},
    "202": {("fault", "FP-XID-NVLINK", "0008:01:00.0"),
            ("warn", "FP-NVLINK-ERRORS", "GPU0/nvlink14")},
    "207": {("fault", "FP-GPU-REMAP-PENDING", "0000:10:1c.0")},
    "210": {("fault", "FP-XID-HARDWARE", "0000:9c:00.0"),
            ("fault", "FP-GPU-RECOVERY", "0000:9c:00.0")},
    "211": {("warn", "FP-XID-APPLICATION", "0000:cb:00.0")},
}

# Texts that are cut, or tell of one GPU of several: never healthy.
INCOMPLETE = {"179", "180"}

# Of other kinds than this command reads, which it says.
FOREIGN = {"053", "129", "150", "153"}


def run(case):
    files = [f for f in sorted(case.iterdir()) if f.suffix != ".md"]
    args = [word for f in files for word in ("--from", str(f))]
    return subprocess.run([os.environ["FABRICPROBE"], "check", *args,
                           "--json", "-"], capture_output=True, text=True,
                          timeout=60, check=False)


def problems(case, number):
    done = run(case)
    if number in FOREIGN:
        if done.returncode != 2:
            yield "exit status %d of a foreign text" % done.returncode
        return
    if done.returncode == 2:
        yield done.stderr.strip()
        return
    got = {(f["severity"], f["id"], f["locus"]["device"])
           for f in json.loads(done.stdout)["findings"]
           if f["severity"] != "info"}
    want = FOUND.get(number, set())
    if got != want:
        yield "missing %s, too much %s" % (sorted(map(str, want - got)),
                                           sorted(map(str, got - want)))
    faulty = any(severity == "fault" for severity, _, _ in want)
    status = 1 if faulty else 3 if number in INCOMPLETE else 0
    if done.returncode != status:
        yield "exit status %d, not %d" % (done.returncode, status)


def main():
    index = next((SHARED / "cases").glob("INDEX.*"), None)
    if not index:
        print("skipped: no collection of field cases is here (FP_SHARED)")
        return 77
    names = re.findall(r"^\| (\d{3})(-\S+) \| [abfh] \|",
                       index.read_text(), re.M)
    bad = 0
    for number, rest in names:
        for problem in problems(SHARED / "cases" / (number + rest), number):
            print("%s%s: %s" % (number, rest, problem))
            bad += 1
    print("%d cases, %d problems" % (len(names), bad))
    return 1 if bad or not names else 0


sys.exit(main())
