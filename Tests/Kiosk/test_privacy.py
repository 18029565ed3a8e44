"""What must not stay, must not leave, and must not be believed."""

from browser import KioskCase, plain
from scenes import PORTRAIT

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.exe\u0007 \"'>{{7*7}}${1}"


class PrivacyTests(KioskCase):
    def compared(self, **options):
        customer, clerk = self.both(**options)
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        clerk.locator('[data-state="shown"] img').wait_for()
        self.expect(customer, "compare")
        return identity, customer, clerk

    def test_the_capability_leaves_the_address_at_once(self):
        for page in self.both():
            self.assertNotIn("code", page.url)
            for secret in (self.stand_in.code, self.stand_in.token):
                self.assertNotIn(secret, page.evaluate("JSON.stringify(history.state) + location.href"))
                self.assertNotIn(secret, page.content())
            self.assertNotIn("countersign-", page.evaluate("document.cookie"))
        self.assertEqual([address for address in self.addresses if self.stand_in.code in address.split("#")[0]], [])

    def test_a_reload_needs_no_code(self):
        for page in self.both():
            page.reload()
            self.expect(page, "idle")
        self.assertEqual(len(self.asked("POST", "/v1/page-sessions")), 2)

    def test_nothing_is_stored(self):
        _, customer, clerk = self.compared()
        clerk.click('[data-action="matches"]')
        self.expect(clerk, "verified")
        for page in (customer, clerk):
            kept = page.evaluate("""async () => [localStorage.length, sessionStorage.length, document.cookie,
                (await indexedDB.databases()).length, (await caches.keys()).length,
                (await navigator.serviceWorker.getRegistrations()).length, history.length]""")
            self.assertEqual(kept, [0, 0, "", 0, 0, 0, kept[-1]])
        # What lets the page in, which no script can read.
        for layout, context in zip(("kiosk", "clerk"), self.contexts):
            self.assertEqual([(cookie["name"], cookie["httpOnly"], cookie["sameSite"]) for cookie in context.cookies()],
                             [(f"countersign-{layout}-counter-1", True, "Strict")])

    def test_a_picture_is_gone_from_page_and_memory_after_the_decision(self):
        # A logo is an image as well, and stays.
        self.stand_in.lane["brand"] = {"name": "Corner Wines", "logo": None}
        _, customer, clerk = self.compared(has_clock=True)
        address = clerk.get_attribute(".portrait img", "src")
        self.assertTrue(address.startswith("blob:"))
        session = clerk.context.new_cdp_session(clerk)
        self.assertEqual(self.images(session), 1, "the twin: the picture is found")
        clerk.click('[data-action="matches"]')
        self.expect(clerk, "verified")
        self.expect_in_time(clerk, "idle")
        self.expected_complaints = ("ERR_FILE_NOT_FOUND", "blob")
        self.assertFalse(clerk.evaluate("address => fetch(address).then(() => true, () => false)", address))
        self.assertEqual(self.images(session), 0)

    def images(self, session):
        """How many images the page's memory holds, in the document or not."""
        session.send("HeapProfiler.collectGarbage")
        prototype = session.send("Runtime.evaluate", {
            "expression": "HTMLImageElement.prototype", "objectGroup": "count"})["result"]["objectId"]
        found = session.send("Runtime.queryObjects", {
            "prototypeObjectId": prototype, "objectGroup": "count"})["objects"]["objectId"]
        length = session.send("Runtime.callFunctionOn", {
            "objectId": found, "functionDeclaration": "function() { return this.length }", "returnByValue": True})
        # What is counted would be kept by the counting.
        session.send("Runtime.releaseObjectGroup", {"objectGroup": "count"})
        return length["result"]["value"]

    def test_no_file_of_the_browser_s_profile_has_what_a_clerk_saw_after_the_end(self):
        def use(clerk):
            self.expect(clerk, "idle")
            identity = self.stand_in.arm(**PORTRAIT)
            self.stand_in.verify(identity, picture=True)
            clerk.wait_for_selector('[data-state="shown"] img')
            self.assertIn("Mustermann", clerk.content())
            clerk.click('[data-action="matches"]')
            self.expect(clerk, "verified")

        self.assertEqual(self.files_of_a_profile("clerk", use, ("Mustermann", self.stand_in.portrait[0][600:664])), {})

    def test_the_customer_s_page_never_asks_for_or_shows_data(self):
        customer = self.open("kiosk")
        customer.evaluate("""() => { window.seen = ''; new MutationObserver(() => { seen += document.body.outerHTML })
            .observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true }); }""")
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        self.expect(customer, "compare")
        self.stand_in.decide(identity, "approved")
        self.expect(customer, "yes")
        self.assertEqual(self.asked("GET", "/portrait"), [])
        seen = customer.evaluate("seen")
        self.assertIn("Almost done", seen)
        for word in ("Erika", "Mustermann", "34", "portrait\"", "Kraftfahrt", "r-2041"):
            self.assertNotIn(f">{word}", seen)

    def test_a_page_that_is_left_keeps_nothing_and_does_not_come_back_as_it_was(self):
        _, _, clerk = self.compared()
        clerk.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        self.assertNotIn("Mustermann", clerk.content())
        self.assertEqual(clerk.locator("img:not(.logo)").count(), 0)
        with clerk.expect_navigation():
            clerk.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
        # Its cookie lets it in, and the picture is asked for again.
        self.expect(clerk, "compare")
        self.wait_asked(clerk, "GET", "/portrait", count=2)
        self.expected_complaints = ("401",)
        clerk.context.clear_cookies()
        with clerk.expect_navigation():
            clerk.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
        self.expect(clerk, "refused")

    def test_a_picture_waits_for_a_decision_as_long_as_the_daemon_does(self):
        # The stand-in's heartbeats keep to the time outside.
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 36_000
        identity, *pages = self.compared(has_clock=True)
        for page in pages:
            self.settle(page)
            page.clock.run_for(590_000)
            self.settle(page)
            self.assertEqual(self.screen(page), "compare")
        customer, clerk = pages
        self.assertEqual(clerk.locator(".portrait img").count(), 1)
        self.stand_in.overrun(identity)
        self.expect(clerk, "undecided")
        self.expect(customer, "cancelled")
        clerk.wait_for_selector("img:not(.logo)", state="detached")
        self.assertNotIn("Mustermann", clerk.content())
        clerk.clock.run_for(120_000)
        self.expect(clerk, "idle")
        self.settle(clerk)
        self.assertEqual(self.asked("POST", "decision"), [], "the page has decided by itself")

    def test_hostile_words_stay_words(self):
        self.stand_in.lane["brand"] = {"name": HOSTILE, "logo": "https://elsewhere.example/logo.svg"}
        self.stand_in.lane["kiosk"]["notice"] = dict.fromkeys(
            ("controller", "purpose", "kept", "contact"), HOSTILE)
        customer, clerk = self.both()
        identity = self.stand_in.arm(asks=(HOSTILE, "drive:" + HOSTILE[:30]), reference=HOSTILE, retention=HOSTILE)
        self.expect(customer, "armed")
        customer.click("[data-notice-open]")
        self.assertIn("<img src=x", plain(customer.inner_text("dialog")))
        customer.click("dialog .close")
        self.stand_in.verify(identity, answers=[(HOSTILE, "yes")], reasons=[HOSTILE], verdict="rejected",
                             issuer={"country": HOSTILE, "name": HOSTILE * 40, "test": False})
        self.expect(clerk, "rejected")
        for page in (customer, clerk):
            self.assertEqual(page.locator("img").count(), 0)
            self.assertNotIn("\u202e", page.inner_text("body"))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
        self.assertIn("<img src=x onerror=alert(1)>", plain(clerk.inner_text(".facts")))
        self.shot(clerk, "hostile-words-clerk")

    def test_the_page_cannot_be_framed_and_no_script_can_be_put_in(self):
        self.expected_complaints = ("Content Security Policy", "TrustedHTML", "frame-ancestors", "Trusted", "ERR_BLOCKED")
        page = self.open("kiosk")
        self.assertTrue(page.evaluate("() => { try { document.body.innerHTML = '<b>'; return false } catch { return true } }"))
        page.evaluate("""() => { const s = document.createElement('script'); window.ran = false;
            try { s.textContent = 'window.ran = true' } catch {} document.head.append(s) }""")
        self.assertFalse(page.evaluate("window.ran"))
        self.assertFalse(page.evaluate("fetch('https://elsewhere.example/').then(() => true, () => false)"))
        self.addresses.clear()

    def test_every_answer_forbids_storing(self):
        headers = []
        page = self.context().new_page()
        page.on("response", lambda response: headers.append((response.url, response.headers)))
        page.goto(f"{self.stand_in.url}/clerk?lane=counter-1#code={self.stand_in.code}")
        self.expect(page, "idle")
        self.assertGreater(len(headers), 10)
        for address, sent in headers:
            if not address.startswith("blob:"):
                self.assertEqual(sent.get("cache-control"), "no-store", address)
