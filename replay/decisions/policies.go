package decisions

import "poolproof/core/judge"

// policies say what the policy would have done where a rule is broken.
var policies = [judge.Invariants]string{
	judge.HB01: "start nothing: the node had no room", judge.HB02: "start nothing: the node was not offered",
	judge.HB03: "pass the operation over", judge.HB04: "pass the operation over: its demand was met",
	judge.HB05: "start a job of the other operation, which was less satisfied", judge.HB06: "pass the operation over: it had its fair share",
	judge.HB07: "end the stage before this job", judge.HB08: "pass the operation over on this node",
	judge.HB09: "start a job of the other operation, whose guarantee was not met", judge.FIFO03: "start a job of the other operation, which comes first in its pool",
	judge.LIM01: "pass the operation over: a limit was full", judge.LIM03: "pass the operation over: a limit was exceeded",
	judge.SEG01: "pass the operation over on this node: segments differ",
	judge.SEG02: "start the job where the operation's others run", judge.SEG03: "leave the node in its segment",

	judge.PRE01: "leave the job: nobody profited", judge.PRE02: "leave the job: the beneficiary's job did not fit",
	judge.PRE03: "serve an operation of the stage's priority", judge.PRE04: "leave the job: nobody had starved long enough",
	judge.PRE05: "allowed: a pool above the beneficiary starved", judge.PRE06: "leave the job: its list is protected from the stage",
	judge.PRE07: "ask the job to finish gracefully", judge.PRE08: "leave the job: its operation or a pool above it starved",
	judge.PRE09: "leave the job: its operation or a pool above it had no more than its share", judge.PRE10: "leave the job to beneficiaries inside the pool that protects it",
	judge.PRE11: "take the better victim first", judge.PRE12: "stop before this job: the node fitted without it",
	judge.PRE13: "start one job with preemption", judge.PRE14: "wait until the node's backoff has passed",
	judge.PRE15: "leave the job: aggressive preemption ends at its threshold", judge.PRE16: "leave the job: preemption ends at its threshold",
	judge.PRE17: "leave the job: its pool forbids aggressive preemption", judge.PRE18: "leave the job: gang operations are protected",
	judge.PRE19: "run no stage for SSD here", judge.PRE20: "leave the job: it holds SSD", judge.PRE24: "start the job in the free room",
	judge.PRE21: "have the node abort the job at its deadline",
	judge.PRE22: "let the job run up to its deadline", judge.GRC02: "let the job run up to its deadline",
	judge.PRE23: "let the job run as soon as its room was free",
	judge.PRE25: "name a job that exists", judge.PRE26: "leave the job: its pool forbids normal preemption",
	judge.GRC01: "leave the job", judge.OVC01: "wait: the node was not overfull for long enough", judge.OVC02: "keep this job",
	judge.LST03: "leave the job: its operation gets all it demands", judge.LST05: "leave the job: its operation is below its non-preemptible threshold",
	judge.GUA08: "start a job of the other operation, whose guarantee was not met",
	judge.GUA07: "leave the job: it stands for a strong guarantee", judge.LIM05: "leave the job: no limit was exceeded",
	judge.LIM06: "stop before this job: the limit was kept again",
}
