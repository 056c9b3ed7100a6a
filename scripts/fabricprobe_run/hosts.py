# SPDX-License-Identifier: Apache-2.0
"""Host lists as people, schedulers and Open MPI write them."""
import re
import socket

RANGE_MAX = 65536


class Unusable(Exception):
    """Something that a person gave cannot be used; says what."""


def split_list(text):
    """Split at the commas that are not between brackets."""
    return [word for word in re.split(r",(?![^\[]*\])", text) if word]


def expand(name):
    """The names that node[01-03,7]-ib stands for, as Slurm and pdsh do."""
    match = re.match(r"([^\[\]]*)\[([0-9,-]+)\](.*)$", name)
    if not match:
        if "[" in name or "]" in name:
            raise Unusable("'%s': use brackets as in node[01-16,20]" % name)
        if not re.match(r"\w[\w.@-]*$", name):
            raise Unusable("'%s' is not a host name" % name)
        return [name]
    head, ranges, tail = match.groups()
    names = []
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isdigit() and last.isdigit()
                and 0 <= int(last) - int(first) < RANGE_MAX):
            raise Unusable("'%s' in '%s' is not a range" % (part, name))
        for i in range(int(first), int(last) + 1):
            names += expand("%s%0*d%s" % (head, len(first), i, tail))
            if len(names) > RANGE_MAX:
                raise Unusable("'%s' is more than %d hosts"
                               % (name, RANGE_MAX))
    return names


def read_words(words):
    """Host -> slots (None where not given) in order; repeats add up."""
    hosts = {}
    for word in words:
        name, colon, slots = word.partition(":")
        if colon and not re.match(r"0*[1-9]\d{0,5}$", slots):
            raise Unusable("'%s': slots are 1 or more" % word)
        for host in expand(name):
            known = hosts.get(host)
            hosts[host] = (known or 0) + int(slots) if colon else known
        if len(hosts) > RANGE_MAX:
            raise Unusable("more than %d hosts" % RANGE_MAX)
    return hosts


def read_file(path):
    """The same from a file in Open MPI's format, or of plain names."""
    words = []
    try:
        with open(path) as f:
            for line in f:
                line = line.partition("#")[0].split()
                slots = [w[6:] for w in line[1:] if w.startswith("slots=")]
                words += [":".join(line[:1] + slots[:1])] if line else []
    except OSError as e:
        raise Unusable("%s: %s" % (path, e.strerror))
    except ValueError:
        raise Unusable("%s: is not a text" % path)
    return read_words(words)


def share(hosts, n):
    """
    Host -> ranks: as many as it has slots; those without a number share what
    is left of @n evenly, or take one each where @n is None.
    """
    if n is None:
        return {host: slots or 1 for host, slots in hosts.items()}
    open_ = [host for host, slots in hosts.items() if slots is None]
    left = max(0, n - sum(slots or 0 for slots in hosts.values()))
    plan = {}
    for host, slots in hosts.items():
        if slots is None:
            slots = left // len(open_) + (
                open_.index(host) < left % len(open_))
        plan[host] = min(slots, n)
        n -= plan[host]
    return {host: ranks for host, ranks in plan.items() if ranks}


def is_here(host):
    """Does @host name this machine?"""
    name = socket.gethostname()
    return host in ("localhost", "127.0.0.1", name, name.partition(".")[0])
