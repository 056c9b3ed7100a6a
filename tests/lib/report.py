# SPDX-License-Identifier: Apache-2.0
"""Reports and journals of runs, and what a case claims about them."""
import json
import os

from case import SOURCE

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = SOURCE + "/probes/report/report.schema.json"
MILD = ("OK", "DEGRADED")
UNTRIED = ("NOTRUN",)
RECEIVER, SETTLED = 1, 16  # enum outcome_flags


def load_plain(path):
    with open(path) as f:
        return json.load(f)


def load(path):
    """A report, valid by the schema."""
    report = load_plain(path)
    if jsonschema:
        with open(SCHEMA) as f:
            schema = json.load(f)
        schema.pop("$id", None)  # so that references stay in the file
        jsonschema.validate(report, schema)
    return report


def faults(report):
    return [f for f in report["findings"] if f["severity"] == "fault"]


def place(finding):
    """The locus without what is not there."""
    return {k: v for k, v in finding["locus"].items() if v is not None}


def tell(report):
    """The findings and the cells that are not good, for messages."""
    lines = ["verdict %s" % report["verdict"]]
    for f in report["findings"]:
        lines.append("%s %s %s" % (f["id"], place(f), f["evidence"][:3]))
    for m in report["matrices"]:
        bad = {pair: s for pair, s in cells(m).items()
               if s not in MILD + UNTRIED}
        lines.append("%s %s %d: %s" % (m["xport"], m["op"], m["bytes"],
                                       bad or "good"))
    return "\n".join(lines)


def cells(matrix):
    """(src, dst) -> state, of all pairs of ranks."""
    ranks = matrix["ranks"]
    return {(s, d): matrix["states"][i][j]
            for i, s in enumerate(ranks) for j, d in enumerate(ranks)
            if s != d}


def rates(matrix):
    """(src, dst) -> value, of the pairs that have one."""
    ranks = matrix["ranks"]
    return {(s, d): matrix["cells"][i][j]
            for i, s in enumerate(ranks) for j, d in enumerate(ranks)
            if s != d and matrix["cells"][i][j] is not None}


def matrices(report, **which):
    """Those whose members have the values of @which."""
    return [m for m in report["matrices"]
            if all(m[k] == v for k, v in which.items())]


def ranks_of(report, host):
    return [r["rank"] for r in report["job"]["ranks"] if r["host"] == host]


def touches(report, found):
    """
    May a cell be bad because of a finding? pair -> bool. A host's or rank's
    finding explains its row, its column or both, by direction. Where nothing
    passes one way, nothing is acknowledged the other way.
    """
    locus = place(found)
    mine = ([locus["rank"]] if "rank" in locus
            else ranks_of(report, locus["host"]))
    if locus["kind"] == "pair":
        ends = {locus["rank"], locus["peer_rank"]}
        return lambda s, d: {s, d} == ends
    if locus["kind"] == "host_pair":
        other = ranks_of(report, locus["peer_host"])
        return lambda s, d: (s in mine and d in other
                             or s in other and d in mine)
    way = locus.get("direction")
    if found["id"].endswith(("-DEAD", "-MTU", "-LOSS")):
        way = "both"
    return lambda s, d: (way != "rx" and s in mine or way != "tx"
                         and d in mine)


def check(case, report, expected, mild=MILD):
    """
    Assert that the faults are exactly @expected (dicts of id and members of
    the locus) and that every cell that none of them explains is good.
    """
    found = faults(report)
    case.assertEqual((report["verdict"], report["exit"]),
                     ("fault", 1) if expected else ("healthy", 0))
    case.assertEqual(
        len(found), len(expected), "expected %s\n%s" % (expected,
                                                        tell(report)))
    for want in expected:
        hits = [f for f in found if f["id"] == want["id"] and all(
            f["locus"].get(k) == v for k, v in want.items() if k != "id")]
        case.assertEqual(len(hits), 1,
                         "no %s in\n%s" % (want, tell(report)))
    explained = [touches(report, f) for f in found]
    for m in report["matrices"]:
        for (s, d), state in cells(m).items():
            if not any(t(s, d) for t in explained):
                case.assertIn(
                    state, mild + UNTRIED, "%s %s: %d -> %d is %s\n%s" % (
                        m["xport"], m["op"], s, d, state, tell(report)))


def journal_lines(folder):
    """The whole lines of a journal that grows, parsed; [] if none yet."""
    try:
        with open(os.path.join(folder, "journal.jsonl")) as f:
            text = f.read()
    except OSError:
        return []
    return [json.loads(line) for line in text.splitlines(True)
            if line.endswith("\n")]


def begun(folder, **which):
    """How many trials with these members have been begun (0 is left out)."""
    trials = [t for line in journal_lines(folder)
              for t in line.get("batch", {}).get("trials", [])]
    return sum(all(t.get(k, 0) == v for k, v in which.items())
               for t in trials)


def known(folder):
    """
    The pairs (src, dst) all of whose streams were known to 1 % before their
    time was up, as their receivers say in the journal.
    """
    trials, hazy, told = {}, set(), set()
    for line in journal_lines(folder):
        for t in line.get("batch", {}).get("trials", []):
            trials[t["id"]] = (t.get("src", 0), t.get("dst", 0))
        o = line.get("outcome", {})
        if o.get("flags", 0) & RECEIVER:
            told.add(trials[o["trial"]])
            if not o["flags"] & SETTLED:
                hazy.add(trials[o["trial"]])
    return told - hazy
