"""Debian's Chromium on the pages, with the stand-in for a daemon behind them."""

import contextlib
import os
import pathlib
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from stand_in import StandIn

CHROMIUM = os.environ.get("KIOSK_CHROMIUM", "/usr/bin/chromium")
SCREENSHOTS = os.environ.get("KIOSK_SCREENSHOTS")
LANDSCAPE = {"width": 1280, "height": 800}


class KioskCase(unittest.TestCase):
    """One browser for a class, one fresh context for each test; no console error and no other origin is let pass."""

    @classmethod
    def setUpClass(cls):
        cls.stand_in = StandIn()
        cls.playwright = sync_playwright().start()
        # A sandbox inside the sandbox of a test machine is not to be had as root.
        cls.browser = cls.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.stand_in.stop()

    def setUp(self):
        self.stand_in.reset()
        self.contexts = []
        self.complaints = []
        self.addresses = []
        self.expected_complaints = ()

    def tearDown(self):
        for context in self.contexts:
            context.close()
        complaints = [text for text in self.complaints
                      if not any(expected in text for expected in (*self.expected_complaints, "AudioContext"))]
        self.assertEqual(complaints, [])
        for address in self.addresses:
            self.assertTrue(address.startswith((self.stand_in.url, "blob:" + self.stand_in.url)), address)

    def context(self, **options):
        options = {"viewport": LANDSCAPE, "locale": "en-GB", **options}
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        return context

    def open(self, layout, context=None, lang=None, token=None, script=None, **options):
        page = (context or self.context(**options)).new_page()
        page.set_default_timeout(8_000)
        page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))
        if script:
            page.add_init_script(script)
        query = f"lane=counter-1{f'&lang={lang}' if lang else ''}"
        page.goto(f"{self.stand_in.url}/{layout}?{query}#token={token or self.stand_in.token}")
        page.wait_for_selector('body[data-screen]:not([data-screen="connecting"])')
        return page

    def both(self, **options):
        return self.open("kiosk", **options), self.open("clerk", **options)

    def expect(self, page, screen):
        page.wait_for_selector(f'body[data-screen="{screen}"]')

    def heading(self, page):
        return plain(page.inner_text("h1"))

    def words(self, page):
        return plain(page.inner_text("body"))

    def asked(self, method, path):
        """What was asked of the daemon at such a path."""
        with self.stand_in.lock:
            return [entry for entry in self.stand_in.asked if entry[0] == method and path in entry[1]]

    def wait_asked(self, page, method, path):
        for _ in range(200):
            if found := self.asked(method, path):
                return found
            page.wait_for_timeout(25)
        self.fail(f"{method} {path} was not asked for")

    def shot(self, page, name):
        """Keeps a picture where the run wants pictures."""
        if SCREENSHOTS is None:
            return
        pathlib.Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        page.wait_for_timeout(200)
        page.screenshot(path=f"{SCREENSHOTS}/{name}.png")

    def assert_accessible(self, page):
        # A colour on its way to another has no contrast to measure.
        page.evaluate("document.getAnimations().forEach(a => a.effect.getTiming().iterations === 1 && a.finish())")
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa",
                                                    "best-practice"]}).response["violations"]
        self.assertEqual([(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found], [])


def plain(text):
    """Without the marks that keep a value's direction its own."""
    return text.replace("\u2068", "").replace("\u2069", "")


@contextlib.contextmanager
def reduced(page):
    page.emulate_media(reduced_motion="reduce")
    yield
    page.emulate_media(reduced_motion=None)
