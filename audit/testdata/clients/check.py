"""Opens a run with the clients that analysts use, and says where two of them disagree.

usage: check.py RUN VIEWS.md POOLPROOF DUCKDB...
       check.py --read RUN VIEWS.md

Each DUCKDB is a folder with another version of the Python package. Every version reads the
tables and views that people ask and answers the examples of VIEWS.md; all have to read the same.
pyarrow, polars and pandas read the Arrow files, and what DuckDB, POOLPROOF query and they
hand to each other. The time zone of the process is far from UTC, so that a time that a client
takes for local is seen.
"""

import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import duckdb  # what else is imported, the other versions of it lack

QUERIES = ("FROM findings", "FROM jobs", "FROM promises")


def connect(run):
    return duckdb.connect(str(run / "run.duckdb"), read_only=True, config={"threads": 1})


def objects(db):
    """The tables and views that people ask."""
    names = db.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY ALL")
    return [name for name, in names.fetchall()]


def text(value):
    """A value as it is compared across versions, which may add numbers in another order."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, dict):
        return {name: text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [text(inner) for inner in value]
    return str(value)


def answer(db, query):
    """What a query returns: columns with types, number of rows, digest of the rows in any order."""
    columns = [column[:2] for column in db.execute(f"DESCRIBE {query}").fetchall()]
    lines = sorted(repr([text(value) for value in row]) for row in db.execute(query).fetchall())
    return columns, len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read(run, views):
    """Everything that this version of DuckDB reads, by table, view or example."""
    db = connect(run)
    queries = {name: f'SELECT * FROM "{name}"' for name in objects(db)}
    blocks = re.findall(r"^```sql\n(.*?)^```", views.read_text(), re.M | re.S)
    queries |= {block.strip(): block for block in blocks}
    return {"version": duckdb.__version__, "read": {name: answer(db, query) for name, query in queries.items()}}


def versions_differ(run, views, folders):
    """The faults of all versions, the first beside each other one."""
    reads = {}
    for folder in ["", *folders]:
        env = os.environ | {"PYTHONPATH": folder}
        done = subprocess.run([sys.executable, __file__, "--read", run, views],
                              env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            yield f"{folder or duckdb.__version__} does not open all: ...{done.stderr.strip()[-400:]}"
            continue
        told = json.loads(done.stdout)
        version = f"DuckDB {told['version']}"
        reads[version] = told["read"]
        print(f"{version}: {len(reads[version])} tables, views and examples")
    if len(reads) <= len(folders):
        yield f"{len(reads)} versions of DuckDB were compared"
        return
    first, *others = reads
    for version in others:
        for name, want in reads[first].items():
            for what, a, b in zip(("columns", "rows", "values"), want, reads[version][name]):
                if a != b:
                    yield f"{name}: {first} and {version} read other {what}: {a} and {b}"
                    break


ARROW_TYPES = {
    "int64": "BIGINT", "int32": "INTEGER", "double": "DOUBLE", "bool": "BOOLEAN",
    "string": "VARCHAR", "timestamp[us]": "TIMESTAMP",
}


def duckdb_type(column):
    """The type that a column of an Arrow table has in run.duckdb."""
    import pyarrow
    if not pyarrow.types.is_dictionary(column.type):
        return ARROW_TYPES.get(str(column.type), f"none for {column.type}")
    if not column.type.ordered:
        return "VARCHAR"
    words = next(chunk for chunk in column.chunks if len(chunk)).dictionary.to_pylist()
    return "ENUM(" + ", ".join(f"'{word}'" for word in words) + ")"


def pandas_values(series):
    """What a pandas column holds; what is missing is None, and a time is one of Python's."""
    values = series.astype(object)
    return [None if missing else value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value
            for value, missing in zip(values, values.isna())]


def step(rows):
    """Of a table with many rows, every how manieth is compared."""
    return rows // 5000 + 1


def column_values(frame):
    """The columns of a table of any client, as lists of Python's values, by name."""
    every = step(len(frame))
    if hasattr(frame, "to_pylist"):
        import pyarrow
        frame = frame.take(pyarrow.array(range(0, len(frame), every), "int64"))
        return {name: frame.column(name).to_pylist() for name in frame.column_names}
    if hasattr(frame, "iloc"):
        frame = frame.iloc[::every]
        return {name: pandas_values(frame[name]) for name in frame.columns}
    frame = frame.gather_every(every)
    return {name: frame[name].to_list() for name in frame.columns}


def same(want, got):
    """Whether two values are one. pandas makes floats of integers where some are missing."""
    if isinstance(want, (int, float)) and isinstance(got, float):
        return float(want) == got or want != want and got != got
    if isinstance(want, (list, dict)):
        return True  # nested values have another form in each client
    return want == got and (isinstance(want, str) == isinstance(got, str))


