"""Reads what `quadrille export` writes with other people's programs, and compares every number with what the run itself has
stored: the worlds in run.db as docs/run-store.md describes their bytes, and its tables.

usage: readers.py csv|vti|ase|lammps|paraview PROGRAM SCRATCH      exit 77: the program is not there
"""

import csv
import math
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import xml.etree.ElementTree

DISKS = """
name: disks
world: {size: [40, 30], origin: [-7, 3], boundary: {x: periodic, y: reflect}, gravity: [0, -3]}
run: {steps: 120, dt: 0.02, seed: 5}
contact: {restitution: 0.8, friction: 0.4}
bodies:
- disks: {count: 700, radius: {uniform: [0.2, 0.6]}, velocity: {normal: 3}, spin: {normal: 1}}
record: {snapshots: 40, events: true, metrics: 10, fields: {every: 30, cells: [8, 6]}}
frames: {every: 0}
"""
SHAPES = """
name: shapes
world: {size: [40, 30], gravity: [0, -5]}
run: {steps: 120, dt: 0.02, seed: 2}
contact: {friction: 0.4, restitution: 0.2}
bodies:
- rects: {count: 20, size: [1.5, 1], angle: auto, velocity: {normal: 1}}
- capsules: {count: 20, angle: auto}
- polygons: {count: 20, radius: 0.8, spin: {normal: 2}}
- disks: {count: 30, radius: 0.4, density: 3}
- polyline: {points: [[2, 3], [20, 1.5], [38, 3]]}
- polyline: {points: [[18, 20], [22, 20], [22, 22]], closed: true, spin: 1, radius: 0.1}
record: {snapshots: 40, events: true, metrics: 10, fields: {every: 30, cells: [8, 6]}}
frames: {every: 0}
"""
SCENES = (("disks", DISKS), ("shapes", SHAPES))


class Fault(Exception):
    pass


def check(truth, what):
    if not truth:
        raise Fault(what)


def same(a, b, what):
    check(a == b or (a != a and b != b), f"{what}: {a!r}, not {b!r}")


# ---- what the run has stored ----

BODY = struct.Struct("<IQII" + "d" * 10)
NAMES = ("index", "id", "shape", "traits", "radius", "mass", "inertia", "x", "y", "c", "s", "vx", "vy", "spin")


def stored_bodies(directory):
    """{step: (time, [bodies in the order of their indices])}"""
    base = sqlite3.connect(f"file:{directory}/run.db?mode=ro", uri=True)
    moments = {}
    for step, time in base.execute("SELECT step, time FROM snapshots ORDER BY step").fetchall():
        data = b"".join(row[0] for row in base.execute(
            "SELECT data FROM parts WHERE owner = 'snapshot' AND step = ? ORDER BY part", (step,)))
        check(data[:8] == b"QDWORLD\n", "a stored world")
        first, count, size = struct.unpack_from("<QQI", data, 20)
        bodies = [dict(zip(NAMES, BODY.unpack_from(data, first + k * size))) for k in range(count)]
        moments[step] = (time, bodies)
    check(len(moments) > 2 and all(len(bodies) > 50 for _, bodies in moments.values()), "there is little to compare")
    return moments


def angle_near(angle, body, what):
    off = abs(angle - math.atan2(body["s"], body["c"]))
    check(min(off, abs(off - 2 * math.pi)) < 1e-12, f"{what}: angle {angle}")


# ---- csv ----

def read_table(path):
    with open(path, newline="", encoding="ascii") as file:
        return list(csv.DictReader(file, strict=True))


def compare_table(base, table, rows):
    cursor = base.execute(f"SELECT * FROM {table} ORDER BY step" + (", number" if table == "events" else ""))
    names = [item[0] for item in cursor.description]
    stored = cursor.fetchall()
    check(len(rows) == len(stored) and rows, f"{table}: {len(rows)} rows, not {len(stored)}")
    for row, truth in zip(rows, stored):
        for name, value in zip(names, truth):
            if name.endswith("_ns"):
                continue
            text = row[name]
            if value is None:
                check(text == "", f"{table}.{name}")
            elif isinstance(value, str):
                same(text, value, f"{table}.{name}")
            else:
                same(type(value)(text), value, f"{table}.{name}")


