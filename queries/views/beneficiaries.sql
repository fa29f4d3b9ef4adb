-- Jobs that preemptions name and that are not where they should be.

-- The preemptions that name a beneficiary which their tree does not have, with the trees that
-- have it, in the order of names; none has one that the log does not hold. A table, since
-- two audits ask it; each would look up all beneficiaries again.
CREATE OR REPLACE TABLE internal.absent_beneficiaries AS
WITH absent AS MATERIALIZED (
  SELECT p.tree, p.operation, p.pool, p.time, p.job, p.beneficiary, p.beneficiary_job, p.beneficiary_job_inferred
  FROM preemptions AS p ANTI JOIN jobs AS j ON j.tree = p.tree AND j.job = p.beneficiary_job
  WHERE p.beneficiary_job <> ''
), elsewhere AS (
  SELECT job, list(DISTINCT tree ORDER BY tree) AS in_trees FROM jobs WHERE job IN (SELECT beneficiary_job FROM absent) GROUP BY job
)
SELECT a.tree, a.operation, a.pool, a.time, a.job, a.beneficiary, a.beneficiary_job, a.beneficiary_job_inferred, coalesce(e.in_trees, []) AS in_trees
FROM absent AS a LEFT JOIN elsewhere AS e ON e.job = a.beneficiary_job;
