"""Chromium without a screen, for the tests of report pages."""
import os
import shutil
import sys
import time

skipped = 77
limit_s = 120  # which only what is broken takes


def require():
    """Ends the test as skipped if there is no browser."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        print("skipped: python3-selenium is not installed")
        sys.exit(skipped)
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: chromium or chromium-driver is not installed")
        sys.exit(skipped)


class Page:
    """A page that is open in a browser of its own."""

    def __init__(self, file, dark=False, width=1200):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", f"--window-size={width},900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(limit_s)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get("file://" + os.path.abspath(file))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def wait(self, script):
        """Waits until the script returns a true value, and returns that."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"not within {limit_s} s: {script}")

    def wait_for_frames(self):
        """Waits until the page has handled recent events, such as scrolling, and is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def draw_all(self):
        """Scrolls every chart into view, so that it is drawn."""
        for number, chart in enumerate(self.all(".chart")):
            self.run("arguments[0].scrollIntoView()", chart)
            self.wait(f"return document.querySelectorAll('.chart')[{number}].dataset.drawn")

    def downloaded(self, button, folder):
        """Clicks a button that saves into an empty folder. Returns file names and the bytes of the first."""
        where = {"behavior": "allow", "downloadPath": os.path.abspath(folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
        self.run("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            names = os.listdir(folder)
            unfinished = [name for name in names if name.endswith((".crdownload", ".tmp")) or name[0] == "."]
            if names and not unfinished:
                with open(os.path.join(folder, names[0]), "rb") as file:
                    return names, file.read()
            time.sleep(0.05)
        raise AssertionError(f"nothing saved within {limit_s} s: {os.listdir(folder)}")

    def complaints(self):
        """The messages of the browser's console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def print_pdf(self):
        import base64
        printed = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
        return base64.b64decode(printed["data"])

    def picture(self, file):
        """Saves a picture of the whole page."""
        self.draw_all()
        width = self.run("return window.innerWidth")
        for _ in range(2):
            self.driver.set_window_size(width, self.run("return document.documentElement.scrollHeight") + 150)
            time.sleep(0.7)
        self.driver.save_screenshot(file)
