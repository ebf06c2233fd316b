"""Drives the pages of reports in a headless browser: they load without complaints of the console and without the network, a run's
player moves by its slider, buttons and keys, its bodies and nodes answer clicks and keys, its recorded fields are maps, a sweep's table sorts and filters, the charts
show the data, and all fit a phone. Screenshots in light, dark and phone
width are left in the scratch folder, to be looked at.

usage: browser.py PROGRAM SCRATCH      exit 77: Selenium or Chromium is not there
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.parse

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("python3-selenium is missing")
    sys.exit(77)

SECONDS = 300  # to wait for anything
RUN = "a_run_whose_name_has_no_place_to_break_and_is_longer_than_a_phone_is_wide"
LOOKS = (("light", False, 1400, 1000), ("dark", True, 1400, 1000), ("phone", False, 390, 844))


def start(dark, width, height):
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    return browser


def wait(what, true):
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > SECONDS:
            raise AssertionError(what)
        time.sleep(0.02)
    return time.monotonic() - begun


def pixels(browser):
    """A number that changes with what the player shows."""
    return browser.execute_script("""
        const canvas = document.getElementById('screen');
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let sum = 0;
        for (let i = 0; i < data.length; i += 4) sum = (sum * 31 + data[i] * 65536 + data[i + 1] * 256 + data[i + 2]) % 2147483647;
        return sum;""")


def check_player(browser, steps):
    where = browser.find_element(By.ID, "where")
    body = browser.find_element(By.TAG_NAME, "body")

    def at(number):
        return lambda: where.text.startswith("frame %d · step %s ·" % (number, format(steps[number], ",")))

    wait("the first frame is shown", at(0))
    first = pixels(browser)
    body.send_keys(Keys.ARROW_RIGHT)
    wait("a key goes one frame on", at(1))
    assert pixels(browser) != first, "the next frame looks like the first"
    body.send_keys(Keys.END)
    wait("a key goes to the end", at(len(steps) - 1))
    browser.find_element(By.ID, "back").click()
    wait("a button goes one frame back", at(len(steps) - 2))
    body.send_keys(Keys.HOME)
    wait("a key goes to the beginning", at(0))
    assert pixels(browser) == first, "the first frame has changed"
    browser.execute_script("const s = document.getElementById('slider'); s.value = 3; s.dispatchEvent(new Event('input'));")
    wait("the slider moves the player", at(3))
    body.send_keys(" ")
    wait("it plays", lambda: not at(3)())
    body.send_keys(" ")


ASKED = """name: asked
world: {size: [20, 12], gravity: [0, -5], boundary: {x: periodic, y: reflect}}
run: {steps: 60, dt: 0.02, seed: 3}
contact: {restitution: 0.3}
bodies:
  - disks: {count: 30, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 2}}
  - rects: {count: 10, size: [1.2, 0.6], velocity: {normal: 2}}
  - capsules: {count: 8, length: 1, radius: 0.25, velocity: {normal: 2}}
