"""Replay, gather and audit traces on Apache Spark.

    spark-submit poolproof_spark.py --binary poolproof --out DIR SOURCE...

`poolproof shards` lists the units of work of the traces. The first stage replays each unit
as one Spark task, the second gathers and audits each day. Both run `poolproof` as a process
with a scratch folder of its own and move the result into place as a whole, so that a task
may be tried again, and a speculative copy of it does no harm. Spark moves no data: tasks get
a line of text and return one. README.md says what to copy for SPYT, Kubernetes and YARN.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pyspark import SparkContext, SparkFiles, TaskContext
from pyspark.sql import SparkSession

# Exit codes of poolproof: promises were kept or broken, or too little could be judged; and
# faults that the next try has as well.
JUDGED = (0, 1, 3)
HOPELESS = (64, 65)
AUDIT_FAILED = 4
# A task whose executor is lost is given another one by Spark. How often, a unit says itself:
# one that kills its executors must not end the job.
MAX_FAILURES = 1000


@dataclass(frozen=True)
class Work:
    """What every task has to know."""

    out: str
    binary: str  # a path that workers see, or a name among --files
    policy: str
    memory: str
    cpus: int
    tries: int
    scratch: str

    def part(self, unit: str) -> str:
        return f"{self.out}/parts/{unit}"

    def answer(self, unit: str) -> str:
        return f"{self.out}/what-if/{unit}"

    def run(self, run: str) -> str:
        return f"{self.out}/runs/{run}"


@dataclass
class Outcome:
    """What came of a unit or of a day."""

    name: str
    error: str = ""
    final: bool = False  # another try would fail as well
    seconds: float = 0.0


@dataclass
class Day:
    """The units of one run."""

    run: str
    trace: str
    units: list[str] = field(default_factory=list)
    estimated: float = 0.0


# --- Storage: a shared file system, or whatever fsspec opens (s3://, abfs://, ...).


def remote(path: str) -> bool:
    return "://" in path


def filesystem(path: str) -> tuple[Any, str]:
    import fsspec

    opened: tuple[Any, str] = fsspec.core.url_to_fs(path)
    return opened


def whole(path: str) -> bool:
    """Whether a trace, part or run is there: its manifest comes last."""
    if not remote(path):
        return os.path.exists(f"{path}/manifest.json")
    fs, at = filesystem(path)
    return bool(fs.exists(f"{at}/manifest.json"))


def fetch(path: str, scratch: str) -> str:
    """The path of a directory that this machine can read: itself, or a copy."""
    if not remote(path):
        return path
    fs, at = filesystem(path)
    local = os.path.join(scratch, uuid.uuid4().hex)
    fs.get(at.rstrip("/") + "/", local + "/", recursive=True)
    return local


def put(local: str, path: str) -> None:
    """Moves a directory to its place, where it appears whole. One that is there stays."""
    if remote(path):
        fs, at = filesystem(path)
        manifest = os.path.join(local, "manifest.json")
        hidden = os.path.join(os.path.dirname(local), "manifest.json")
        os.rename(manifest, hidden)
        fs.put(local.rstrip("/") + "/", at + "/", recursive=True)
        fs.put_file(hidden, f"{at}/manifest.json")
        return
    parent, name = os.path.split(path)
    os.makedirs(parent, exist_ok=True)
    beside = os.path.join(parent, f".{name}.{uuid.uuid4().hex}")
    try:
        shutil.copytree(local, beside)
        os.rename(beside, path)
    except OSError:
        if not whole(path):  # a copy of this task was not first
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def remove(path: str) -> None:
    if not remote(path):
        shutil.rmtree(path, ignore_errors=True)
        return
    fs, at = filesystem(path)
    if fs.exists(at):
        fs.rm(at, recursive=True)


# --- Tasks.


class Failed(Exception):
    """A process of poolproof that ended with an error."""

    def __init__(self, command: str, code: int, said: str) -> None:
        super().__init__(f"poolproof {command}: exit code {code}: {said.strip()[-2000:]}")
        self.code = code


def die_with_parent() -> None:
    """A process must not go on when the executor that began it is gone."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def poolproof(work: Work, *args: str, fine: Sequence[int] = (0,)) -> str:
    binary = work.binary if os.path.exists(work.binary) else SparkFiles.get(os.path.basename(work.binary))
    done = subprocess.run(
        [binary, *args],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        env={**os.environ, "GOMAXPROCS": str(work.cpus)}, preexec_fn=die_with_parent,
    )  # fmt: skip
    if done.returncode not in fine:
        raise Failed(args[0], done.returncode, done.stderr)
    return done.stdout


def limits(work: Work) -> list[str]:
    flags = ["--workers", str(work.cpus), "--quiet"]
    return flags + ["--memory", work.memory] if work.memory else flags


