// SPDX-License-Identifier: Apache-2.0
// The catalogue: what each finding is called and what a person does next.
#include "probes/finding/catalogue.h"

static const struct finding_info catalogue[] = {
	[FINDING_NIC_TX_SLOW] = {
		"FP-NIC-TX-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Host sends slowly to everyone",
		"On that host: ethtool DEV (speed, duplex), ethtool -S DEV | "
		"grep -iE 'err|drop|pause', tc -s qdisc show dev DEV (a "
		"leftover rate limit), PCIe link width under load. Then swap "
		"cable or transceiver, and compare the receive errors of its "
		"switch port.",
	},
	[FINDING_NIC_RX_SLOW] = {
		"FP-NIC-RX-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Host receives slowly from everyone",
		"On the switch: speed, drops and rate limits of the port "
		"towards that host. On the host: ethtool -S DEV | grep -iE "
		"'miss|drop|err|crc', ethtool -g and -l DEV (ring sizes, "
		"queues), interrupt placement. Then swap cable or transceiver.",
	},
	[FINDING_NIC_SLOW] = {
		"FP-NIC-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Host's network device is slow in both directions",
		"ethtool DEV (negotiated speed), PCIe width and speed of the "
		"device under load (lspci -vv, LnkSta), its NUMA node against "
		"the ranks' cores, tc -s qdisc show dev DEV. Take the host out "
		"of the job until then.",
	},
	[FINDING_NIC_TX_DEAD] = {
		"FP-NIC-TX-DEAD", SEVERITY_FAULT, LAYER_HARDWARE,
		"Nothing that the host sends arrives anywhere",
		"Compare ip -s link show DEV (transmitted) with the receive "
		"counter of its switch port; check VLAN, port security and "
		"access lists of that port, then the transmit side of cable or "
		"transceiver.",
	},
	[FINDING_NIC_RX_DEAD] = {
		"FP-NIC-RX-DEAD", SEVERITY_FAULT, LAYER_HARDWARE,
		"Nothing that is sent to the host arrives",
		"Compare the transmit counter of its switch port with ip -s "
		"link show DEV (received); check the host's firewall (nft list "
		"ruleset), its address and VLAN, then the receive side of "
		"cable or transceiver.",
	},
	[FINDING_NIC_DEAD] = {
		"FP-NIC-DEAD", SEVERITY_FAULT, LAYER_HARDWARE,
		"Host's network device passes no data",
		"ip -s link show DEV and ethtool DEV (link detected), dmesg | "
		"grep DEV for link-down lines, state of its switch port; "
		"reseat or swap cable or transceiver. Exclude the host until "
		"it passes again.",
	},
	[FINDING_NIC_LOSS] = {
		"FP-NIC-LOSS", SEVERITY_FAULT, LAYER_HARDWARE,
		"Packets are lost on all flows of a host",
		"Watch ethtool -S DEV and the switch port's CRC, symbol and "
		"discard counters grow during a run; clean or swap cable or "
		"transceiver; check pause and buffer settings if only discards "
		"grow.",
	},
	[FINDING_NIC_JITTER] = {
		"FP-NIC-JITTER", SEVERITY_FAULT, LAYER_DRIVER,
		"All flows of a host stall now and then",
		"On that host: other load on the ranks' cores (top, pidstat "
		"1), interrupts of DEV on busy cores, power saving (cpupower "
		"idle-info), link flaps in dmesg, pause frames in ethtool -S "
		"DEV.",
	},
	[FINDING_NIC_MTU] = {
		"FP-NIC-MTU", SEVERITY_FAULT, LAYER_DRIVER,
		"Full-size packets to or from a host vanish, small ones pass",
		"Compare ip link show DEV (mtu) on both ends with the MTU of "
		"every switch port between; prove it with ping -M do -s SIZE "
		"PEER. Set the ports to at least the hosts' MTU, or all hosts "
		"to the smallest.",
	},
	[FINDING_RANK_TX_SLOW] = {
		"FP-RANK-TX-SLOW", SEVERITY_FAULT, LAYER_RESOURCES,
		"Rank sends slowly, other ranks of its host do not",
		"Look at the cores and memory of that rank: taskset -cp PID, "
		"numastat -p PID, other processes on its cores (pidstat 1), "
		"CPU frequency; compare its binding with that of a good rank.",
	},
	[FINDING_RANK_RX_SLOW] = {
		"FP-RANK-RX-SLOW", SEVERITY_FAULT, LAYER_RESOURCES,
		"Rank receives slowly, other ranks of its host do not",
		"Look at the cores and memory of that rank: taskset -cp PID, "
		"numastat -p PID, other processes on its cores (pidstat 1), "
		"CPU frequency; compare its binding with that of a good rank.",
	},
	[FINDING_RANK_SLOW] = {
		"FP-RANK-SLOW", SEVERITY_FAULT, LAYER_RESOURCES,
		"Rank is slow both ways, other ranks of its host are not",
		"Look at the cores and memory of that rank: taskset -cp PID, "
		"numastat -p PID, other processes on its cores (pidstat 1), "
		"CPU frequency; compare its binding with that of a good rank.",
	},
	[FINDING_RANK_HANG] = {
		"FP-RANK-HANG", SEVERITY_FAULT, LAYER_APPLICATION,
		"Rank hangs whoever its partner is",
		"See what its worker waits for: cat /proc/PID/stack and "
		"/proc/PID/wchan, dmesg for hung tasks; then memory limits and "
		"firewall rules for this process. Run again without this rank.",
	},
	[FINDING_RANK_ERROR] = {
		"FP-RANK-ERROR", SEVERITY_FAULT, LAYER_APPLICATION,
		"Rank fails whoever its partner is",
		"The evidence has the system's own message. Usual causes: a "
		"firewall on that host (nft list ruleset), limits (ulimit -a, "
		"cgroup memory), another program on the address, a missing "
		"device.",
	},
	[FINDING_GPU_ERROR] = {
		"FP-GPU-ERROR", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU fails by an error of its own, whoever its partner is",
		"CUDA's code is in the evidence. On that host dmesg | grep -i "
		"xid, nvidia-smi -q -i GPU (ECC, remapped rows, pending "
		"reset); drain it, nvidia-smi -r -i GPU or reboot, then dcgmi "
		"diag -r 3. The same GPU again: replace it.",
	},
	[FINDING_HOST_SLOW] = {
		"FP-HOST-SLOW", SEVERITY_FAULT, LAYER_RESOURCES,
		"Everything inside a host is slow, compared with other hosts",
		"On that host: other load (top), CPU frequency and governor "
		"(cpupower frequency-info), thermal throttling (dmesg), memory "
		"channels missing (dmidecode -t memory), NUMA and power "
		"settings of its BIOS.",
	},
	[FINDING_HOST_LOST] = {
		"FP-HOST-LOST", SEVERITY_FAULT, LAYER_HARDWARE,
		"Host does not answer any more",
		"Ping it, look at its console or BMC (ipmitool sel list) for "
		"power, panic and hardware events before restarting it: a "
		"restart destroys the evidence. Exclude it from the job.",
	},
	[FINDING_PAIR_SLOW] = {
		"FP-PAIR-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"One pair is slow, both ends are fast with others",
		"The ends are good, so look between them: the path's switches "
		"and uplinks (speed, errors, discards), rate limits and "
		"policers for this pair, routing or hashing onto one bad link "
		"(tracepath PEER).",
	},
	[FINDING_PAIR_LATENCY] = {
		"FP-PAIR-LATENCY", SEVERITY_FAULT, LAYER_HARDWARE,
		"Round trips take far longer than on comparable pairs",
		"tracepath PEER for a longer route, switch counters on it; on "
		"both hosts interrupt coalescing (ethtool -c DEV), power "
		"saving (cpupower idle-info) and whether the ranks' cores are "
		"shared.",
	},
	[FINDING_PAIR_JITTER] = {
		"FP-PAIR-JITTER", SEVERITY_FAULT, LAYER_HARDWARE,
		"One pair stalls now and then, though it can be fast",
		"Measure the pair alone and for longer (fabricprobe pairs "
		"--trial-time 10). Then pause frames and discards of the "
		"path's switch ports, link flaps (dmesg), other traffic and "
		"other load at both ends.",
	},
	[FINDING_PAIR_LOSS] = {
		"FP-PAIR-LOSS", SEVERITY_FAULT, LAYER_HARDWARE,
		"Packets are lost between two hosts only",
		"Both ends are clean with others: look at CRC, symbol and "
		"discard counters of the links between their switches, and at "
		"policers for this pair. nstat -az TcpRetransSegs on the "
		"sender shows it growing.",
	},
	[FINDING_PAIR_BLACKHOLE] = {
		"FP-PAIR-BLACKHOLE", SEVERITY_FAULT, LAYER_HARDWARE,
		"Nothing arrives in one direction of a pair",
		"Capture at the receiving end (tcpdump -ni DEV host PEER) to "
		"see where packets stop; then forwarding and neighbour tables "
		"on the path, access lists, and a stale entry or a dead member "
		"of a link bundle.",
	},
	[FINDING_PAIR_MTU] = {
		"FP-PAIR-MTU", SEVERITY_FAULT, LAYER_DRIVER,
		"Full-size packets of a pair vanish one way, small ones pass",
		"ping -M do -s SIZE PEER finds the size that still passes; "
		"then compare the MTU of all ports on the path with the "
		"hosts'. Allow ICMP \"fragmentation needed\", or set one MTU "
		"everywhere.",
	},
	[FINDING_PAIR_HANG] = {
		"FP-PAIR-HANG", SEVERITY_FAULT, LAYER_DRIVER,
		"A transfer between two ranks does not end",
		"Both ends work with others. Run the pair alone (fabricprobe "
		"pairs) to see whether it is repeatable; between hosts look at "
		"firewalls, connection tracking and the path; inside a host at "
		"limits and dmesg.",
	},
	[FINDING_PAIR_ERROR] = {
		"FP-PAIR-ERROR", SEVERITY_FAULT, LAYER_DRIVER,
		"A transfer between two ranks fails",
		"The evidence has the system's own message. Both ends work "
		"with others: look at firewalls and routes for this pair (ip "
		"route get PEER), then at the path between them.",
	},
	[FINDING_DATA_CORRUPT] = {
		"FP-DATA-CORRUPT", SEVERITY_FAULT, LAYER_HARDWARE,
		"Data arrives changed",
		"Stop using the place named: results computed over it are "
		"wrong. Check memory errors (edac-util -v, ras-mc-ctl "
		"--errors, mcelog), then offloads (ethtool -K DEV rx off tx "
		"off) to tell NIC from memory.",
	},
	[FINDING_COLL_HANG] = {
		"FP-COLL-HANG", SEVERITY_FAULT, LAYER_APPLICATION,
		"A collective hangs, though no pair of its members does",
		"The ranks that are furthest behind are in the evidence: look "
		"at their hosts first. Run it on half of the hosts, then on "
		"the other half; if both pass, the hang needs the whole width.",
	},
	[FINDING_COLL_ERROR] = {
		"FP-COLL-ERROR", SEVERITY_FAULT, LAYER_APPLICATION,
		"A collective fails, though no pair of its members does",
		"The evidence has the first message of each rank: look for the "
		"rank that does not only complain about a peer. Then limits "
		"(descriptors, memory) that only the whole width reaches.",
	},
	[FINDING_AGENT_LOST] = {
		"FP-AGENT-LOST", SEVERITY_FAULT, LAYER_RESOURCES,
		"A rank's agent is gone, others of its host answer",
		"Its host lives, so the process was killed or stopped: dmesg | "
		"grep -i -E 'oom|killed process', journalctl -k, the "
		"launcher's own messages, cgroup and time limits.",
	},
	[FINDING_WORKER_START] = {
		"FP-WORKER-START", SEVERITY_FAULT, LAYER_DRIVER,
		"A rank's worker cannot start",
		"The message says what is missing. Install the same "
		"fabricprobe with its workers on all hosts (same path, same "
		"version), check the loader's complaint with ldd.",
	},
	[FINDING_WORKER_DIED] = {
		"FP-WORKER-DIED", SEVERITY_FAULT, LAYER_DRIVER,
		"A rank's worker ended by itself in mid-run",
		"Signal or status are in the evidence. dmesg on that host "
		"(segfault, OOM kill, machine check), coredumpctl; if it "
		"happens on one host only, suspect that host's memory or "
		"driver.",
	},
	[FINDING_WORKER_HUNG] = {
		"FP-WORKER-HUNG", SEVERITY_FAULT, LAYER_DRIVER,
		"A rank's worker stopped answering and had to be killed",
		"On that host: dmesg for hung tasks and driver messages, load, "
		"swapping (vmstat 1), stopped or frozen cgroups. Its partners "
		"only waited for it.",
	},
	[FINDING_WORKER_WEDGED] = {
		"FP-WORKER-WEDGED", SEVERITY_FAULT, LAYER_DRIVER,
		"A rank's worker cannot even be killed",
		"It waits in the kernel: cat /proc/PID/stack and wchan, dmesg "
		"for the driver at fault. Only a reset of the device or a "
		"reboot frees it; drain the host.",
	},
	[FINDING_WORKER_GARBAGE] = {
		"FP-WORKER-GARBAGE", SEVERITY_FAULT, LAYER_APPLICATION,
		"A rank's worker spoke nonsense to its agent",
		"Compare the worker binary of that host with the others' "
		"(sha256sum); equal: suspect the host's memory (edac-util -v) "
		"and report the journal.",
	},
	[FINDING_CONTROL_LINK] = {
		"FP-CONTROL-LINK", SEVERITY_FAULT, LAYER_HARDWARE,
		"Most agents fell silent at once: rank 0's host or control link",
		"Check the link that carries the launcher's traffic on rank "
		"0's host (ethtool, ip -s link, dmesg) and its firewall; run "
		"again with another first host, or with --control-if.",
	},
	[FINDING_CONTROL_SHARED] = {
		"FP-CONTROL-SHARED", SEVERITY_INFO, LAYER_RESOURCES,
		"Control traffic uses the interface under test",
		"Nothing, if the hosts have only one. Otherwise name another "
		"interface with --control-if.",
	},
	[FINDING_CC_MIXED] = {
		"FP-CC-MIXED", SEVERITY_WARN, LAYER_DRIVER,
		"Hosts use different TCP congestion control",
		"Set one everywhere: sysctl net.ipv4.tcp_congestion_control, "
		"or compare like with like by --tcp-cc.",
	},
	[FINDING_STRANGERS] = {
		"FP-STRANGERS", SEVERITY_INFO, LAYER_APPLICATION,
		"Unknown connections to our ports were dropped",
		"They changed no result. A port scanner or a health check runs "
		"in this network; let it skip these hosts while measuring.",
	},
	[FINDING_JOURNAL] = {
		"FP-JOURNAL", SEVERITY_WARN, LAYER_RESOURCES,
		"The journal under --out could not be written",
		"Free space or choose another folder for --out (df -h, df -i); "
		"this report is complete, a later `fabricprobe report` of that "
		"folder is not.",
	},
	[FINDING_DRILL_IDLE] = {
		"FP-DRILL-IDLE", SEVERITY_WARN, LAYER_APPLICATION,
		"A fault to be injected never acted",
		"Compare its ranks, xport=, op=, min=, from=, until=, after= and "
		"p= with what this run measured (\"looked at\" below): the pair "
		"may not be tried in this mode; `fabricprobe pairs` tries all.",
	},
};
_Static_assert(sizeof(catalogue) / sizeof(catalogue[0]) == FINDING_LINKS_FIRST,
               "every code has its row");

const struct finding_info *finding_info(unsigned code)
{
	static const struct finding_info none = {
		"FP-UNKNOWN",
		SEVERITY_WARN,
		LAYER_APPLICATION,
		"A finding that this version does not know",
		"",
	};

	const struct finding_info *info = &none;

	if (code < FINDING_LINKS_FIRST)
		info = &catalogue[code];
	else if (code < FINDING_HOSTS_FIRST)
		info = &catalogue_links[code - FINDING_LINKS_FIRST];
	else if (code < FINDING_FABRIC_FIRST)
		info = &catalogue_hosts[code - FINDING_HOSTS_FIRST];
	else if (code < FINDING_NCCL_FIRST)
		info = &catalogue_fabric[code - FINDING_FABRIC_FIRST];
	else if (code < FINDING_CODE_COUNT)
		info = &catalogue_nccl[code - FINDING_NCCL_FIRST];
	return info->id ? info : &none;
}
