# SPDX-License-Identifier: Apache-2.0
"""The sequence: ask every host, launch, clean up, once more if need be."""
import os
import secrets
import shlex
import signal
import sys

from . import report, start
from .ask import ask, kill_group
from .hosts import is_here, share
from .launch import SHIM, STOPPED, Launch

# Runs on every host after a launch. $1$2 is the launch's folder, in halves so
# that nothing here carries its whole name, which marks the processes of that
# launch. $3: how the names of Open MPI's shared memory begin, or "".
CLEAN = """set -- %s %s %s
case $1$2 in */fabricprobe-run.?*) ;; *) exit 2 ;; esac
for p in $(printf %%s "$1$2" | grep -lasF -f - \
	/proc/[0-9]*/cmdline /proc/[0-9]*/environ); do
	p=${p#/proc/}; kill -9 "${p%%/*}" 2>/dev/null
done
[ -z "$3" ] || rm -f /dev/shm/vader_segment.*."$(id -u)"."$3"????.*
d=$1$2; cd -- "${d%%/*}" && rm -rf -- "${d##*/}"
"""


# Asks rank 0's host: does it answer, and does rank 0 of the launch that is
# named as above run? One that is stopped never says a word.
ALIVE = """set -- %s %s
for p in $(printf %%s "$1$2" | grep -lasF -f - /proc/[0-9]*/environ); do
	tr '\\0' '\\n' <"$p" 2>/dev/null |
		grep -qxE '(OMPI_COMM_WORLD_RANK|SLURM_PROCID)=0' || continue
	case $(cat "${p%%environ}stat" 2>/dev/null) in
	*") T "*) echo %s >&2; exit 3 ;;
	esac
done
exit 0
"""


def say(text, *args):
    sys.stderr.write("fabricprobe-run: " + text % args + "\n")
    sys.stderr.flush()


