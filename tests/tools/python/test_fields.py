"""Recorded fields beside sums that numpy makes of exported bodies and contacts.

    test_fields.py QUADRILLE FOLDER

Ends with 77 where there is no numpy.
"""
import csv
import os
import shutil
import sqlite3
import subprocess
import sys

try:
    import numpy
except ImportError:
    sys.exit(77)

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
COLUMNS, ROWS = 7, 5
LEAST = 1e-11  # what rounding may leave, of the largest value of a quantity

SCENES = {
    "walls": """
name: walls
world: {size: [20, 12], gravity: [0, -5]}
run: {steps: 60, dt: 0.02, seed: %d}
contact: {model: impulse, restitution: 0.5, friction: 0.3}
bodies:
  - disks: {count: 60, radius: {uniform: [0.2, 0.5]}, density: 2, velocity: {normal: 4}}
  - rects: {count: 30, size: [0.9, 0.4], velocity: {normal: 4}}
  - list: [{shape: rect, size: [2, 0.5], at: [10, 6], static: true}]
""",
    "seams": """
name: seams
world: {origin: [-3, 5], size: [16, 10], boundary: periodic}
run: {steps: 60, dt: 0.02, seed: %d}
contact: {model: spring, spring: {kn: 2000}}
bodies:
  - disks: {count: 120, radius: {uniform: [0.2, 0.4]}, velocity: {normal: 3}}
""",
}


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit %d: %s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))


def table(name):
    with open(os.path.join(FOLDER, "tables", name + ".csv"), newline="") as file:
        return list(csv.DictReader(file))


def column(rows, name):
    return numpy.array([float(row[name] or "nan") for row in rows])


def cells_of(bodies, fields):
    """The cell of each body, by the middles of the cells."""
    x, y = numpy.unique(column(fields, "x")), numpy.unique(column(fields, "y"))
    wide, high = x[1] - x[0], y[1] - y[0]
    i = numpy.floor((column(bodies, "x") - (x[0] - wide / 2)) / wide).astype(int)
    j = numpy.floor((column(bodies, "y") - (y[0] - high / 2)) / high).astype(int)
    return j * COLUMNS + i, wide * high


def areas_of(bodies):
    disks = numpy.array([row["shape"] == "disk" for row in bodies])
    return numpy.where(disks, numpy.pi * column(bodies, "radius") ** 2,
                       column(bodies, "width") * column(bodies, "height"))


def contacts_of(bodies, contacts):
    """How many contacts each body has, walls included."""
    place = {row["id"]: i for i, row in enumerate(bodies)}
    count = numpy.zeros(len(bodies))
    for row in contacts:
        if row["sensor"] == "1" or row["touch"] != "0":
            continue
        for name in (row["a"], row["b"]):
            if name in place:
                count[place[name]] += 1
    return count


def expected(bodies, contacts, fields):
    cell, area = cells_of(bodies, fields)
    total = lambda of: numpy.bincount(cell, of, COLUMNS * ROWS)
    mass, vx, vy = column(bodies, "mass"), column(bodies, "vx"), column(bodies, "vy")
    number, masses = total(numpy.ones(len(bodies))), total(mass)
    with numpy.errstate(invalid="ignore"):
        mean_x, mean_y = total(mass * vx) / masses, total(mass * vy) / masses
        dx, dy = vx - mean_x[cell], vy - mean_y[cell]
        return {
            "number_density": number / area,
            "mass_density": masses / area,
            "area_fraction": total(areas_of(bodies)) / area,
            "velocity_x": mean_x,
            "velocity_y": mean_y,
            "temperature": total(mass * (dx * dx + dy * dy)) / (2 * number),
            "kinetic_xx": total(mass * dx * dx) / area,
            "kinetic_xy": total(mass * dx * dy) / area,
            "kinetic_yy": total(mass * dy * dy) / area,
            "contact_number": total(contacts_of(bodies, contacts)) / number,
        }


def at_step(rows, step):
    return [row for row in rows if row["step"] == step]


def compare(scene, seed):
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    path = os.path.join(FOLDER, "scene.yaml")
    with open(path, "w") as file:
        file.write(SCENES[scene] % seed)
    out = os.path.join(FOLDER, "out")
    run("run", path, "-o", out, "-q", "--set", "record.snapshots=20", "--set", "frames.every=0", "--set",
        "record.fields={every: 20, cells: [%d, %d]}" % (COLUMNS, ROWS))
    run("export", out, "--format", "csv", "-o", os.path.join(FOLDER, "tables"), "-q")
    bodies, contacts, fields = (table(name) for name in ("bodies", "contacts", "fields"))
    bodies = [row for row in bodies if row["kind"] == "dynamic"]
    compared = 0
    for step in sorted({row["step"] for row in fields}, key=int):
        here = at_step(fields, step)
        for name, values in expected(at_step(bodies, step), at_step(contacts, step), here).items():
            stored = column(here, name)
            most = numpy.nanmax(numpy.abs(values))
            if not numpy.allclose(stored, values, rtol=LEAST, atol=LEAST * most, equal_nan=True):
                worst = numpy.nanargmax(numpy.abs(stored - values))
                sys.exit("%s, seed %d, step %s: %s of cell %d is %r, numpy says %r" %
                         (scene, seed, step, name, worst, stored[worst], values[worst]))
            compared += len(values)
    compare_means(scene)
    return compared


WEIGHTS = {"velocity_x": "mass_density", "velocity_y": "mass_density", "temperature": "number_density",
           "contact_number": "number_density"}


def compare_means(scene):
    """Rows that are means beside means of the rows of single moments."""
    found = {}
    for name, sample in (("moments", 0), ("means", 3)):
        out = os.path.join(FOLDER, name)
        run("run", os.path.join(FOLDER, "scene.yaml"), "-o", out, "-q", "--set", "frames.every=0", "--set",
            "record.fields={every: %d, sample: %d, cells: [%d, %d]}" % (12 if sample else 3, sample, COLUMNS, ROWS))
        database = sqlite3.connect("file:%s/run.db?mode=ro" % out, uri=True)
        found[name] = {(step, quantity): numpy.frombuffer(data, "<f8") for step, quantity, data in
                       database.execute("SELECT step, name, data FROM fields")}
        database.close()
    moments, means, compared = found["moments"], found["means"], 0
    for (step, name), mean in means.items():
        steps = range(step - 9, step + 1, 3) if step > 0 else [0]
        values = numpy.array([moments[moment, name] for moment in steps])
        weights = numpy.ones_like(values)
        if name in WEIGHTS:
            weights = numpy.array([moments[moment, WEIGHTS[name]] for moment in steps])
            values = numpy.where(weights > 0, values, 0)
        with numpy.errstate(invalid="ignore"):
            wanted = (weights * values).sum(0) / weights.sum(0)
        if not numpy.allclose(mean, wanted, rtol=LEAST, atol=LEAST * numpy.nanmax(numpy.abs(values)), equal_nan=True):
            sys.exit("%s: mean %s of step %d differs" % (scene, name, step))
        compared += 1
    assert compared == 6 * 14, compared


count = sum(compare(scene, seed) for scene in SCENES for seed in (1, 2, 3))
shutil.rmtree(FOLDER)
assert count == 2 * 3 * 4 * 10 * COLUMNS * ROWS, count
print("%d values are those of numpy" % count)
