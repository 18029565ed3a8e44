"""Debian's Chromium on the pages, with the stand-in for a daemon behind them. The headless shell needs a third less time than
the whole browser, which draws a window around each page."""

import atexit
import os
import pathlib
import tempfile
import time
import unittest

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import sync_playwright

from stand_in import StandIn

CHROMIUM = os.environ.get("KIOSK_CHROMIUM", "/usr/bin/chromium-headless-shell")
# The browser of a counter, which keeps a history on the disk.
WHOLE_CHROMIUM = "/usr/bin/chromium"
SCREENSHOTS = os.environ.get("KIOSK_SCREENSHOTS")
LANDSCAPE = {"width": 1280, "height": 800}


# How long a condition may take, in seconds.
PATIENCE = 120


def forms(word):
    """How a word, or a part of a picture, can be in a file."""
    return [word] if isinstance(word, bytes) else [word.encode(encoding) for encoding in ("utf-8", "utf-16-le", "latin-1")]


class Browsers:
    """This process's browsers, one for each set of arguments, from when it is first asked for."""

    def __init__(self):
        self.playwright = None
        self.running = {}

    def get(self, *arguments):
        """A new one where the last one has crashed: that is the fault of one test alone."""
        if self.playwright is None:
            self.playwright = sync_playwright().start()
            atexit.register(self.close)
        browser = self.running.get(arguments)
        if browser is None or not browser.is_connected():
            # A sandbox inside the sandbox of a test machine is not to be had as root.
            browser = self.running[arguments] = self.playwright.chromium.launch(
                executable_path=CHROMIUM, args=[*arguments, *(["--no-sandbox"] if os.geteuid() == 0 else [])])
        return browser

    def close(self):
        for browser in self.running.values():
            browser.close()
        self.playwright.stop()


browsers = Browsers()


