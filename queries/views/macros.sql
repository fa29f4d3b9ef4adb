-- What the audits share. Macros stay in the run's database for other queries.
--
-- A macro is expanded with its arguments wherever it is called, and an argument that it names
-- five times is planned five times, with all that is in it. So a macro names once what may be
-- an expression: list_transform([x], n -> …)[1] gives it a name.

-- The resources in canonical order, with the unit of an amount.
-- @columns resource
-- @column  unit — unit of an amount in the result tables
-- @example SELECT resource, unit FROM resources
CREATE OR REPLACE VIEW resources AS
SELECT resource, unit FROM (VALUES
  ('user_slots', 'slots'), ('cpu', 'cores'), ('gpu', 'devices'), ('memory', 'bytes'), ('network', 'units')
) AS r(resource, unit);

-- The length of a span.
-- @param   from_time UTC — start of the span
-- @param   to_time UTC — end of the span
-- @returns s
-- @example SELECT operation, span_seconds(start_time, finish_time) AS duration_s FROM operations ORDER BY duration_s DESC NULLS LAST LIMIT 10
CREATE OR REPLACE MACRO span_seconds(from_time, to_time) AS
  (epoch_us(to_time::TIMESTAMP) - epoch_us(from_time::TIMESTAMP)) / 1e6;

-- A number for a person, without zeros at the end and with thousands apart: 6, 2.25,
-- 17,898; exact to a thousandth where it says so. These macros and package
-- core/quantity write alike.
CREATE OR REPLACE MACRO internal.number_text(x) AS rtrim(rtrim(format('{:,.2f}', x::DOUBLE), '0'), '.');
CREATE OR REPLACE MACRO internal.seconds_text(seconds) AS rtrim(rtrim(format('{:,.3f}', seconds::DOUBLE), '0'), '.') || ' s';

-- A part of a whole: 12.5 %.
CREATE OR REPLACE MACRO internal.share_text(share) AS internal.number_text(100 * share) || ' %';

-- A span for a person: 0.25 s, 45 s, 7 min 30 s, 3 h 05 min.
CREATE OR REPLACE MACRO internal.span_text(seconds) AS list_transform([seconds], s -> CASE
  WHEN s < 1 THEN internal.seconds_text(s)
  WHEN s < 60 THEN printf('%d s', floor(s)::BIGINT)
  WHEN s < 3600 THEN printf('%d min %02d s', floor(s / 60)::BIGINT, floor(s)::BIGINT % 60)
  ELSE format('{:,} h ', floor(s / 3600)::BIGINT) || printf('%02d min', floor(s / 60)::BIGINT % 60)
END)[1];

-- The unit in which the source counts a resource. All trees of a trace count alike.
CREATE OR REPLACE MACRO internal.source_unit(of_resource) AS
  (SELECT any_value(state) FROM coverage WHERE aspect = 'unit.' || of_resource);

-- That one of five values which is of a resource.
CREATE OR REPLACE MACRO internal.of_resource(resource, user_slots, cpu, gpu, memory, network) AS
  CASE resource WHEN 'user_slots' THEN user_slots WHEN 'cpu' THEN cpu WHEN 'gpu' THEN gpu WHEN 'memory' THEN memory WHEN 'network' THEN network END;

-- An amount of an episode in natural units: cpu stands in hundredths of a core,
-- and GPUs in thousandths where the source counts so.
CREATE OR REPLACE MACRO internal.natural_amount(resource, value, source_unit) AS
  value / CASE resource WHEN 'cpu' THEN 100 WHEN 'gpu' THEN CASE source_unit WHEN 'milli_gpu' THEN 1000 ELSE 1 END ELSE 1 END;

-- The same of what a column holds, which has its cores already.
CREATE OR REPLACE MACRO internal.column_amount(resource, value, source_unit) AS
  value / CASE resource WHEN 'gpu' THEN CASE source_unit WHEN 'milli_gpu' THEN 1000 ELSE 1 END ELSE 1 END;

-- A number with its unit in the plural: 6 cores, 1 core.
CREATE OR REPLACE MACRO internal.unit_text(x, unit) AS list_transform([x], n -> CASE
  WHEN abs(n) >= 1000 THEN format('{:,.0f} ', n::DOUBLE) || unit
  WHEN internal.number_text(n) = '1' THEN '1 ' || rtrim(unit, 's')
  WHEN abs(nullif(n, 0)) < 0.005 THEN printf('%.2g ', n::DOUBLE) || unit
  ELSE internal.number_text(n) || ' ' || unit
END)[1];

-- A natural amount for a person: 6 cores, 1 GPU, 1.5 GiB of memory.
CREATE OR REPLACE MACRO internal.amount_text(resource, amount) AS list_transform([amount], a -> CASE resource
  WHEN 'memory' THEN internal.number_text(a / 1073741824) || ' GiB of memory'
  ELSE internal.unit_text(a, CASE resource WHEN 'cpu' THEN 'cores' WHEN 'gpu' THEN 'GPUs' WHEN 'user_slots' THEN 'user slots' ELSE 'units' END)
    || CASE resource WHEN 'cpu' THEN '' WHEN 'gpu' THEN '' WHEN 'user_slots' THEN '' ELSE ' of ' || resource END
END)[1];

