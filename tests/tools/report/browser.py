"""Drives the pages of reports in a headless browser: they load without complaints of the console and without the network, a run's
player moves by its slider, buttons and keys, a sweep's table sorts and filters, the charts show the data, and all fit a phone. Screenshots in light, dark and phone
width are left in the scratch folder, to be looked at.

usage: browser.py PROGRAM SCRATCH      exit 77: Selenium or Chromium is not there
"""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.parse

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("python3-selenium is missing")
    sys.exit(77)

SECONDS = 30  # to wait for anything
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


def make_pages(program, scratch):
    """What there is to be seen: a run, a sweep of which some points fail, a scaling test. Returns each with its page and its check."""
    def call(*arguments, code=0):
        done = subprocess.run((program,) + arguments, cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert done.returncode == code, done.stderr

    call("run", "tumbler", "--steps", "299", "--frames", "1", "-q", "-o", RUN, "--set", "view.size=[640,384]")
    call("report", RUN, "-q")
    with open(os.path.join(scratch, "sweep.yaml"), "w", encoding="utf-8") as file:
        file.write(SWEEP)
    call("sweep", "sweep.yaml", "-o", "swept # 1", "-q", code=1)
    call("report", "swept # 1", "--runs", "-q")
    call("scale", "gas", "--bodies", "400,800", "--threads", "1,2,3", "--weak", "--steps", "3", "--repeats", "3", "-o", "scaled", "-q")
    call("report", "scaled", "-q")
    pages = [os.path.abspath(os.path.join(scratch, name, "report.html")) for name in (RUN, "swept # 1", "scaled")]
    run = data_of(pages[0])
    steps = [frame["step"] for frame in run["frames"]]
    rows = [dict(zip(run["metrics"]["names"], row)) for row in run["metrics"]["rows"]]
    assert len(steps) == 300

    def check_run(browser):
        check_player(browser, steps)
        check_charts(browser, rows)
    return (("run", pages[0], check_run), ("sweep", pages[1], check_sweep),
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
