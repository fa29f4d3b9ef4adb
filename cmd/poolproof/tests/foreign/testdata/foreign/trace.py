"""Writes trace.tar.zst: one whole trace as other programs write its Parquet files.

    poolproof generate --spec spec.yaml --out native
    python3 -m venv venv && venv/bin/pip install --require-hashes -r ../../../../../../ingest/parquetlog/testdata/requirements.txt
    venv/bin/python trace.py native trace.tar.zst

The folder native holds the trace as poolproof wrote it. A folder of read holds all of
its tables written anew, with the same rows. A folder of refused holds one table that the
writer gave another type in one column.
"""

import io
import pathlib
import sys
import tarfile
import tempfile

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

BARE = dict(store_schema=False, write_statistics=False)


def pyarrow(**options):
    return lambda source, to: pq.write_table(pq.read_table(source, partitioning=None), to, **BARE | options)


def changed(column, type, **options):
    """A table of which pyarrow writes one column with another type."""
    def write(source, to):
        t = pq.read_table(source, partitioning=None)
        at = t.column_names.index(column)
        pq.write_table(t.set_column(at, column, t[column].cast(type)), to, **BARE | options)
    return write


def duck(options, select="*"):
    def write(source, to):
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        connection.execute(f"COPY (SELECT {select} FROM read_parquet('{source}', hive_partitioning = false)) TO '{to}' (FORMAT parquet, {options})")
    return write


def polars(*columns, **options):
    def write(source, to):
        pl.read_parquet(source, hive_partitioning=False).with_columns(*columns).write_parquet(to, statistics=False, **options)
    return write


READ = {
    "pyarrow-page2-lz4": pyarrow(data_page_version="2.0", compression="lz4"),
    "pyarrow-page2-zstd": pyarrow(data_page_version="2.0", compression="zstd"),
    "pyarrow-no-dictionary": pyarrow(use_dictionary=False, compression="none"),
    "duckdb-v1": duck("COMPRESSION snappy, PARQUET_VERSION V1"),
    "duckdb-v2": duck("COMPRESSION lz4_raw, PARQUET_VERSION V2"),
    "polars": polars(compression="zstd"),
}

REFUSED = {
    "pyarrow-int96": ("tree=m/node_state.parquet", pyarrow(flavor="spark")),
    "pyarrow-milliseconds": ("global/process_events.parquet", pyarrow(coerce_timestamps="ms", allow_truncated_timestamps=True)),
    # What pandas makes of integers with gaps.
    "pyarrow-double": ("tree=m/demand-000.parquet", changed("min_needed_cpu_milli", pa.float64())),
    # DuckDB's sums are HUGEINT, which it writes as DOUBLE.
    "duckdb-hugeint": ("tree=m/demand-000.parquet", duck("COMPRESSION zstd", "* REPLACE (seq::HUGEINT AS seq)")),
    # Indexes of rows are UInt32 in polars.
    "polars-unsigned": ("dim/nodes.parquet", polars(pl.col("node_ix").cast(pl.UInt32))),
    "polars-nanoseconds": ("tree=m/node_state.parquet", polars(pl.col("time").cast(pl.Datetime("ns", "UTC")))),
}


def files(native, scratch):
    """Yields the name and the bytes of every file of the archive."""
    sources = sorted(p.relative_to(native).as_posix() for p in native.rglob("*") if p.is_file())
    tables = [s for s in sources if s.endswith(".parquet")]
    for s in sources:
        yield f"native/{s}", (native / s).read_bytes()
    for name, write in READ.items():
        for s in tables:
            write(str(native / s), str(scratch))
            yield f"read/{name}/{s}", scratch.read_bytes()
    for name, (s, write) in REFUSED.items():
        write(str(native / s), str(scratch))
        yield f"refused/{name}/{s}", scratch.read_bytes()


def main(native, path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar, tempfile.TemporaryDirectory() as folder:
        for name, content in files(pathlib.Path(native), pathlib.Path(folder) / "f"):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    with open(path, "wb") as f:
        f.write(pa.Codec("zstd", compression_level=19).compress(out.getvalue(), asbytes=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