def frame_differs(what, want, got):
    """The faults of a client's table, beside the rows that DuckDB reads."""
    columns, rows = want
    if len(got) != len(rows):
        yield f"{what}: {len(got)} rows, and not {len(rows)}"
        return
    got = column_values(got)
    if list(got) != list(columns):
        yield f"{what}: its columns are {list(got)}, and not {list(columns)}"
        return
    for i, name in enumerate(columns):
        wrong = [(row[i], b) for row, b in zip(rows[::step(len(rows))], got[name], strict=True) if not same(row[i], b)]
        if wrong:
            yield f"{what}: column {name}: {len(wrong)} other values, as {wrong[0][1]!r} for {wrong[0][0]!r}"


def read_rows(db, query):
    """The columns of an answer, as {name: type}, and its rows."""
    return {name: kind for name, kind, *_ in db.execute(f"DESCRIBE {query}").fetchall()}, db.execute(query).fetchall()


def handed_over(db, name):
    """What DuckDB hands to the other clients of a table or view that people ask."""
    query = f'SELECT * FROM "{name}" ORDER BY ALL'
    want = read_rows(db, query)
    for client, frame in (
        ("pyarrow", db.sql(query).to_arrow_table()), ("pandas", db.sql(query).df()), ("polars", db.sql(query).pl()),
    ):
        yield from frame_differs(f"{name} from DuckDB to {client}", want, frame)


def arrow_files(db, table):
    """The Arrow files of a table, each and all, as every client reads them."""
    import pandas
    import polars
    import pyarrow.dataset
    import pyarrow.feather
    files = sorted(table.glob("*.arrow"))
    want = types, _ = read_rows(db, f'SELECT * FROM "{table.name}"')
    dataset = pyarrow.dataset.dataset(files, format="ipc").to_table()
    for name in dataset.column_names:
        expected = duckdb_type(dataset.column(name)) if len(dataset) else types[name]
        if types[name] != expected:
            yield f"{table.name}.{name}: {types[name]} in run.duckdb, and {expected} by the Arrow files"
        elif expected.startswith("ENUM") and not dataset.column(name).to_pandas().dtype.ordered:
            yield f"{table.name}.{name}: its categories have no order in pandas"
    yield from frame_differs(f"{table.name} in pyarrow's dataset", want, dataset)
    for client, frame in (
        ("pyarrow", pyarrow.concat_tables(pyarrow.feather.read_table(file, memory_map=False) for file in files)),
        ("pandas", pandas.concat(pandas.read_feather(file).astype({"tree": str}) for file in files)),
        ("polars", polars.concat(polars.read_ipc(file) for file in files)),
        ("polars, lazily", polars.scan_ipc(files).collect()),
    ):
        yield from frame_differs(f"Arrow files of {table.name} in {client}", want, frame)


def query_outputs(db, run, poolproof):
    """Answers of poolproof query, in its formats for other clients."""
    import pandas
    import polars
    import pyarrow.ipc
    for query in QUERIES:
        want = read_rows(db, query)
        for output, readers in {
            "arrow": {"pyarrow": lambda file: pyarrow.ipc.open_stream(file).read_all(), "polars": polars.read_ipc_stream},
            "parquet": {"pandas": pandas.read_parquet, "polars": polars.read_parquet},
        }.items():
            written = subprocess.run([poolproof, "query", run, query, "--output", output], check=True, stdout=subprocess.PIPE).stdout
            for client, reader in readers.items():
                yield from frame_differs(f"{query} --output {output} in {client}", want, reader(io.BytesIO(written)))


def window_moves(db, run):
    """The window of the run by its manifest, beside what the clients say in this time zone."""
    manifest = json.loads((run / "manifest.json").read_text())
    query = "SELECT min(from_time) AS t FROM pool_intervals"
    told = manifest["from"].removesuffix("Z").replace("T", " ")
    for client, value in (("DuckDB", db.execute(query).fetchall()[0][0]), ("pandas", db.sql(query).df()["t"][0]), ("polars", db.sql(query).pl()["t"][0])):
        if str(value)[:19] != told[:19]:
            yield f"the run begins at {told} UTC, and for {client} at {value}"


def main():
    if sys.argv[1] == "--read":
        json.dump(read(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])), sys.stdout)
        return
    run, views, poolproof, *folders = sys.argv[1:]
    wrong = list(versions_differ(run, views, folders))
    run, seen = pathlib.Path(run), 0
    db = connect(run)
    wrong += window_moves(db, run)
    for name in objects(db):
        wrong += handed_over(db, name)
        seen += 1
    for table in sorted((run / "tables").iterdir()):
        wrong += arrow_files(db, table)
        seen += 1
    wrong += query_outputs(db, run, poolproof)
    for fault in wrong[:20]:
        print(fault, file=sys.stderr)
    if wrong or not seen:
        sys.exit(f"clients: {len(wrong)} faults")
    print(f"pyarrow, pandas and polars: {seen} tables and views, {len(QUERIES)} answers of query")


os.environ["TZ"] = "Asia/Tokyo"
time.tzset()
main()
