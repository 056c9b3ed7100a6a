#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts of each grammar that explain knows, with what it must say of them.
explain/*.case hold several, each begun by "=== ID | pattern of who | exit";
the ID is without its prefix, "-" for none. Each is read as it is, and in two
of the dresses of tests/lib/dress.py, in turn; FABRICPROBE_LONG=1 tries all. A
dress may name a host or a rank of its own: then who it is may differ."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import dress  # noqa: E402

SOURCE = os.environ.get("FP_SOURCE", os.path.join(HERE, "..", ".."))
PROGRAM = os.environ.get("FABRICPROBE") or SOURCE + "/build/fabricprobe"
HEAD = re.compile(r"^=== (\S+) \| (.*?) ?\| (\d)$", re.M)


def cases(path):
    """(line, id, who, exit, text) of each text of a file."""
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    heads = list(HEAD.finditer(whole))
    if len(heads) != len(re.findall("^===.*\\|", whole, re.M)):
        sys.exit(f"{path}: not every === line is a head")
    for head, after in zip(heads, heads[1:] + [None]):
        text = whole[head.end() + 1:after.start() if after else None]
        yield whole.count("\n", 0, head.start()) + 1, *head.groups(), text


def explain(text, encoding="utf-8"):
    with tempfile.NamedTemporaryFile("w", suffix=".log", newline="",
                                     encoding=encoding) as file:
        file.write(text)
        file.flush()
        done = subprocess.run([PROGRAM, "explain", "--json", "-", file.name],
                              capture_output=True, text=True, timeout=60,
                              check=False)
    return done


def try_one(want, who, status, text, encoding):
    """None if it says what it must, else what it said."""
    done = explain(text, encoding)
    if done.returncode not in (0, 1, 3):
        return done.stderr.strip()
    answer = json.loads(done.stdout)
    said = answer["findings"][0]["id"] if answer["findings"] else "-"
    who_said = answer["culprits"]["who"] or ""
    if said == ("-" if want == "-" else "FP-EXPLAIN-" + want) and \
            re.search(who, who_said) and done.returncode == int(status):
        return None
    return f"said {said}, '{who_said}', exit {done.returncode}"


def dresses(index):
    """(name, function, encoding) of those that text @index is read in."""
    names = sorted(dress.DRESSES)
    chosen = names if os.environ.get("FABRICPROBE_LONG") else \
        [names[(2 * index + k) % len(names)] for k in range(2)]
    yield "plain", lambda lines: "\n".join(lines), "utf-8"
    for name in chosen:
        yield name, dress.DRESSES[name], dress.encoding(name)


def main():
    bad = tried = 0
    for path in sorted(glob.glob(os.path.join(HERE, "explain", "*.case"))):
        for index, (line, want, who, status, text) in \
                enumerate(cases(path)):
            for name, make, encoding in dresses(index):
                tried += 1
                said = try_one(want, who if name == "plain" else "", status,
                               make(text.split("\n")), encoding)
                if said:
                    bad += 1
                    print(f"{os.path.relpath(path, HERE)}:{line}, {name}: "
                          f"wanted {want}, '{who}', exit {status}: {said}")
    print(f"{tried - bad} of {tried} as they should be")
    return 1 if bad or not tried else 0


sys.exit(main())
