#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs whose culprit is known, made by tests/lib/truth.py: logs and dumps of
2 to 512 ranks, mixed, prefixed and cut. 99 of 100 must be named right, and
none that is healthy may be accused. FP_SEED and FP_TRUTHS choose which."""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import truth  # noqa: E402

SOURCE = os.environ.get("FP_SOURCE", os.path.join(HERE, "..", ".."))
PROGRAM = os.environ.get("FABRICPROBE") or SOURCE + "/build/fabricprobe"
SEED = int(os.environ.get("FP_SEED", "1"))
TRUTHS = int(os.environ.get("FP_TRUTHS", "150"))
SIZES = (2, 3, 4, 8, 16, 24, 64)
LARGE = (128, 512)
LEAST = 0.99
CLOCK_SLACK_S = 1


def explain(folder):
    done = subprocess.run([PROGRAM, "explain", "--json", "-", folder],
                          capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode not in (0, 1, 3):
        return {"verdict": done.stderr, "findings": [], "clocks": [],
                "culprits": {"who": ""}}
    return json.loads(done.stdout)


def wrong_clocks(answer, ahead):
    """Two hosts' clocks that do not stand to each other as they do: against
    whom an offset is told is open. "" if there are none."""
    told = {clock["of"]: clock for clock in answer["clocks"]}
    for a, b in itertools.combinations(sorted(ahead), 2):
        slack = CLOCK_SLACK_S + sum(
            told[host]["slack_s"] if host in told else CLOCK_SLACK_S
            for host in (a, b))
        got = sum(sign * told[host]["ahead_s"] for sign, host in
                  ((1, a), (-1, b)) if host in told)
        if abs(got - (ahead[a] - ahead[b])) > slack:
            return f"; {a} - {b} is {ahead[a] - ahead[b]} s, told {got} s"
    return ""


def try_one(index):
    """None if it was named right, else what was wrong."""
    maker = truth.MAKERS[index % len(truth.MAKERS)]
    rng = random.Random(f"{SEED}/{index}")
    sizes = LARGE if index % 23 == 22 else SIZES
    n = rng.choice(sizes)
    with tempfile.TemporaryDirectory() as folder:
        code, who, *ahead = maker(rng, folder, n)
        answer = explain(folder)
    ranks = answer["culprits"].get("ranks")
    named = "ranks " + ", ".join(truth.spans(ranks)) if ranks else \
        answer["culprits"]["who"] or ""
    said = answer["findings"][0]["id"] if answer["findings"] else None
    want = "FP-EXPLAIN-" + code if code else None
    if code is None and answer["verdict"] == "healthy":
        return None
    off = wrong_clocks(answer, *ahead) if ahead else ""
    if said == want and re.search(who, named) and not off:
        return None
    return f"{index} {maker.__name__} of {n}: wanted {code} '{who}', got " \
        f"{answer['verdict']} {said} '{named}'{off}"


def main():
    wrong = [text for text in map(try_one, range(TRUTHS)) if text]
    for text in wrong:
        print(text)
    print(f"{TRUTHS - len(wrong)} of {TRUTHS} right")
    accused = any(" healthy of " in text and " fault " in text
                  for text in wrong)
    return 1 if accused or TRUTHS - len(wrong) < LEAST * TRUTHS else 0


sys.exit(main())
