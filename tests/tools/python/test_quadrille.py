"""Tests of the Python module: what it reads is what `quadrille export` and the sqlite3 module read, to the last bit.

usage: test_quadrille.py MODULE_FOLDER PROGRAM DOCS SCRATCH with|without      with or without pandas
exit 77: numpy, or in the first case pandas, is not there
"""

import csv
import doctest
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import unittest

FOLDER, PROGRAM, DOCS, SCRATCH, PANDAS = sys.argv[1:6]
if PANDAS == "without":
    sys.modules["pandas"] = None  # any import of it fails
sys.path.insert(0, FOLDER)
sys.dont_write_bytecode = True
try:
    import numpy as np

    if PANDAS == "with":
        import pandas
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(77)
import quadrille
from quadrille import _checksum, _scene

PROGRAM = os.path.abspath(PROGRAM)
DOCS = os.path.abspath(DOCS)
os.environ["QUADRILLE"] = PROGRAM
SEED = int(os.environ.get("QD_TEST_SEED", "1"))
CASES = {"small": 20, "normal": 100, "large": 2000}[os.environ.get("QD_TEST_EFFORT", "normal")]

SHAPES = {
    "name": "shapes",
    "world": {"size": [40, 30], "boundary": {"x": "periodic", "y": "reflect"}, "gravity": [0, -5]},
    "run": {"steps": 120, "dt": 0.02, "seed": 2},
    "contact": {"friction": 0.4, "restitution": 0.2},
    "bodies": [
        {"rects": {"count": 20, "size": [1.5, 1], "angle": "auto", "velocity": {"normal": 1}}},
        {"rects": {"count": 5, "size": [1.5, 1], "rounding": 0.2, "angle": "auto"}},
        {"capsules": {"count": 20, "angle": "auto"}},
        {"polygons": {"count": 20, "radius": 0.8, "spin": {"normal": 2}}},
        {"disks": {"count": 300, "radius": 0.4, "density": 3}},
        {"polyline": {"points": [[2, 3], [20, 1.5], [38, 3]]}},
        {"polyline": {"points": [[18, 20], [22, 20], [22, 22]], "closed": True, "spin": 1, "radius": 0.1}},
    ],
    "record": {"snapshots": 40, "events": "persist", "metrics": 10, "hashes": 30},
    "frames": {"every": 60},
}
DISKS = {
    "name": "disks",
    "world": {"size": [40, 30], "origin": [-7, 3], "gravity": [0, -3]},
    "run": {"steps": 60, "dt": 0.02, "seed": 5},
    "bodies": [{"disks": {"count": 400, "radius": {"uniform": [0.2, 0.6]}, "velocity": {"normal": 3}}}],
    "record": {"snapshots": 30, "events": True},
    "frames": {"every": 0},
}


def files_of(directory):
    """Each file below, with its size, time and content, but for what SQLite itself keeps beside a log."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(pathlib.Path(directory).rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def plain(column):
    """A column as a list of Python values, None where there is none."""
    values = column.tolist()
    if PANDAS == "with":
        return [None if value is pandas.NA else value for value in values]
    return values


def names(table):
    return list(table.columns) if PANDAS == "with" else list(table)


class Case(unittest.TestCase):
    """Runs that the tests share, made once."""

    runs = {}

    def run_of(self, name, scene):
        if name not in Case.runs:
            Case.runs[name] = quadrille.run(scene, name, threads=1)
        return Case.runs[name]

    def fails(self, pattern, call, *arguments):
        with self.assertRaisesRegex(quadrille.Error, pattern) as caught:
            call(*arguments)
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception

    def damaged(self, name, *statements):
        """A copy of a run on which statements were run."""
        shutil.rmtree(name, ignore_errors=True)
        shutil.copytree(self.run_of("shapes", SHAPES).path, name)
        db = sqlite3.connect(f"{name}/run.db")
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        return quadrille.open(name)

    def same(self, value, text, where):
        """A value is what a field of a CSV file says."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            self.assertEqual(text, "", where)
        elif isinstance(value, bool):
            self.assertEqual(text, str(int(value)), where)
        else:
            self.assertEqual(type(value)(text), value, where)


