"""The shop's own look on the pages, what is said while nothing is asked, the drawings of the reader, and spoken words."""

import unittest

from browser import KioskCase, plain
from scenes import SCENES

COLOURS = {"ground": "#7a1f3d", "words": "#ffffff"}
GROUND = "rgb(122, 31, 61)"
# How much of the mark a phone covers, each at so many moments of one cycle.
COVERED = """() => {
    const moving = document.querySelector(".at-reader .moving");
    const [animation] = moving.getAnimations();
    const { duration } = animation.effect.getTiming();
    document.getAnimations().forEach((each) => each.pause());
    const mark = document.querySelector(".at-reader .mark");
    return [...Array(100).keys()].map((share) => {
        animation.currentTime = duration * share / 100;
        const [phone, { left, right, top, bottom }] = [moving.querySelector(".case"), mark].map((e) => e.getBoundingClientRect());
        const isSeen = Number(getComputedStyle(moving).opacity) > 0.05;
        return isSeen && phone.left < right && phone.right > left && phone.top < bottom && phone.bottom > top;
    });
}"""
# A computer with a German voice of its own, and an English one of a service.
VOICES = """
    window.said = [];
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
    Object.defineProperty(window, "speechSynthesis", { value: {
        cancel() {}, speak: ({ text, lang }) => window.said.push([lang, text]),
        getVoices: () => [{ lang: "de-DE", localService: true }, { lang: "en-US", localService: false }],
    } });
"""


class LookTests(KioskCase):
    def look(self, **kiosk):
        self.stand_in.lane["kiosk"].update(kiosk)

    def ground(self, page, selector):
        return page.evaluate("(selector) => getComputedStyle(document.querySelector(selector)).backgroundColor", selector)

    def play(self, page, name):
        SCENES[name][0](self.stand_in)
        self.expect(page, SCENES[name][1])
        self.settle(page)

    def test_a_shop_is_seen_by_its_logo_colours_and_welcome_while_nothing_is_asked_and_after_a_restart(self):
        self.look(colours=COLOURS, welcome="Good evening")
        customer, clerk = self.both()
        for attempt in ("at first", "after a restart"):
            with self.subTest(attempt):
                for page in (customer, clerk):
                    self.expect(page, "idle")
                customer.wait_for_selector("[data-welcome] img.logo")
                self.assertGreater(customer.locator("[data-welcome] img.logo").bounding_box()["height"], 150)
                self.assertEqual(self.heading(customer), "Good evening")
                self.assertEqual(self.ground(customer, "body"), GROUND)
                self.assertEqual(self.ground(clerk, "header"), GROUND)
                for page in (customer, clerk):
                    self.assert_accessible(page)
            if attempt == "at first":
                self.expected_complaints = ("ERR_",)
                self.stand_in.stop()
                self.expect(customer, "unavailable")
                self.assertNotEqual(self.ground(customer, "body"), GROUND)
                self.stand_in.start()

    def test_no_colour_of_a_shop_is_behind_what_is_said_of_a_person(self):
        self.look(colours=COLOURS)
        page = self.open("kiosk")
        for name in ("armed", "compare", "yes", "no", "test-issuer", "declined"):
            with self.subTest(scene=name):
                self.stand_in.reset()
                self.look(colours=COLOURS)
                self.play(page, name)
                self.assertNotEqual(self.ground(page, "body"), GROUND)
                self.assertEqual(self.ground(page, "header"), GROUND)
                self.assert_accessible(page)

    def test_colours_that_are_none_change_nothing(self):
        self.look(colours={"ground": "url(//elsewhere)", "words": "#fff"})
        page = self.open("kiosk")
        self.expect(page, "idle")
        self.assertFalse(page.evaluate("document.body.hasAttribute('data-branded')"))

    def test_while_nothing_is_asked_the_page_says_what_is_accepted_and_what_may_be_asked(self):
        page = self.open("kiosk")
        self.settle(page)
        for words in ("Accepted here", "Apple Wallet · Google Wallet · EUDI Wallet", "Are you 21 or over? Only yes or no."):
            self.assertIn(words, self.words(page))
        self.look(accepts=[], asks=[])
        self.settle(page)
        self.assertFalse(page.locator("[data-asks]").is_visible())

    def test_a_lane_has_words_of_its_own_in_the_language_that_it_names(self):
        self.look(texts={"de": {"customer.idle.text": "Bitte warten Sie an der Kasse.\u202e", "customer.idle.head": "Hallo"}})
        page = self.open("kiosk", lang="de")
        self.settle(page)
        self.assertEqual(self.heading(page), "Hallo")
        self.assertEqual(plain(page.inner_text("[data-text]")), "Bitte warten Sie an der Kasse.\ufffd")
        page.click('button[value="en"]')
        self.assertEqual(self.heading(page), "Welcome")

    def test_the_mark_is_bare_most_of_the_time_and_the_phone_comes_and_goes(self):
        for x in (20, 80):
            with self.subTest(x=x):
                self.stand_in.reset()
                self.look(antenna={"x": x, "y": 50, "place": "here"})
                page = self.open("kiosk", reduced_motion="no-preference")
                for name in ("armed", "tap-again"):
                    self.stand_in.reset()
                    self.look(antenna={"x": x, "y": 50, "place": "here"})
                    self.play(page, name)
                    covered = page.evaluate(COVERED)
                    self.assertLess(sum(covered), 45, name)
                    self.assertGreater(sum(covered), 10, name)
                    self.assertFalse(covered[0] or covered[99], name)

    def test_the_reader_is_drawn_in_the_shape_that_the_lane_has(self):
        sides = {}
        page = self.open("kiosk")
        for shape in ("square", "upright", "builtIn"):
            self.stand_in.reset()
            self.look(reader=shape)
            self.play(page, "armed")
            box = page.locator(".at-reader .reader").bounding_box()
            sides[shape] = round(box["height"] / box["width"], 1)
            self.assertEqual(page.locator(".at-reader .cable").count(), 0 if shape == "builtIn" else 1)
        self.assertEqual(sides, {"square": 1.0, "upright": 1.5, "builtIn": 1.0})

    def test_a_code_is_shown_to_a_scanner_and_the_clerk_reads_how_to_connect_one(self):
        customer, clerk = self.both()
        SCENES["offer-qr"][0](self.stand_in)
        for page in (customer, clerk):
            self.expect(page, "offerQR")
            self.assertTrue(page.locator(".scene.qr .scanner").is_visible())
        self.assertIn("types as a keyboard", self.words(clerk))

    def test_what_was_checked_is_behind_one_control_and_what_did_not_pass_is_not(self):
        clerk = self.open("clerk")
        self.play_clerk(clerk, "rejected-issuer")
        self.assertIn("does not know the issuer", self.words(clerk))
        self.assertNotIn("r-2041", self.words(clerk))
        clerk.click("[data-opens]")
        for words in ("Not signed by a trusted issuer", "r-2041"):
            self.assertIn(words, self.words(clerk))
        self.assertEqual(clerk.evaluate("document.activeElement.getAttribute('aria-expanded')"), "true")
        self.assert_accessible(clerk)
        self.stand_in.reset()
        self.play_clerk(clerk, "yes")
        self.assertNotIn("r-2041", self.words(clerk))

    def play_clerk(self, page, name):
        SCENES[name][0](self.stand_in)
        self.expect(page, SCENES[name][2])
        self.settle(page)