class Run:
    """
    A run with all its launches.

    program: fabricprobe's command line
    work:    the folder of the launches; also what marks their processes
    lost:    host -> why
    died:    hosts on which a rank 0 was, that did not live -> how
    told:    the lines that stand above the report
    """

    def __init__(self, opts, program, work, bell):
        self.opts, self.program = opts, program
        self.work, self.bell = work, bell
        self.lost, self.died, self.told = {}, {}, []
        self.json_out = report.json_path(program) == "-"
        # srun -X hands SIGINT on and answers SIGTERM by SIGKILL to all ranks.
        self.stop_signal = signal.SIGINT if opts.srun else signal.SIGTERM

    def go(self, hosts):
        """@hosts: host -> slots. Return: the exit status."""
        launch = None
        for attempt in range(self.opts.max_restarts + 1):
            self._lose(self.dead(hosts))
            left = {h: s for h, s in hosts.items() if h not in self.lost}
            if self.bell.stops or hosts and not left:
                break
            hosts = left
            if attempt:
                say("starting once more%s",
                    ", on " + ",".join(hosts) if hosts else "")
            if self.lost:
                self._tell_first(["The other hosts:"])
            launch = self._launch(hosts)
            if launch.died:
                self._mourn(launch.hosts[0] if hosts else "?", launch.died)
                hosts = dict(sorted(hosts.items(), key=lambda item:
                                    item[0] in self.died))
            elif launch.verdict or launch.stopped() or not launch.lost:
                break
        return report.finish(self, launch)

    def at(self, kind, host):
        """The file of that kind about @host, see SHIM."""
        return "%s/%s.%s" % (self.work, kind, host)

    def on(self, host, script):
        """The command line that runs @script of sh on @host."""
        if is_here(host):
            return ["sh", "-c", script]
        if not self.opts.agent:
            return ["srun", "--mpi=none", "--overlap", "-Q", "-N1", "-n1",
                    "-w", host, "sh", "-c", script]
        if script != "true":  # which every login shell understands
            script = "sh -c " + shlex.quote(script)
        return shlex.split(self.opts.agent) + [host, script]

    def dead(self, hosts):
        """Which of @hosts do not answer -> why."""
        answers = self._ask([h for h in hosts if not is_here(h)], "true")
        return {host: why for host, why in answers.items() if why}

    def halves(self):
        """The name of the launch's folder, such that no process that hears
        of it carries it whole."""
        half = len(self.work) // 2
        return self.work[:half], self.work[half:]

    def ask_alive(self, host):
        """The command line that asks for the host and for rank 0 on it."""
        return self.on(host, ALIVE % tuple(map(
            shlex.quote, self.halves() + (STOPPED,))))

    def command(self, plan):
        """The command line and environment that start @plan."""
        os.makedirs(self.work, 0o700, exist_ok=True)
        env = dict(os.environ, FABRICPROBE_RUN=self.work)
        n = sum(plan.values()) or self.opts.n or 1
        argv = (self._srun if self.opts.srun else self._mpirun)(plan, n, env)
        if self.opts.verbose:
            say("%s", " ".join(map(shlex.quote, argv + self.program)))
        return argv + self.program, env

    def _mpirun(self, plan, n, env):
        # Nobody's exit ends the others. mpirun passes nothing on between
        # SIGTERM and SIGKILL to its ranks, so that time must not be long.
        mca = {"orte_allowed_exit_without_sync": "1",
               "orte_abort_on_non_zero_status": "0",
               "odls_base_sigkill_timeout": "2",
               "orte_tmpdir_base": self.work}
        env["PRTE_MCA_prte_tmpdir_base"] = self.work
        control = report.option(self.program, "--control-if")
        if control:
            mca["oob_tcp_if_include"] = control
            env["PRTE_MCA_oob_tcp_if_include"] = control
        if self.opts.agent:
            shim = self.work + "/agent"
            with open(shim, "w") as f:
                f.write(SHIM.format(work=self.work, agent=self.opts.agent))
            # Every daemon looks for the first word, and has only that.
            shim = "sh " + shim
            mca.update(plm="rsh", plm_rsh_agent=shim,
                       plm_rsh_no_tree_spawn="1")
            env.update(PRTE_MCA_plm_ssh_agent=shim,
                       PRTE_MCA_plm_ssh_no_tree_spawn="1")
        if os.geteuid() == 0:
            env.update(OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        argv = [self.opts.mpirun, "-q", "--enable-recovery", "-np", str(n),
                "--map-by", "slot", "--bind-to", "none",
                "-x", "FABRICPROBE_RUN"]
        if plan:
            argv += ["-H", ",".join("%s:%d" % item for item in plan.items())]
        if self.opts.timeout:  # for when nobody is left here to end it
            argv += ["--timeout", "%d" % (self.opts.timeout + 30)]
        for name in sorted(mca):
            argv += ["--mca", name, mca[name]]
        return argv

    def _srun(self, plan, n, env):
        with open(self.work + "/ranks", "w") as f:
            for host, ranks in plan.items():
                f.write((host + "\n") * ranks)
        port = 20000 + secrets.randbelow(12000)  # below the ephemeral ones
        env.update(SLURM_HOSTFILE=self.work + "/ranks",
                   FABRICPROBE_MEET="%s:%d" % (next(iter(plan)), port),
                   FABRICPROBE_TOKEN=secrets.token_hex(16))
        return ["srun", "--mpi=none", "-K0", "-W0", "--no-kill", "-X",
                "--distribution=arbitrary", "-n", str(n)]

    def _ask(self, hosts, script):
        return ask(self.bell, {h: self.on(h, script) for h in hosts},
                   self.opts.preflight_s)

    def tell(self, *lines):
        """To whoever reads the report; JSON leaves them standard error."""
        print("\n".join(lines), flush=True,
              file=sys.stderr if self.json_out else sys.stdout)

    def _tell_first(self, lines):
        self.told += lines
        self.tell(*lines)

    def _lose(self, lost):
        """The worst comes first, above what is said about the others."""
        lines = ["FAULT  host %s is LOST: %s" % item for item in lost.items()
                 if item[0] not in self.lost]
        self.lost.update(lost)
        if lines:
            self._tell_first(lines)

    def _mourn(self, host, how):
        self.died[host] = how
        self._tell_first(["FAULT  rank 0 (%s) %s" % (host, how)])

    def _launch(self, hosts):
        plan = share(hosts, self.opts.n)
        # mpirun puts rank 0 on its own host where that takes part.
        plan = dict(sorted(plan.items(),
                           key=lambda item: not is_here(item[0])))
        launch = Launch(self, plan)
        try:
            launch.watch()
        finally:
            kill_group(launch.proc)
            self._clean(launch)
        self._lose(launch.lost)
        return launch

    def _clean(self, launch):
        """Remove what the launch left on its hosts and here."""
        script = CLEAN % tuple(map(shlex.quote,
                                   self.halves() + (launch.jobs,)))
        lost = set(self.lost) | {host for host, why in launch.lost.items()
                                 if why not in start.NEXT}
        away = {h for h in launch.hosts if not is_here(h) and h not in lost}
        answers = self._ask({"localhost"} | away, script)
        for host, why in answers.items():
            if why:
                say("could not clean up on %s: %s", host, why)
