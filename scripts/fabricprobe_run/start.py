# SPDX-License-Identifier: Apache-2.0
"""Does a launch begin? mpirun waits for ever for a daemon that was started and
never reports, and for a rank that is stuck before it knows the others."""
import shlex
import time

from .ask import ask

BEGUN = b"fabricprobe: begun"  # rank 0's word that it is in control

AGAIN_S = 5  # from one look to the next, at most
IDLE = "runs no rank yet"
ABSENT = "its launcher daemon is gone"
STOPPED = "its launcher daemon was stopped"
UNLINKED = "its launcher daemon cannot connect to mpirun"
HALTED = "a rank on it was stopped before the start"
NO_RANK = "its launcher daemon starts no rank"

NEXT = {
    ABSENT: "The host answers: see there for what ended orted or prted "
            "(dmesg, journalctl, limits of cgroups).",
    STOPPED: "The host answers: see there who stopped orted or prted, and "
             "for processes in state D.",
    UNLINKED: "The host answers, but TCP from it to mpirun's host does not "
              "pass: firewall, routes, an interface that others cannot "
              "reach. --control-if DEV chooses the interface.",
    HALTED: "The host answers: see there who stopped the process.",
    NO_RANK: "The host answers: see whether fabricprobe can be started there "
             "(file systems that hang, limits, processes in state D).",
}

# Asks a host how far the launch is there; $1$2 is the launch's folder in
# halves, as in run.py. Says nothing where ranks run.
LOOK = """set -- %s %s
daemon= ranks=
for p in $(printf %%s "$1$2" | grep -lasF -f - \
	/proc/[0-9]*/cmdline /proc/[0-9]*/environ | sort -u); do
	p=${p%%/*}
	read -r comm <"$p/comm" || continue
	case $(cat "$p/stat") in *") T "*) t=1 ;; *) t= ;; esac
	case $comm in
	mpirun|mpiexec|orterun|prterun) daemon=linked ;;
	orted|prted)
		daemon=unlinked
		for s in $(awk '$4 == "01" { print $10 }' \
			"$p/net/tcp" "$p/net/tcp6"); do
			ls -l "$p/fd" | grep -qF "socket:[$s]" && daemon=linked
		done
		[ -z "$t" ] || daemon=stopped ;;
	*)
		tr '\\0' '\\n' <"$p/environ" |
			grep -qE '^(OMPI_COMM_WORLD|PMIX)_RANK=' || continue
		ranks=${ranks:-run}
		[ -z "$t" ] || ranks=stopped ;;
	esac
done 2>/dev/null
case $ranks.$daemon in
stopped.*) echo %s ;;
run.*) exit 0 ;;
.linked) echo %s ;;
.unlinked) echo %s ;;
.stopped) echo %s ;;
*) echo %s ;;
esac >&2
exit 3
"""


class Start:
    """
    The start of a launch on @hosts, until rank 0 is in control.

    begun: it is
    """

    def __init__(self, run, hosts):
        self.run, self.hosts = run, hosts
        self.begun = False
        self.before = {}  # what the last look found
        self.progress()

    def progress(self):
        """A host was called, or came."""
        self.due = time.monotonic() + self.run.opts.launch_s

    def look(self):
        """
        Where nothing has come for too long: ask all hosts. What two looks in
        succession find is so.

        Return: host -> why, of those that keep the others waiting; and why
        the launch is to be ended though nobody can be named, or None.
        """
        if self.begun or time.monotonic() < self.due:
            return {}, None
        bad = {h: why for h, why in self.answers().items() if why}
        # Those who wait for another one are idle, too.
        found = {h: why for h, why in bad.items() if why != IDLE} or bad
        before, self.before = self.before, found
        self.due = time.monotonic() + min(AGAIN_S, self.run.opts.launch_s)
        lost = {host: why for host, why in found.items()
                if before.get(host) == why}
        if lost and lost == dict.fromkeys(self.hosts, IDLE):
            return {}, "no rank was started on any host"
        return {host: NO_RANK if why == IDLE else why
                for host, why in lost.items()}, None

    def answers(self):
        """host -> what it says, of those that answered or had the time."""
        script = LOOK % tuple(map(shlex.quote, self.run.halves() + (
            HALTED, IDLE, UNLINKED, STOPPED, ABSENT)))
        return ask(self.run.bell,
                   {h: self.run.on(h, script) for h in self.hosts},
                   self.run.opts.preflight_s)