stepper: {capacity: 4}
view: {size: [640, 384]}
frames: {every: 5}
record: {snapshots: 10}
"""
FIELDS = 11


class Moment:
    """What a page has of one frame's world, read without the page's program."""

    def __init__(self, world):
        self.world = world
        rows = [world["bodies"][i:i + FIELDS] for i in range(0, len(world["bodies"]), FIELDS)]
        self.bodies = {row[0]: dict(zip(("label", "node", "kind", "shape", "radius", "x", "y"), row)) for row in rows}
        self.nodes = []
        self.unfold(*world["root"], 0)

    def unfold(self, x, y, side, depth, above=None):
        mark = self.world["nodes"][len(self.nodes)]
        node = {"x": x, "y": y, "side": side, "depth": depth, "leaf": mark >= 0, "own": mark if mark >= 0 else -1 - mark, "above": above}
        self.nodes.append(node)
        for k in range(4 if mark < 0 else 0):
            self.unfold(x + (k & 1) * side / 2, y + (k >> 1) * side / 2, side / 2, depth + 1, node)

    def partners(self, name, width, label):
        rows = [self.world[name][i:i + width] for i in range(0, len(self.world[name]), width)]
        return sorted(row[1] if row[0] == label else row[0] for row in rows if label in row[:2])

    def pixel(self, x, y):
        x0, y0, scale, left, bottom = self.world["camera"]
        return left + (x - x0) * scale, bottom - (y - y0) * scale

    def leaf_at(self, x, y):
        return next(node for node in self.nodes if node["leaf"] and 0 <= x - node["x"] < node["side"] and 0 <= y - node["y"] < node["side"])

    def empty_place(self):
        """A place in the world that is far from all bodies."""
        places = [(0.5 + i, 0.5 + k) for i in range(20) for k in range(12)]
        return max(places, key=lambda p: min((p[0] - b["x"]) ** 2 + (p[1] - b["y"]) ** 2 for b in self.bodies.values()))


def click_pixel(browser, at):
    """Clicks the pixel of the picture, however large it is shown."""
    screen = browser.find_element(By.ID, "screen")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", screen)
    size, width, height = screen.size, int(screen.get_attribute("width")), int(screen.get_attribute("height"))
    dx, dy = (at[0] / width - 0.5) * size["width"], (at[1] / height - 0.5) * size["height"]
    ActionChains(browser).move_to_element_with_offset(screen, round(dx), round(dy)).click().perform()


def asked_rows(browser):
    """The panel as a map from the first word of each row to the rest."""
    rows = browser.execute_script("""return Array.from(document.querySelectorAll('#asked tr')).map((row) => [row.cells[0].textContent, row.cells[1].textContent]);""")
    return dict(rows)


def expect_body(browser, moment, label):
    title = browser.find_element(By.CSS_SELECTOR, "#asked h3").text
    assert title == "Body %d" % label, (title, label)
    rows, body = asked_rows(browser), moment.bodies[label]
    node = moment.nodes[body["node"]]
    assert rows["node"].startswith("depth %d, cell %g × %g" % (node["depth"], node["side"], node["side"])), (rows, node)
    for name, width in (("candidates", 2), ("contacts", 5)):
        wanted = moment.partners({"candidates": "pairs"}.get(name, name), width, label)
        assert rows[name].startswith("%d: " % len(wanted)), (name, rows, wanted)
        assert [int(word) for word in rows[name].split(": ")[1].split() if word.isdigit()] == [one for one in wanted if one >= 0], (rows, wanted)
    assert rows["path"].startswith("7 places, from frame 0 to 12"), rows
    kind = "disk" if body["shape"] == 0 else ("disk", "rect", "capsule", "polygon")[moment.world["shapes"][body["shape"] - 1][1]]
    assert rows["is"].startswith("dynamic %s, " % kind), (rows, kind)


def expect_node(browser, moment, node):
    assert browser.find_element(By.CSS_SELECTOR, "#asked h3").text == "Node"
    rows = asked_rows(browser)
    assert rows["cell"].startswith("%g × %g from" % (node["side"], node["side"])), (rows, node)
    assert rows["depth"].startswith("%d, " % node["depth"]), (rows, node)
    own = sorted(label for label, body in moment.bodies.items() if moment.nodes[body["node"]] is node)
    assert rows["bodies"].startswith("%d: " % node["own"]) and len(own) == node["own"], (rows, node)
    assert [int(word) for word in rows["bodies"].split(": ")[1].split() if word.isdigit()] == own, (rows, own)


def check_asking_by_mouse(browser, moments):
    first, plain = moments[0], pixels(browser)
    screen = browser.find_element(By.ID, "screen")
    # A body that no other one hides, and one of each kind of shape.
    for label in (5, 33, 45):
        body = first.bodies[label]
        click_pixel(browser, first.pixel(body["x"], body["y"]))
        wait("a click asks body %d" % label, lambda label=label: screen.get_attribute("data-asked") == "body %d" % label)
        expect_body(browser, first, label)
        assert pixels(browser) != plain, "nothing is drawn of what is asked"
    browser.find_element(By.CSS_SELECTOR, "#asked td button").click()
    expect_node(browser, first, first.nodes[first.bodies[45]["node"]])
    place = first.empty_place()
    click_pixel(browser, first.pixel(*place))
    expect_node(browser, first, first.leaf_at(*place))
    browser.find_element(By.ID, "askclear").click()
    assert screen.get_attribute("data-asked") == "" and pixels(browser) == plain
    browser.find_element(By.ID, "askbody").send_keys("12")
    expect_body(browser, first, 12)
    # In the last frame bodies lie on each other and on the floor.
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.END)
    wait("the last frame is shown", lambda: browser.find_element(By.ID, "where").text.startswith("frame 12 "))
    last = moments[12]
    for label in sorted(last.bodies, key=lambda one: -len(last.partners("contacts", 5, one)))[:3]:
        assert len(last.partners("contacts", 5, label)) > 1
        click_pixel(browser, last.pixel(last.bodies[label]["x"], last.bodies[label]["y"]))
        expect_body(browser, last, label)
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.HOME)
    wait("the first frame is shown", lambda: browser.find_element(By.ID, "where").text.startswith("frame 0 "))
    field = browser.find_element(By.ID, "askbody")
    field.clear()
    field.send_keys("12")
    # The body stays asked from frame to frame; one without a snapshot says so, and where there is one.
    browser.find_element(By.ID, "forth").click()
    asked = browser.find_element(By.ID, "asked")
    wait("a frame without a snapshot says so", lambda: "Frame 1 has no snapshot" in asked.text)
    browser.find_element(By.ID, "forth").click()
    wait("a frame with one shows it", lambda: "Body 12" in asked.text)
    expect_body(browser, moments[2], 12)
    browser.find_element(By.ID, "forth").click()
    wait("the third has none", lambda: "Frame 3 has no snapshot" in asked.text)
    asked.find_element(By.TAG_NAME, "button").click()
    wait("the button leads to the nearest", lambda: "Body 12" in asked.text)
    expect_body(browser, moments[2], 12)
    browser.find_element(By.ID, "askclear").click()


def check_asking_by_keys(browser, moments):
    first, screen = moments[0], browser.find_element(By.ID, "screen")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.HOME)
    wait("the first frame is shown", lambda: browser.find_element(By.ID, "where").text.startswith("frame 0 "))
    for _ in range(40):  # the picture is reached by the tabulator
        ActionChains(browser).send_keys(Keys.TAB).perform()
        if browser.switch_to.active_element.get_attribute("id") == "screen":
            break
    else:
        raise AssertionError("the picture cannot be reached by keys")

    def press(key):
        ActionChains(browser).send_keys(key).perform()
        return screen.get_attribute("data-asked")

    def label():
        return int(screen.get_attribute("data-asked").split()[1])

    assert press(Keys.ENTER).startswith("body "), "enter asks no body"
    expect_body(browser, first, label())
    for key, axis, sign in ((Keys.ARROW_RIGHT, "x", 1), (Keys.ARROW_LEFT, "x", -1), (Keys.ARROW_UP, "y", 1), (Keys.ARROW_DOWN, "y", -1)):
        before = label()
        press(key)
        moved = first.bodies[label()][axis] - first.bodies[before][axis]
        if axis == "x":
            moved = (moved + 10) % 20 - 10  # the world is periodic
        assert label() != before and sign * moved > 0, (key, before, label())
        expect_body(browser, first, label())
    node = first.nodes[first.bodies[label()]["node"]]
    assert press(Keys.ENTER) == "node"
    expect_node(browser, first, node)
    press(Keys.ENTER)
    expect_node(browser, first, node["above"])
    assert browser.find_element(By.ID, "where").text.startswith("frame 0 "), "the player has taken the keys"
    assert press(Keys.ESCAPE) == ""
    press(Keys.ARROW_RIGHT)
    wait("the keys are the player's again", lambda: browser.find_element(By.ID, "where").text.startswith("frame 1 "))
    press(Keys.ARROW_LEFT)
    assert screen.get_attribute("aria-label").startswith("The simulation, frame ")
    assert browser.find_element(By.ID, "asked").get_attribute("aria-live") == "polite"
    press(Keys.ENTER)


def check_charts(browser, rows):
    charts = browser.find_elements(By.CSS_SELECTOR, ".chart")
    assert len(charts) >= 4, "there are %d charts" % len(charts)
    legends = [chart.find_element(By.CLASS_NAME, "legend").text for chart in charts]
    assert any("kinetic" in legend for legend in legends), legends
    # The canvas is not empty, and the values in the legend are those of the row.
    assert browser.execute_script("""
        return Array.from(document.querySelectorAll('.chart canvas')).some((canvas) => {
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return data.some((value) => value !== 0);
        });"""), "nothing is drawn"
    browser.execute_script("const s = document.getElementById('slider'); s.value = 0; s.dispatchEvent(new Event('input'));")
    kinetic = float(rows[0]["kinetic"])
    wait("the legend has the energy of the frame's step", lambda: any(
        "kinetic: %s" % format(kinetic, ".6g").rstrip() in chart.find_element(By.CLASS_NAME, "legend").text for chart in charts))


def check_fields(browser, recorded):
    """The map of recorded fields: steps, quantities, the value of a cell, and the profile."""
    rows, names = recorded["rows"], recorded["names"]
    canvas, where = browser.find_element(By.ID, "fieldmap"), browser.find_element(By.ID, "fieldwhere")

    def drawn():
        return browser.execute_script("return document.getElementById('fieldmap').toDataURL();")

    def slide(number):
        browser.execute_script("const s = document.getElementById('fieldslider'); s.value = %d; s.dispatchEvent(new Event('input'));" % number)

    wait("the map follows the player's first frame", lambda: canvas.get_attribute("data-step") == "0")
    first = drawn()
    slide(len(rows) - 1)
    assert where.text.startswith("step %d " % rows[-1]["step"]) and canvas.get_attribute("data-step") == str(rows[-1]["step"]), where.text
    assert drawn() != first, "the last map looks like the first"
    before = drawn()
    browser.execute_script("document.getElementById('fieldmap').scrollIntoView({block: 'center'})")
    for quantity in ("area fraction", "temperature", "pressure", "number density"):
        choose(browser, "fieldof", quantity)
        assert drawn() != before, "%s looks like the quantity before" % quantity
        before = drawn()
        assert quantity in canvas.get_attribute("aria-label"), canvas.get_attribute("aria-label")
    # The pointer in the middle of a cell tells what is stored of it.
    _, _, _, _, nx, ny = rows[-1]["grid"]
    values = rows[-1]["values"][names.index("number_density")]
    for i, j in ((0, 0), (nx - 1, 1), (2, ny - 1)):
        size = canvas.size
        ActionChains(browser).move_to_element_with_offset(canvas, round(((i + 0.5) / nx - 0.5) * size["width"]),
                                                          round((0.5 - (j + 0.5) / ny) * size["height"])).perform()
        told = browser.find_element(By.ID, "fieldcell").text.split(": ")[1]
        assert abs(float(told) - values[j * nx + i]) <= 1e-5 * abs(values[j * nx + i]), (told, values[j * nx + i], i, j)
    high = float(browser.find_element(By.ID, "fieldhigh").text.split()[0])
    most = max(max(row["values"][names.index("number_density")]) for row in rows)
    assert abs(high - most) <= 0.01 * most, (high, most)
    profile = browser.find_element(By.ID, "fieldprofile")
    plot = profile.find_element(By.CLASS_NAME, "plot")
    for axis in ("y", "x"):
        choose(browser, "fieldalong", axis)
        assert plot.get_attribute("aria-label") == "Profile of number density along " + axis, plot.get_attribute("aria-label")
    assert "this step" in profile.text and "mean of the steps" in profile.text, profile.text
    choose(browser, "fieldof", "speed")


def check_width(browser, name, width):
    """No wider than the screen; where it is, what sticks out is named."""
    def fits():
        return browser.execute_script("return document.documentElement.scrollWidth") <= width
    try:
        wait("it is no wider than %d pixels" % width, fits)  # charts take their width once it is known to them
    except AssertionError as reason:
        sticking = browser.execute_script("""
            return Array.from(document.querySelectorAll('body *')).map((one) => {
                const box = one.getBoundingClientRect();
                const inside = getComputedStyle(one).overflowX === 'visible' ? Math.max(one.scrollWidth, box.width) : box.width;
                return [one.tagName + (one.id && '#' + one.id) + (one.className && '.' + one.className), Math.round(box.left + inside)];
            }).filter((one) => one[1] > arguments[0]);""", width)
        raise AssertionError("%s: %s; right edges: %s" % (name, reason, sticking)) from None


def check_quiet(browser):
    # The pixels are read by this test, not by the page.
    said = [entry for entry in browser.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING") and "getImageData" not in entry["message"]]
    assert not said, "the console says: %s" % said
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url.startswith(("file:", "data:", "blob:")), "the page fetches %s" % url


SWEEP = """name: bounce
scene: gas
set: {bodies.0.disks.count: 60, "world.size": [14, 10], run.steps: 40, frames.every: 10, "view.size": [160, 96], record.metrics: 10}
axes:
  - {key: contact.restitution, list: [0.3, 0.6, 0.9, 1.5]}
  - {key: contact.friction, list: [0, 0.5]}