-- The resources that a threshold names, for a person; empty if none.
CREATE OR REPLACE MACRO internal.threshold_text(user_slots, cpu, gpu, memory, network) AS concat_ws(' and less than ',
  internal.amount_text('user_slots', user_slots), internal.amount_text('cpu', cpu), internal.amount_text('gpu', internal.column_amount('gpu', gpu, internal.source_unit('gpu'))), internal.amount_text('memory', memory), internal.amount_text('network', network));

-- One side of a check as evidence shows it: cores, devices, GiB and seconds, where the
-- tables count hundredths of a core, GPUs as the log does, bytes and microseconds. Others are as they are. A
-- lambda allows no subquery, so that gpu_unit, internal.source_unit('gpu'), is given.
CREATE OR REPLACE MACRO internal.side_value(value, measure, resource, gpu_unit) AS CASE
  WHEN coalesce(measure, '') = '' THEN NULL
  WHEN measure = 'µs' THEN value / 1e6
  WHEN measure = 'amount' AND resource = 'cpu' THEN value / 100
  WHEN measure = 'amount' AND resource = 'gpu' THEN internal.natural_amount(resource, value, gpu_unit)
  WHEN measure = 'amount' AND resource = 'memory' THEN value / 1073741824
  ELSE value
END::DOUBLE;

-- The unit of side_value; null if nothing is measured.
CREATE OR REPLACE MACRO internal.side_unit_text(measure, resource) AS CASE
  WHEN coalesce(measure, '') = '' THEN NULL
  WHEN measure = 'µs' THEN 's'
  WHEN measure = 'amount' THEN CASE resource WHEN 'cpu' THEN 'cores' WHEN 'memory' THEN 'GiB' WHEN 'gpu' THEN 'devices' WHEN 'user_slots' THEN 'slots' ELSE 'units' END
  ELSE measure
END;

-- A DOUBLE that is a whole number. A limit that stands for none is above all of BIGINT.
CREATE OR REPLACE MACRO internal.whole(x) AS least(x, 9223372036854774784::DOUBLE)::BIGINT;

-- A number of things: 1 job, 2 jobs, 17,898 jobs.
CREATE OR REPLACE MACRO internal.count_text(n, noun) AS format('{:,} {}{}', n::BIGINT, noun, CASE WHEN n = 1 THEN '' ELSE 's' END);

-- The rank of a verdict on cases, the worst highest, and the verdict of a rank.
CREATE OR REPLACE MACRO internal.verdict_rank(verdict) AS CASE verdict WHEN 'violated' THEN 3 WHEN 'suspect' THEN 2 ELSE 1 END;
CREATE OR REPLACE MACRO internal.ranked_verdict(rank) AS CASE rank WHEN 3 THEN 'violated' WHEN 2 THEN 'suspect' ELSE 'excused' END;

-- Marks for spans that the window cut.
CREATE OR REPLACE MACRO internal.clip_text(clipped_from, clipped_to) AS CASE
  WHEN clipped_from AND clipped_to THEN ' It began before the window and goes on after it.'
  WHEN clipped_from THEN ' It began before the window.'
  WHEN clipped_to THEN ' It goes on after the window.'
  ELSE ''
END;

-- The part of a span that rests on jobs whose departure the log does not record exactly.
CREATE OR REPLACE MACRO internal.doubt_text(us) AS CASE
  WHEN us > 0 THEN printf(' For %s of it, this holds only if jobs were still there whose departure the log does not record exactly.', internal.span_text(us / 1e6))
  ELSE ''
END;

-- The same of a node, which may also have grown before the log records it.
CREATE OR REPLACE MACRO internal.node_doubt_text(us) AS CASE
  WHEN us > 0 THEN printf(' For %s of it, this holds only if jobs were still there, or the node was still smaller; the log does not record exactly when that ended.', internal.span_text(us / 1e6))
  ELSE ''
END;

-- A time for evidence: ISO 8601, UTC.
CREATE OR REPLACE MACRO internal.time_text(t) AS strftime(t::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%fZ');

-- The same in a sentence: 2026-05-01 02:03:04 UTC.
CREATE OR REPLACE MACRO internal.clock_text(t) AS strftime(t::TIMESTAMP, '%Y-%m-%d %H:%M:%S UTC');

-- The path of a pool and those of the pools above it, from the top: [a, a/b] of a/b.
-- The root's own is empty.
-- @param   path — path of a pool
-- @example SELECT path, unnest(paths_above(path)) AS above FROM pools
CREATE OR REPLACE MACRO paths_above(path) AS
  list_transform(range(1, len(string_split(path, '/')) + 1), n -> array_to_string(string_split(path, '/')[1:n], '/'));

-- The ids of a JSON list, none of an empty text.
CREATE OR REPLACE MACRO internal.id_list(ids) AS CASE WHEN ids = '' THEN [] ELSE from_json(ids, '["VARCHAR"]') END;

-- Why an element may stand above a limit; null if nothing excuses it (LIM-02,
-- CNT-04, CNT-05). An episode that the window cut has the cause it began with.
CREATE OR REPLACE MACRO internal.limit_excuse(cause) AS CASE cause
  WHEN 'limit_changed' THEN 'the limit was lowered below the current value'
  WHEN 'pool_moved' THEN 'a pool was moved in with its contents'
  WHEN 'revived' THEN 'an operation was registered again after a restart, without checks'
END;
