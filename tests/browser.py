"""Drives the page of a report in a headless browser: it loads without complaints of the console and without the network, the
player moves by its slider, buttons and keys, the charts show the data, and it fits a phone. Screenshots in light, dark and phone
width are left in the scratch folder, to be looked at.

usage: browser.py PROGRAM SCRATCH      exit 77: Selenium or Chromium is not there
"""

import json
import os
import shutil
import subprocess
import sys
import time

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


def main(program, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    program = os.path.abspath(program)
    subprocess.run([program, "run", "tumbler", "--steps", "299", "--frames", "1", "-q", "-o", RUN, "--set", "view.size=[640,384]"],
                   check=True, cwd=scratch)
    subprocess.run([program, "report", RUN, "-q"], check=True, cwd=scratch)
    page = os.path.abspath(os.path.join(scratch, RUN, "report.html"))
    data = open(page, encoding="utf-8").read().split('id="data">')[1].split("</script>")[0]
    data = json.loads(data)
    steps = [frame["step"] for frame in data["frames"]]
    rows = [dict(zip(data["metrics"]["names"], row)) for row in data["metrics"]["rows"]]
    assert len(steps) == 300
    for name, dark, width, height in LOOKS:
        try:
            browser = start(dark, width, height)
        except WebDriverException as reason:
            print("Chromium or its driver is missing: %s" % reason.msg)
            return 77
        try:
            browser.get("file://" + page)
            seconds = wait("the page is ready", lambda: browser.execute_script(
                "return document.documentElement.dataset.ready") == "yes")
            check_player(browser, steps)
            check_charts(browser, rows)
            check_quiet(browser)
            check_width(browser, name, width)
            browser.save_screenshot(os.path.join(scratch, name + ".png"))
            print("%s: %.1f MB, ready %.2f s after it was loaded" % (name, os.path.getsize(page) / 1e6, seconds))
        finally:
            browser.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
