"""Writes parquet.tar.zst: some rows of a sample in the forms that Parquet copies of
the event log have.

    python3 -m venv venv && venv/bin/pip install --require-hashes -r requirements.txt
    venv/bin/python parquet.py samples/2023.jsonl.gz parquet.tar.zst

rows.jsonl has the rows as the scheduler writes them, millis.jsonl the same with times
cut to milliseconds. Files below bad/ are refused.
"""

import gzip
import io
import json
import sys
import tarfile
from datetime import datetime, timezone

import pyarrow as pa
import pyarrow.parquet as pq
from yt_yson_bindings import dumps

# How many rows of a kind are taken, the first ones.
MOST = {"cluster_info": 1, "fair_share_info": 2, "nodes_info": 4, "accumulated_usage_info": 1, "job_started": 60, "job_completed": 30, "job_aborted": 8}
TIMES = ("timestamp", "start_time", "finish_time")


def sample(path):
    taken, rows = {}, []
    for line in gzip.open(path):
        row = json.loads(line)
        kind = row["event_type"]
        taken[kind] = taken.get(kind, 0) + 1
        if taken[kind] > MOST.get(kind, 1000) or kind == "operation_started" and taken[kind] % 2 or kind in (
                "operation_prepared", "operation_materialized") and taken[kind] > 10:
            continue
        row.pop("statistics", None)
        row.pop("progress", None)
        rows.append(row)
    return rows


def cut_times(row):
    return row | {c: row[c][:-4] + "000Z" for c in TIMES if c in row}


def unicode(v):
    """Texts as they are meant: the vendor's JSON has each byte as a character."""
    if isinstance(v, str):
        return v.encode("latin-1").decode()
    if isinstance(v, dict):
        return {unicode(k): unicode(x) for k, x in v.items()}
    return [unicode(x) for x in v] if isinstance(v, list) else v


def raw(v):
    """Texts as the bytes that YSON has."""
    if isinstance(v, str):
        return v.encode("latin-1")
    if isinstance(v, dict):
        return {raw(k): raw(x) for k, x in v.items()}
    return [raw(x) for x in v] if isinstance(v, list) else v


def yson(form):
    return lambda v: dumps(raw(v), yson_format=form)


def micros(text):
    at = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return int(at.timestamp()) * 10**6 + at.microsecond


def names(rows):
    return sorted({name for row in rows for name in row})


def is_any(rows, name):
    return any(isinstance(row.get(name), (dict, list)) for row in rows)


def column(rows, name, text, any_type, any_value):
    """A column as dump-parquet types it: text, any or what Arrow makes of it."""
    values = [row.get(name) for row in rows]
    if is_any(rows, name):
        return pa.array([None if v is None else any_value(v) for v in values], any_type)
    if any(isinstance(v, str) for v in values):
        return pa.array([None if v is None else raw(v) for v in values], pa.binary()).cast(text)
    return pa.array(values)


def table(rows, text=pa.binary(), any_type=pa.binary(), any_value=yson("binary"), required=("timestamp", "event_type"), **instead):
    fields, columns = [], []
    for name in sorted({*names(rows), *instead}):
        c = instead.get(name)
        if c is None:
            c = column(rows, name, text, any_type, any_value)
        metadata = {"YtType": "yson"} if is_any(rows, name) else None
        fields.append(pa.field(name, c.type, nullable=name not in required, metadata=metadata))
        columns.append(c)
    return pa.table(columns, schema=pa.schema(fields))


def times(rows, unit):
    return {c: pa.array([None if c not in row else micros(row[c]) for row in rows], pa.timestamp("us", tz="UTC")).cast(unit) for c in TIMES}


RESOURCES = pa.struct({"user_slots": pa.int32(), "cpu": pa.float64(), "gpu": pa.uint8(), "user_memory": pa.uint64(), "network": pa.int16()})
FLOATS = pa.struct({"user_slots": pa.uint32(), "cpu": pa.float32(), "gpu": pa.int8(), "user_memory": pa.int64(), "network": pa.uint16()})


