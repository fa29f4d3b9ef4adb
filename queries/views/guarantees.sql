-- What strong guarantees are taken from.

-- The strong guarantees of the pools that there are at the window's end, beside what they are
-- taken from, one row per pool and resource: those that do not fit are scaled down together.
-- @columns tree, pool, path, resource
-- @column  guaranteed amount — strong guarantee of the pool
-- @column  with_siblings amount — guarantees of all pools with the same parent, this one included
-- @column  available amount — what they are taken from: the guarantee of the parent, or if it has none of this resource the total of the tree; null where the log does not record that
-- @column  fits — whether with_siblings is no more than that
-- @column  part_of_tree ratio — guaranteed by the total of the tree
-- @example SELECT path, resource, guaranteed, with_siblings, available, fits FROM guarantees ORDER BY fits, path, resource
CREATE OR REPLACE VIEW guarantees AS
WITH each AS (
  SELECT p.tree, p.pool, p.path, p.parent, unnest([
    {'resource': 'user_slots', 'amount': strong_guarantee_user_slots::DOUBLE, 'total': total_user_slots::DOUBLE},
    {'resource': 'cpu', 'amount': strong_guarantee_cpu, 'total': total_cpu},
    {'resource': 'gpu', 'amount': strong_guarantee_gpu, 'total': total_gpu},
    {'resource': 'memory', 'amount': strong_guarantee_memory, 'total': total_memory},
    {'resource': 'network', 'amount': strong_guarantee_network, 'total': total_network}]) AS one
  FROM pools AS p
  JOIN trees USING (tree)
  WHERE p.last_seen IS NULL
), guaranteed AS (
  SELECT tree, pool, path, parent, one.resource AS resource, one.amount AS amount, nullif(one.total, 0) AS total,
    sum(one.amount) OVER (PARTITION BY tree, parent, one.resource) AS with_siblings
  FROM each
  WHERE one.amount > 0
)
SELECT g.tree, g.pool, g.path, g.resource, g.amount AS guaranteed, g.with_siblings, coalesce(above.amount, g.total) AS available,
  g.with_siblings <= coalesce(above.amount, g.total) AS fits, g.amount / g.total AS part_of_tree
FROM guaranteed AS g
LEFT JOIN guaranteed AS above ON above.tree = g.tree AND above.pool = g.parent AND above.resource = g.resource;
