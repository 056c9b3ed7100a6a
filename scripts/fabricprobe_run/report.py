# SPDX-License-Identifier: Apache-2.0
"""What fabricprobe itself could not know: who was LOST, and the verdict."""
import json
import os
import sys

HEALTHY, FAULT, UNUSABLE, INCOMPLETE = range(4)  # fabricprobe's exit statuses
NAMES = {HEALTHY: "healthy", FAULT: "fault", UNUSABLE: "error",
         INCOMPLETE: "incomplete"}

NEXT_HOST = ("Ping it, look at its console or BMC for power, panic and "
             "hardware events before restarting it. Exclude it from the job.")
NEXT_AGENT = ("Its host lives, so the process was killed or crashed: dmesg | "
              "grep -i -E 'oom|killed process|segfault', cgroup limits.")


def option(argv, *names):
    """The value of the last of @names in @argv, or None."""
    value = None
    for word, after in zip(argv, argv[1:] + [""]):
        name, equals, attached = word.partition("=")
        if name in names:
            value = attached if equals else after
    return value


def json_path(argv):
    return option(argv, "--json", "-J")


def judge(run, launch):
    """The exit status, and the lines that say why it is not fabricprobe's."""
    lines = ["FAULT  host %s is LOST: %s" % item for item in run.lost.items()]
    lines += ["FAULT  rank 0 (%s) ended without a word" % host
              for host in run.died]
    bad = run.lost or run.died
    if launch and launch.verdict:
        status = launch.verdict[1]
        if bad and status != UNUSABLE:
            status = FAULT
    elif run.bell.stops:
        status = FAULT if bad else INCOMPLETE
        lines.append("INCOMPLETE  stopped before there was a verdict")
    elif launch is None:
        status = UNUSABLE
        lines.append("ERROR  no host answers: see first whether '%s' works "
                     "here" % (run.opts.agent or "srun"))
    elif bad:
        status = FAULT
    elif launch.why:
        status = FAULT
        lines.append("FAULT  rank 0 (%s): %s" % (
            launch.hosts[0] if launch.hosts else "?", launch.why))
    else:
        status = UNUSABLE
        lines.append("ERROR  fabricprobe could not run")
    if run.lost:
        lines.append("exclude: " + ",".join(run.lost))
    return status, lines


def finish(run, launch):
    """Print, amend and record what came of it. Return: the exit status."""
    status, lines = judge(run, launch)
    if run.json_out and launch:
        sys.stdout.buffer.write(amended(launch.out.kept, run))
        sys.stdout.flush()
    if lines:
        lines.append("fabricprobe: verdict=%s exit=%d"
                     % (NAMES.get(status, "?"), status))
        print("\n".join(lines), flush=True,
              file=sys.stderr if run.json_out else sys.stdout)
    save(run, status, lines)
    return status


def amended(text, run):
    """A JSON report with what was found here; bytes to bytes."""
    found = [finding("FP-HOST-LOST", host, why, NEXT_HOST)
             for host, why in run.lost.items()]
    found += [finding("FP-AGENT-LOST", host, "rank 0 ended without a word",
                      NEXT_AGENT) for host in run.died]
    try:
        report = json.loads(text.decode()) if found else None
        report["findings"] = found + report["findings"]
        report["verdict"], report["exit"] = NAMES[FAULT], FAULT
        report["exclude_hosts"] = sorted(
            set(report["exclude_hosts"]) | set(run.lost))
    except (ValueError, KeyError, TypeError):
        return text
    return (json.dumps(report, indent=1) + "\n").encode()


def finding(name, host, why, then):
    return {
        "id": name, "severity": "fault", "layer": "hardware",
        "title": "Host does not answer" if name == "FP-HOST-LOST"
                 else "A rank's agent is gone", "detail": why,
        "locus": {"kind": "host", "host": host, "rank": None,
                  "peer_host": None, "peer_rank": None, "netdev": None,
                  "direction": None},
        "observed": None, "expected": None, "unit": "", "confidence": 1.0,
        "evidence": ["launcher: " + why], "next": then}


def save(run, status, lines):
    """Amend the reports on disk; leave a record beside the journal."""
    folder = run.opts.out
    paths = [json_path(run.program), folder and folder + "/report.json"]
    for path in paths if run.lost or run.died else []:
        if path and path != "-" and os.path.exists(path):
            with open(path, "rb") as f:
                text = f.read()
            replace(path, amended(text, run))
    if not folder:
        return
    if lines and os.path.exists(folder + "/report.txt"):
        with open(folder + "/report.txt", "rb") as f:
            text = f.read()
        replace(folder + "/report.txt",
                text + ("\n".join(lines) + "\n").encode())
    record = {"schema": "fabricprobe-launch/1", "exit": status,
              "lost": [{"host": host, "why": why}
                       for host, why in run.lost.items()],
              "died": run.died}
    replace(folder + "/launch.json", (json.dumps(record) + "\n").encode())


def replace(path, data):
    """Write a file so that it is there whole or not at all."""
    temp = "%s.%d.tmp" % (path, os.getpid())
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(temp, "wb") as f:
            f.write(data)
        os.replace(temp, path)
    except OSError as e:
        sys.stderr.write("fabricprobe-run: %s\n" % e)