replicas: 2
"""
POINTS = 16


def column(browser, number):
    """The texts of a column of the sweep's table."""
    return browser.execute_script("return Array.from(document.querySelectorAll('#points tbody tr')).map((row) => row.cells[arguments[0]].textContent);",
                                  number)


def choose(browser, name, text):
    browser.execute_script("""
        const select = document.getElementById(arguments[0]);
        select.value = Array.from(select.options).find((option) => option.text === arguments[1]).value;
        select.dispatchEvent(new Event('change'));""", name, text)


def check_sweep_table(browser):
    heads = [head.text.strip(" ▲▼") for head in browser.find_elements(By.CSS_SELECTOR, "#points th")]
    assert column(browser, heads.index("point")) == [str(i + 1) for i in range(POINTS)]
    energy = heads.index("energy_last")
    for pressed, direction in ((Keys.ENTER, "ascending"), (Keys.SPACE, "descending")):
        button = browser.find_element(By.CSS_SELECTOR, "th:nth-child(%d) button" % (energy + 1))
        button.send_keys(pressed)
        assert browser.find_element(By.CSS_SELECTOR, "th:nth-child(%d)" % (energy + 1)).get_attribute("aria-sort") == direction
        assert browser.switch_to.active_element.text.startswith("energy_last"), "the focus is lost by sorting"
        numbers = [float(text.replace(",", "")) for text in column(browser, energy) if text]
        assert len(numbers) == POINTS - 4 and numbers == sorted(numbers, reverse=direction == "descending"), numbers
        assert column(browser, energy)[len(numbers):] == [""] * 4, "what has no value is not last"
    links = browser.execute_script("return Array.from(document.querySelectorAll('#points a')).map((link) => link.href);")
    assert len(links) == POINTS - 4 and all(os.path.isfile(urllib.parse.unquote(link[7:])) for link in links), links
    browser.find_element(By.ID, "all").send_keys(Keys.SPACE)
    assert len(browser.find_elements(By.CSS_SELECTOR, "#points th")) > len(heads)
    browser.find_element(By.ID, "all").send_keys(Keys.SPACE)
    field = browser.find_element(By.ID, "filter")
    for words, rows in (("failed", 4), ("contact.restitution=0.6 replica=2", 2), ("contact.restitution<0.7", 8), ("no such", 0)):
        field.clear()
        field.send_keys(words)
        assert len(column(browser, 1)) == rows, (words, column(browser, 1))
    field.clear()
    field.send_keys(Keys.SPACE)


