"""Saved worlds: docs/run-store.md describes their bytes."""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from ._checksum import checksum
from ._tables import Error, Table, as_table, pandas_module


WORLD_VERSION = 10
LISTS = 20  # where the header lists bodies, shapes, traits and contacts
HEADER, CHECKSUM = 100, 8
SHAPES = "disk", "rect", "capsule", "polygon"
KINDS = "dynamic", "static", "kinematic"
SIDES = "left", "right", "bottom", "top"
WALL = 0x7FFFFFF0  # index of the left side, in place of a body's; the others follow
POINTS = 16  # most vertices of a polygon

BODY = [("index", "<u4"), ("id", "<u8"), ("shape", "<u4"), ("traits", "<u4")] + [
    (name, "<f8") for name in ("radius", "mass", "inertia", "x", "y", "cos", "sin", "vx", "vy", "spin", "lean")
]
SHAPE = [
    ("kind", "<u4"),
    ("count", "<u4"),
    ("radius", "<f8"),
    ("half", "<f8", 2),
    ("points", "<f8", (POINTS, 2)),
]
TRAITS = [("kind", "<u4"), ("flags", "<u4")]
CONTACT = [
    ("a", "<u4"),
    ("a_generation", "<u4"),
    ("b", "<u4"),
    ("b_generation", "<u4"),
    ("normal", "<f8", 2),
] + [
    ("approach", "<f8"),
    ("image", "<i2", 2),
    ("count", "u1"),
    ("sensor", "u1"),
    ("unused", "u1", 2),
]
TOUCH = [("point", "<f8", 2), ("depth", "<f8"), ("impulse", "<f8"), ("friction", "<f8")]