def policy(work: Work) -> list[str]:
    return ["--policy", SparkFiles.get(os.path.basename(work.policy))] if work.policy else []


def replay_unit(work: Work, unit: dict[str, Any], scratch: str) -> None:
    trace, part = fetch(unit["trace"], scratch), os.path.join(scratch, "part")
    poolproof(work, "replay", trace, "--out", part, *unit["flags"], *policy(work), *limits(work))
    put(part, work.part(unit["unit"]))


def answer_unit(work: Work, unit: dict[str, Any], scratch: str) -> None:
    """Edits of a grid: their answer, and as its manifest the unit."""
    trace, answer = fetch(unit["trace"], scratch), os.path.join(scratch, "answer")
    said = poolproof(work, "what-if", trace, *unit["flags"], "--output", "json", *policy(work), *limits(work))
    os.mkdir(answer)
    write_text(f"{answer}/answer.json", said)
    write_text(f"{answer}/manifest.json", json.dumps(unit, indent=2) + "\n")
    put(answer, work.answer(unit["unit"]))


def judge_day(work: Work, day: dict[str, Any], scratch: str) -> None:
    parts, run = [fetch(work.part(unit), scratch) for unit in day["units"]], os.path.join(scratch, "run")
    poolproof(work, "gather", *parts, "--out", run, "--quiet")
    poolproof(work, "audit", run, *policy(work), *limits(work), fine=JUDGED)
    lake = f"{work.out}/lake"
    local = os.path.join(scratch, "lake") if remote(lake) else lake
    poolproof(work, "export", run, "--out", local, "--quiet")
    if remote(lake):
        fs, at = filesystem(lake)
        fs.put(local + "/", at + "/", recursive=True)
    put(run, work.run(day["run"]))  # last: a run that is there is done
    remove(work.part(day["run"]))


def attempt(
    work: Work, name: str, result: str, do: Callable[[Work, dict[str, Any], str], None], item: dict[str, Any]
) -> Outcome:
    """Does a task once. It is an error that is told, not raised: Spark would end the job."""
    began, task = time.time(), TaskContext.get()
    if whole(result):  # of an earlier try whose executor was lost, or of an earlier job
        return Outcome(name)
    if task is not None and task.attemptNumber() > work.tries:  # one may be a speculative copy
        return Outcome(name, f"its executor was lost {task.attemptNumber()} times; ask for more memory", final=True)
    scratch = tempfile.mkdtemp(prefix="poolproof-", dir=work.scratch or None)
    try:
        do(work, item, scratch)
        return Outcome(name, seconds=time.time() - began)
    except Exception as err:
        if whole(result):  # a copy of this task was first, and took away what this one read
            return Outcome(name)
        told = str(err) if isinstance(err, Failed) else repr(err)
        return Outcome(name, told, isinstance(err, Failed) and err.code in HOPELESS)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def stage(
    sc: SparkContext,
    work: Work,
    what: str,
    items: list[dict[str, Any]],
    key: str,
    place: Callable[[Work, str], str],
    do: Callable[[Work, dict[str, Any], str], None],
) -> dict[str, Outcome]:
    """Does all items, in their order, each as one task; what fails is tried again after the rest."""
    outcomes: dict[str, Outcome] = {}
    pending = items
    for n in range(work.tries):
        if not pending:
            break
        sc.setJobDescription(f"{what}: {len(pending)}" + (f", try {n + 1}" if n else ""))
        rdd = sc.parallelize(pending, len(pending))
        told = rdd.map(lambda item: attempt(work, item[key], place(work, item[key]), do, item)).collect()
        outcomes.update((o.name, o) for o in told)
        pending = [i for i in pending if outcomes[i[key]].error and not outcomes[i[key]].final]
    for o in outcomes.values():
        print(f"{what} {o.name}: " + (f"FAILED: {o.error}" if o.error else f"{o.seconds:.1f} s"), flush=True)
    return outcomes


# --- The driver.


def days_of(units: list[dict[str, Any]]) -> list[Day]:
    days: dict[str, Day] = {}
    for u in units:
        day = days.setdefault(u["run"], Day(u["run"], u["trace"]))
        day.units.append(u["unit"])
        day.estimated += u["estimated"]
    for day in days.values():
        day.units.sort()
    return sorted(days.values(), key=lambda d: (-d.estimated, d.run))


def verdict(run: str) -> dict[str, Any]:
    """What the index says of a run."""
    with tempfile.TemporaryDirectory() as scratch:
        texts: list[dict[str, Any]] = []
        for name in ("manifest.json", "findings.json"):
            path = f"{run}/{name}"
            if remote(run):
                fs, at = filesystem(path)
                path = os.path.join(scratch, name)
                fs.get_file(at, path)
            with open(path) as f:
                texts.append(json.load(f))
    manifest, findings = texts
    return {
        "cluster": manifest["cluster"],
        "from": manifest["from"],
        "to": manifest["to"],
        "result_digest": manifest["result_digest"],
        "exit_code": findings["exit_code"],
        "violated": sum(f["verdict"] == "violated" for f in findings["findings"]),
    }