class SpeechTests(KioskCase):
    def speaking(self, lang, speaks=True):
        self.stand_in.lane["kiosk"]["speaks"] = speaks
        page = self.open("kiosk", lang=lang, script=VOICES)
        # A page sounds once somebody has touched it.
        page.click("main")
        page.wait_for_selector('[data-sound][aria-pressed="true"]')
        self.stand_in.arm()
        self.expect(page, "armed")
        self.settle(page)
        return page

    def test_what_is_on_the_screen_is_spoken_by_a_voice_of_this_computer(self):
        page = self.speaking("de")
        # Where the sound is on at once, the screen before was spoken too.
        *_, (language, words) = page.evaluate("said")
        self.assertEqual(language, "de-DE")
        self.assertEqual(plain(words), f"{self.heading(page)}. {plain(page.inner_text('[data-text]'))}")

    def test_no_voice_of_a_service_hears_it_and_nothing_is_spoken_unasked(self):
        self.assertEqual(self.speaking("en").evaluate("said"), [])
        self.start_over()
        self.assertEqual(self.speaking("de", speaks=False).evaluate("said"), [])

    def test_nothing_is_spoken_while_the_sound_is_off(self):
        page = self.speaking("de")
        before = page.evaluate("said.length")
        page.click("[data-sound]")
        self.stand_in.move(next(iter(self.stand_in.presentations)), "awaitingConsent")
        self.expect(page, "look")
        self.assertEqual(page.evaluate("said.length"), before)


if __name__ == "__main__":
    unittest.main()