class Shape:
    """What a body looks like, in its own axes about its centroid: a convex core, rounded by `radius`.

    `kind` is "disk", "rect", "capsule" or "polygon"; `radius` that of a disk or capsule and what a rect or
    polygon is rounded by; `core` the corners of the core, counter-clockwise, as an array (n, 2): none of a
    disk, two of a capsule.
    """

    def __init__(self, kind: str, radius: float, core: np.ndarray) -> None:
        self.kind, self.radius, self.core = kind, radius, core

    def __repr__(self) -> str:
        return f"Shape({self.kind}, radius {self.radius:g}, {len(self.core)} corners)"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height along its own axes."""
        low = self.core.min(axis=0, initial=math.inf) if len(self.core) else np.zeros(2)
        high = self.core.max(axis=0, initial=-math.inf) if len(self.core) else np.zeros(2)
        width, height = (high + self.radius) - (low - self.radius)
        return float(width), float(height)

    def outline(self, arcs: int = 24) -> np.ndarray:
        """Points around it, counter-clockwise, as an array (n, 2); a whole turn of round corners has `arcs`
        of them.
        """
        if arcs < 3:
            raise Error(f"an outline takes 3 arcs or more, not {arcs}")
        if not len(self.core):
            turn = np.arange(arcs) * (2 * math.pi / arcs)
            return self.radius * np.column_stack([np.cos(turn), np.sin(turn)])
        if self.radius <= 0:
            return self.core.copy()
        ahead = np.roll(self.core, -1, axis=0) - self.core
        normals = np.arctan2(-ahead[:, 0], ahead[:, 1])  # of the side behind each corner
        points: list[np.ndarray] = []
        for corner, begin, end in zip(self.core, np.roll(normals, 1), normals):
            end += 2 * math.pi if end < begin - 1e-9 else 0
            turn = np.append(np.arange(begin, end - 1e-9, 2 * math.pi / arcs), end)
            points.append(corner + self.radius * np.column_stack([np.cos(turn), np.sin(turn)]))
        return np.concatenate(points)


class World:
    """The world at one kept step: `step`, `time`, `count` of bodies, `shapes`.

    `shapes[k]` is the Shape with number k, as the column `form` of `bodies` names it; `shapes[0]` stands for
    the disks, whose radii are their own.
    """

    def __init__(self, data: bytes, step: int, time: float, where: str, pandas: bool) -> None:
        self._data, self._where, self._pandas = memoryview(data), where, pandas
        self.step, self.time = step, time
        self._check()
        lists = np.frombuffer(
            data, dtype=[("at", "<u8"), ("count", "<u8"), ("bytes", "<u4")], count=4, offset=LISTS
        )
        self._bodies = self._items(lists[0], BODY)
        self._traits = self._items(lists[2], TRAITS)
        self._contacts = self._items(lists[3], CONTACT)
        self.count = len(self._bodies)
        self.shapes = [Shape("disk", 1.0, np.zeros((0, 2)))] + [
            self._shape(item) for item in self._items(lists[1], SHAPE)
        ]
        self._check_numbers()

    def __repr__(self) -> str:
        return f"World(step {self.step}, time {self.time:g}, {self.count} bodies)"

    def _damaged(self, why: str) -> Error:
        return Error(f"{self._where} is damaged: {why}")

    def _check(self) -> None:
        data = self._data
        if len(data) < 241 or data[:8] != b"QDWORLD\n":
            raise self._damaged("it is no saved world")
        version, length = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:20], "little")
        if version != WORLD_VERSION:
            raise Error(f"{self._where} is of version {version}; this module reads version {WORLD_VERSION}")
        if length != len(data):
            raise self._damaged("it is cut short")
        if int.from_bytes(data[-CHECKSUM:], "little") != checksum(data[:-CHECKSUM]):
            raise self._damaged("its checksum differs")

    def _items(self, listed: np.void, fields: Sequence[tuple[Any, ...]]) -> np.ndarray:
        """An array of records, each of which may have more bytes than we know."""
        begin, count, size = int(listed["at"]), int(listed["count"]), int(listed["bytes"])
        plain = np.dtype(list(fields))
        if size < plain.itemsize or begin < HEADER or begin + count * size > len(self._data) - CHECKSUM:
            raise self._damaged("its header names what is not there")
        offsets = [plain.fields[name][1] for name in plain.names]  # type: ignore[index, union-attr]
        formats = [plain.fields[name][0] for name in plain.names]  # type: ignore[index, union-attr]
        wide = np.dtype({"names": plain.names, "formats": formats, "offsets": offsets, "itemsize": size})
        return np.frombuffer(self._data, dtype=wide, count=count, offset=begin)

    def _shape(self, item: np.void) -> Shape:
        kind, count, (x, y) = int(item["kind"]), int(item["count"]), item["half"]
        if kind >= len(SHAPES) or count > POINTS:
            raise self._damaged("a shape is of no kind that there is")
        cores = {
            "disk": np.zeros((0, 2)),
            "rect": np.array([[-x, -y], [x, -y], [x, y], [-x, y]]),
            "capsule": np.array([[-x, 0.0], [x, 0.0]]),
            "polygon": item["points"][:count].copy(),
        }
        return Shape(SHAPES[kind], float(item["radius"]), cores[SHAPES[kind]])

    def _check_numbers(self) -> None:
        bodies, kinds = self._bodies, self._traits["kind"]
        if len(kinds) and kinds.max() >= len(KINDS):
            raise self._damaged("a body is of no kind that there is")
        if self.count and (bodies["shape"].max() >= len(self.shapes) or bodies["traits"].max() > len(kinds)):
            raise self._damaged("a body has a shape that is not there")

    def _words(self, words: Sequence[str], codes: np.ndarray) -> Any:
        if self._pandas:
            return pandas_module.Categorical.from_codes(codes, categories=words)  # type: ignore[union-attr]
        return np.array(words, dtype=object)[codes]

    def bodies(self) -> Table:
        """A row for each body, in the order of their indices, with the columns of `bodies.csv`
        (docs/formats.md) but for `touching` and `points`; and `cos` and `sin` of the angle, `inertia`,
        `sensor`, and `form`, the shape's number.
        """
        raw = self._apart()
        form = raw["shape"]
        shapes = np.array([SHAPES.index(shape.kind) for shape in self.shapes], dtype=np.int8)
        kinds = np.concatenate([[0], self._traits["kind"]]).astype(np.int8)
        sensors = np.concatenate([[0], self._traits["flags"]]) & 1 == 1
        width = 2 * raw["radius"]
        height, rounding = width.copy(), raw["radius"].copy()
        if len(self.shapes) > 1:
            other = np.flatnonzero(form)
            width[other], height[other] = np.array([shape.size for shape in self.shapes])[form[other]].T
            rounding[other] = np.array([shape.radius for shape in self.shapes])[form[other]]
        columns = {
            "id": raw["id"],
            "shape": self._words(SHAPES, shapes[form]),
            "kind": self._words(KINDS, kinds[raw["traits"]]),
            "x": raw["x"],
            "y": raw["y"],
            "angle": np.arctan2(raw["sin"], raw["cos"]) + 0.0,  # no -0
            "vx": raw["vx"],
            "vy": raw["vy"],
            "spin": raw["spin"],
            "radius": raw["radius"],
            "mass": raw["mass"],
            "width": width,
            "height": height,
            "rounding": rounding,
            "cos": raw["cos"],
            "sin": raw["sin"],
            "inertia": raw["inertia"],
            "sensor": sensors[raw["traits"]],
            "form": form,
        }
        return as_table(columns, self._pandas)

    def _apart(self) -> dict[str, np.ndarray]:
        """The fields of all bodies as arrays of their own; some thousands at a time, which stay in the cache."""
        names = self._bodies.dtype.names or ()
        apart = {name: np.empty(self.count, self._bodies.dtype[name]) for name in names}
        for first in range(0, self.count, 4096):
            some = self._bodies[first : first + 4096]
            for name in names:
                apart[name][first : first + 4096] = some[name]
        return apart

    def outlines(self, arcs: int = 24) -> list[np.ndarray]:
        """Of each body, in the order of `bodies`, the points around it in the world, as arrays (n, 2): see
        Shape.outline.
        """
        own = [shape.outline(arcs) for shape in self.shapes]
        places: list[np.ndarray] = []
        for body in self._bodies:
            points = own[body["shape"]] * (body["radius"] if body["shape"] == 0 else 1.0)
            turn = np.array([[body["cos"], body["sin"]], [-body["sin"], body["cos"]]])
            places.append(points @ turn + (body["x"], body["y"]))
        return places

    def contacts(self) -> Table:
        """A row for each point in which two bodies touch, or a body and a side of the world: `contacts.csv`
        (docs/formats.md).
        """
        half = (self._contacts.dtype.itemsize - np.dtype(CONTACT).itemsize) // 2
        if half < np.dtype(TOUCH).itemsize:
            raise self._damaged("its contacts are shorter than they can be")
        raw, index = self._contacts, self._bodies["index"]
        wall = raw["b"] - np.uint32(WALL)
        walled = wall < len(SIDES)
        row_a, there_a = self._rows(index, raw["a"])
        row_b, there_b = self._rows(index, raw["b"])
        kept = np.flatnonzero(there_a & (there_b | walled) & (raw["count"] <= 2))
        places = np.repeat(kept, raw["count"][kept])
        first = np.concatenate([[True], places[1:] != places[:-1]]) if len(places) else np.zeros(0, bool)
        touch = np.where(first, 0, 1)
        starts = places * raw.dtype.itemsize + np.dtype(CONTACT).itemsize + touch * half
        points = self._touches(starts)
        walled, ids = walled[places], self._bodies["id"]
        b = (
            np.ma.array(np.where(walled, 0, ids[np.where(walled, 0, row_b[places])]), mask=walled)
            if len(ids)
            else ids
        )
        side = np.array([*SIDES, None], dtype=object)[np.where(walled, wall[places], len(SIDES))]
        columns = {"a": ids[row_a[places]], "b": b.astype(np.int64), "side": side, "touch": touch}
        columns.update(x=points["point"][:, 0], y=points["point"][:, 1])
        columns.update(normal_x=raw["normal"][places, 0], normal_y=raw["normal"][places, 1])
        columns.update({name: points[name] for name in ("depth", "impulse", "friction")})
        columns.update(approach=raw["approach"][places], sensor=raw["sensor"][places] != 0)
        return as_table(columns, self._pandas)

    @staticmethod
    def _rows(index: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of bodies by their indices, which ascend, and whether there is such a body."""
        if not len(index):
            return np.zeros(len(wanted), np.int64), np.zeros(len(wanted), bool)
        rows = np.minimum(np.searchsorted(index, wanted), len(index) - 1)
        return rows, index[rows] == wanted

    def _touches(self, starts: np.ndarray) -> np.ndarray:
        """Records of touches, that begin so many bytes behind the first contact."""
        size = np.dtype(TOUCH).itemsize
        raw = np.frombuffer(self._data, dtype=np.uint8)
        begin = (
            self._contacts.__array_interface__["data"][0] - raw.__array_interface__["data"][0]
            if len(starts)
            else 0
        )
        return raw[(begin + starts)[:, None] + np.arange(size)].reshape(-1).view(TOUCH)
