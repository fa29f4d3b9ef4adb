// Package coretest is the scenario language that tests of the core, and of
// what is built on it, are written in.
//
// A scenario is a list of lines, one event each: seconds, what happened, to
// whom, and settings as name=value. Amounts are cpu=4 (cores), memory=8 (GiB),
// user_slots=1, gpu=1, network=1; guarantees and limits carry a prefix:
// strong.cpu=8, limit.memory=64.
//
//	0 tree max_running_per_pool=8
//	0 node n1 cpu=16 memory=64
//	0 pool prod parent=main weight=2 strong.cpu=8
//	1 start op1 pool=prod weight=3
//	1 running op1
//	1 demand op1 cpu=8 jobs=2
//	2 job j1 op=op1 node=n1 cpu=4
//	3 preempt j1 for=op2 for_job=j2
//	4 finish j1
//	5 complete op1
//
// The other words are tree (max_running_per_pool, max_operations_per_pool,
// max_running, max_ephemeral, default_parent, waiting_timeout, nodes=a|b, its
// nodes_filter, unknown=1 where its history has a gap, and in seconds timeout,
// min_share_timeout, aggressive_timeout,
// with aggressive=1, pool_starvation=0 and tolerance=0.8; a pool has timeout,
// min_share_timeout, aggressive and tolerance, too), pool also with mode=fifo,
// sort=start or sort=pending, lightweight=1, hub=1, forbid=1, filter=a&b, max_share_ratio,
// max_running and max_operations; remove POOL; offline NODE; node also with
// tags=a,b, or undescribed=1; heartbeat NODE; and of an operation materialize, pending, suspend,
// resume, move, set, revive, reject (code=202), erase, ban, fail, abort, starves
// (status=aggressively_starving) and recovers. An operation is vanilla and of the
// user "user" unless a line says type=map or user=anna, and has a filter and a
// max_share_ratio, too. A start may say what pool the operation's spec
// names: asks=prod, or asks=nothing. Any line of an operation may say began=SECOND, when the
// trace says that it was started, whatever its rows say. What it asks of trees is trees=a,b or
// no_trees=1, tentative=c, with a sample of so many jobs, single_tree=1 and erases=1;
// role=tentative says what the tree is to it. Lines of the scheduler's processes are
//
//	5 scheduler master_disconnected
//	6 scheduler alert_raised alert=update_pools
//
// and those of the settings above all trees, with max_operations, tentative=b,
// single_tree=0 and any other option by the name that users know, are
//
//	0 cluster trees=a,b default=a user_to_default_pool_map.anna=lab
//
// What the scheduler records of itself stands first in its second: the tree's
// total, then pools and operations with their usage, demand, fair share and
// guarantee as fractions of it, and what else is recorded of them (status, limit,
// satisfaction, the parts fair_strong, fair_integral and fair_weight, or fair_ratio and
// strong_ratio where the record holds the share of cpu alone; running, operations, own, lightweight, volume, weight, mode and parent of a pool; weight, preemptible,
// aggressive, fifo, unschedulable and the second of since of an operation):
//
//	7 snapshot s1 cpu=16
//	7 sees_pool prod cpu=4 demand.cpu=8 fair.cpu=0.5 strong.cpu=0.5 operations=1
//	7 sees op1 pool=prod cpu=4 demand.cpu=8 fair.cpu=0.5 status=starving
//
// What it accumulated of an operation since a second, in core·s and so on, stands after them:
//
//	60 accumulates op1 pool=prod since=0 fair.cpu=480 used.cpu=240 deficit.cpu=240
//
// A heartbeat has preemptive=1 if preemptive stages ran, and skipped=1; a job has ssd=1,
// stage, again=JOB whose work it begins again, competes=1, within=SECONDS if it started up to so much later, early=SECONDS if it gave its resources back up to so much before its end, and untimed=1 if the log does not record when it is preempted; a preemption has its code and mode, until when the job stayed and why it
// was aborted then, or end=running if the log ends before; an end has end=aborted and the reason; an operation has graceful, gang, ssd, max_unpreemptible, timeout, tolerance and several_jobs, and capped=1 if its
// limits cap its demand.
// Where segments count, a node has a segment, a module and a network, its data
// center and InfiniBand cluster, and an operation may ask for a segment, for
// modules=a,b, and as much for media=a,b of its disk quotas.
// A heartbeat reports the state of a job, the time that it has left to stop or what it uses
// as its news:
//
//	8 news j1 state=running
//	9 news j1 timeout=10
//	9 preempt j1 mode=interrupt until=12 why=preemption
//
// Any other option of a tree or a pool goes by the name that users know, with a dot
// into a map:
//
//	0 tree enable_conditional_preemption=false ssd_priority_preemption.enable=true
//
// Two lines are questions, which Follow answers with the shares of the second:
//
//	60 ask n1 declines=op2     what a heartbeat of n1 would do, and why
//	60 prove n1                whether what the lines below took from n1 was fair
//
// Ask names the stages that considered operations, those that were passed over in each
// and the reasons, what became of every job that could have made room, and the
// starts and preemptions; F7 after a job is the condition of a fair preemption that
// taking it would break. A controller offers the smallest job that its operation
// waits for, unless it declines. Prove gives the proof of each preemption of the same
// second and the facts F1 to F8 of a fair one (core/spec/scheduling.md §10.10). Admit
// returns what the policy says of every start, run, move and rejection of a whole scenario,
// and which configurations it refuses.
//
// The lines of one scenario stand in the order of their events. Nothing here
// is used outside tests.
package coretest
