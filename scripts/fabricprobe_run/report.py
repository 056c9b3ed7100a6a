# SPDX-License-Identifier: Apache-2.0
"""What fabricprobe itself could not know: who was LOST, and the verdict."""
import json
import os
import sys

from . import start

HEALTHY, FAULT, UNUSABLE, INCOMPLETE = range(4)  # fabricprobe's exit statuses
NAMES = {HEALTHY: "healthy", FAULT: "fault", UNUSABLE: "error",
         INCOMPLETE: "incomplete"}

NEXT_HOST = ("Ping it, look at its console or BMC for power, panic and "
             "hardware events before restarting it. Exclude it from the job.")
NEXT_AGENT = ("Its host lives, so the process was killed or stopped, or "
              "crashed: dmesg | grep -i -E 'oom|killed process|segfault', "
              "cgroup limits.")


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
    lines, bad = [], run.lost or run.died
    if launch and launch.cut:
        lines.append("note   the launcher dropped the end of the report")
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


def last_line(status, launch):
    """As fabricprobe prints it, and its own where that is still true."""
    if launch and launch.last and launch.verdict[1] == status:
        return launch.last
    return "fabricprobe: verdict=%s exit=%d" % (NAMES.get(status, "?"), status)


def finish(run, launch):
    """Print, amend and record what came of it. Return: the exit status."""
    status, lines = judge(run, launch)
    if run.json_out and launch:
        sys.stdout.buffer.write(amended(launch.out.kept, run))
        sys.stdout.flush()
    last = last_line(status, launch)
    run.tell(*lines, last)
    save(run, status, lines + [last])
    return status


def amended(text, run):
    """A JSON report with what was found here; bytes to bytes."""
    found = [finding("FP-HOST-LOST", host, why,
                     start.NEXT.get(why, NEXT_HOST))
             for host, why in run.lost.items()]
    found += [finding("FP-AGENT-LOST", host, "rank 0 " + how, NEXT_AGENT)
              for host, how in run.died.items()]
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
    if (run.told or len(lines) > 1) and os.path.exists(folder + "/report.txt"):
        with open(folder + "/report.txt") as f:
            text = f.read().splitlines()
        # The lines that frame it on standard output, and one last line.
        text = run.told + text[:-1] + lines
        replace(folder + "/report.txt", ("\n".join(text) + "\n").encode())
    record = {"schema": "fabricprobe-launch/1", "exit": status,
              "lost": [{"host": host, "why": why}
                       for host, why in run.lost.items()],
              "died": list(run.died)}
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