class KioskCase(unittest.TestCase):
    """One fresh context for each test; no console error and no other origin is let pass."""

    browser = None

    @classmethod
    def setUpClass(cls):
        cls.stand_in = StandIn()

    @classmethod
    def tearDownClass(cls):
        # Some classes have a browser to themselves.
        if cls.browser is not None:
            cls.browser.close()
            cls.playwright.stop()
        cls.stand_in.stop()

    def setUp(self):
        self.stand_in.reset()
        self.contexts = []
        self.complaints = []
        self.addresses = []
        # Questions of all pages without an answer yet.
        self.underway = set()
        self.expected_complaints = ()

    def tearDown(self):
        for context in self.contexts:
            context.close()
        complaints = [(text, url) for text, url in self.complaints if not self.is_superseded(text, url)
                      and not any(expected in text for expected in (*self.expected_complaints, "AudioContext"))]
        self.assertEqual(complaints, [])
        for address in self.addresses:
            self.assertTrue(address.startswith((self.stand_in.url, "blob:" + self.stand_in.url)), address)

    @staticmethod
    def is_superseded(text, url):
        """A page asks for the presentation that it was told of. Pages have the latest of their lane alone, and it may be another by then.
        Its picture may be wiped by then."""
        return "/v1/presentations/" in url and ("404" in text or "410" in text and url.endswith("/portrait"))

    def start_over(self):
        """For the next case of one test. A page that stayed open could ask for what the stand-in no longer has."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()
        self.underway.clear()
        self.stand_in.reset()

    def clear(self, *pages):
        """For the next case of one test, on the pages that are open."""
        self.stand_in.reset()
        for page in pages:
            self.settle(page)
            self.expect(page, "idle")

    def context(self, **options):
        """A context without motion, unless a test is about motion: drawing it takes a tenth of the time of all tests."""
        options = {"viewport": LANDSCAPE, "locale": "en-GB", "reduced_motion": "reduce", **options}
        context = (self.browser or browsers.get()).new_context(**options)
        self.contexts.append(context)
        return context

    def open(self, layout, context=None, lang=None, code=None, script=None, has_clock=False, **options):
        """A page; with `has_clock` the test can let its time pass, besides what passes by itself."""
        page = (context or self.context(**options)).new_page()
        page.set_default_timeout(PATIENCE * 1_000)
        self.watch(page)
        if script:
            page.add_init_script(script)
        if has_clock:
            page.clock.install()
        query = f"lane=counter-1{f'&lang={lang}' if lang else ''}"
        page.goto(f"{self.stand_in.url}/{layout}?{query}#code={code or self.stand_in.page_code(layout)}")
        page.wait_for_selector('body[data-screen]:not([data-screen="connecting"])')
        return page

    def files_of_a_profile(self, path, use, words):
        """Which files of the whole browser's profile have each of these words or bytes, after `use(page)` on the page at `path` and the
        browser's end. The twin: a word of the address is found, as the history has it."""
        with tempfile.TemporaryDirectory() as folder:
            browsers.get()
            context = browsers.playwright.chromium.launch_persistent_context(
                folder, executable_path=WHOLE_CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [], viewport=LANDSCAPE)
            page = context.pages[0]
            self.watch(page)
            page.goto(f"{self.stand_in.url}/{path}?lane=counter-1&twin=searched-word#code={self.stand_in.page_code(path)}")
            use(page)
            context.close()
            found = {}
            for file in (file for file in pathlib.Path(folder).rglob("*") if file.is_file()):
                content = file.read_bytes()
                for word in ("searched-word", *words):
                    if any(form in content for form in forms(word)):
                        found.setdefault(word, []).append(str(file.relative_to(folder)))
        self.assertNotEqual(found.pop("searched-word", []), [], "the twin is not found")
        return found

    def watch(self, page):
        page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append((m.text, m.location["url"])))
        page.on("pageerror", lambda error: self.complaints.append((str(error), page.url)))
        page.on("request", self.begin)
        # Nobody reads what comes with a refusal.
        page.on("response", lambda answer: answer.ok or self.underway.discard(answer.request))
        page.on("requestfinished", lambda request: self.underway.discard(request))
        page.on("requestfailed", lambda request: self.underway.discard(request))

    def begin(self, request):
        self.addresses.append(request.url)
        # Events end with the page, and nobody reads the answer to an order.
        if request.method == "GET" and not request.url.endswith("/events"):
            self.underway.add(request)

    def both(self, **options):
        return self.open("kiosk", **options), self.open("clerk", **options)

    def expect(self, page, screen):
        page.wait_for_selector(f'body[data-screen="{screen}"]')

    def screen(self, page):
        return page.get_attribute("body", "data-screen")

    def heading(self, page):
        return plain(page.inner_text("h1"))

    def words(self, page):
        return plain(page.inner_text("body"))

    def asked(self, method, path):
        """What was asked of the daemon at such a path."""
        with self.stand_in.lock:
            return [entry for entry in self.stand_in.asked if entry[0] == method and path in entry[1]]

    def wait_asked(self, page, method, path, count=1):
        return self.until(page, lambda: len(found := self.asked(method, path)) >= count and found,
                          f"{method} {path} was not asked for {count} times")

    def until(self, page, condition, fault, step=None):
        """What a condition outside of the page gives once it holds; with `step`, so much of the page's time passes between
        two looks, in seconds."""
        deadline = time.monotonic() + PATIENCE
        while not (found := condition()):
            self.assertLess(time.monotonic(), deadline, fault)
            if step is None:
                page.wait_for_timeout(10)
            else:
                # What it asked is answered first, as the page's time runs ahead of the daemon's; but some questions get no answer.
                answered = time.monotonic() + 1
                while self.underway and time.monotonic() < answered:
                    page.wait_for_timeout(5)
                page.clock.run_for(step * 1_000)
        return found

    def expect_in_time(self, page, screen, step=0.5):
        """A screen that comes with the page's own time."""
        self.until(page, lambda: self.screen(page) == screen, f"{screen} did not come", step)

    def settle(self, page):
        """Until the page has dealt with all events so far, by one more that changes nothing: it asks for its lane after each."""
        with page.expect_event("requestfinished", lambda request: request.url.endswith("/v1/lanes/counter-1")):
            self.stand_in.emit("laneChanged")
        quiet = 0
        deadline = time.monotonic() + PATIENCE
        while quiet < 3:
            self.assertLess(time.monotonic(), deadline, f"{len(self.underway)} questions have no answer")
            page.wait_for_timeout(5)
            page.evaluate("null")
            quiet = 0 if self.underway else quiet + 1

    def remember(self, page):
        """From now on `screens` of the page has each screen that it shows."""
        page.evaluate("""() => { window.screens = []; new MutationObserver(() => screens.push(document.body.dataset.screen))
            .observe(document.body, { attributeFilter: ["data-screen"] }); }""")

    def wait_images(self, page):
        """Not by a function that the page evaluates again and again: its policy forbids the second time."""
        self.until(page, lambda: page.evaluate("[...document.images].every((image) => image.complete)"), "an image did not come")

    def shot(self, page, name):
        """Keeps a picture where the run wants pictures."""
        if SCREENSHOTS is None:
            return
        pathlib.Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        self.wait_images(page)
        page.screenshot(path=f"{SCREENSHOTS}/{name}.png", animations="disabled")

    def assert_accessible(self, page):
        # A colour on its way to another has no contrast to measure.
        page.evaluate("document.getAnimations().forEach(a => a.effect.getTiming().iterations === 1 && a.finish())")
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        found = page.evaluate("async (options) => (await axe.run(options)).violations", {
            "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
            "resultTypes": ["violations"]})
        self.assertEqual([(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found], [])


def plain(text):
    """Without the marks that keep a value's direction its own."""
    return text.replace("\u2068", "").replace("\u2069", "")

