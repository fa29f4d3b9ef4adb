"""What the notebooks share: runs that are asked in SQL, and the look of the plots.

A run is opened for reading only. Its times are UTC, its shares fractions of a pool tree.
"""

import os
import subprocess
from pathlib import Path

import duckdb
import matplotlib.pyplot as plt
import pandas as pd

POOLPROOF = os.environ.get("POOLPROOF", "../bin/poolproof")

# Colours that people with any colour vision tell apart, by Okabe and Ito.
BLUE, ORANGE, GREEN, RED, SKY, PINK, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#999999")
GRADES = {"broken": RED, "impossible": ORANGE, "unverifiable": YELLOW, "excused": SKY, "vacuous": "#DDDDDD", "kept": GREEN}

pd.set_option("display.max_colwidth", 400, "display.precision", 4)
plt.rcParams.update({
    "figure.figsize": (10, 3.2), "figure.constrained_layout.use": True, "figure.dpi": 100, "savefig.bbox": "standard",
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlelocation": "left", "legend.frameon": False,
    "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREEN, RED, SKY, PINK, GREY, YELLOW]), "date.converter": "concise",
})


# Round lengths of bins, in s: up to a week.
STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800)


class NoAnswer(Exception):
    """A question had no answer, and nobody said what that means."""


class Run:
    """A run of `poolproof run`, by its directory."""

    def __init__(self, directory):
        self._database = duckdb.connect(str(Path(directory, "run.duckdb")), read_only=True)

    def ask(self, sql, none=None, **parameters):
        """The answer as a DataFrame; parameters stand in the SQL as $name.

        No rows, or nothing in them, is an error unless `none` says what that means: then it
        is printed.
        """
        return _answered(self._database.execute(sql, parameters).df(), sql, none)

    def step(self, bins=100):
        """The shortest round length of a bin, in s, of which no more than so many cover the window."""
        [(window,)] = self._database.execute("SELECT max(span_seconds(from_time, to_time)) FROM trees").fetchall()
        return next(step for step in STEPS if step * bins >= window or step == STEPS[-1])


class Runs:
    """Several runs, as {name: directory}; answers begin with the column `run`."""

    def __init__(self, directories):
        self._runs = {name: Run(directory) for name, directory in directories.items()}

    def ask(self, sql, none=None, **parameters):
        """As Run.ask asks one: no answer of any of them is an error unless `none` says what that means."""
        answers = {name: run.ask(sql, "", **parameters) for name, run in self._runs.items()}
        return _answered(pd.concat(answers, names=["run", None]).reset_index("run").reset_index(drop=True), sql, none)

    def step(self, bins=100):
        """As Run.step, for the longest window."""
        return max(run.step(bins) for run in self._runs.values())


def _answered(answer, sql, none):
    if answer.dropna(how="all").empty:
        if none is None:
            raise NoAnswer(sql.strip())
        if none:
            print(none)
    return answer


def poolproof(*arguments):
    """What the program says. Exit code 1 is a verdict and no error: something is violated."""
    done = subprocess.run([POOLPROOF, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(map(str, done.args))}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def legend(axes, **options):
    """A legend beside the plot."""
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), **options)


def closed(series):
    """Bins of equal length with the last one once more at its end, so that a step plot shows it."""
    if len(series) < 2:
        return series
    return pd.concat([series, series.tail(1).assign(bin=series.bin.iloc[-1] + series.bin.diff().min())])


def draw_shares(axes, series, title):
    """The shares of one pool over time, of the columns of pool_series; demand beyond the tree is cut."""
    series = closed(series)
    axes.fill_between(series.bin, series.usage_ratio, step="post", color=SKY, label="usage")
    axes.step(series.bin, series.demand_ratio, where="post", color="#555555", linewidth=1.2, linestyle=":", label="demand")
    axes.step(series.bin, series.fair_share_ratio, where="post", color="black", linewidth=1.2, label="fair share")
    if series.min_share_ratio.max() > 0:
        axes.step(series.bin, series.min_share_ratio, where="post", color=RED, linewidth=1.2, linestyle="--", label="strong guarantee")
    most = series[["usage_ratio", "demand_ratio", "fair_share_ratio", "min_share_ratio"]].max().max()
    axes.set(title=title, ylabel="share of the tree", xlabel="time, UTC", ylim=(0, 1.05 * min(most, 1)))
