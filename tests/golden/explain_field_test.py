#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people pasted, with the right answers, where a collection of it is at
hand: a folder named by FP_SHARED, or beside the source tree. A score is
printed; it fails when something healthy is accused, or when a case is lost
that explain/right.txt says is right (FP_UPDATE_GOLDEN=1 writes that anew)."""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("FP_SOURCE", os.path.join(HERE, "..", ".."))
PROGRAM = os.environ.get("FABRICPROBE") or SOURCE + "/build/fabricprobe"
SHARED = os.environ.get("FP_SHARED", os.path.join(SOURCE, "..", "shared"))
CASES = os.path.join(SHARED, os.environ.get("FP_CASES", "cases"))
RIGHT = os.path.join(HERE, "explain", "right.txt")

# The collection's words for a cause, and the ids that mean it.
CAUSES = {
    "healthy": (),
    "fabric / link loss": ("LINK", "PROCESS-DIED"),
    "NVLink link down": ("NVLINK",),
    "wrong NIC choice": (),
    "virtual-machine topology": ("FOREIGN",),
    "RoCE addressing": ("ROCE-ADDRESS",),
    "MTU mismatch": ("MTU",),
    "ACS / IOMMU": ("ACS",),
    "wrong or unreachable IP": ("INTERFACE",),
    "ranks differ": ("RANKS-DIFFER",),
    "GPU assignment": ("DUPLICATE-GPU",),
    "/dev/shm": ("SHM",),
    "application desync": ("MISMATCH", "ORDER", "ABSENT", "PARTIAL", "DESYNC",
                           "RAS-BEHIND", "HOST-STUCK"),
    "fabric manager": ("FABRIC-MANAGER",),
    "timeout with unknown": ("STUCK",),
    "remote process died": ("PROCESS-DIED", "HOST-MEMORY"),
    "GPUDirect RDMA off": ("GDR",),
    "memlock": ("MEMLOCK",),
    "EFA": ("EFA",),
    "data corruption": ("CORRUPT",),
    "performance question": ("PERFORMANCE", "NO-FIGURES"),
    "NIC port down": ("PORT-DOWN", "PORT-DISABLED"),
    "slow PCIe slot": ("SLOT",),
    "GSP firmware": ("GSP",),
    "application fault on GPU": ("GPU-APPLICATION",),
    "incomplete input": ("NOISE",),
    "GPU memory": ("GPU-MEMORY",),
    "GPU lost": ("GPU-LOST", "PCIE-ERRORS"),
}

# Whom the right answers name, as a pattern over "who" and the evidence.
CULPRITS = {
    "015": "GPU ?2", "060": "node-a", "062": "node201|node023",
    "063": "mlx5_5", "067": "worker-0", "068": "e66aa18dc444",
    "070": "172.17.0.2", "073": "node-b", "075": "node18",
    "077": "ci-runner", "080": "39", "081": "node23", "083": "node-1",
    "084": "rank 1", "087": "ranks 1, 2", "090": "10.200.91.247",
    "091": "172.20.17.31", "094": "rank 2", "099": "10.0.7.2",
    "103": "node-1", "104": "ip-10-0-1-23", "105": "rank 23",
    "107": "rank 9", "108": "node2", "110": "mlx5_10",
    "145": "mlx5_11", "161": "GPU ?6", "170": "9b:00", "171": "38:00",
    "177": "07:00", "181": "41:00", "185": "03:00", "187": "09:00",
    "189": "02:00", "190": "ranks 12, 14", "192": "ranks 9, 14",
    "194": "other than ranks 12, 13", "196": "118", "200": "GPU ?3",
    "202": "0008:01:00", "207": "10:1[cC]", "210": "9c:00", "211": "cb:00",
}

# Undetermined by the collection's own word: not to know is right there.
OPEN = ("timeout with unknown", "performance question")


def rows():
    """(case, words of the cause) of the collection's index."""
    with open(os.path.join(CASES, "INDEX" + ".md"), encoding="utf-8") as index:
        for line in index:
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) > 5 and re.match(r"\d{3}-", cells[1]):
                yield cells[1], cells[4]


def explain(case):
    folder = os.path.join(CASES, case)
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
             if not name.endswith(".md")]
    done = subprocess.run([PROGRAM, "explain", "--json", "-", *files],
                          capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode not in (0, 1, 3):
        return {"verdict": "error", "findings": [], "who": done.stderr}
    return json.loads(done.stdout)


def expected(cause):
    for words, codes in CAUSES.items():
        if cause.startswith(words):
            return words, ["FP-EXPLAIN-" + code for code in codes]
    return cause, []


def names_culprit(case, answer):
    want = CULPRITS.get(case[:3])
    if not want or not answer["findings"]:
        return True
    first = answer["findings"][0]
    text = str(answer["culprits"]["who"]) + " ".join(first["evidence"][:1])
    return re.search(want, text) is not None


def judge(case, cause, answer):
    """right, partly, wrong or undetermined, and what was said."""
    words, codes = expected(cause)
    said = [f["id"] for f in answer["findings"]]
    first = said[0] if said else answer["verdict"]
    if answer["verdict"] == "error":
        return "wrong", "error"
    if not codes and words not in OPEN:
        return ("wrong" if answer["verdict"] == "fault" else
                "right" if answer["verdict"] == "healthy" or
                words.startswith("incomplete") else "undetermined"), first
    if words == "virtual-machine topology":
        return ("wrong" if answer["verdict"] == "fault" else "right"), first
    if words == "incomplete input":
        good = answer["verdict"] != "fault" and \
            (first in codes or answer["incomplete"])
        return ("right" if good else "wrong"), first
    if words == "fabric / link loss" and first.endswith("PROCESS-DIED"):
        return "partly", first
    if first in codes:
        return ("right" if names_culprit(case, answer) else "partly"), first
    if words in OPEN and answer["verdict"] != "fault":
        return "undetermined", first
    if any(code in said for code in codes):
        return "partly", first
    return ("wrong" if answer["verdict"] == "fault" else
            "undetermined"), first


def main():
    if not os.path.isdir(CASES):
        print("skipped: no collection of field cases is here (FP_SHARED)")
        return 77
    score, accused, right = {}, [], []
    for case, cause in rows():
        answer = explain(case)
        mark, said = judge(case, cause, answer)
        score[mark] = score.get(mark, 0) + 1
        print(f"{mark:12} {case:42} {said:28} {cause[:40]}")
        if mark == "right":
            right.append(case[:3])
        if cause.startswith("healthy") and answer["verdict"] == "fault":
            accused.append(case)
    print(", ".join(f"{score.get(mark, 0)} {mark}" for mark in
                    ("right", "partly", "wrong", "undetermined")))
    if os.environ.get("FP_UPDATE_GOLDEN"):
        with open(RIGHT, "w", encoding="utf-8") as out:
            out.write("\n".join(right) + "\n")
    with open(RIGHT, encoding="utf-8") as known:
        lost = [case for case in known.read().split() if case not in right]
    if os.environ.get("FP_CASES"):
        lost = []
    for case in accused:
        print(f"healthy, and accused: {case}")
    for case in lost:
        print(f"was right, and is not any more: {case}")
    return 1 if accused or lost else 0


sys.exit(main())
