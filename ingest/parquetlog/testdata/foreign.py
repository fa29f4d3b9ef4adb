"""Writes foreign.tar.zst: one small table as other programs write it as Parquet.

    python3 -m venv venv && venv/bin/pip install --require-hashes -r requirements.txt
    venv/bin/python foreign.py foreign.tar.zst

Every file holds the rows of rows.json, or of random.json where its name has the
word. The name says which program wrote it and how.
"""

import io
import itertools
import json
import random
import sys
import tarfile
import tempfile

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 230  # no multiple of eight, on which levels and indexes are packed

UTC = pa.timestamp("us", tz="UTC")
# The columns of the table sample of reader_test.go.
REQUIRED = {
    "time": UTC, "seq": pa.int64(), "small": pa.int32(), "mixed": pa.int64(), "share": pa.float64(),
    "flag": pa.bool_(), "word": pa.string(), "id": pa.string(), "pair_a": pa.int64(), "pair_b": pa.int32(),
}
OPTIONAL = {
    "opt_time": UTC, "opt_small": pa.int32(), "opt_mixed": pa.int64(), "opt_share": pa.float64(), "opt_flag": pa.bool_(),
    "opt_word": pa.string(), "opt_id": pa.string(), "opt_pair_a": pa.int64(), "opt_pair_b": pa.int32(),
}


def rows():
    r = random.Random(1)
    for i in range(ROWS):
        # Runs of one truth, of any length, and stretches without any run.
        flag = i < 70 or (i < 150 and r.random() < 0.5) or i % 37 == 0
        word = "слово" if i % 11 == 0 else f"word{r.randrange(9)}"
        row = {
            "time": 1_600_000_000_000_000 + i * 1000, "seq": i * 3, "small": r.randrange(50), "flag": flag,
            "mixed": i % 7 if i < ROWS // 2 else r.choice((-1, 1)) * r.getrandbits(62), "share": r.randrange(1000) / 7,
            "word": word, "id": f"5459dfa3-{i // 40:x}-3fe03e8-{i}", "pair_a": r.randrange(5), "pair_b": -i,
        }
        there = i < 60 or (i < 160 and r.random() < 0.6) or i % 29 == 0
        pair = i % 5 < 3
        row |= {
            "opt_time": i, "opt_small": r.randrange(9), "opt_mixed": row["mixed"], "opt_share": r.randrange(100) / 3,
            "opt_flag": r.random() < 0.3, "opt_word": f"w{r.randrange(9)}", "opt_id": f"x{i}",
        } if there else dict.fromkeys(list(OPTIONAL)[:7])
        row |= {"opt_pair_a": i, "opt_pair_b": 3} if pair else {"opt_pair_a": None, "opt_pair_b": None}
        yield row


def random_rows():
    """Rows whose pages no codec makes smaller than a third."""
    r = random.Random(2)
    for i in range(1000):
        yield dict.fromkeys(OPTIONAL) | {
            "time": i, "seq": r.getrandbits(62), "small": r.getrandbits(31), "flag": r.random() < 0.5, "mixed": r.getrandbits(62),
            "share": r.random(), "word": "", "id": "", "pair_a": 0, "pair_b": 0,
        }


def table(required=True, types=None, rows=None):
    types = types or REQUIRED | OPTIONAL
    fields = [pa.field(n, t, nullable=n in OPTIONAL or not required) for n, t in types.items()]
    columns = [pa.array([row[n] for row in rows or ROW_LIST], t) for n, t in types.items()]
    return pa.table(columns, schema=pa.schema(fields))


