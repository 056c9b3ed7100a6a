# SPDX-License-Identifier: Apache-2.0
"""Makes logs and dumps of jobs whose culprit is known. Each maker fills a
folder and returns (id without prefix, pattern that names the culprit), and
perhaps how many seconds the clock of each host is ahead."""
import datetime
import json
import os
import pickle
import random

OPS = ["all_reduce", "broadcast", "_all_gather_base", "_reduce_scatter_base"]
BASE_NS = 1_758_610_505_000_000_000


def random_of(seed):
    return random.Random(seed)


def groups_of(rng, n):
    """(name, description, members): the world, and groups that cut it."""
    found = [("0", "default_pg", list(range(n)))]
    width = rng.choice([w for w in (2, 4, 8) if w <= max(2, n // 2)])
    for at in range(0, n, width):
        members = list(range(at, min(at + width, n)))
        if len(members) > 1:
            found.append((str(len(found)), "TENSOR", members))
    for lane in range(width):
        members = list(range(lane, n, width))
        if len(members) > 1:
            found.append((str(len(found)), "DATA", members))
    return found


class Job:
    """A job's collectives: every group has run `done` of them on all."""

    def __init__(self, rng, n):
        self.rng, self.n = rng, n
        self.groups = groups_of(rng, n)
        self.done = {g[0]: rng.randrange(5, 5000) for g in self.groups}
        self.entries = {rank: [] for rank in range(n)}
        self.record = {rank: rng.randrange(100) for rank in range(n)}

    def of_rank(self, rank):
        return [g for g in self.groups if rank in g[2]]

    def enqueue(self, rank, group, step, op="all_reduce", size=1024,
                state="scheduled"):
        name, desc, _ = group
        seq = self.done[name] + step
        self.record[rank] += 1
        self.entries[rank].append({
            "record_id": self.record[rank], "pg_id": int(name),
            "process_group": [name, desc], "collective_seq_id": seq,
            "p2p_seq_id": 0, "op_id": seq, "profiling_name": "nccl:" + op,
            "time_created_ns": BASE_NS + self.record[rank] * 1000 + rank,
            "input_sizes": [[size]], "input_dtypes": ["Float"],
            "output_sizes": [[size]], "output_dtypes": ["Float"],
            "state": state, "time_discovered_started_ns": None,
            "time_discovered_completed_ns":
                BASE_NS if state == "completed" else None,
            "retired": state == "completed", "timeout_ms": 600000,
            "is_p2p": False})

    def history(self):
        """Some completed entries on every rank."""
        for rank in range(self.n):
            for group in self.of_rank(rank):
                for step in range(-self.rng.randrange(3), 1):
                    self.enqueue(rank, group, step, state="completed")

    def dump(self, rank):
        status = {}
        for group in self.of_rank(rank):
            mine = [e["collective_seq_id"] for e in self.entries[rank]
                    if e["process_group"][0] == group[0]]
            ended = [e["collective_seq_id"] for e in self.entries[rank]
                     if e["process_group"][0] == group[0]
                     and e["state"] == "completed"]
            status[group[0]] = {
                "last_enqueued_collective": max(mine, default=-1),
                "last_started_collective": -1,
                "last_completed_collective": max(ended, default=-1)}
        config = {g[0]: {"name": g[0], "desc": g[1], "ranks": str(g[2])}
                  for g in self.of_rank(rank)}
        return {"version": self.rng.choice(["2.4", "2.9", "2.10"]),
                "pg_config": config, "pg_status": status,
                "entries": self.entries[rank]}

    def lose(self, guilty):
        """Some dumps of the innocent, never more than a few."""
        innocent = sorted(set(range(self.n)) - set(guilty))
        if len(innocent) < 4 or self.rng.random() < 0.6:
            return ()
        return self.rng.sample(innocent, 1)

    def write(self, folder, missing=()):
        protocol = self.rng.choice([2, 2, 4, 0])
        for rank in range(self.n):
            if rank in missing:
                continue
            if protocol:
                path = os.path.join(folder, f"nccl_trace_rank_{rank}")
                with open(path, "wb") as out:
                    pickle.dump(self.dump(rank), out, protocol)
            else:
                path = os.path.join(folder, f"rank{rank}.json")
                with open(path, "w", encoding="utf-8") as out:
                    json.dump(self.dump(rank), out)


def named(ranks):
    return "^ranks? " + ", ".join(spans(sorted(ranks))) + "(,|$)"


def spans(ranks):
    """As the report writes them: 0-3, 7."""
    out, at = [], 0
    while at < len(ranks):
        end = at
        while end + 1 < len(ranks) and ranks[end + 1] == ranks[end] + 1:
            end += 1
        out += [str(ranks[at])] if end == at else \
            [f"{ranks[at]}, {ranks[end]}"] if end == at + 1 else \
            [f"{ranks[at]}-{ranks[end]}"]
        at = end + 1
    return out


def few(rng, members, most=2):
    return sorted(rng.sample(members, min(len(members) - 1,
                                          rng.randrange(1, most + 1))))


def recorder_absent(rng, folder, n):
    """Some never launch it; what the others launch next waits behind it."""
    job = Job(rng, n)
    job.history()
    group = rng.choice(job.groups)
    guilty = few(rng, group[2])
    behind = [other for other in job.groups if other is not group and
              set(other[2]) & set(guilty) and rng.random() < 0.7]
    for rank in sorted(set(range(n)) - set(guilty)):
        for other in [group, *behind]:
            if rank in other[2]:
                job.enqueue(rank, other, 1)
    job.write(folder, job.lose(group[2]))
    return "ABSENT", named(guilty)


def recorder_mismatch(rng, folder, n):
    job = Job(rng, n)
    job.history()
    group = rng.choice([g for g in job.groups if len(g[2]) > 2] or
                       job.groups)
    most = max(1, (len(group[2]) - 1) // 2)
    guilty = few(rng, group[2], min(2, most))
    op, size = rng.choice(OPS), rng.randrange(1, 1 << 20)
    other = rng.choice([o for o in OPS if o != op])
    by_size = rng.random() < 0.5
    for rank in group[2]:
        bad = rank in guilty
        job.enqueue(rank, group, 1, other if bad and not by_size else op,
                    size + 1 if bad and by_size else size)
    job.write(folder)
    if len(group[2]) == 2:
        return "MISMATCH", "^rank"
    return "MISMATCH", named(guilty)


def recorder_partial(rng, folder, n):
    job = Job(rng, n)
    job.history()
    group = rng.choice(job.groups)
    guilty = few(rng, group[2])
    for rank in group[2]:
        if rank in guilty:
            job.enqueue(rank, group, 1)
            job.enqueue(rank, group, 2)
        else:
            job.enqueue(rank, group, 1, state="completed")
            job.enqueue(rank, group, 2)
    job.write(folder, job.lose(group[2]))
    return "PARTIAL", named(guilty)


def recorder_stuck(rng, folder, n):
    job = Job(rng, n)
    job.history()
    group = rng.choice(job.groups)
    for rank in group[2]:
        for step in range(1, 2 + rng.randrange(3)):
            job.enqueue(rank, group, step)
    job.write(folder)
    return "STUCK", named(group[2])


def recorder_order(rng, folder, n):
    """Two groups with two ranks in common, launched in both orders."""
    job = Job(rng, max(n, 4))
    a, b = ("100", "A", [0, 1, 2]), ("101", "B", [0, 1, 3])
    for group in (a, b):
        job.groups.append(group)
        job.done[group[0]] = 10
    job.history()
    for rank, order in ((0, (a, b)), (1, (b, a)), (2, (a,)), (3, (b,))):
        for group in order:
            job.enqueue(rank, group, 1)
    job.write(folder)
    return "ORDER", named([0, 1])


def recorder_dead(rng, folder, n):
    """A rank that left no dump, and that all others wait for."""
    job = Job(rng, n)
    job.history()
    dead = rng.randrange(n)
    for rank in range(n):
        if rank != dead:
            job.enqueue(rank, job.groups[0], 1)
    job.write(folder, {dead})
    return "STUCK", named([dead])


PREFIXES = [
    lambda rank, host: "",
    lambda rank, host: f"{rank}: ",
    lambda rank, host: f"[1,{rank}]<stdout>:",
    lambda rank, host: f"(Trainer pid={9000 + rank}, ip=10.0.0.{host}) ",
    lambda rank, host: "2026-03-13T23:33:02.128279123Z stderr F ",
    lambda rank, host: "\x1b[36m",
]

NOISE = [
    "{h}:{p}:{t} [{d}] NCCL INFO Channel 00/0 : {r}[{d}] -> {q}[{d}] [send] "
    "via NET/IB/{d}/GDRDMA",
    "{h}:{p}:{t} [{d}] NCCL INFO Trees [0] 1/-1/-1->0->-1",
    "{h}:{p}:{t} [{d}] NCCL INFO Connected all rings",
    "step 1200 loss 2.31 lr 1e-4 rank {r}",
    "",
]


# How a line's time is written; None: it is not. Each takes the time as the
# host's clock shows it.
STAMPS = [
    None, None,
    lambda at: at.strftime("%Y-%m-%dT%H:%M:%S.%fZ stdout F "),
    lambda at: at.strftime("%Y-%m-%d %H:%M:%S,") + f"{at.microsecond:06d} ",
    lambda at: at.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00 "),
]
SKEWS = [0.5, -0.5, 40, -40, 3600, -7200, 19800, 11 * 3600]
BASE = datetime.datetime(2026, 3, 21, 3, 14, 8)


class Clocks:
    """What the clock of each host shows: most are right, some far off."""

    def __init__(self, rng, hosts):
        self.rng = rng
        self.ahead = {host: 0.0 for host in hosts}
        for host in rng.sample(hosts, rng.randrange(len(hosts) // 2 + 1)):
            self.ahead[host] = rng.choice(SKEWS)

    def show(self, host, seconds):
        return BASE + datetime.timedelta(
            seconds=seconds + self.ahead[host] + self.rng.random() / 5)


class Log:
    """Lines of all ranks, each under its prefix, mixed as they came."""

    def __init__(self, rng, n):
        self.rng, self.n = rng, n
        self.prefix = rng.choice(PREFIXES)
        self.lines = {rank: [] for rank in range(n)}
        self.per_host = rng.choice([2, 4, 8])
        self.wrap = rng.random() < 0.2 and self.prefix is PREFIXES[0]
        self.cut = rng.random() < 0.3
        self.stamp = rng.choice(STAMPS)
        self.hosts = sorted({self.host(rank) for rank in range(n)})
        self.clocks = Clocks(rng, self.hosts)
        self.now = 0.0

    def host(self, rank):
        return f"node-{rank // self.per_host:03d}"

    def place(self, rank):
        return {"h": self.host(rank), "p": 4000 + rank, "t": 5000 + rank,
                "d": rank % self.per_host, "r": rank,
                "q": (rank + 1) % self.n}

    def first_rank(self, host):
        return int(host[5:]) * self.per_host

    def later(self, seconds):
        self.now += seconds

    def shown(self, rank):
        return self.clocks.show(self.host(rank), self.now)

    def say(self, rank, text):
        stamp = self.stamp(self.shown(rank)) if self.stamp else ""
        self.lines[rank].append((stamp, text, self.now))

    def noise(self, most=6):
        for rank in range(self.n):
            for _ in range(self.rng.randrange(most)):
                self.say(rank, self.rng.choice(NOISE).format(
                    **self.place(rank)))

    def nccl(self, rank, text, kind="WARN"):
        place = self.place(rank)
        where = "transport/net_ib.cc:1909 " if kind == "WARN" else ""
        self.say(rank, "{h}:{p}:{t} [{d}] ".format(**place) + where +
                 f"NCCL {kind} {text}")

    def start(self, comm="0xabc"):
        for word in ("START", "COMPLETE"):
            for rank in range(self.n):
                self.nccl(rank, f"ncclCommInitRank comm 0x1 rank {rank} "
                          f"nranks {self.n} cudaDev {rank % 8} busId 1000 "
                          f"commId {comm} - Init {word}", "INFO")
            self.later(2)

    def put(self, out, line):
        """A terminal of 180 columns breaks long lines and pads them."""
        if self.wrap:
            for at in range(0, len(line) or 1, 180):
                out.write(line[at:at + 180].ljust(180) + "\n")
        else:
            out.write(line + "\n")

    def write_file(self, path, ranks):
        left = [rank for rank in ranks if self.lines[rank]]
        at = {rank: 0 for rank in left}
        with open(path, "w", encoding="utf-8") as out:
            while left:
                rank = self.rng.choice(left)
                stamp, text, _ = self.lines[rank][at[rank]]
                prefix = self.prefix(rank, rank // self.per_host)
                self.put(out, stamp + prefix + text)
                at[rank] += 1
                if at[rank] == len(self.lines[rank]):
                    left.remove(rank)
            if self.cut:
                out.write(NOISE[0].format(**self.place(0))[:40])

    def write(self, folder):
        name = self.rng.choice(["job.log", "out.txt"])
        self.write_file(os.path.join(folder, name), range(self.n))

    def write_hosts(self, folder):
        """A file a host, in the order in which it was said."""
        for host in self.hosts:
            ranks = [r for r in range(self.n) if self.host(r) == host]
            said = [line for rank in ranks for line in self.lines[rank]]
            self.lines[ranks[0]] = sorted(said, key=lambda line: line[2])
            self.write_file(os.path.join(folder, host + ".log"), ranks[:1])


def watch_head(log, rank, line):
    """What c10d begins its lines with: a time of the host's, without a year."""
    at = log.shown(rank)
    return f"[rank{rank}]:[E{at.month}{at:%d %H:%M:%S.%f}000 " \
        f"ProcessGroupNCCL.cpp:{line}] "


def watchdog(log, rank, seq, op, size, enqueued):
    log.say(rank, watch_head(log, rank, 607) + f"[Rank {rank}] Watchdog caught "
            f"collective operation timeout: WorkNCCL(SeqNum={seq}, OpType="
            f"{op}, NumelIn={size}, NumelOut={size}, Timeout(ms)=600000) ran "
            f"for 600060 milliseconds before timing out.")
    log.say(rank, watch_head(log, rank, 2268) + f"[PG ID 0 PG GUID 0(default_pg) "
            f"Rank {rank}]  failure detected by watchdog at work sequence "
            f"id: {seq} PG status: last enqueued work: {enqueued}, last "
            f"completed work: {seq - 1}")


def watchdog_absent(rng, folder, n):
    log, seq = Log(rng, n), rng.randrange(10, 1 << 20)
    guilty = few(rng, list(range(n)))
    log.noise()
    for rank in range(n):
        if rank in guilty:
            log.say(rank, watch_head(log, rank, 1682) + "[PG ID 0 PG GUID "
                    f"0(default_pg) Rank {rank}] Received a dump signal due "
                    "to a collective timeout from rank "
                    f"{rng.choice([r for r in range(n) if r not in guilty])} "
                    "and we will try our best to dump the debug info. Last "
                    f"enqueued NCCL work: {seq - 1}, last completed NCCL "
                    f"work: {seq - 1}.This is most likely caused by")
        else:
            watchdog(log, rank, seq, "ALLREDUCE", 4096, seq + 2)
    log.write(folder)
    return "ABSENT", named(guilty)


def watchdog_mismatch(rng, folder, n):
    n = max(n, 3)
    log, seq = Log(rng, n), rng.randrange(10, 1 << 20)
    guilty = few(rng, list(range(n)), min(2, (n - 1) // 2))
    by_size = rng.random() < 0.5
    log.noise()
    for rank in range(n):
        bad = rank in guilty
        watchdog(log, rank, seq,
                 "BROADCAST" if bad and not by_size else "ALLREDUCE",
                 513 if bad and by_size else 512, seq)
    log.write(folder)
    return "MISMATCH", named(guilty)


def watchdog_silent(rng, folder, n):
    n = max(n, 3)
    log, seq = Log(rng, n), rng.randrange(10, 1 << 20)
    guilty = rng.randrange(n)
    log.start()
    for rank in range(n):
        if rank != guilty:
            watchdog(log, rank, seq, "ALLREDUCE", 512, seq)
    log.write(folder)
    return "STUCK", named([guilty])


def completion(log, rank, peer, status, vendor, hca):
    log.nccl(rank, f"NET/IB: Got completion from peer 10.1.0.{peer}<33274> "
             f"with status={status} opcode=0 len=0 vendor err {vendor} (Send) "
             f"localGid ::ffff:10.9.8.{rank % 250} remoteGids::ffff:10.9.8."
             f"{peer} hca {hca}")
    for line in ("transport/net.cc:1137", "proxy.cc:698", "proxy.cc:878"):
        log.nccl(rank, f"{line} -> 6", "INFO")


def followers(log, rng, guilty):
    for rank in range(log.n):
        if rank != guilty and rng.random() < 0.5:
            log.nccl(rank, "socketProgress: Connection closed by remote peer "
                     f"{log.host(guilty)}<48078>")


def link_lost(rng, folder, n):
    log = Log(rng, n)
    rank, hca = rng.randrange(n), f"mlx5_{rng.randrange(8)}"
    log.start()
    log.noise()
    completion(log, rank, 7, 12, 129, hca)
    for _ in range(rng.randrange(3)):
        completion(log, rank, 7, 5, 249, hca)
    followers(log, rng, rank)
    log.write(folder)
    return "LINK", f"rank {rank}, {hca}"


def wrong_mtu(rng, folder, n):
    log = Log(rng, n)
    rank, other = rng.sample(range(n), 2)
    log.noise()
    log.nccl(other, "NET/IB : mlx5_0:1 Got async event : local access "
             "violation work queue error")
    completion(log, rank, 9, 9, 138, "mlx5_0")
    followers(log, rng, rank)
    log.write(folder)
    return "MTU", log.host(other)


def process_died(rng, folder, n):
    log = Log(rng, n)
    rank = rng.randrange(n)
    others = [r for r in range(n)
              if log.host(r) != log.host(rank)] or [(rank + 1) % n]
    log.start()
    log.noise()
    for other in others:
        log.nccl(other, "socketProgress: Connection closed by remote peer "
                 f"{log.host(rank)}<48078>")
        log.nccl(other, "proxy.cc:1143 -> 6", "INFO")
    log.write(folder)
    return "PROCESS-DIED", log.host(rank)


LIMITS = [
    ("MEMLOCK", "Call to ibv_reg_mr_iova2 failed with error Cannot allocate "
     "memory"),
    ("SHM", "Error: failed to extend /dev/shm/nccl-WU88OE to 9637892 bytes, "
     "error: No space left on device (28)"),
    ("INTERFACE", "Bootstrap : no socket interface found"),
    ("GPU-APPLICATION", "Cuda failure 700 'an illegal memory access was "
     "encountered'"),
]


def first_of_two(rng, folder, n):
    """Two hosts fail, one after the other, and only their clocks tell which
    was first; all of them saw how communicators came to be."""
    log = Log(rng, max(n, 16))
    log.stamp = rng.choice(STAMPS[2:])
    first, second = rng.sample(log.hosts, 2)
    (code, text), (_, other) = rng.sample(LIMITS, 2)
    log.start()
    log.noise(2)
    apart = rng.random() < 0.6
    if apart and log.stamp is STAMPS[3] and rng.random() < 0.5:
        # clocks of one host are set back at the end of summer
        log.clocks.ahead[second] = 3600
        log.start("0xbcd")
        log.clocks.ahead[second] = 0
    log.later(60)
    log.start("0xdef")
    log.later(rng.randrange(5, 30))
    log.nccl(log.first_rank(first), text)
    log.later(rng.randrange(5, 30))
    log.nccl(log.first_rank(second), other)
    if apart:
        log.wrap = False
        log.write_hosts(folder)
    else:
        log.write(folder)
    return code, first, log.clocks.ahead


def limit_hit(rng, folder, n):
    log = Log(rng, n)
    rank = rng.randrange(n)
    code, text = rng.choice(LIMITS)
    log.noise()
    log.nccl(rank, text)
    followers(log, rng, rank)
    log.write(folder)
    return code, log.host(rank)


def ras_behind(rng, folder, n):
    guilty = few(rng, list(range(n)))
    seq = rng.randrange(100, 1 << 20)
    ranks = [{"rank": r, "host": f"10.0.0.{r // 8}", "pid": 100 + r,
              "cuda_dev": r % 8, "nvml_dev": r % 8,
              "status": {"init_state": 0, "async_error": 0},
              "collective_counts": {"AllReduce": seq - (r in guilty) * 3,
                                    "Broadcast": 1}}
             for r in range(n)]
    status = {"nccl_version": "2.30.7", "communicators_count": 1,
              "communicators": [{"hash": "0x27a0", "size": n,
                                 "ranks_count": n, "missing_ranks_count": 0,
                                 "ranks": ranks, "missing_ranks": []}],
              "ras": {"timeouts_count": 0}}
    with open(os.path.join(folder, "ras.json"), "w",
              encoding="utf-8") as out:
        json.dump(status, out)
    return "RAS-BEHIND", named(guilty)


def healthy(rng, folder, n):
    log = Log(rng, n)
    log.start()
    log.noise()
    log.write(folder)
    return None, ""


MAKERS = [recorder_absent, recorder_mismatch, recorder_partial,
          recorder_stuck, recorder_order, recorder_dead, watchdog_absent,
          watchdog_mismatch, watchdog_silent, link_lost, wrong_mtu,
          process_died, limit_hit, ras_behind, first_of_two, healthy]
