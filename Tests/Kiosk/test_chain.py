"""The operator's page of a chain: what is down, what it obeys, and what needs attention. The hub is scripted."""

import http.server
import json
import pathlib
import re
import threading
import unittest

from browser import LANDSCAPE, KioskCase, plain
from stand_in import PAGES

FLEET = pathlib.Path(__file__).resolve().parents[2] / "Sources/Fleet"
PAGE = FLEET / "FleetHub/Page"
TOKEN = "operator-of-the-test"
TABLE = json.loads((PAGE / "strings.json").read_text())


def kiosk(name, site="harbour", **changes):
    return {"kiosk": name, "site": site, "group": None, "state": "active", "stopped": False, "online": True,
            "seen": "2026-11-25T12:00:00Z", "enrolled": "2026-11-01T08:00:00Z", "software": "0.1.0", "receipts": 1234,
            "alert": None, "report": {"software": "0.1.0", "documents": [{"level": "chain", "version": 3, "result": "applied"}]},
            **changes}


def document(**changes):
    return {"level": "chain", "name": "utopia", "version": 3, "percent": 100, "failures": 0, "isPaused": False,
            "put": "2026-11-25T11:00:00Z", **changes}


REFUSED = {"software": "0.1.0", "documents": [{"level": "chain", "version": 4, "result": "document.trust_refused"}]}
# A chain in which something of each kind is wrong, and its roll-outs.
MIXED = ([
    kiosk("till-1"), kiosk("till-2", online=False), kiosk("till-3", "airport", report=REFUSED),
    kiosk("till-4", state="revoked", online=False), kiosk("till-5", stopped=True), kiosk("till-6", alert="receiptsDiffer"),
    kiosk("till-7", state="invited", online=False, report=None, seen=None, enrolled=None),
], [document(version=4, percent=10, failures=3, isPaused=True), document(level="site", name="airport", version=2)])
# What each picture shows.
VIEWS = {
    "list": lambda page: None,
    "filter": lambda page: page.select_option("[data-filter]", "attention"),
    "kiosk": lambda page: page.click('[data-kiosks] button >> text="till-3"'),
}


class Hub(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Routes)
        self.kiosks, self.documents = [], []
        # Whether one answer has all kiosks, whatever their names.
        self.is_whole = False
        # What is answered in place of the kiosks: status and body.
        self.other = None
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Routes(http.server.BaseHTTPRequestHandler):
    types = {"html": "text/html", "css": "text/css", "js": "text/javascript", "json": "application/json"}

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/" or path.startswith("/page/"):
            name = "operator.html" if path == "/" else path.removeprefix("/page/")
            return self.answer(200, (PAGE / name).read_bytes(), self.types[name.rsplit(".", 1)[1]])
        if self.server.other is not None:
            return self.answer(*self.server.other, "text/html")
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.json(401, {"id": "operatorUnknown", "detail": "this is not an operator's token"})
        if path.endswith("/kiosks"):
            after = query.removeprefix("after=")
            if self.server.is_whole:
                return self.json(200, {"kiosks": [] if after else self.server.kiosks})
            return self.json(200, {"kiosks": [one for one in self.server.kiosks if one["kiosk"] > after][:500]})
        return self.json(200, {"documents": self.server.documents})

    def json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
                         "connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class ChainStringsTests(unittest.TestCase):
    def test_every_language_of_the_pages_has_every_text_with_the_same_values(self):
        own = json.loads((PAGES / "strings.json").read_text())
        values = lambda words: sorted(re.findall(r"\{\w+\}", words))
        self.assertEqual(list(TABLE), list(own))
        for language, entry in TABLE.items():
            self.assertEqual((entry["name"], entry["direction"]), (own[language]["name"], own[language]["direction"]))
            self.assertEqual(list(entry["strings"]), list(TABLE["en"]["strings"]), language)
            for key, words in entry["strings"].items():
                self.assertTrue(words.strip(), f"{language} {key}")
                self.assertEqual(values(words), values(TABLE["en"]["strings"][key]), f"{language} {key}")

    def test_every_text_is_used_and_every_used_text_is_there(self):
        code = (PAGE / "operator.js").read_text() + (PAGE / "operator.html").read_text()
        keys = set(TABLE["en"]["strings"])
        named = set(re.findall(r'strings\.text\("([^"]+)"', code)) | set(re.findall(r'data-(?:words|label)="([^"]+)"', code))
        self.assertEqual(named - keys, set())
        patterns = [re.sub(r"\\\$\\\{[^`]*?\\\}", r"[\\w.]*", re.escape(template)) for template in re.findall(r"`([a-z]+\.[\w${}.]*)`", code)]
        literals = set(re.findall(r'"([a-zA-Z.]+)"', code))
        self.assertEqual({key for key in keys - literals if not any(re.fullmatch(pattern, key) for pattern in patterns)}, set())


