-- @audit     preempted_job_aborted_early
-- @title     Preempted job aborted before its time was over
-- @promise   A job that is asked to stop has its interruption timeout to put its work away.
-- @invariant PRE-22, GRC-02
-- @judges    job_interrupt_timeout:PRE-22,
--            job_graceful_interrupt_timeout:GRC-02
-- @reads     decisions, decision_counts, preemptions, jobs, trees
-- @from      decisions
-- @why       The deadline is the one that heartbeats told the job. Without it, it is the
--            timeout of any configuration that may have been in force:
--            job_interrupt_timeout, or job_graceful_interrupt_timeout for a graceful
--            request. The earliest of several counts, less 1 s. It is judged where the log
--            records that the job was interrupted and not just aborted (preempt_mode), and
--            why a job that left early was aborted (abort_reason). Nodes that were lost or
--            overfull and operations that ended are excused.
-- @tested
SELECT tree, kind, subject, from_time, to_time, missing FROM internal.decisions_tested([
  {'kind': 'job_interrupt_timeout', 'invariant': 'PRE-22'},
  {'kind': 'job_graceful_interrupt_timeout', 'invariant': 'GRC-02'}]);