def check_sweep_pictures(browser):
    browser.execute_script("document.querySelector('.thumbnail').scrollIntoView()")  # those that are far away are left for later
    wait("the last frames are shown", lambda: browser.execute_script(
        "return document.querySelector('.thumbnail img').naturalWidth") == 160)
    browser.find_element(By.CSS_SELECTOR, ".thumbnail").send_keys(Keys.ENTER)
    large = browser.find_element(By.ID, "large")
    assert large.is_displayed() and large.find_element(By.TAG_NAME, "img").size["width"] > 100
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    wait("escape closes the picture", lambda: not large.is_displayed())


def check_sweep_chart(browser):
    def drawn():
        return browser.execute_script("return Array.from(document.querySelectorAll('#plot canvas')).map((canvas) => canvas.toDataURL()).join();")
    before, points = drawn(), browser.find_element(By.ID, "compare").get_attribute("data-points")
    assert points == str(POINTS - 4), points
    for name, text in (("result", "contacts_total"), ("over", "contact.friction"), ("by", "contact.restitution")):
        choose(browser, name, text)
        assert drawn() != before, "%s changes nothing" % name
        before = drawn()
    legend = browser.find_element(By.ID, "legend").text
    assert all("contact.restitution %s, mean" % value in legend for value in ("0.3", "0.6", "0.9")), legend
    for name in ("logy", "logx"):  # contact.friction has a 0, so x stays as it is
        browser.find_element(By.ID, name).send_keys(Keys.SPACE)
    assert "contact.friction is 0 or less somewhere" in browser.find_element(By.ID, "caption").text
    assert browser.find_element(By.ID, "plot").get_attribute("aria-label").startswith("contacts_total over contact.friction")