class Reading(Case):
    def exported(self, run, name):
        out = f"{run.path}.csv"
        if not os.path.isdir(out):
            subprocess.run([PROGRAM, "export", run.path, "--format", "csv", "-o", out, "-q"], check=True)
        with open(f"{out}/{name}.csv", newline="", encoding="ascii") as file:
            return list(csv.DictReader(file, strict=True))

    def compare(self, table, rows, but=()):
        shared = [name for name in names(table) if rows and name in rows[0] and name not in but]
        self.assertGreaterEqual(len(shared), 12)
        for name in shared:
            values = plain(table[name])
            self.assertEqual(len(values), len(rows), name)
            for value, row in zip(values, rows):
                self.same(value, row[name], name)

    def test_bodies_and_contacts_are_those_of_export(self):
        for name, scene in (("shapes", SHAPES), ("disks", DISKS)):
            run = self.run_of(name, scene)
            kept = [step for step in run.steps().tolist() if step % scene["record"]["snapshots"] == 0]
            self.assertGreater(len(kept), 2)
            for step in kept:
                bodies = [row for row in self.exported(run, "bodies") if int(row["step"]) == step]
                self.compare(run.bodies(step), bodies, but=("angle",))
                for angle, row in zip(plain(run.bodies(step)["angle"]), bodies):
                    self.assertAlmostEqual(angle, float(row["angle"]), delta=1e-15)
                contacts = [row for row in self.exported(run, "contacts") if int(row["step"]) == step]
                if contacts:
                    self.compare(run.contacts(step), contacts)
            self.assertGreater(len(self.exported(run, "contacts")), 20)

    def test_tables_are_those_of_sqlite_and_of_export(self):
        run = self.run_of("shapes", SHAPES)
        db = sqlite3.connect(f"file:{run.path}/run.db?mode=ro", uri=True)
        for table, order in (("metrics", "step"), ("events", "step, number"), ("hashes", "step")):
            cursor = db.execute(f"SELECT * FROM {table} ORDER BY {order}")
            columns, rows = [item[0] for item in cursor.description], cursor.fetchall()
            read = getattr(run, table)()
            self.assertEqual(names(read), columns)
            for number, column in enumerate(columns):
                stored = [row[number] for row in rows]
                for value, truth in zip(plain(read[column]), stored):
                    absent = value is None or value != value
                    self.assertTrue(absent if truth is None else value == truth, f"{table}.{column}")
                self.assertEqual(len(plain(read[column])), len(stored))
        db.close()
        self.compare(run.events(), self.exported(run, "events"))
        self.compare(run.metrics(), self.exported(run, "metrics"))

    def test_bodies_are_as_the_form_says(self):
        run = self.run_of("disks", DISKS)
        db = sqlite3.connect(f"file:{run.path}/run.db?mode=ro", uri=True)
        parts = db.execute("SELECT data FROM parts WHERE owner = 'snapshot' AND step = 30 ORDER BY part")
        data = b"".join(part for (part,) in parts)
        db.close()
        first, count, size = struct.unpack_from("<QQI", data, 20)
        rows = [struct.unpack_from("<IQII10d", data, first + k * size) for k in range(count)]
        bodies = run.bodies(30)
        for name, place in (("id", 1), ("radius", 4), ("inertia", 6), ("x", 7), ("cos", 9), ("vy", 12)):
            self.assertEqual(plain(bodies[name]), [row[place] for row in rows])
        self.assertEqual(run.world(30).time, 30 * 0.02)

    def test_outlines_lie_around_their_bodies(self):
        world = self.run_of("shapes", SHAPES).world()
        bodies, outlines = world.bodies(), world.outlines(48)
        self.assertEqual(len(outlines), world.count)
        kinds = set()
        for k, outline in enumerate(outlines):
            body = {name: plain(bodies[name][k : k + 1])[0] for name in names(bodies)}
            shape = world.shapes[body["form"]]
            kinds.add(shape.kind)
            turn = np.array([[body["cos"], -body["sin"]], [body["sin"], body["cos"]]])
            own = (outline - (body["x"], body["y"])) @ turn  # turned back
            if shape.kind == "disk":
                np.testing.assert_allclose(np.hypot(*own.T), body["radius"], rtol=1e-12)
                continue
            near = np.min(
                [distances(own, a, b) for a, b in zip(shape.core, np.roll(shape.core, -1, axis=0))], axis=0
            )
            np.testing.assert_allclose(near, shape.radius, atol=1e-9)
            low, high = own.min(axis=0), own.max(axis=0)
            if shape.kind != "polygon":  # whose corners need not lie on a step of the arcs
                np.testing.assert_allclose(high - low, (body["width"], body["height"]), atol=1e-9)
            reach = np.hypot(*own.T).max()
            self.assertAlmostEqual(reach, body["radius"], delta=0.01 * body["radius"])
        self.assertEqual(kinds, {"disk", "rect", "capsule", "polygon"})

    def test_scene_result_and_frames(self):
        run = self.run_of("shapes", SHAPES)
        scene = run.scene()
        self.assertEqual(scene["world"]["size"], [40, 30])
        self.assertEqual(scene["bodies"][6]["polyline"]["points"], [[18, 20], [22, 20], [22, 22]])
        self.assertIs(scene["bodies"][6]["polyline"]["closed"], True)
        self.assertEqual(scene["limits"]["speed"], math.inf)
        self.assertEqual(scene["emitters"], [])
        self.assertEqual(scene["contact"]["model"], "impulse")
        again = quadrille.run(scene, "again", threads=1)
        self.assertEqual(again.result()["state_hash"], run.result()["state_hash"])
        self.assertEqual(again.result()["scene_hash"], run.info["scene_hash"])
        frames = run.frames()
        self.assertEqual(plain(frames["step"]), [0, 60, 120])
        self.assertTrue(all(pathlib.Path(path).is_file() for path in frames["path"]))
        self.assertEqual(plain(run.hashes()["hash"])[-1], run.result()["state_hash"])
        self.assertEqual(len(run.failures()["step"]), 0)

    def test_names_of_materials(self):
        scene = dict(DISKS, materials={"2nd-rubber": {"friction": 0.5}, "-": {}, "pairs": []}, run={"steps": 1})
        run = quadrille.run(scene, "materials", threads=1)
        self.assertEqual(list(run.scene()["materials"]), ["2nd-rubber", "-", "pairs"])
        self.assertEqual(run.scene()["materials"]["2nd-rubber"]["friction"], 0.5)
        again = quadrille.run(run.scene(), "materials_again", threads=1)
        self.assertEqual(again.result()["scene_hash"], run.result()["scene_hash"])

    def test_scenes_are_read_as_yaml_is(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("PyYAML is not installed")

        class Loader(yaml.SafeLoader):  # the words and numbers of YAML 1.2
            yaml_implicit_resolvers = {}

        Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
        Loader.add_implicit_resolver(
            "tag:yaml.org,2002:int", re.compile("^[-+]?[0-9]+$"), list("-+0123456789")
        )
        Loader.add_implicit_resolver(
            "tag:yaml.org,2002:float",
            re.compile(r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|-?\.inf)$"),
            list("-+.0123456789"),
        )
        listed = subprocess.run([PROGRAM, "scenes"], capture_output=True, text=True, check=True).stdout
        for name in [line.split()[0] for line in listed.splitlines()]:
            out = quadrille.run(name, "read", run={"steps": 1}, frames={"every": 0}, force=True)
            text = (out.path / "scene.yaml").read_text()
            self.assertEqual(out.scene(), yaml.load(text, Loader), name)

    def test_one_that_is_going_on_can_be_read_and_is_left_as_it_is(self):
        shutil.rmtree("alive", ignore_errors=True)
        arguments = [
            "run",
            "gas",
            "-o",
            "alive",
            "-q",
            "--frames",
            "0",
            "--snapshots",
            "5",
            "--steps",
            "1000000",
        ]
        arguments += ["--bodies", "300", "--set", "checkpoint.every=5", "--threads", "1"]
        program = subprocess.Popen([PROGRAM, *arguments])
        try:
            limit = time.monotonic() + 600
            while True:
                try:
                    run = quadrille.open("alive")
                    if len(run.steps()) > 3:
                        break
                except quadrille.Error:
                    pass
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.01)
            self.assertFalse(run.complete)
            self.fails("not complete", run.result)
            for _ in range(20):
                steps = run.steps()
                self.assertEqual(len(run.bodies(int(steps[1]))["x"]), 300)
            self.assertIsNone(program.poll())
        finally:
            program.send_signal(signal.SIGKILL)
            program.wait()
        before = files_of("alive")
        self.assertTrue(any(name.endswith("-wal") for name in before))
        run.check()
        run.metrics()
        self.assertEqual(files_of("alive"), before)

    def test_nothing_is_written(self):
        run = self.run_of("shapes", SHAPES)
        before = files_of(run.path)
        for call in (run.metrics, run.events, run.hashes, run.frames, run.failures, run.bodies, run.contacts):
            call()
        for call in (run.outlines, run.scene, run.result, run.tables, run.check, run.steps):
            call()
        run.table("parts")
        self.assertEqual(files_of(run.path), before)

    def test_threads_may_read_together(self):
        run, found = self.run_of("shapes", SHAPES), []
        threads = [threading.Thread(target=lambda: found.append(plain(run.bodies()["x"]))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [found[0]] * 4)


def distances(points, a, b):
    """How far points are from the segment from a to b."""
    along = np.clip((points - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0, 1)
    return np.hypot(*(points - a - along[:, None] * (b - a)).T)


class Refusing(Case):
    def test_what_is_no_run(self):
        os.makedirs("empty", exist_ok=True)
        self.fails("^there is no nowhere$", quadrille.open, "nowhere")
        self.fails("^empty is neither a run nor a sweep", quadrille.open, "empty")
        os.makedirs("other", exist_ok=True)
        pathlib.Path("other/run.db").write_bytes(b"not a database" * 100)
        self.fails("other/run.db is no database", quadrille.open, "other")
        os.remove("other/run.db")
        sqlite3.connect("other/run.db").execute("CREATE TABLE run (x)").connection.close()
        self.fails("no run store", quadrille.open, "other")

    def test_steps_that_were_not_kept(self):
        run = self.run_of("shapes", SHAPES)
        self.fails("^step 41 of shapes was not kept; the nearest is 40$", run.bodies, 41)
        self.fails("the nearest is 120$", run.bodies, 10**30)
        self.fails("the nearest is 0$", run.bodies, -1)
        self.fails("has no table nothing", run.table, "nothing")
        self.fails("3 arcs or more", run.outlines, 40, 2)

    def test_damaged_rows(self):
        run = self.damaged("d", "UPDATE metrics SET kinetic = 'much' WHERE step = 20")
        self.fails("table metrics: column kinetic is damaged: 'much' is no REAL", run.metrics)
        run = self.damaged("d", "UPDATE events SET a = 1.5 WHERE number = 0")
        self.fails("column a is damaged", run.events)
        run = self.damaged("d", "UPDATE metrics SET step = -step")
        self.fails("out of order", run.metrics)
        run = self.damaged("d", "INSERT INTO snapshots VALUES (7, 'soon', 5, 'x')")
        self.fails("the snapshot of step 7 is damaged", run.bodies, 7)
        run = self.damaged("d", "DELETE FROM run")
        self.fails("table run is damaged: it has 0 rows", lambda: run.info)

    def test_damaged_worlds(self):
        where = "WHERE owner = 'snapshot' AND step = 40"
        for change, why in (
            ("substr(data, 1, 5000)", "has not the"),
            ("CAST(replace(data, 'QDWORLD', 'QDWOULD') AS BLOB)", "is no saved world"),
            ("'text'", "has not the"),
        ):
            self.fails(why, self.damaged("d", f"UPDATE parts SET data = {change} {where}").bodies, 40)
        run = self.run_of("shapes", SHAPES)
        whole = bytes(run.world(40)._data)
        maker = random.Random(SEED)
        for fast in (True, False) if _checksum.fast_hash else (False,):
            for _ in range(CASES):
                data, place = bytearray(whole), maker.randrange(len(whole))
                data[place] ^= 1 << maker.randrange(8)
                self.fails("", self.world_of, bytes(data), fast)
                self.fails("", self.world_of, whole[:place], fast)
            self.assertEqual(self.world_of(whole, fast).count, run.world(40).count)

    def world_of(self, data, fast):
        kept = _checksum.fast_hash
        _checksum.fast_hash = kept if fast else None
        try:
            return quadrille.World(data, 40, 0.8, "a world", False)
        finally:
            _checksum.fast_hash = kept

    def test_worlds_that_contradict_themselves(self):
        whole = bytes(self.run_of("shapes", SHAPES).world(40)._data)
        maker = random.Random(SEED)
        for _ in range(CASES):  # with a checksum that is right
            data = bytearray(whole)
            for _ in range(maker.randrange(1, 4)):
                data[maker.randrange(20, 100 if maker.random() < 0.5 else len(data) - 8)] = maker.randrange(
                    256
                )
            data[-8:] = _checksum.checksum(memoryview(data)[:-8]).to_bytes(8, "little")
            try:
                world = quadrille.World(bytes(data), 40, 0.8, "a world", False)
                with np.errstate(all="ignore"):
                    world.bodies(), world.contacts(), world.outlines()
            except quadrille.Error:
                pass
        data = bytearray(whole)
        data[8:12] = (8).to_bytes(4, "little")
        self.fails(
            "of version 8; this module reads version 10",
            quadrille.World,
            bytes(data),
            0,
            0.0,
            "a world",
            False,
        )

    def test_damaged_databases(self):
        run = self.run_of("disks", DISKS)
        truth = {int(step): plain(run.bodies(int(step))["x"]) for step in run.steps()}
        whole, maker = (run.path / "run.db").read_bytes(), random.Random(SEED)
        os.makedirs("hit", exist_ok=True)
        refused = 0
        for _ in range(CASES):
            data = bytearray(whole[: maker.randrange(len(whole))] if maker.random() < 0.1 else whole)
            for _ in range(maker.randrange(1, 30)):
                if data:
                    data[maker.randrange(len(data))] = maker.randrange(256)
            pathlib.Path("hit/run.db").write_bytes(data)
            try:
                hit = quadrille.open("hit")
                for step in hit.steps().tolist():
                    self.assertEqual(plain(hit.bodies(step)["x"]), truth[step])
                hit.metrics(), hit.events(), hit.hashes(), hit.failures(), hit.frames()
            except quadrille.Error as error:
                self.assertNotIn("\n", str(error))
                refused += 1
        self.assertGreater(refused, CASES // 2)

    def test_a_write_that_was_stopped(self):
        run = self.damaged("d", "PRAGMA journal_mode = DELETE")
        before = plain(run.metrics()["kinetic"])
        half = (
            "import os, sqlite3; db = sqlite3.connect('d/run.db'); db.execute('PRAGMA cache_size = 1');"
            "db.execute('UPDATE metrics SET kinetic = 7'); db.execute('CREATE TABLE much (bytes)');"
            "db.execute('INSERT INTO much VALUES (zeroblob(1000000))'); os._exit(0)"
        )
        subprocess.run([sys.executable, "-c", half], check=True)
        files = files_of("d")
        self.assertIn("d/run.db-journal", files)
        self.fails("^cannot read d/run.db: .*stopped in the middle of a write; `quadrille report`", run.metrics)
        self.assertEqual(files_of("d"), files)
        subprocess.run([PROGRAM, "report", "d", "-q"], check=True)
        self.assertEqual(plain(run.metrics()["kinetic"]), before)

    def test_views_are_no_tables(self):
        with self.assertRaisesRegex(quadrille.Error, "it has no table metrics"):
            self.damaged("d", "ALTER TABLE metrics RENAME TO old", "CREATE VIEW metrics AS SELECT * FROM old")


class Checksums(Case):
    def test_both_ways_agree(self):
        if _checksum.fast_hash is None:
            self.skipTest("libxxhash is not installed")
        maker = random.Random(SEED)
        for length in [241, 256, 1024, 1025, 1088, 1089, 2048] + [
            maker.randrange(241, 300000) for _ in range(CASES)
        ]:
            data = memoryview(maker.randbytes(length))
            self.assertEqual(_checksum.hash_slowly(data), _checksum.checksum(data), length)


class Sweeps(Case):
    def test_a_sweep_is_read(self):
        text = (
            "name: s\nscene: gas\nset: {frames.every: 0, run.steps: 10, bodies: 100, record.snapshots: 5}\n"
        )
        text += "axes:\n  - {key: contact.restitution, list: [0.5, 1, 7]}\nreplicas: 2\n"
        pathlib.Path("s.yaml").write_text(text)
        shutil.rmtree("sweep", ignore_errors=True)
        subprocess.run([PROGRAM, "sweep", "s.yaml", "-o", "sweep", "-q"], capture_output=True, check=False)
        sweep = quadrille.open("sweep")
        self.assertIsInstance(sweep, quadrille.Sweep)
        self.assertEqual(len(sweep), 6)
        table = sweep.table()
        with open("sweep/sweep.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual(names(table), list(rows[0]))
        for name in names(table):
            for value, row in zip(plain(table[name]), rows):
                self.same(value, row[name], name)
        self.assertEqual(plain(table["status"]), ["done"] * 4 + ["failed"] * 2)
        self.assertEqual(list(sweep.runs()), [1, 2, 3, 4])
        for point, run in sweep.runs().items():
            self.assertEqual(run.result()["state_hash"], plain(table["state_hash"])[point - 1])
            self.assertEqual(len(run.bodies(5)["x"]), 100)
        self.assertEqual([run.path for run in sweep], [sweep[point].path for point in range(1, 5)])
        self.fails("has no point 7; its points are 1 to 6", sweep.__getitem__, 7)
        self.fails("point 5 of sweep has no run: its status is failed", sweep.__getitem__, 5)
        self.assertEqual(sweep.about()["name"], "s")
        data = bytearray(pathlib.Path("sweep/sweep.db").read_bytes())
        data[100:2000] = bytes(1900)
        pathlib.Path("sweep/sweep.db").write_bytes(data)
        self.fails("cannot read sweep/sweep.db", quadrille.open, "sweep")


class Running(Case):
    def test_overrides(self):
        pathlib.Path("my.yaml").write_text(json.dumps(DISKS))
        run = quadrille.run(
            "my.yaml",
            pathlib.Path("mine"),
            force=True,
            threads=2,
            run={"steps": 7},
            **{"contact.friction": 0.25},
        )
        scene = run.scene()
        self.assertEqual((scene["run"]["steps"], scene["contact"]["friction"]), (7, 0.25))
        run = quadrille.run(
            DISKS, force=True, limits={"speed": math.inf}, run={"steps": np.int64(3)}, bodies=100
        )
        self.assertTrue(re.fullmatch("disks-[0-9a-f]{8}", str(run.path)))
        self.assertEqual(run.info["bodies"], 100)
        self.assertEqual(quadrille.run(DISKS, resume=True, run={"steps": 3}, bodies=100).path, run.path)

    def test_failures(self):
        error = self.fails(
            'unknown key "modle"', lambda: quadrille.run("gas", "bad", contact={"modle": "spring"})
        )
        self.assertIsInstance(error, quadrille.ProgramError)
        self.assertEqual(error.code, 2)
        self.fails("", lambda: quadrille.run("shapes.yaml", "bad"))
        self.run_of("disks", DISKS)
        self.assertEqual(self.fails("disks", lambda: quadrille.run(DISKS, "disks")).code, 4)
        self.fails("cannot run nothing/here", lambda: quadrille.run("gas", program="nothing/here"))
        self.fails("no place for object", lambda: quadrille.run({"name": object()}))
        fast = {"limits": {"speed": 30}, "world": {"gravity": [0, -1000]}, "force": True}
        error = self.fails("", lambda: quadrille.run(DISKS, "fast", **fast))
        self.assertEqual(error.code, 5)
        self.assertEqual(len(quadrille.open("fast").failures()["reason"]), 1)

    def test_values_are_written_as_yaml(self):
        for value, text in (
            (True, "true"),
            (np.float64(0.5), "0.5"),
            (1e-7, "1e-07"),
            (-math.inf, "-.inf"),
            ({"a": [1, (2.5, "b c")]}, '{"a": [1, [2.5, "b c"]]}'),
        ):
            self.assertEqual(_scene.yaml(value), text)


class Documentation(Case):
    """docs/python.md: each line that is typed is run, and prints what the page says."""

    def test_page(self):
        if PANDAS == "without":
            self.skipTest("docs/python.md is read with pandas")
        text = pathlib.Path(DOCS, "python.md").read_text("utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertGreater(len(blocks), 5)
        test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", "docs/python.md", 0)
        self.assertGreater(len(test.examples), 20)
        said = []
        os.makedirs("page", exist_ok=True)
        os.chdir("page")
        try:
            doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
        finally:
            os.chdir("..")
        self.assertEqual("".join(said), "")


if __name__ == "__main__":
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    os.chdir(SCRATCH)
    unittest.main(argv=sys.argv[:1] + sys.argv[6:], verbosity=1)
