"""Runs poolproof_spark.py on a real cluster of this machine: two workers, each a process with
executors of its own. `make spark` sets all up; DAYS is how many days are replayed."""

from __future__ import annotations

import filecmp
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

HERE = Path(__file__).parent
BINARY = os.environ.get("POOLPROOF", str(HERE.parent.parent / "bin" / "poolproof"))
DAYS = int(os.environ.get("DAYS", "7"))
PLANTED = min(5, DAYS)
TREES = 3


def poolproof(*args: str, fine: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run([BINARY, *args], capture_output=True, text=True)
    assert done.returncode in fine, f"poolproof {args}: {done.returncode}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with traces of small logs, three trees each; on one day a promise is broken."""
    folder = tmp_path_factory.mktemp("days")
    traces = folder / "traces"
    traces.mkdir()
    spec = poolproof("generate", "--show", "small")
    for n in range(1, DAYS + 1):
        day = folder / f"{n}.yaml"
        day.write_text(spec.replace("2025-03-03T08:00:00Z", f"2025-03-{n:02}T08:00:00Z"))
        plant = "start_over_pool_limit" if n == PLANTED else "legal_limit_lowered"
        poolproof("generate", "--spec", str(day), "--length", "12m", "--seed", str(n), "--plant", plant,
                  "--planted", str(folder / f"{n}.json"), "--out", str(traces / str(n)), "--quiet")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def single(days: Path) -> Path:
    """The runs that one process each makes of the same traces."""
    for n in range(1, DAYS + 1):
        run = days / "single" / f"cluster=small/day=2025-03-{n:02}"
        run.parent.mkdir(parents=True, exist_ok=True)
        poolproof("run", str(days / "traces" / str(n)), "--out", str(run), "--quiet", fine=(0, 1))
    return days / "single"


def submit(said: Path, *args: str) -> subprocess.Popen[bytes]:
    """Begins a job. What it says goes to files: nobody reads a pipe while the job runs."""
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    conf = {"spark.ui.enabled": "false", "spark.executor.memory": "512m", "spark.ui.showConsoleProgress": "false"}
    return subprocess.Popen(
        [str(Path(sys.executable).parent / "spark-submit"), "--master", "local-cluster[2,1,1024]",
         *(word for key, value in conf.items() for word in ("--conf", f"{key}={value}")),
         str(HERE / "poolproof_spark.py"), "--binary", BINARY, *args],
        env=env, stdout=said.joinpath("stdout").open("wb"), stderr=said.joinpath("stderr").open("wb"),
    )  # fmt: skip


def finish(process: subprocess.Popen[bytes], said: Path, code: int) -> str:
    process.wait(timeout=3600)
    out, err = said.joinpath("stdout").read_text(), said.joinpath("stderr").read_text()
    assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err[-4000:]}"
    return out


def executors(of: int) -> list[int]:
    """The processes of executors that descend from a process."""
    parents, names = {}, {}
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(proc.name)] = int(proc.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            names[int(proc.name)] = proc.joinpath("cmdline").read_text()
        except OSError:
            continue  # it has ended

    def descends(pid: int) -> bool:
        return pid == of or pid in parents and descends(parents[pid])

    return [pid for pid, name in names.items() if "CoarseGrainedExecutorBackend" in name and "java" in name.split("\0")[0] and descends(pid)]


def files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and p.name != "run.duckdb"}