def check_sweep(browser):
    check_sweep_table(browser)
    check_sweep_pictures(browser)
    check_sweep_chart(browser)


def check_scale(browser, test):
    verdicts = [one.text for one in browser.find_elements(By.CLASS_NAME, "verdict")]
    assert verdicts == [one["verdict"] for one in test["series"] if "verdict" in one], verdicts
    assert browser.execute_script("return document.querySelectorAll('.plot canvas').length") >= 8, "charts are missing"
    legends = " ".join(one.text for one in browser.find_elements(By.CLASS_NAME, "legend"))
    assert "400 bodies" in legends and "800 bodies" in legends and "ideal" in legends, legends
    seen = set()
    for series in ("strong: 400 bodies", "weak: 400 bodies per thread", "strong: 800 bodies"):
        choose(browser, "series", series)
        seen.add(browser.find_element(By.ID, "gains").text)
    assert len(seen) == 3
    speedup = [one["speedup"] for one in test["series"][1]["gains"]]
    cells = browser.find_element(By.ID, "gains").find_elements(By.CSS_SELECTOR, "tbody td:nth-child(8)")
    assert [float(cell.text) for cell in cells] == [float("%.2f" % value) for value in speedup], (cells, speedup)
    matrix = browser.find_element(By.ID, "matrix")
    before = matrix.text
    choose(browser, "what", "imbalance")
    assert matrix.text != before
    assert len(matrix.find_elements(By.CSS_SELECTOR, "tbody tr")) == len(test["configurations"][0]["phases"])