def write_text(path: str, text: str) -> None:
    if remote(path):
        fs, at = filesystem(path)
        with fs.open(at, "w") as f:
            f.write(text)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    beside = f"{path}.{uuid.uuid4().hex}"
    with open(beside, "w") as f:
        f.write(text)
    os.replace(beside, path)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="poolproof_spark.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source", nargs="*", metavar="SOURCE", help="a trace, or a folder of traces, that driver and workers see")
    p.add_argument("--shards", metavar="FILE", help="what poolproof shards --json printed, in place of SOURCE; its traces may be URLs of fsspec")
    p.add_argument("--least", type=float, metavar="SECONDS", help="of poolproof shards: trees of less than that share units")
    p.add_argument("--grid", metavar="FILE", help="edits of a grid of what-if in place of replays; all machines see it; answers go to DIR/what-if/")
    p.add_argument("--out", required=True, metavar="DIR", help="where runs/cluster=…/day=…/, lake/ and index.json go; a day that is there is not done again")
    p.add_argument("--binary", default="poolproof", metavar="FILE", help="the program: a path that all machines see, or one that travels with --files")
    p.add_argument("--policy", default="", metavar="FILE", help="policy of replays and audits; it travels along")
    p.add_argument("--memory", default="", metavar="SIZE", help="what one process may take, as 2GiB")
    p.add_argument("--tries", type=int, default=3, metavar="N", help="how often a unit is tried (3)")
    p.add_argument("--scratch", default="", metavar="DIR", help="folder of the workers for what is in the making (the system's)")
    q = p.parse_args(argv)
    if bool(q.source) == bool(q.shards):
        p.error("give either SOURCE or --shards FILE")
    return q


def shards(q: argparse.Namespace) -> list[dict[str, Any]]:
    if q.shards:
        with open(q.shards) as f:
            text = f.read()
    else:
        least = [] if q.least is None else ["--least", str(q.least)]
        grid = ["--grid", os.path.abspath(q.grid)] if q.grid else []
        text = subprocess.run([q.binary, "shards", "--json", *least, *grid, *map(os.path.abspath, q.source)], check=True, stdout=subprocess.PIPE, text=True).stdout
    units: list[dict[str, Any]] = json.loads(text)["units"]
    return units


def main(argv: Sequence[str] | None = None) -> int:
    q = parse(argv)
    try:
        units = shards(q)
    except subprocess.CalledProcessError as err:
        return int(err.returncode)  # it has said why
    out = q.out if remote(q.out) else os.path.abspath(q.out)
    spark = SparkSession.builder.appName("poolproof").config("spark.task.maxFailures", MAX_FAILURES).getOrCreate()
    sc = spark.sparkContext
    binary = os.path.abspath(q.binary) if os.path.exists(q.binary) else shutil.which(q.binary) or q.binary
    if q.policy:
        sc.addFile(q.policy)
    work = Work(out, binary, q.policy, q.memory, int(sc.getConf().get("spark.task.cpus", "1") or 1), q.tries, q.scratch)
    trees = [u for u in units if u["command"] == "replay"]
    days = [d for d in days_of(trees) if not whole(work.run(d.run))]
    wanted = {d.run for d in days}
    edits = [u for u in units if u["command"] == "what-if"]
    answers = stage(sc, work, "what-if", edits, "unit", Work.answer, answer_unit)
    replays = stage(sc, work, "replay", [u for u in trees if u["run"] in wanted], "unit", Work.part, replay_unit)
    ready = [d for d in days if not any(replays[u].error for u in d.units)]
    judged = stage(sc, work, "audit", [asdict(d) for d in ready], "run", Work.run, judge_day)
    spark.stop()

    failed = {o.name: o.error for o in [*answers.values(), *replays.values(), *judged.values()] if o.error}
    runs = {d.run: verdict(work.run(d.run)) for d in days_of(trees) if whole(work.run(d.run))}
    index = {"schema_version": 1, "runs": dict(sorted(runs.items())), "failed": dict(sorted(failed.items()))}
    write_text(f"{out}/index.json", json.dumps(index, indent=2, ensure_ascii=False) + "\n")
    broken = [run for run, v in runs.items() if v["exit_code"] == 1]
    print(f"{len(runs)} runs, {len(broken)} with broken promises, {len(failed)} failures: {out}/index.json")
    if failed:
        return AUDIT_FAILED
    return max((v["exit_code"] for v in runs.values()), key=[0, 3, 1, 4].index, default=0)


if __name__ == "__main__":
    sys.exit(main())
