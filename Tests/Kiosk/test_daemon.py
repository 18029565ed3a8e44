"""The same pages on a real daemon: KIOSK_DAEMON is its address, COUNTERSIGN_PHONE the command that plays the phone."""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request
import uuid

from playwright.sync_api import sync_playwright

from browser import CHROMIUM, KioskCase, LANDSCAPE
from stand_in import HEADERS, PAGES

ADDRESS = os.environ.get("KIOSK_DAEMON", "").rstrip("/")
LANE = os.environ.get("KIOSK_LANE", "counter-1")
DISPLAY = os.environ.get("COUNTERSIGN_DISPLAY_TOKEN", "")
APP = os.environ.get("COUNTERSIGN_APP_TOKEN", "")
PHONE = os.environ.get("COUNTERSIGN_PHONE")
# A phone on the bench link is engaged as soon as it is asked.
WAITING = 'body:is([data-screen="armed"], [data-screen="look"])'


class RealDaemon:
    """What these tests need of a daemon: its address, and a way to ask it."""

    url = ADDRESS
    token = DISPLAY

    def reset(self):
        pass

    def stop(self):
        pass


@unittest.skipUnless(ADDRESS and DISPLAY and APP, "no daemon is named")
class DaemonTests(KioskCase):
    @classmethod
    def setUpClass(cls):
        cls.stand_in = RealDaemon()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])

    def ask(self, method, path, body=None, token=APP):
        request = urllib.request.Request(
            ADDRESS + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as response:
            text = response.read()
            return json.loads(text) if text else None

    def open(self, layout, **options):
        page = self.context(viewport=LANDSCAPE).new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))
        page.goto(f"{ADDRESS}/{layout}?lane={LANE}&lang=en#token={DISPLAY}")
        self.expect(page, "idle")
        return page

    def arm(self):
        return self.ask("POST", "/v1/presentations", {
            "kind": "display", "lane": LANE, "reference": f"kiosk-tests/{uuid.uuid4()}", "validation": "confirm",
            "intent": "age over 21 with portrait for a human to compare"})

    def test_the_pages_come_with_their_headers(self):
        for path, file in [("/kiosk", "customer.html"), ("/clerk", "clerk.html")] + [
                (f"/kiosk/{file.name}", file.name) for file in PAGES.iterdir() if file.suffix != ".html"]:
            with self.subTest(path=path), urllib.request.urlopen(ADDRESS + path, timeout=10) as response:
                self.assertEqual(response.read(), (PAGES / file).read_bytes())
                for name, value in HEADERS.items():
                    self.assertEqual(response.headers[name], value, name)

    def test_a_request_is_shown_and_cancelled(self):
        customer, clerk = self.open("kiosk"), self.open("clerk")
        self.arm()
        for page in (customer, clerk):
            page.wait_for_selector(WAITING)
        clerk.click('[data-action="cancel"]')
        self.expect(clerk, "cancelled")
        self.expect(customer, "cancelled")

    @unittest.skipUnless(PHONE, "no phone is named")
    def test_a_picture_is_compared_and_wiped(self):
        customer, clerk = self.open("kiosk"), self.open("clerk")
        identity = self.arm()["id"]
        customer.wait_for_selector(WAITING)
        with subprocess.Popen(PHONE, shell=True) as phone:
            clerk.locator('[data-state="shown"] img').wait_for()
            self.shot(clerk, "daemon-result-clerk")
            self.shot(customer, "daemon-result-customer")
            self.assert_accessible(clerk)
            clerk.click('[data-action="matches"]')
            self.expect(clerk, "wiped")
            self.expect(customer, "yes")
            phone.wait(60)
        self.assertEqual(self.ask("GET", f"/v1/presentations/{identity}")["result"]["outcome"], "approved")
        with self.assertRaises(urllib.error.HTTPError) as refusal:
            self.ask("GET", f"/v1/presentations/{identity}/portrait", token=DISPLAY)
        self.assertEqual(refusal.exception.code, 410)
