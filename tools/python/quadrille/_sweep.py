"""Sweep directories."""

from __future__ import annotations

import pathlib
from typing import Any, Iterator

import numpy as np

from ._run import Run
from ._tables import Error, Path, Table, as_table, database, pandas_wanted, read_table


class Sweep:
    """A sweep directory: `path`. `len` tells how many points it has; `sweep[point]` is the run of one,
    numbered from 1.
    """

    def __init__(self, path: Path, pandas: bool | None = None) -> None:
        self.path = pathlib.Path(path)
        self.pandas = pandas_wanted(pandas)
        if not (self.path / "sweep.db").is_file():
            raise Error(
                f"{self.path} is no sweep directory: it has no sweep.db, which `--merge` makes of shares"
            )
        len(self)

    def __repr__(self) -> str:
        return f"Sweep({str(self.path)!r})"

    def _columns(self, name: str, order: str = "") -> dict[str, np.ndarray]:
        with database(self.path / "sweep.db") as db:
            return read_table(db, self.path / "sweep.db", name, order)

    def __len__(self) -> int:
        with database(self.path / "sweep.db") as db:
            return int(db.execute("SELECT count(*) FROM sweep").fetchone()[0])

    def table(self) -> Table:
        """A row for each point, with the columns of sweep.csv (docs/sweep.md)."""
        return as_table(self._columns("sweep", "ORDER BY point"), self.pandas)

    def about(self) -> dict[str, Any]:
        """Version, name and text of the sweep, and when it was planned."""
        return {name: array[0] for name, array in self._columns("about").items() if len(array)}

    def __getitem__(self, point: int) -> Run:
        with database(self.path / "sweep.db") as db:
            row = db.execute("SELECT status, directory FROM sweep WHERE point = ?", (int(point),)).fetchone()
        if row is None:
            raise Error(f"{self.path} has no point {point}; its points are 1 to {len(self)}")
        status, directory = row
        if not isinstance(directory, str) or not (self.path / directory / "run.db").is_file():
            raise Error(f"point {point} of {self.path} has no run: its status is {status}")
        return Run(self.path / directory, self.pandas)

    def runs(self) -> dict[int, Run]:
        """The runs of all points that are done, by point."""
        with database(self.path / "sweep.db") as db:
            rows = db.execute("SELECT point FROM sweep WHERE status = 'done' ORDER BY point").fetchall()
        return {point: self[point] for (point,) in rows}

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs().values())