def nested(rows, resources, large):
    """Columns of nested types, as of type_v3: structs, maps of names, lists, and any below names."""
    text = pa.large_binary() if large else pa.string()

    def of(name, to, f=unicode):
        values = [row.get(name) for row in rows]
        return pa.array([None if v is None else f(v) for v in values], to)

    def named(v):
        return [(k.encode("latin-1"), yson("binary")(x)) for k, x in v.items()]

    def trees(v):
        return [(k, {"pool": x["pool"].encode("latin-1"), "ancestor_pools": [p.encode("latin-1") for p in x.get("ancestor_pools", [])]}) for k, x in v.items()]

    return {
        "resource_limits": of("resource_limits", resources),
        "preempted_for": of("preempted_for", pa.struct({"job_id": pa.string(), "operation_id": pa.binary(), "allocation_id": pa.string()})),
        "scheduling_info_per_tree": of("scheduling_info_per_tree", pa.map_(pa.string(), pa.struct({"pool": text, "ancestor_pools": pa.list_(text)})), trees),
        "pools": of("pools", pa.map_(pa.binary(), pa.binary()), named),
        "operations": of("operations", pa.map_(pa.string(), pa.binary()), named),
        "nodes": of("nodes", pa.map_(pa.string(), pa.struct({
            "scheduler_state": pa.string(), "master_state": pa.string(), "state": pa.string(), "resource_usage": resources, "resource_limits": resources,
            "tags": pa.large_list(pa.string()) if large else pa.list_(pa.string()), "data_center": pa.string(), "infiniband_cluster": pa.string(), "tree": pa.string(),
            "scheduling_segment": pa.string(), "running_job_statistics": pa.struct({"total_cpu_time": pa.float64()}),
        })), lambda v: list(unicode(v).items())),
        "spec": of("spec", pa.struct({
            "title": pa.string(), "pool": pa.string(), "job_count": pa.int16(), "pool_trees": pa.list_(pa.string()),
            "tasks": pa.map_(pa.string(), pa.struct({"job_count": pa.int64(), "command": pa.string()})),
        }), lambda v: unicode(v) | ({"tasks": list(unicode(v["tasks"]).items())} if "tasks" in v else {})),
    }


def forms(rows):
    small = dict(compression="none", data_page_size=300, write_batch_size=5, row_group_size=50, use_dictionary=False)
    plain = dict(compression="none")
    text = lambda v: json.dumps(unicode(v), ensure_ascii=False)
    us = pa.timestamp("us", tz="UTC")
    yield "dump/binary yson", table(rows), dict(compression="snappy")
    yield "dump/pages of version 2", table(rows), dict(small, data_page_version="2.0")
    yield "dump/utf8", table(rows, text=pa.string()), plain
    yield "dump/timestamps", table(rows, **times(rows, us)), plain
    yield "dump/old complex types", table(rows, text=pa.string(), any_value=yson("text")), plain
    yield "chyt/text yson in strings", table(rows, text=pa.string(), any_type=pa.string(), any_value=lambda v: yson("text")(v)), plain
    yield "chyt/pretty yson", table(rows, required=names(rows)[:0], any_value=yson("pretty")), plain
    yield "yql/json", table(rows, text=pa.string(), any_type=pa.string(), any_value=text), plain
    yield "yql/json of the vendor", table(rows, any_type=pa.string(), any_value=lambda v: json.dumps(v, ensure_ascii=False)), plain
    yield "spark/int96", table(rows, text=pa.string(), **times(rows, us)), dict(compression="snappy", flavor="spark")
    yield "spark/nanoseconds", table(rows, text=pa.string(), **times(rows, pa.timestamp("ns"))), dict(plain, version="2.6")
    yield "spark/nested", table(rows, text=pa.string(), **nested(rows, RESOURCES, False)), plain
    yield "arrow/nested", table(rows, **nested(rows, FLOATS, True)), dict(small, data_page_version="2.0")
    yield "arrow/nested of the old form", table(rows, **nested(rows, RESOURCES, True)), dict(plain, use_compliant_nested_type=False)
    yield "arrow/lz4 and dictionaries", table(rows, **nested(rows, RESOURCES, False)), dict(compression="lz4")


def bad(rows):
    plain = dict(compression="none")
    rows = rows[:40]
    other = lambda to, make: pa.array([make(i) for i in range(len(rows))], to)
    yield "decimal", table(rows, resource_limits=other(pa.decimal128(10, 2), lambda i: i)), plain
    yield "time of day", table(rows, start_time=other(pa.time64("us"), lambda i: i)), plain
    yield "half", table(rows, reason=other(pa.float16(), lambda i: None)), plain
    yield "keys of numbers", table(rows, pools=other(pa.map_(pa.int64(), pa.string()), lambda i: [(i, "x")])), plain
    yield "no event type", table(rows).drop_columns(["event_type"]), plain
    yield "no timestamp", table(rows).drop_columns(["timestamp"]), plain


def main(source, path):
    rows = sample(source)
    millis = [cut_times(row) for row in rows]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        def add(name, content):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))

        def write(name, t, options):
            to = io.BytesIO()
            pq.write_table(t, to, **{"write_statistics": False} | options)
            add(f"{name}.parquet", to.getvalue())

        add("rows.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        add("millis.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in millis))
        for name, t, options in forms(rows):
            write(name, t, options)
        write("millis/timestamps", table(millis, **times(millis, pa.timestamp("ms", tz="UTC"))), dict(compression="none"))
        for name, t, options in bad(rows):
            write(f"bad/{name}", t, options)
        add("no rows/of no bytes.parquet", b"")
        write("no rows/of no row group", table(rows).slice(0, 0), dict(compression="none"))
    with open(path, "wb") as f:
        f.write(pa.Codec("zstd", compression_level=19).compress(out.getvalue(), asbytes=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
