# SPDX-License-Identifier: Apache-2.0
"""What carries a log to where it is read: launchers, container runtimes,
loggers, terminals, mail. Each function takes lines and returns a text that
must be understood like the plain one."""
import json


def encoding(name):
    """That a text in dress @name is written in."""
    return "utf-16" if name == "utf16" else "utf-8"


STAMP = "2025-06-26T10:%02d:%02d.%06dZ"


def stamp(i):
    return STAMP % (i // 60 % 60, i % 60, i * 37 % 1000000)


def prefixed(form):
    """Every line behind @form, in which {t} is a time."""
    def dress(lines):
        return "\n".join(form.replace("{t}", stamp(i)) + line
                         for i, line in enumerate(lines)) + "\n"
    return dress


def json_lines(make):
    def dress(lines):
        return "".join(json.dumps(make(line, stamp(i))) + "\n"
                       for i, line in enumerate(lines))
    return dress


def wrapped(width):
    """As a terminal of that width breaks them, wherever it is."""
    def dress(lines):
        out = []
        for line in lines:
            line = line.expandtabs()
            out += [line[i:i + width] for i in
                    range(0, len(line), width)] or [""]
        return "\n".join(out) + "\n"
    return dress


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(
        ">", "&gt;")


def coloured(lines):
    return "".join("\033[32m%s\033[0m\n" % line for line in lines)


DRESSES = {
    "kubectl": prefixed("[pod/train-worker-0/pytorch] {t} "),
    "kubectl-times": prefixed("{t} "),
    "compose": prefixed("worker-0  | "),
    "container": prefixed("worker-0: "),
    "bracket": prefixed("[worker-0] "),
    "cri": prefixed("{t} stderr F "),
    "docker-json": json_lines(lambda line, t: {
        "log": line + "\n", "stream": "stderr", "time": t}),
    "logger-json": json_lines(lambda line, t: {
        "timestamp": t, "level": "ERROR", "message": line}),
    "cloud-json": json_lines(lambda line, t: {
        "severity": "ERROR", "textPayload": line, "timestamp": t,
        "labels": {"pod": "worker-0"}}),
    "journal": prefixed("Jun 26 10:00:00 node7 python3[4711]: "),
    "syslog": prefixed("<134>1 {t} node7 train 4711 - - "),
    "python-log": prefixed("2025-06-26 10:00:00,123 - train - ERROR - "),
    "loguru": prefixed("2025-06-26 10:00:00.123 | ERROR    | "
                       "train:main:12 - "),
    "glog": prefixed("I0626 10:00:00.123456 4711 launch.cc:12] "),
    "torchrun": prefixed("[default0]:"),
    "srun": prefixed("0: "),
    "mpirun": prefixed("[1,0]<stderr>:"),
    "chinese": prefixed("2025年06月26日 10:00:00 "),
    "french": prefixed("jeu. 26 juin 2025 10:00:00 CEST "),
    "european": prefixed("[26.06.2025 10:00:00] "),
    "markdown": lambda lines: "### Log\n\n```shell\n%s\n```\n\nAny idea?\n"
        % "\n".join(lines),
    "indented": prefixed("    "),
    "quoted": prefixed("> "),
    "html": lambda lines: escaped("\n".join(lines)) + "\n",
    "coloured": coloured,
    "dos": lambda lines: "\r\n".join(lines) + "\r\n",
    "bom": lambda lines: "\ufeff" + "\n".join(lines) + "\n",
    "utf16": lambda lines: "\n".join(lines) + "\n",
    "wrapped-80": wrapped(80),
    "wrapped-100": wrapped(100),
    "wrapped-120": wrapped(120),
}