class ChainTests(KioskCase):
    def setUp(self):
        super().setUp()
        self.hub = Hub()

    def tearDown(self):
        self.hub.shutdown()
        self.hub.server_close()
        # The addresses are those of another stand-in.
        for address in self.addresses:
            self.assertTrue(address.startswith((self.hub.url, "data:")), address)
        self.addresses = []
        super().tearDown()

    def chain(self, kiosks, documents=(), token=TOKEN, **options):
        self.hub.kiosks, self.hub.documents = kiosks, list(documents) or [document()]
        page = self.context(timezone_id="UTC", **options).new_page()
        self.watch(page)
        page.goto(self.hub.url)
        page.wait_for_selector('body[data-screen="operator"]')
        self.assert_accessible(page)
        page.fill("[data-token]", token)
        page.click("button[type=submit]")
        return page

    def test_all_is_well(self):
        page = self.chain([kiosk(f"till-{number}") for number in range(3)])
        page.wait_for_selector("[data-kiosks] tbody tr")
        self.assertEqual(page.inner_text("[data-state]"), "All kiosks are online")
        self.assertFalse(page.is_visible("[data-alerts-card]"))
        self.assert_accessible(page)
        self.shot(page, "chain")

    def test_what_needs_attention(self):
        page = self.chain(*MIXED)
        page.wait_for_selector("[data-kiosks] tbody tr")
        self.assertEqual(plain(page.inner_text("[data-state]")), "1 of 5 kiosks are down")
        alerts = page.locator("[data-alerts] li")
        self.assertEqual([plain(text) for text in alerts.locator(".what").all_inner_texts()], [
            "Version 4 for chain utopia is paused: 3 kiosks refused it or went back to the former version.",
            "till-6: the hub has other receipts (receiptsDiffer)", "Down: till-2."])
        self.assertEqual(alerts.locator("pre").all_inner_texts(), [
            "countersign-hub document widen utopia --level chain --percent 10", "countersign-hub alert clear till-6",
            "systemctl status countersignd"])
        names = lambda: page.locator("[data-kiosks] tbody th").all_inner_texts()
        page.select_option("[data-filter]", "down")
        self.assertEqual(names(), ["till-2"])
        page.select_option("[data-filter]", "attention")
        self.assertEqual(names(), ["till-2", "till-3", "till-6"])
        page.select_option("[data-filter]", "revoked")
        self.assertEqual(names(), ["till-4", "till-5"])
        page.select_option("[data-filter]", "all")
        page.fill("[data-search]", "airport")
        self.assertEqual(names(), ["till-3"])
        page.click("[data-kiosks] button")
        self.assertIn("chain 4: the trust bundle is refused (document.trust_refused)", page.inner_text("[data-one]"))
        self.assert_accessible(page)
        page.fill("[data-search]", "")

    def test_one_kiosk_is_in_sight_when_it_is_chosen_and_the_focus_goes_back_to_its_row(self):
        page = self.chain([kiosk(f"till-{number:03}") for number in range(150)], viewport=LANDSCAPE)
        page.wait_for_selector("[data-kiosks] tbody tr")
        last = page.locator('[data-kiosks] button[data-of="till-149"]')
        last.click()
        box = page.locator("[data-one-card]").bounding_box()
        self.assertTrue(0 <= box["y"] and box["y"] + box["height"] <= LANDSCAPE["height"], box)
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "till-149")
        self.assertEqual(last.get_attribute("aria-expanded"), "true")
        self.assert_accessible(page)
        page.click("[data-close]")
        self.assertFalse(page.is_visible("[data-one-card]"))
        self.assertEqual(page.evaluate("document.activeElement.dataset.of"), "till-149")

    def test_an_operator_reads_the_chain_in_another_language(self):
        for language, words in (("de", "1 von 5 Kiosken sind ausgefallen"), ("ar", "1 من 5 أكشاك متعطلة")):
            page = self.chain(*MIXED)
            page.wait_for_selector("[data-kiosks] tbody tr")
            page.select_option("[data-languages]", language)
            self.assertEqual(plain(page.inner_text("[data-state]")), words)
            self.assertEqual(page.get_attribute("html", "dir"), "rtl" if language == "ar" else "ltr")
            self.assertNotIn("\ufffd", page.inner_text("body"))
            self.assert_accessible(page)
            for width, height in ((1280, 800), (1024, 768)):
                page.set_viewport_size({"width": width, "height": height})
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                self.shot(page, f"chain-{language}-{width}x{height}")

    def test_the_focus_stays_in_its_row_when_the_page_looks_again(self):
        page = self.chain([kiosk("till-1"), kiosk("till-2")])
        page.wait_for_selector("[data-kiosks] tbody tr")
        page.focus('[data-kiosks] button[data-of="till-2"]')
        page.evaluate("() => { window.former = document.activeElement; document.querySelector('[data-filter]').dispatchEvent(new Event('change')); }")
        self.assertEqual(page.evaluate("[document.activeElement.dataset.of, document.activeElement === window.former]"), ["till-2", False])

    def test_every_view_fits_on_both_screens_in_both_schemes(self):
        for view, act in VIEWS.items():
            with self.subTest(view=view):
                page = self.chain(*MIXED, viewport=LANDSCAPE)
                page.wait_for_selector("[data-kiosks] tbody tr")
                act(page)
                for width, height in ((1280, 800), (1024, 768)):
                    page.set_viewport_size({"width": width, "height": height})
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    for name in ("[data-rollouts]", "[data-kiosks]"):
                        widths = page.evaluate("(name) => { const e = document.querySelector(name); return [e.scrollWidth, e.clientWidth]; }", name)
                        self.assertLessEqual(*widths, name)
                    self.shot(page, f"chain-{view}-{width}x{height}")
                self.assert_accessible(page)
                page.emulate_media(color_scheme="dark")
                self.assert_accessible(page)

    def test_thousands_of_kiosks(self):
        page = self.chain([kiosk(f"till-{number:05}") for number in range(1201)])
        page.wait_for_selector("[data-kiosks] tbody tr")
        self.assertEqual(plain(page.inner_text("[data-count]")), "1,201 of 1,201 kiosks; 200 are shown")

    def test_every_reason_for_which_a_document_is_refused_has_words(self):
        ids = set(re.findall(r'"(document\.\w+)"', (FLEET / "Fleet/Documents/FleetDocumentError.swift").read_text()))
        self.assertGreater(len(ids), 10)
        self.assertEqual(ids, {key.removeprefix("id.") for key in TABLE["en"]["strings"] if key.startswith("id.document.")})

    def test_what_has_no_words_is_shown_by_its_id(self):
        health = {"lanes": [{"name": "a", "state": "readerMissing"}], "findings": ["usb.power", "constructor"], "receiptsWaiting": 0}
        page = self.chain([kiosk("till-1", report={"software": "0.1.0", "documents": [], "health": health})])
        page.wait_for_selector("[data-kiosks] tbody tr")
        self.assertEqual(page.locator("[data-kiosks] td.words").all_inner_texts(),
                         ["a: the reader is not connected (readerMissing), usb.power, constructor"])

    def test_a_hub_that_does_not_answer_is_said_with_the_time_of_what_is_shown(self):
        self.expected_complaints = ("502", "503")
        page = self.chain([kiosk("till-1")])
        page.wait_for_selector("[data-kiosks] tbody tr")
        seen = plain(page.inner_text("[data-facts]")).removeprefix("As of ")
        for status, body, words in ((502, b"<html>Bad Gateway", "The hub does not answer"), (200, b"<html>", "The hub does not answer"),
                                    (503, b'{"detail": "the database cannot be reached"}', "the database cannot be reached")):
            self.hub.other = (status, body)
            page.evaluate("document.querySelector('[data-form]').dispatchEvent(new Event('submit'))")
            self.until(page, lambda: plain(page.inner_text("[data-state]")) == f"{words}; this page shows the state of {seen}", "it is not said")
            self.assertIn("till-1", page.inner_text("[data-kiosks]"))

    def test_a_stranger_sees_nothing(self):
        self.expected_complaints = ("401",)
        page = self.chain([kiosk("till-1")], token="another")
        page.wait_for_selector('[data-state][data-ready="no"]')
        self.assertEqual(page.inner_text("[data-state]"), "This is not an operator’s token")
        self.assertFalse(page.is_visible("[data-chain]"))
        self.assertNotIn("till-1", page.content())

    def test_names_are_text(self):
        page = self.chain([kiosk("till-1", site="<img src=x onerror=alert(1)>")])
        page.wait_for_selector("[data-kiosks] tbody tr")
        self.assertIn("<img src=x", page.inner_text("[data-kiosks]"))
        self.assertEqual(page.locator("[data-kiosks] img").count(), 0)
