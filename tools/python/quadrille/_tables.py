"""Databases opened to be read, and their tables as arrays or DataFrames."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sqlite3
from typing import Any, Iterator, Sequence, Union

import numpy as np

try:
    import pandas as pandas_module
except ImportError:
    pandas_module = None

Path = Union[str, "os.PathLike[str]"]
Table = Any  # pandas.DataFrame, or a dictionary of numpy.ndarray by name


class Error(Exception):
    """What went wrong, in one line."""


class ProgramError(Error):
    """The program failed: its line, and in `code` its exit code (75: stopped by a signal, with a checkpoint)."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


SQLITE_HEAD = b"SQLite format 3\0"


@contextlib.contextmanager
def database(path: pathlib.Path) -> Iterator[sqlite3.Connection]:
    """A database opened to be read, in one transaction; views do not run. SQLite's errors become ours."""
    try:
        with path.open("rb") as file:
            head = file.read(len(SQLITE_HEAD))
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from None
    if head != SQLITE_HEAD:
        raise Error(f"{path} is no database")
    try:
        with contextlib.closing(sqlite3.connect(path.resolve().as_uri() + "?mode=ro", uri=True)) as db:
            db.isolation_level = None
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("BEGIN")
            yield db
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        reason = " ".join(str(error).split())
        if "readonly" in reason:  # only who may write can undo what is half written
            reason = "who wrote to it was stopped in the middle of a write; `quadrille report` takes that back"
        raise Error(f"cannot read {path}: {reason}") from None


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def table_names(db: sqlite3.Connection) -> list[str]:
    rows = db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    )
    return [name for (name,) in rows]


def read_table(
    db: sqlite3.Connection, path: pathlib.Path, name: str, order: str = ""
) -> dict[str, np.ndarray]:
    """A table's columns as arrays of the types that it declares."""
    if name not in table_names(db):
        raise Error(f"{path} has no table {name}; it has {', '.join(table_names(db))}")
    columns = [(row[1], row[2]) for row in db.execute(f"PRAGMA table_info({quoted(name)})")]
    names = ", ".join(quoted(column) for column, _ in columns)
    rows = db.execute(f"SELECT {names} FROM {quoted(name)} {order}").fetchall()
    values = zip(*rows) if rows else ((),) * len(columns)
    return {
        column: column_array(one, kind, f"{path}: table {name}: column {column}")
        for (column, kind), one in zip(columns, values)
    }


def column_array(values: Sequence[Any], kind: str, where: str) -> np.ndarray:
    """Values of one column as an array. `kind`: INTEGER, REAL, TEXT, BLOB, or nothing (what they are)."""
    kinds = {type(value) for value in values} - {type(None)}
    if kind == "":
        kind = "INTEGER" if kinds == {int} else "REAL" if kinds and kinds <= {int, float} else ""
    fitting = {"INTEGER": {int}, "REAL": {int, float}, "TEXT": {str}, "BLOB": {bytes}}.get(kind, kinds)
    if not kinds <= fitting:
        wrong = next(value for value in values if value is not None and type(value) not in fitting)
        raise Error(f"{where} is damaged: {str(wrong)[:40]!r} is no {kind}")
    if kind == "REAL":
        return np.array(values, dtype=np.float64)  # None becomes NaN
    if kind == "INTEGER":
        absent = [value is None for value in values]
        if not any(absent):
            return np.array(values, dtype=np.int64)
        return np.ma.array([0 if value is None else value for value in values], mask=absent, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def check_steps(steps: np.ndarray, where: str, strict: bool = True) -> None:
    """Steps of rows that were asked for in their order; a damaged index gives others."""
    ahead = np.diff(steps)
    if np.ma.is_masked(steps) or (steps < 0).any() or (ahead < (1 if strict else 0)).any():
        raise Error(f"{where} is damaged: its rows are out of order")


def as_table(columns: dict[str, np.ndarray], pandas: bool) -> Table:
    if not pandas:
        return columns
    assert pandas_module is not None
    series = {
        name: pandas_module.array(
            [None if gone else int(value) for value, gone in zip(array.data, array.mask)], dtype="Int64"
        )
        if np.ma.isMaskedArray(array)
        else array
        for name, array in columns.items()
    }
    return pandas_module.DataFrame(series, copy=False)


def pandas_wanted(pandas: bool | None) -> bool:
    if pandas and pandas_module is None:
        raise Error("pandas is not installed")
    return pandas_module is not None if pandas is None else pandas