def read_csv(program, directory):
    for name, _ in SCENES:
        run, out = f"{directory}/{name}", f"{directory}/{name}.csv"
        subprocess.run([program, "export", run, "--format", "csv", "-o", out, "-q"], check=True)
        base = sqlite3.connect(f"file:{run}/run.db?mode=ro", uri=True)
        for table in ("metrics", "events"):
            compare_table(base, table, read_table(f"{out}/{table}.csv"))
        rows = read_table(f"{out}/bodies.csv")
        expected = [(step, time, body) for step, (time, bodies) in stored_bodies(run).items() for body in bodies]
        check(len(rows) == len(expected), "bodies.csv")
        for row, (step, time, body) in zip(rows, expected):
            same(int(row["step"]), step, "step")
            same(float(row["time"]), time, "time")
            same(int(row["id"]), body["id"], "id")
            for key in ("x", "y", "vx", "vy", "spin", "radius", "mass"):
                same(float(row[key]), body[key], key)
            check((row["shape"] == "disk") == (body["shape"] == 0), "shape")
            check((row["kind"] == "dynamic") == (not math.isinf(body["mass"])), "kind")
            angle_near(float(row["angle"]), body, "bodies.csv")
        metrics = {int(row["step"]): row for row in read_table(f"{out}/metrics.csv")}
        contacts, nodes = read_table(f"{out}/contacts.csv"), read_table(f"{out}/nodes.csv")
        for step in {int(row["step"]) for row in rows}:
            pairs = {(row["a"], row["b"], row["side"]) for row in contacts if int(row["step"]) == step}
            same(len(pairs), int(metrics[step]["contacts"]), "contacts.csv")
            here = [row for row in nodes if int(row["step"]) == step]
            same(len(here), int(metrics[step]["tree_nodes"]), "nodes.csv")
            same(sum(int(row["bodies"]) for row in here), int(metrics[step]["bodies"]), "bodies of nodes.csv")
        check(len(contacts) > 20, "contacts.csv has few rows")


# ---- VTK image data ----

SCALARS = ("number_density", "mass_density", "area_fraction", "temperature", "contact_number")


