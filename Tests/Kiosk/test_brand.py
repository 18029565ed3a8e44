"""A brand's name and logo on the pages of the daemon that was built, and what they make of a document of a test."""

import json
import unittest

from browser import KioskCase, browsers
from built_daemon import IS_BUILT, BuiltDaemon

INTENT = "age over 21 with portrait for a human to compare"


@unittest.skipUnless(IS_BUILT, "no daemon is built")
class BrandTests(KioskCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stand_in.stop()
        cls.stand_in = cls.daemon = BuiltDaemon(cls.addClassCleanup)
        daemon = cls.daemon
        logo, shop = daemon.folder / "logo.png", daemon.folder / "shop.png"
        for path, size in ((logo, 40), (shop, 48)):
            page = browsers.get().new_page(viewport={"width": size, "height": size})
            page.screenshot(path=path)
            page.close()
        daemon.run("brand", "add", "utopia", "--name", "Utopia Rentals", "--logo", logo)
        daemon.run("brand", "key", "add", "utopia", "--kid", "k1", "--generate", daemon.folder / "utopia.pem")
        cls.reader = daemon.run("token", "instance")
        brand = {"name": "Corner Wines", "logo": str(shop), "colours": {"ground": "#7A1F3D", "words": "#ffffff"},
                 "welcome": "Good evening"}
        page = {"texts": {"en": {"customer.idle.text": "Please wait at the till."}}, "accepts": ["Utopia Wallet"], "reader": "builtIn"}
        daemon.serve(lanes=[{"name": "counter-1", "benchLink": daemon.link, "brand": brand, "page": page}], readerTokens={
            "keys": [{"brand": "utopia", "kid": "k1", "keyFile": str(daemon.folder / "utopia.pem")}],
            "grants": [{"caller": "all", "brand": "utopia", "instances": [cls.reader]}]})

    def test_a_shop_is_shown_on_its_own_screen_without_a_reader_token(self):
        customer, clerk = self.open("kiosk", lang="en"), self.open("clerk", lang="en")
        self.expect(customer, "idle")
        customer.wait_for_selector("[data-welcome] img.logo")
        for words in ("Corner Wines", "Good evening", "Please wait at the till.", "Utopia Wallet"):
            self.assertIn(words, self.words(customer))
        self.assertEqual(customer.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(122, 31, 61)")
        clerk.wait_for_selector("header img.logo")

    def test_the_brand_of_a_reader_token_is_shown_with_its_logo(self):
        token = json.loads(self.daemon.ask(
            "POST", "/v1/reader-tokens", {"brand": "utopia", "instance": self.reader}))["token"]
        customer, clerk = self.both()
        self.daemon.ask("POST", "/v1/presentations", {"kind": "display", "intent": INTENT, "readerToken": token})
        for page in (customer, clerk):
            # The shop's own name and logo stand there before.
            self.until(page, lambda: "Utopia Rentals" in self.words(page), "the brand of the token was not shown")
            page.wait_for_selector("header img.logo")
            self.assertEqual(page.evaluate("document.querySelector('img.logo').naturalWidth"), 40)

    def test_a_document_of_a_test_is_never_shown_as_verified(self):
        customer, clerk = self.both()
        identity = json.loads(self.daemon.ask(
            "POST", "/v1/presentations", {"kind": "display", "intent": INTENT, "validation": "confirm"}))["id"]
        for page in (customer, clerk):
            self.expect(page, "test")
        self.assertEqual(clerk.locator('[data-action="matches"]').count(), 0)
        self.shot(clerk, "daemon-test-issuer-clerk")
        self.assert_accessible(clerk)
        self.daemon.ask("POST", f"/v1/presentations/{identity}/decision", {"decision": "dismissed"})