def index(out: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((out / "index.json").read_text())
    return read


def test_seven_days_of_three_trees(days: Path, single: Path, tmp_path: Path) -> None:
    """An executor is killed in the middle. The runs are those of one process, byte for byte
    (but for run.duckdb, which DuckDB lays out anew each time), and the planted violation is found."""
    out = tmp_path / "out"
    process = submit(tmp_path, "--least", "0", "--out", str(out), str(days / "traces"))
    while not (done := list(out.glob("parts/*/*/[0-9]*/manifest.json"))):
        if process.poll() is not None:
            finish(process, tmp_path, 1)
            pytest.fail("no unit was replayed")
        time.sleep(0.05)
    victims = executors(process.pid)
    assert victims and len(done) < DAYS * TREES
    os.kill(victims[0], signal.SIGKILL)
    said = finish(process, tmp_path, 1)
    assert "Lost executor" in tmp_path.joinpath("stderr").read_text()
    assert sum(line.startswith("replay ") for line in said.splitlines()) == DAYS * TREES

    assert files(out / "runs") == files(single) != set()
    different = [name for name in files(single) if not filecmp.cmp(out / "runs" / name, single / name, shallow=False)]
    assert different == []
    assert not any((out / "parts").rglob("manifest.json")), "the parts are kept"
    runs = index(out)["runs"]
    assert [run for run, v in runs.items() if v["exit_code"] == 1] == [f"cluster=small/day=2025-03-{PLANTED:02}"]
    assert len(runs) == DAYS and index(out)["failed"] == {}


    # Spark reads the lake, with the columns' comments; DuckDB does, too, through poolproof query.
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    findings = spark.read.parquet(str(out / "lake" / "findings"))
    broken = findings.where("verdict = 'violated'").select("cluster", "day", "audit").distinct().collect()
    assert [(r.cluster, str(r.day)) for r in broken] == [("small", f"2025-03-{PLANTED:02}")]
    assert findings.schema["reason"].metadata["comment"] == "what happened, as sentences"
    spark.stop()
    asked = poolproof("query", str(out / "lake"), "SELECT cluster, day, audit FROM findings WHERE verdict = 'violated' GROUP BY ALL", "--output", "csv")
    assert asked.splitlines()[1:] == [f"small,2025-03-{PLANTED:02}T00:00:00Z,{r.audit}" for r in broken]
    assert poolproof("query", str(out / "runs"), "SELECT count(DISTINCT day) FROM trees", "--output", "csv").splitlines()[1] == str(DAYS)


def test_a_unit_that_fails_is_reported_and_the_rest_goes_on(days: Path, single: Path, tmp_path: Path) -> None:
    """The list names two days, of the first a tree that the trace has not, and edits of a grid;
    storage is fsspec's."""
    first, second = str(days / "traces" / "1"), str(days / "traces" / "2")
    listed = json.loads(poolproof("shards", "--json", "--least", "0", first, second))
    for unit in listed["units"]:
        unit["trace"] = "file://" + unit["trace"]
        if "day=2025-03-01" in unit["run"] and "devices" in unit["trees"]:
            unit["flags"] = ["--tree", "nowhere"]
            wrong = unit["unit"]
    grid = tmp_path / "grid.yaml"
    grid.write_text("vary: {pools.research.weight: [1, 8]}\nmeasure: [wait of research]\n")
    listed["units"] += json.loads(poolproof("shards", "--json", "--grid", str(grid), "--edits", "1", second))["units"]
    shards = tmp_path / "shards.json"
    shards.write_text(json.dumps(listed))
    out = tmp_path / "out"
    job = submit(tmp_path, "--shards", str(shards), "--out", f"file://{out}", "--memory", "1GiB")
    said = finish(job, tmp_path, 4)
    failed = index(out)["failed"]
    assert list(failed) == [wrong] and 'the trace has no tree "nowhere"' in failed[wrong]
    assert f"replay {wrong}: FAILED" in said
    answers = [json.loads(p.read_text())["explanations"][0]["sections"][0]["rows"] for p in sorted(out.glob("what-if/*/*/*/answer.json"))]
    assert [rows[1]["edit"] for rows in answers] == ["pools.research.weight = 1", "pools.research.weight = 8"]
    assert answers[0][0] == answers[1][0], "the control"
    run = "cluster=small/day=2025-03-02"
    assert list(index(out)["runs"]) == [run]
    assert files(out / "runs" / run) == files(single / run)
    assert all(filecmp.cmp(out / "runs" / run / name, single / run / name, shallow=False) for name in files(single / run))