def image_data(path):
    """Grid, {name: value} of the field data and {name: tuples} of the cells, of a .vti with raw data behind the markup."""
    with open(path, "rb") as file:
        data = file.read()
    head, raw = data.split(b'<AppendedData encoding="raw">\n_', 1)
    check(raw.endswith(b"\n</AppendedData>\n</VTKFile>\n"), "the end of a .vti")
    root = xml.etree.ElementTree.fromstring(head + b"</VTKFile>")
    same((root.get("type"), root.get("byte_order"), root.get("header_type")), ("ImageData", "LittleEndian", "UInt64"),
         "VTKFile")
    image = root.find("ImageData")
    piece = image.find("Piece")
    same(piece.get("Extent"), image.get("WholeExtent"), "Extent")
    left, right, bottom, top, back, front = (int(word) for word in piece.get("Extent").split())
    same((left, bottom, back, front), (0, 0, 0, 0), "Extent")
    same(len(piece.find("PointData")), 0, "arrays of points")

    def values(array, tuples):
        size = tuples * int(array.get("NumberOfComponents", "1"))
        offset = int(array.get("offset"))
        same(struct.unpack_from("<Q", raw, offset)[0], 8 * size, "bytes of an array")
        kind = {"Float64": "d", "UInt64": "Q"}[array.get("type")]
        flat = struct.unpack_from(f"<{size}{kind}", raw, offset + 8)
        return [flat[k:k + size // tuples] for k in range(0, size, size // tuples)]

    grid = (right, top, [float(word) for word in image.get("Origin").split()],
            [float(word) for word in image.get("Spacing").split()])
    moment = {array.get("Name"): values(array, 1)[0][0] for array in image.find("FieldData")}
    cells = {array.get("Name"): values(array, right * top) for array in piece.find("CellData")}
    return grid, moment, cells


def expected_cells(base, step):
    """The same of the table fields."""
    stored = {name: struct.unpack(f"<{nx * ny}d", data) for name, nx, ny, data in base.execute(
        "SELECT name, nx, ny, data FROM fields WHERE step = ?", (step,))}
    wanted = {name: [(value,) for value in stored[name]] for name in SCALARS}
    nought = [0.0] * len(stored["velocity_x"])
    wanted["velocity"] = list(zip(stored["velocity_x"], stored["velocity_y"], nought))
    for name, parts in (("kinetic", ("xx", "xy", "xy", "yy")), ("contact", ("xx", "xy", "yx", "yy"))):
        xx, xy, yx, yy = (stored[f"{name}_{part}"] for part in parts)
        wanted[name] = list(zip(xx, xy, nought, yx, yy, nought, nought, nought, nought))
    return wanted


def read_vti(program, directory):
    for name, _ in SCENES:
        run, out = f"{directory}/{name}", f"{directory}/{name}.vtp"
        subprocess.run([program, "export", run, "--format", "vtp", "-o", out, "-q"], check=True)
        base = sqlite3.connect(f"file:{run}/run.db?mode=ro", uri=True)
        steps = base.execute("SELECT DISTINCT step, time, x, y, width, height FROM fields ORDER BY step").fetchall()
        listed = [(float(item.get("timestep")), item.get("file"))
                  for item in xml.etree.ElementTree.parse(f"{out}/fields.pvd").getroot().iter("DataSet")]
        same(len(listed), len(steps), "fields.pvd")
        same(len(steps), 5, "steps with fields")
        for (time, file), (step, stored, x, y, width, height) in zip(listed, steps):
            same(time, stored, "time")
            (nx, ny, origin, spacing), moment, cells = image_data(f"{out}/{file}")
            same((nx, ny, origin, spacing), (8, 6, [x, y, 0], [width, height, 1]), "grid")
            same(moment, {"TimeValue": time, "Step": step}, "field data")
            wanted = expected_cells(base, step)
            same(set(cells), set(wanted), "arrays")
            for key, tuples in wanted.items():
                same(len(cells[key]), 48, key)
                for got, truth in zip(cells[key], tuples):
                    same(len(got), len(truth), key)
                    for one, other in zip(got, truth):
                        same(one, other, key)


# ---- ASE ----

def read_ase(program, directory):
    try:
        import ase.io
    except ImportError:
        print("python3-ase is missing")
        sys.exit(77)
    for name, _ in SCENES:
        run, out = f"{directory}/{name}", f"{directory}/{name}.extxyz"
        subprocess.run([program, "export", run, "--format", "extxyz", "-o", out, "-q"], check=True)
        frames = ase.io.read(f"{out}/bodies.xyz", ":")
        moments = stored_bodies(run)
        same(len(frames), len(moments), "frames")
        for frame, (step, (time, bodies)) in zip(frames, moments.items()):
            same(frame.info["Step"], step, "Step")
            same(frame.info["Time"], time, "Time")
            check(list(frame.pbc) == [name == "disks", False, False], "pbc")
            check(list(frame.cell.lengths()) == [40, 30, 1], "cell")
            check(list(frame.info["Origin"]) == ([-7, 3, 0] if name == "disks" else [0, 0, 0]), "Origin")
            same(len(frame), len(bodies), "bodies")
            values = frame.arrays
            for k, body in enumerate(bodies):
                same(int(values["id"][k]), body["id"], "id")
                for place, key in ((values["positions"][k][0], "x"), (values["positions"][k][1], "y"),
                                   (values["velo"][k][0], "vx"), (values["velo"][k][1], "vy"),
                                   (values["radius"][k], "radius"), (values["spin"][k], "spin"),
                                   (values["masses"][k], "mass")):
                    same(float(place), body[key], key)
                same(float(values["positions"][k][2]), 0, "z")
                check((values["shape"][k] == "disk") == (body["shape"] == 0), "shape")
                angle_near(float(values["angle"][k]), body, "bodies.xyz")


# ---- LAMMPS ----

# read_dump knows positions and velocities only; other columns come in as velocities, one pair after the other.
COLUMNS = (("vx", "vy"), ("radius", "mass"), ("omegaz", "angle"))


def lammps_input(file, step, bounds, pair, output):
    low, high = bounds
    return f"""units lj
dimension 2
atom_style sphere
boundary p p p
region whole block {low[0]} {high[0]} {low[1]} {high[1]} -0.5 0.5
create_box 4 whole
read_dump {file} {step} x y vx vy label vx {pair[0]} label vy {pair[1]} purge no replace no add keep box yes
dump out all custom 1 {output} id x y vx vy
dump_modify out sort id format float %.17g
pair_style zero 1.0
pair_coeff * *
thermo_modify lost ignore
run 0
"""


def read_lammps(program, directory):
    lammps = shutil.which("lmp") or shutil.which("lammps")
    if not lammps:
        print("lammps is missing")
        sys.exit(77)
    run, out = f"{directory}/disks", f"{directory}/disks.lammps"
    subprocess.run([program, "export", run, "--format", "lammps", "-o", out, "-q"], check=True)
    moments = stored_bodies(run)
    for step, pair in zip(list(moments) * 2, COLUMNS + COLUMNS[:1]):
        script, result = f"{directory}/read.lammps", f"{directory}/read.dump"
        with open(script, "w", encoding="ascii") as file:
            file.write(lammps_input(f"{out}/bodies.lammpstrj", step, ((-7, 3), (33, 33)), pair, result))
        done = subprocess.run([lammps, "-in", script, "-log", "none"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True)
        check(done.returncode == 0, done.stdout[-1000:])
        with open(result, encoding="ascii") as file:
            lines = file.read().split("\n")
        same(int(lines[1]), step, "timestep")
        check(lines[4].startswith("ITEM: BOX BOUNDS"), "box")
        check([float(word) for word in (lines[5] + " " + lines[6]).split()] == [-7, 33, 3, 33], "box")
        rows = [line.split() for line in lines[9:] if line]
        bodies = moments[step][1]
        same(len(rows), len(bodies), "atoms")
        for row, body in zip(rows, bodies):
            same(int(row[0]), body["id"], "id")
            keys = ("x", "y") + tuple({"omegaz": "spin"}.get(key, key) for key in pair)
            for text, key in zip(row[1:], keys):
                if key == "angle":
                    angle_near(float(text), body, "bodies.lammpstrj")
                else:
                    same(float(text), body[key], key)


# ---- ParaView ----

def read_paraview(program, directory):
    pvpython = shutil.which("pvpython")
    if not pvpython:
        print("paraview is missing")
        sys.exit(77)
    for name, _ in SCENES:
        run = f"{directory}/{name}"
        for form in ("vtp", "csv"):
            subprocess.run([program, "export", run, "--format", form, "-o", f"{run}.{form}", "-q"], check=True)
        done = subprocess.run([pvpython, "--no-mpi", os.path.abspath(__file__), "inside", run, f"{run}.vtp",
                               f"{run}.csv"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
        check(done.returncode == 0 and "compared" in done.stdout, done.stdout[-1500:])


def series(simple, servermanager, path):
    """[(time, data)] of a .pvd"""
    reader = simple.PVDReader(FileName=path)
    reader.UpdatePipeline()
    moments = []
    for time in reader.TimestepValues:
        reader.UpdatePipeline(time)
        data = servermanager.Fetch(reader)
        copy = data.NewInstance()
        copy.DeepCopy(data)
        moments.append((time, copy))
    return moments


def columns(data, wanted):
    """Checks that these arrays, and no others, are there."""
    names = {data.GetArrayName(k) for k in range(data.GetNumberOfArrays())}
    same(names, set(wanted), "arrays")
    return {name: data.GetArray(name) for name in wanted}


def inside_bodies(moments, read):
    same(len(read), len(moments), "bodies.pvd")
    for (shown, data), (time, bodies) in zip(read, moments.values()):
        same(shown, time, "time")
        same(data.GetNumberOfPoints(), len(bodies), "points")
        same(data.GetNumberOfVerts(), len(bodies), "vertices")
        arrays = columns(data.GetPointData(), ("id", "radius", "velocity", "angle", "spin", "mass", "shape", "kind",
                                               "touching"))
        for k, body in enumerate(bodies):
            same(data.GetPoint(k), (body["x"], body["y"], 0), "point")
            same(arrays["velocity"].GetTuple(k), (body["vx"], body["vy"], 0), "velocity")
            for key in ("id", "radius", "spin", "mass"):
                same(arrays[key].GetTuple(k)[0], body[key], key)
            angle_near(arrays["angle"].GetTuple(k)[0], body, "bodies.vtp")


def inside_cells(read, rows, names, cells, what):
    """Cells against the rows of a table, which has the same numbers in the same order."""
    at = 0
    for time, data in read:
        here = [row for row in rows if float(row["time"]) == time]
        same(data.GetNumberOfCells(), len(here), what)
        arrays = columns(data.GetCellData(), names)
        for k, row in enumerate(here):
            cells(data, arrays, k, row)
        at += len(here)
    same(at, len(rows), what)


def contact_cell(_, arrays, k, row):
    sides = ("", "left", "right", "bottom", "top")
    same(int(arrays["a"].GetTuple(k)[0]), int(row["a"]), "a")
    same(int(arrays["b"].GetTuple(k)[0]), int(row["b"] or 0), "b")
    same(sides[int(arrays["side"].GetTuple(k)[0])], row["side"], "side")
    same(arrays["point"].GetTuple(k), (float(row["x"]), float(row["y"]), 0), "point")
    same(arrays["normal"].GetTuple(k), (float(row["normal_x"]), float(row["normal_y"]), 0), "normal")
    for key in ("touch", "depth", "impulse", "friction", "approach", "sensor"):
        same(arrays[key].GetTuple(k)[0], float(row[key]), key)


def node_cell(data, arrays, k, row):
    for key in ("depth", "bodies", "subtree", "leaf"):
        same(arrays[key].GetTuple(k)[0], float(row[key]), key)
    x, y, side = float(row["x"]), float(row["y"]), float(row["side"])
    same(data.GetCell(k).GetBounds(), (x, x + side, y, y + side, 0, 0), "square")


def inside(run, vtp, tables):
    from paraview import servermanager, simple
    inside_bodies(stored_bodies(run), series(simple, servermanager, f"{vtp}/bodies.pvd"))
    inside_cells(series(simple, servermanager, f"{vtp}/contacts.pvd"), read_table(f"{tables}/contacts.csv"),
                 ("a", "b", "side", "touch", "point", "normal", "depth", "impulse", "friction", "approach", "sensor"),
                 contact_cell, "contacts")
    inside_cells(series(simple, servermanager, f"{vtp}/nodes.pvd"), read_table(f"{tables}/nodes.csv"),
                 ("depth", "bodies", "subtree", "leaf"), node_cell, "nodes")
    wanted = [row for row in read_table(f"{tables}/bodies.csv") if row["shape"] != "disk"]
    found = []
    for time, data in series(simple, servermanager, f"{vtp}/shapes.pvd"):
        here = [row for row in wanted if float(row["time"]) == time]
        same(data.GetNumberOfCells(), len(here), "shapes")
        arrays = columns(data.GetCellData(), ("id", "velocity", "spin", "mass", "shape", "kind", "touching"))
        rows = {row["id"]: row for row in here}
        for k in range(len(here)):
            row = rows[str(int(arrays["id"].GetTuple(k)[0]))]
            same(arrays["velocity"].GetTuple(k)[:2], (float(row["vx"]), float(row["vy"])), "velocity of a shape")
            same(arrays["mass"].GetTuple(k)[0], float(row["mass"]), "mass of a shape")
            low_x, high_x, low_y, high_y = data.GetCell(k).GetBounds()[:4]
            check(low_x - 1e-9 <= float(row["x"]) <= high_x + 1e-9 and low_y - 1e-9 <= float(row["y"]) <= high_y + 1e-9,
                  "a shape lies elsewhere than its body")
        found += here
    same(len(found), len(wanted), "shapes")
    print("compared")


READERS = {"csv": read_csv, "vti": read_vti, "ase": read_ase, "lammps": read_lammps, "paraview": read_paraview}


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "inside":
        inside(*sys.argv[2:])
        return
    if len(sys.argv) != 4 or sys.argv[1] not in READERS:
        sys.exit(__doc__)
    directory = f"{sys.argv[3]}/{sys.argv[1]}"
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for name, text in SCENES:
        with open(f"{directory}/{name}.yaml", "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([sys.argv[2], "run", f"{directory}/{name}.yaml", "-o", f"{directory}/{name}", "-q"], check=True)
    READERS[sys.argv[1]](sys.argv[2], directory)
    print(f"{sys.argv[1]}: every number is the same")


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(f"{sys.argv[1]}: {fault}")