def arrow_cases():
    codecs = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
    for codec, version, dictionary in itertools.product(codecs, ("1.0", "2.0"), (True, False)):
        yield f"codec={codec}/page={version}/dictionary={dictionary}", table(required=dictionary), dict(
            compression=codec, data_page_version=version, use_dictionary=dictionary)
    small = dict(write_batch_size=7, data_page_size=16, row_group_size=61)
    for version, dictionary, required in itertools.product(("1.0", "2.0"), (True, False), (True, False)):
        yield f"small/page={version}/dictionary={dictionary}/required={required}", table(required), dict(
            small, compression="none", data_page_version=version, use_dictionary=dictionary)
    yield "small/codec=lz4", table(), dict(small, compression="lz4", data_page_version="2.0")
    # A dictionary that is full leaves dictionary pages and plain ones in a chunk.
    yield "dictionary full", table(), dict(compression="none", dictionary_pagesize_limit=100, write_batch_size=9, data_page_size=64)
    numbers = {n for n, t in (REQUIRED | OPTIONAL).items() if pa.types.is_integer(t) or pa.types.is_timestamp(t)}
    doubles = {n for n, t in (REQUIRED | OPTIONAL).items() if pa.types.is_floating(t)}
    texts = {n for n, t in (REQUIRED | OPTIONAL).items() if pa.types.is_string(t)}
    for text in ("DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "PLAIN"):
        for number, version, size in itertools.product(("DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"), ("1.0", "2.0"), ({}, small)):
            encoding = dict.fromkeys(numbers, number) | dict.fromkeys(doubles, "BYTE_STREAM_SPLIT") | dict.fromkeys(texts, text)
            yield f"number={number}/text={text}/page={version}{'/small' if size else ''}", table(required=number[0] == "D"), dict(
                size, compression="none", data_page_version=version, use_dictionary=False, column_encoding=encoding)
    yield "boolean=RLE/page=1.0", table(), dict(
        compression="none", use_dictionary=False, column_encoding={"flag": "RLE", "opt_flag": "RLE"})
    yield "checksums", table(), dict(compression="snappy", data_page_version="2.0", write_page_checksum=True, write_page_index=True)
    yield "format 1.0", table(), dict(compression="snappy", version="1.0")
    yield "wrong/int96", table(), dict(compression="none", flavor="spark")
    for name, other in {
        "unsigned": {"seq": pa.uint64()}, "large": {"small": pa.int64()}, "float": {"share": pa.float32()},
        "milliseconds": {"opt_time": pa.timestamp("ms", tz="UTC")},
    }.items():
        yield f"wrong/{name}", table(types=REQUIRED | OPTIONAL | other), dict(compression="none")
    yield "binary", table(types=REQUIRED | OPTIONAL | {"word": pa.binary(), "id": pa.large_string()}), dict(compression="none")
    nested = table().append_column("list", pa.array([[i, None] if i % 2 else None for i in range(ROWS)], pa.list_(pa.int64())))
    nested = nested.append_column("map", pa.array([[(str(i), i)] for i in range(ROWS)], pa.map_(pa.string(), pa.int64())))
    nested = nested.append_column("half", pa.array([i / 2 for i in range(ROWS)], pa.float16()))
    yield "more columns", nested.select(nested.column_names[::-1]), dict(compression="none", data_page_version="2.0")
    yield "no rows", table().slice(0, 0), dict(compression="snappy")
    for codec, version in itertools.product(codecs, ("1.0", "2.0")):
        yield f"random/codec={codec}/page={version}", table(rows=RANDOM_LIST), dict(
            compression=codec, data_page_version=version, use_dictionary=False)


def write_arrow(t, options, to):
    options = {"store_schema": False, "write_statistics": False} | options
    pq.write_table(t, to, **options)


def write_duckdb(options, to, rows=None):
    t = table(required=False, rows=rows)
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("t", t)
    connection.execute(f"COPY (SELECT * FROM t ORDER BY time) TO '{to}' (FORMAT parquet, {options})")


def cases(folder):
    for name, t, options in arrow_cases():
        write_arrow(t, options, f"{folder}/f")
        yield f"pyarrow/{name}"
    for codec, version, dictionary in itertools.product(
            ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw"), ("V1", "V2"), (1_000_000, 1)):
        if dictionary == 1 and codec not in ("uncompressed", "lz4_raw"):
            continue
        write_duckdb(f"COMPRESSION {codec}, PARQUET_VERSION {version}, DICTIONARY_SIZE_LIMIT {dictionary}", f"{folder}/f")
        yield f"duckdb/codec={codec}/version={version}/dictionary={dictionary}"
    for codec in ("lz4", "snappy"):
        write_duckdb(f"COMPRESSION {codec}", f"{folder}/f", RANDOM_LIST)
        yield f"duckdb/random/codec={codec}"
    for codec in ("lz4", "snappy"):
        pl.from_arrow(table(rows=RANDOM_LIST)).write_parquet(f"{folder}/f", compression=codec, statistics=False)
        yield f"polars/random/codec={codec}"
    frame = pl.from_arrow(table(required=False))
    for codec, size in itertools.product(("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"), ({}, dict(row_group_size=50, data_page_size=64))):
        if size and codec not in ("uncompressed", "lz4"):
            continue
        frame.write_parquet(f"{folder}/f", compression=codec, statistics=False, **size)
        yield f"polars/codec={codec}{'/small' if size else ''}"
    frame.with_columns(word=frame["word"].cast(pl.Categorical), opt_word=frame["opt_word"].cast(pl.Categorical)).write_parquet(
        f"{folder}/f", compression="uncompressed", statistics=False)
    yield "polars/categorical"


def main(path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar, tempfile.TemporaryDirectory() as folder:
        def add(name, content):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))

        add("rows.json", json.dumps(ROW_LIST, ensure_ascii=False).encode())
        add("random.json", json.dumps(RANDOM_LIST).encode())
        for name in cases(folder):
            with open(f"{folder}/f", "rb") as f:
                add(f"{name}.parquet", f.read())
    with open(path, "wb") as f:
        f.write(pa.Codec("zstd", compression_level=19).compress(out.getvalue(), asbytes=True))


ROW_LIST = list(rows())
RANDOM_LIST = list(random_rows())

if __name__ == "__main__":
    main(sys.argv[1])
