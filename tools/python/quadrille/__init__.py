"""Runs and sweeps of Quadrille, read from Python.

    import quadrille

    run = quadrille.run("hopper", run={"steps": 200}, record={"snapshots": 50})    # or quadrille.open("DIR")
    run.metrics()               what was measured, a row for each step of `record.metrics`
    run.bodies(100)             the bodies at a kept step: id, shape, x, y, vx, vy, ...

    sweep = quadrille.open("SWEEP")
    sweep.table()               a row for each point
    sweep[3].metrics()          the run of point 3

Tables are pandas' DataFrames where pandas is installed, else dictionaries of numpy arrays, `{name: array}`;
`pandas=False` asks for the latter. Units are the scene's, names those of docs/run-store.md and
docs/formats.md. NULL is NaN among reals, `None` among texts, and masked (pandas: `<NA>`) among whole numbers.

Nothing here writes into a run; one that is going on can be read too, as far as it has committed. Whatever
fails raises `quadrille.Error` with one line that says why. A world whose checksum differs is refused; other
rows are checked for their types and their order, and `Run.check` has SQLite look at the whole file. Needs
numpy and nothing else; with libxxhash, which the program needs too, checksums take less time. All calls may
be made from any thread.
"""

from __future__ import annotations

import os
import pathlib
from typing import Union

from ._program import find_program, run
from ._run import Run
from ._sweep import Sweep
from ._tables import Error, ProgramError
from ._world import Shape, World

__all__ = ["Error", "ProgramError", "Run", "Shape", "Sweep", "World", "find_program", "open", "run"]

for _public in (Error, ProgramError, Run, Shape, Sweep, World):
    _public.__module__ = __name__  # which is where people find them


def open(
    path: Union[str, "os.PathLike[str]"], pandas: bool | None = None
) -> Run | Sweep:  # as in `quadrille.open`
    """Opens a run or sweep directory, as a Run or a Sweep.

    `pandas`: whether tables are DataFrames (True, False), or are where pandas is installed (None). Raises
    Error where there is neither, or where its database is damaged or of a newer program.
    """
    path = pathlib.Path(path)
    if not path.exists():
        raise Error(f"there is no {path}")
    if (path / "sweep.db").is_file():
        return Sweep(path, pandas)
    if not (path / "run.db").is_file():
        raise Error(f"{path} is neither a run nor a sweep directory: it has no run.db and no sweep.db")
    return Run(path, pandas)
