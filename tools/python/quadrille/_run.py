"""Run directories."""

from __future__ import annotations

import contextlib
import json
import pathlib
import sqlite3
from typing import Any, Iterator

import numpy as np

from ._scene import parse_scene
from ._tables import (
    Error,
    Path,
    Table,
    as_table,
    check_steps,
    column_array,
    database,
    pandas_wanted,
    read_table,
    table_names,
)
from ._world import World


RUN_STORE = 0x5144726E  # "QDrn", the application id of a run.db
RUN_SCHEMA = 4
RUN_TABLES = "run metrics hashes events snapshots checkpoints parts frames failures".split()


class Run:
    """A run directory: `path`, and `pandas`, whether tables are DataFrames. Every call reads what is there
    then.
    """

    def __init__(self, path: Path, pandas: bool | None = None) -> None:
        self.path = pathlib.Path(path)
        self.pandas = pandas_wanted(pandas)
        if not (self.path / "run.db").is_file():
            raise Error(f"{self.path} is no run directory: it has no run.db")
        with self._store():
            pass

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    @contextlib.contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        path = self.path / "run.db"
        with database(path) as db:
            (application,), (schema,) = (
                db.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
            )
            if application != RUN_STORE:
                raise Error(f"{path} is no run store of Quadrille's")
            if schema > RUN_SCHEMA:
                raise Error(
                    f"{path} has schema {schema}, of a newer Quadrille; this module knows {RUN_SCHEMA}"
                )
            missing = [name for name in RUN_TABLES if name not in table_names(db)]
            if missing:
                raise Error(f"{path} is damaged: it has no table {missing[0]}")
            yield db

    # -- what it is --

    @property
    def complete(self) -> bool:
        """Whether the run has ended well: result.json is written last."""
        return (self.path / "result.json").is_file()

    @property
    def info(self) -> dict[str, Any]:
        """Where the run came from: the row of the table `run`, by column."""
        columns = self._columns("run")
        if len(columns["scene"]) != 1:
            raise Error(f"{self.path / 'run.db'}: table run is damaged: it has {len(columns['scene'])} rows")
        return {
            name: array[0].item() if isinstance(array[0], np.generic) else array[0]
            for name, array in columns.items()
        }

    def scene(self) -> dict[str, Any]:
        """The resolved scene (scene.yaml), every key with its value: dictionaries, lists, numbers, texts and
        truth values.
        """
        return parse_scene(read_text(self.path / "scene.yaml"), self.path / "scene.yaml")

    def result(self) -> dict[str, Any]:
        """What result.json holds. Raises Error where the run is not complete."""
        if not self.complete:
            raise Error(f"{self.path} is not complete: it has no result.json")
        try:
            return dict(json.loads(read_text(self.path / "result.json")))
        except ValueError as error:
            raise Error(f"{self.path / 'result.json'} is damaged: {error}") from None

    # -- tables --

    def _columns(self, name: str, order: str = "") -> dict[str, np.ndarray]:
        with self._store() as db:
            return read_table(db, self.path / "run.db", name, order)

    def _stepped(self, name: str, order: str = "step") -> Table:
        columns = self._columns(name, f"ORDER BY {order}")
        check_steps(
            columns[order.split(",")[0]], f"{self.path / 'run.db'}: table {name}", strict="," not in order
        )
        return as_table(columns, self.pandas)

    def tables(self) -> list[str]:
        """The names of all tables of run.db."""
        with self._store() as db:
            return table_names(db)

    def table(self, name: str) -> Table:
        """Any table of run.db (docs/run-store.md), its rows as they come."""
        return as_table(self._columns(name), self.pandas)

    def metrics(self) -> Table:
        """The table `metrics`: docs/metrics.md says what each column is."""
        return self._stepped("metrics")

    def events(self) -> Table:
        """The table `events`: contacts that began and ended, and impacts, where the scene asks for them
        (`record.events`).
        """
        return self._stepped("events", "step, number")

    def hashes(self) -> Table:
        """The table `hashes`: the state's hash at each step of `record.hashes`."""
        return self._stepped("hashes")

    def failures(self) -> Table:
        """The table `failures`: why the run ended early. No rows: it did not."""
        return self._stepped("failures", "step, reason")

    def frames(self) -> Table:
        """The table `frames`, with the `path` of each picture, None where the run kept no file of it."""
        columns = self._columns("frames", "ORDER BY number")
        check_steps(columns["number"], f"{self.path / 'run.db'}: table frames")
        paths = [self.path / "frames" / f"frame_{number:06d}.png" for number in columns["number"]]
        columns["path"] = np.array([str(path) if path.is_file() else None for path in paths], dtype=object)
        return as_table(columns, self.pandas)

    # -- worlds --

    def steps(self) -> np.ndarray:
        """The steps whose world is kept: snapshots (`record.snapshots`), and checkpoints, which a run that
        goes on replaces.
        """
        with self._store() as db:
            return self._kept(db)

    def _kept(self, db: sqlite3.Connection) -> np.ndarray:
        rows = db.execute(
            "SELECT step FROM snapshots UNION SELECT step FROM checkpoints ORDER BY step"
        ).fetchall()
        steps = column_array(
            [step for (step,) in rows], "INTEGER", f"{self.path / 'run.db'}: table snapshots: column step"
        )
        check_steps(steps, f"{self.path / 'run.db'}: table snapshots")
        return steps

    def world(self, step: int | None = None) -> World:
        """The world at a kept step; None: the last. Raises Error for a step that was not kept, and names the
        nearest.
        """
        with self._store() as db:
            steps = self._kept(db)
            if not len(steps):
                raise Error(f"{self.path} has kept no step yet")
            step = int(steps[-1]) if step is None else int(step)
            if step not in steps:
                raise Error(f"step {step} of {self.path} was not kept; the nearest is {nearest(steps, step)}")
            for owner in ("snapshot", "checkpoint"):
                row = db.execute(f"SELECT time, bytes FROM {owner}s WHERE step = ?", (step,)).fetchone()
                if row is None:
                    continue
                where = f"{self.path / 'run.db'}: the {owner} of step {step}"
                return World(
                    join_parts(db, owner, step, row[1], where),
                    step,
                    real_time(row[0], where),
                    where,
                    self.pandas,
                )
        raise Error(
            f"{self.path / 'run.db'}: table snapshots is damaged: step {step} is not where it should be"
        )

    def bodies(self, step: int | None = None) -> Table:
        """The bodies at a kept step, see World.bodies."""
        return self.world(step).bodies()

    def contacts(self, step: int | None = None) -> Table:
        """The contacts at a kept step, see World.contacts."""
        return self.world(step).contacts()

    def outlines(self, step: int | None = None, arcs: int = 24) -> list[np.ndarray]:
        """The bodies' outlines at a kept step, see World.outlines."""
        return self.world(step).outlines(arcs)

    def check(self) -> None:
        """Has SQLite look at all of run.db, and reads every kept world. Raises Error for the first thing that
        is wrong.
        """
        with self._store() as db:
            ((found,), *_) = db.execute("PRAGMA integrity_check(1)").fetchall()
        if found != "ok":
            raise Error(f"{self.path / 'run.db'} is damaged: {' '.join(str(found).split())}")
        for step in self.steps():
            self.world(step)


def nearest(steps: np.ndarray, step: int) -> int:
    return min((int(kept) for kept in steps), key=lambda kept: abs(kept - step))


def real_time(value: Any, where: str) -> float:
    if not isinstance(value, (int, float)):
        raise Error(f"{where} is damaged: it has no time")
    return float(value)


def join_parts(db: sqlite3.Connection, owner: str, step: int, size: Any, where: str) -> bytes:
    rows = db.execute("SELECT data FROM parts WHERE owner = ? AND step = ? ORDER BY part", (owner, step))
    parts = [data for (data,) in rows]
    if not all(isinstance(data, bytes) for data in parts) or sum(len(data) for data in parts) != size:
        raise Error(f"{where} is damaged: it has not the {size} bytes that it should")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_text(path: pathlib.Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Error(f"{path} is damaged: it is not UTF-8") from None