def data_of(page):
    return json.loads(open(page, encoding="utf-8").read().split('id="data">')[1].split("</script>")[0])


def moments_of(page):
    """By number of the frame."""
    parts = open(page, encoding="utf-8").read().split('class="moment" data-frame="')[1:]
    return {int(part.split('"')[0]): Moment(json.loads(part.split(">", 1)[1].split("</script>")[0])) for part in parts}


def make_pages(program, scratch):
    """What there is to be seen: a run, one that can be asked, a sweep of which some points fail, a scaling test. Returns each with its page and its check."""
    def call(*arguments, code=0):
        done = subprocess.run((program,) + arguments, cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == code, done.stderr

    call("run", "tumbler", "--steps", "299", "--frames", "1", "-q", "-o", RUN, "--set", "view.size=[640,384]")
    call("report", RUN, "-q")
    with open(os.path.join(scratch, "asked.yaml"), "w", encoding="utf-8") as file:
        file.write(ASKED)
    call("run", "asked.yaml", "-o", "asked", "-q")
    call("report", "asked", "-q")
    # A run none of whose frames can be asked, and one without frames.
    call("run", "gas", "--bodies", "50", "--steps", "10", "--frames", "7", "--set", "checkpoint.every=0", "-o", "silent", "-q")
    call("run", "gas", "--bodies", "50", "--steps", "10", "--frames", "0", "-o", "frameless", "-q")
    with sqlite3.connect(os.path.join(scratch, "silent", "run.db")) as store:
        store.execute("DELETE FROM checkpoints WHERE step <= 7")
    store.close()
    call("report", "silent", "-q")
    call("report", "frameless", "-q")
    call("run", "gas", "--bodies", "1500", "--steps", "60", "--frames", "20", "--set", "record.fields={every: 15, cells: [12, 8]}", "--set",
         "view.field=velocity", "--set", "view.size=[640,384]", "-o", "measured", "-q")
    call("report", "measured", "-q")
    with open(os.path.join(scratch, "sweep.yaml"), "w", encoding="utf-8") as file:
        file.write(SWEEP)
    call("sweep", "sweep.yaml", "-o", "swept # 1", "-q", code=1)
    call("report", "swept # 1", "--runs", "-q")
    call("scale", "gas", "--bodies", "400,800", "--threads", "1,2,3", "--weak", "--steps", "3", "--repeats", "3", "-o", "scaled", "-q")
    call("report", "scaled", "-q")
    pages = [os.path.abspath(os.path.join(scratch, name, "report.html")) for name in (RUN, "swept # 1", "scaled", "asked", "silent", "frameless", "measured")]
    run = data_of(pages[0])
    steps = [frame["step"] for frame in run["frames"]]
    rows = [dict(zip(run["metrics"]["names"], row)) for row in run["metrics"]["rows"]]
    assert len(steps) == 300

    def check_run(browser):
        check_player(browser, steps)
        check_charts(browser, rows)

    def check_asked(browser):
        moments = moments_of(pages[3])
        assert sorted(moments) == list(range(0, 13, 2)), sorted(moments)
        wait("the first frame is shown", lambda: browser.find_element(By.ID, "where").text.startswith("frame 0 "))
        check_asking_by_mouse(browser, moments)
        check_asking_by_keys(browser, moments)

    def check_silent(browser):
        frames = [frame["number"] for frame in data_of(pages[4])["frames"]]
        asked = browser.find_element(By.ID, "asked")
        assert frames == [0, 1] and "cannot be asked" in asked.text, (frames, asked.text)
        click_pixel(browser, (100, 100))
        assert "cannot be asked" in asked.text and not browser.find_element(By.ID, "askbody").is_displayed()

    def check_frameless(browser):
        assert "This run has no frames." in browser.find_element(By.ID, "player").text
        assert not browser.find_elements(By.ID, "fields"), "there are no fields to be shown"

    def check_measured(browser):
        check_fields(browser, data_of(pages[6])["fields"])
        browser.execute_script("document.getElementById('fields').scrollIntoView({block: 'start'})")
    return (("run", pages[0], check_run), ("silent", pages[4], check_silent), ("frameless", pages[5], check_frameless), ("measured", pages[6], check_measured), ("asked", pages[3], check_asked), ("sweep", pages[1], check_sweep),
            ("scale", pages[2], lambda browser: check_scale(browser, data_of(pages[2])["test"])))


def main(program, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    pages = make_pages(os.path.abspath(program), scratch)
    for name, dark, width, height in LOOKS:
        try:
            browser = start(dark, width, height)
        except WebDriverException as reason:
            print("Chromium or its driver is missing: %s" % reason.msg)
            return 77
        try:
            for kind, page, check in pages:
                browser.get("file://" + urllib.parse.quote(page))
                seconds = wait("the page is ready", lambda: browser.execute_script(
                    "return document.documentElement.dataset.ready") == "yes")
                check(browser)
                check_quiet(browser)
                check_width(browser, name, width)
                browser.save_screenshot(os.path.join(scratch, "%s-%s.png" % (kind, name)))
                print("%s, %s: %.1f MB, ready %.2f s after it was loaded" % (kind, name, os.path.getsize(page) / 1e6, seconds))
        finally:
            browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
