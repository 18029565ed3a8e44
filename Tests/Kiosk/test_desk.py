"""The desk's page: from a booking number to the shared data, its retention, its export and its end."""

import hashlib
import json
import pathlib
import unittest

from browser import KioskCase, plain
from built_daemon import IS_BUILT, TOKEN, BuiltDaemon
from contract import DOCUMENT
from stand_in import ago, verdict

RENTAL = {"preset": "Rental", "names": {}, "intent": "rental: name, licence number", "retention": "days(2)", "then": None,
          "needsConsent": False}
AGREED = {**RENTAL, "preset": "With consent", "retention": "consented(5)", "needsConsent": True}
NAME, NUMBER = "Lumi Séraphine Testrup", "UT-7700423519"
DOCUMENTS = [{"docType": "org.iso.18013.5.1.mDL", "selfAsserted": ["org.iso.18013.5.1/nationality"], "elements": {"org.iso.18013.5.1": {
    "family_name": NAME, "document_number": NUMBER, "nationality": "own word of the phone",
    "driving_privileges": [{"vehicle_category_code": "B", "issue_date": "2019-04-01", "expiry_date": "2034-03-31"}]}}}]
EXPORT = json.loads(DOCUMENT.read_text())["paths"]["/v1/exports"]["post"]["responses"]["200"]["content"]["application/json"]["example"]


class DeskTests(KioskCase):
    def desk(self, *presets, **options):
        self.stand_in.lane["dataPresets"] = list(presets or [RENTAL])
        page = self.open("desk", **options)
        self.expect(page, "start")
        return page

    def ask(self, page, booking="4711", preset="Rental"):
        page.fill("[data-reference]", booking)
        page.click(f'[data-preset="{preset}"]')
        self.expect(page, "armed")
        return self.stand_in.lane["presentation"]

    def share(self, identity, documents=DOCUMENTS, kept="2026-11-27T10:00:00Z", **changes):
        result = {**verdict(**{"answers": [("age_over_21", "yes")], **changes}), "documents": documents, "retainedUntil": kept}
        self.stand_in.retained[self.stand_in.presentations[identity]["reference"]] = EXPORT
        self.stand_in.move(identity, "verified", result=result)

    def test_a_booking_goes_from_its_number_to_the_data_with_its_end(self):
        page = self.desk()
        self.assert_accessible(page)
        self.shot(page, "desk-start")
        identity = self.ask(page)
        asked = self.asked("POST", "/v1/lanes/counter-1/presentations")[0][2]
        self.assertEqual(asked, {"preset": "Rental", "reference": "4711", "holder": 1})
        self.assertTrue(page.is_disabled("[data-reference]"))
        self.stand_in.move(identity, "awaitingConsent", deadline=ago(-90))
        self.expect(page, "look")
        self.until(page, lambda: plain(page.inner_text("[data-left]")).startswith("1:2"), "no time left is shown")
        self.shot(page, "desk-asked")
        self.share(identity)
        self.expect(page, "allow")
        self.assertEqual(self.heading(page), "You may hand over")
        words = self.words(page)
        for part in (NAME, NUMBER, "B 2019-04-01–2034-03-31", "21 or over Yes", "Kept until Nov 27, 2026"):
            self.assertIn(part, words.replace("\n", " "))
        self.assertNotIn("own word of the phone", words, "an element that only the phone signed is shown")
        self.assert_accessible(page)
        for look in ("light", "dark"):
            page.emulate_media(color_scheme=look)
            self.shot(page, f"desk-allow-{look}")
            self.assert_accessible(page)
        page.set_viewport_size({"width": 1024, "height": 768})
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
        self.shot(page, "desk-allow-tablet")

    def test_a_button_has_the_owner_s_text_in_the_language_of_the_page(self):
        named = {**RENTAL, "preset": "Named", "names": {"de": "Mietvertrag", "en": "Contract"}}
        page = self.desk(RENTAL, named, {**RENTAL, "preset": "rental", "names": None})
        buttons = page.locator("[data-tiles] button")
        for language, words in (("en", "Contract"), ("de", "Mietvertrag"), ("fr", "Contract")):
            page.select_option("[data-languages]", language)
            self.assertEqual([plain(text) for text in buttons.all_inner_texts()], ["Rental", words, "rental"])
        self.ask(page, preset="Named")
        self.assertEqual(self.asked("POST", "/v1/lanes/counter-1/presentations")[0][2]["preset"], "Named")

    def test_without_a_booking_number_or_the_agreement_nothing_is_asked(self):
        page = self.desk(RENTAL, AGREED)
        page.click('[data-preset="Rental"]')
        self.until(page, lambda: "booking number first" in page.inner_text("[data-banner]"), "nothing says what is missing")
        page.fill("[data-reference]", "4711")
        page.click('[data-preset="With consent"]')
        self.until(page, lambda: "tick the box" in page.inner_text("[data-banner]"), "nothing asks for the agreement")
        self.assertEqual(self.asked("POST", "/presentations"), [])
        page.check("[data-agreed]")
        page.click('[data-preset="With consent"]')
        self.expect(page, "armed")
        self.assertEqual(self.asked("POST", "/v1/lanes/counter-1/presentations")[0][2]["consent"], "given")
        self.assertFalse(page.is_checked("[data-agreed]"), "an agreement stays for the next customer")

    def test_fields_are_copied_one_by_one_and_all_at_once(self):
        context = self.context(permissions=["clipboard-read", "clipboard-write"])
        page = self.desk(context=context)
        self.share(self.ask(page))
        self.expect(page, "allow")
        # The page draws the buttons anew after each event of its lane.
        self.settle(page)
        boxes = "[...document.querySelectorAll('.fields .copy')].map((button) => JSON.stringify(button.getBoundingClientRect()))"
        before = page.evaluate(boxes)
        self.assertEqual(len(before), 3)
        place = page.locator('.fields div:has-text("Document number") .copy').bounding_box()
        page.click('.fields div:has-text("Family name") .copy')
        page.wait_for_selector('.fields div:has-text("Family name") .copy[data-copied]')
        page.wait_for_function("document.querySelector('[data-copied-status]').textContent === 'Copied: Family name'")
        # Nothing has moved or changed its size: a second press at the place of another field copies that field.
        self.assertEqual(page.evaluate(boxes), before)
        page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        self.until(page, lambda: page.evaluate("navigator.clipboard.readText()") == NUMBER, "the number was not copied")
        page.wait_for_selector(".copy[data-copied]", state="detached")
        self.assertEqual(page.text_content("[data-copied-status]"), "")
        page.click(".top .copy")
        self.until(page, lambda: f"Document number: {NUMBER}" in page.evaluate("navigator.clipboard.readText()")
                   and NAME in page.evaluate("navigator.clipboard.readText()"), "not everything was copied")

    def test_the_next_driver_begins_without_the_data_of_the_one_before(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        page.click('[data-action="addDriver"]')
        self.expect(page, "startDriver")
        self.assertIn("Press what you want to ask driver 2 of booking 4711.", self.words(page))
        self.assertNotIn(NAME, page.content())
        self.until(page, lambda: plain(page.inner_text("[data-driver]")) == "Driver 2", "there is no room for another driver")
        self.assertEqual([plain(text) for text in page.locator("[data-drivers] li").all_inner_texts()], ["Driver 1\nYes"])
        page.click('[data-preset="Rental"]')
        self.expect(page, "armed")
        self.assertEqual(self.asked("POST", "/v1/lanes/counter-1/presentations")[1][2]["holder"], 2)
        self.share(self.stand_in.lane["presentation"], answers=[("age_over_21", "no")], kept=None)
        self.expect(page, "deny")
        self.assertIn("Nothing of this driver is kept.", self.words(page))
        self.until(page, lambda: page.locator("[data-drivers] li").count() == 2, "the list has one driver")
        # The first one is shown again while the daemon has its data.
        page.click("[data-drivers] li:first-child button")
        self.expect(page, "allow")
        self.assertIn(NAME, page.content())
        self.assert_accessible(page)

    def test_what_was_not_shared_is_named_and_asked_again(self):
        page = self.desk()
        self.share(self.ask(page), answers=[("drive:B", "unknown")], missing=["org.iso.18013.5.1/expiry_date"])
        self.expect(page, "unclear")
        self.assertIn("Not shared: expiry date. That proves nothing", self.words(page))
        self.assertNotIn("hand over\n", self.words(page).split("Do not")[0])
        page.click('[data-action="again"]')
        self.expect(page, "armed")
        self.assertNotIn(NAME, page.content())
        self.assertEqual(self.asked("POST", "/again")[0][2], {})

    def test_export_saves_a_file_and_delete_asks_once(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        with page.expect_download() as saved:
            page.click('[data-action="export"]')
        self.assertEqual(saved.value.suggested_filename, "export.json")
        self.assertEqual(json.loads(pathlib.Path(saved.value.path()).read_text()), EXPORT)
        self.assertEqual(self.asked("POST", "/v1/deletions"), [], "an export deletes")
        page.wait_for_selector("[data-banner]:visible")
        page.click('[data-action="delete"]')
        self.assertIn("Delete the kept data of booking 4711, all drivers", self.words(page))
        page.click('[data-action="keep"]')
        page.click('[data-action="delete"]')
        page.click('[data-action="deleteNow"]')
        self.expect(page, "deleted")
        self.assertFalse(page.is_visible("[data-banner]"), "the message of the export stays after the deletion")
        self.assertEqual(self.asked("POST", "/v1/deletions")[0][2], {"reference": "4711"})
        for secret in (NAME, NUMBER):
            self.assertNotIn(secret, page.content())
        # What is deleted is not offered again, and the next step is another booking.
        self.assertEqual(page.locator("[data-action=export], [data-action=delete]").count(), 0)
        self.expected_complaints = ("404",)
        page.click("[data-drivers] li button")
        page.click('[data-action="export"]')
        self.until(page, lambda: "Nothing is kept" in page.inner_text("[data-banner]"), "an empty export is not said")
        page.click('[data-action="new"]')
        self.expect(page, "start")

    def test_a_double_press_on_delete_deletes_nothing(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        place = page.locator('[data-action="delete"]').bounding_box()
        page.mouse.dblclick(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        page.wait_for_selector('[data-action="deleteNow"]:enabled')
        self.assertEqual(self.asked("POST", "/v1/deletions"), [])
        # The twin: a deliberate press deletes.
        page.click('[data-action="deleteNow"]')
        self.expect(page, "deleted")

    def test_a_message_moves_nothing_under_the_finger(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        for size, language in (({"width": 1280, "height": 800}, "en"), ({"width": 1024, "height": 768}, "fr")):
            with self.subTest(language=language):
                page.set_viewport_size(size)
                page.select_option("[data-languages]", language)
                page.wait_for_selector("[data-banner]", state="hidden")
                place = page.locator('[data-action="addDriver"]').bounding_box()
                page.click('[data-action="export"]')
                page.wait_for_selector("[data-banner]:visible")
                self.assertEqual(page.locator('[data-action="addDriver"]').bounding_box(), place)

    def test_kept_data_is_deleted_after_its_presentations_are_forgotten(self):
        page = self.desk()
        self.stand_in.retained["4711"] = EXPORT
        page.fill("[data-reference]", "4711")
        self.assertEqual(page.locator("[data-action=delete]").count(), 0, "the twin: the booking was not looked up")
        page.click("[data-look-up]")
        page.click('[data-action="delete"]')
        page.click('[data-action="deleteNow"]')
        self.expect(page, "deleted")
        self.assertEqual(self.asked("POST", "/v1/deletions")[0][2], {"reference": "4711"})
        # Another booking begins without the buttons.
        page.fill("[data-reference]", "4712")
        self.assertEqual(page.locator("[data-action=delete]").count(), 0)

    def test_a_test_document_is_never_a_yes(self):
        self.stand_in.lane["acceptsTestDocuments"] = True
        page = self.desk()
        self.share(self.ask(page), verdict="mock", issuer={"country": "UT", "name": "Test Issuer", "test": True})
        self.expect(page, "test")
        self.assertEqual(page.get_attribute("body", "data-tone"), "test")
        self.assertNotIn("You may hand over", self.words(page))
        # The band of the other pages, which stays while a banner is shown.
        self.assertIn("They prove nothing", page.inner_text("[data-trial]"))
        self.assertFalse(page.is_visible("[data-banner]"))
        page.click('[data-action="export"]')
        page.wait_for_selector("[data-banner]:visible")
        self.assertIn("They prove nothing", page.inner_text("[data-trial]"))
        self.stand_in.set_lane(acceptsTestDocuments=False)
        page.wait_for_selector("[data-trial]", state="hidden")
        self.stand_in.set_lane(acceptsTestDocuments=True)
        page.wait_for_selector("[data-trial]:visible")
        self.assertIn("Test document", page.inner_text("[data-drivers]"))
        self.assert_accessible(page)
        self.shot(page, "desk-test")

    def test_each_outcome_has_words_and_a_way_on(self):
        page = self.desk()
        ends = [("declined", "Nothing was shared"), ("cancelled", "Cancelled"), ("failed", "It did not work")]
        for number, (state, head) in enumerate(ends):
            with self.subTest(state=state):
                identity = self.ask(page, booking=f"b-{number}")
                self.stand_in.move(identity, state, result={**verdict(), "verdict": "incomplete", "answers": [], "parts": None, "issuer": None})
                self.expect(page, state)
                self.assertEqual(self.heading(page), head)
                self.assertTrue(page.is_visible('[data-action="again"]'))
        identity = self.ask(page, booking="b-9")
        page.click('[data-action="cancel"]')
        self.expect(page, "cancelled")
        self.assertEqual(len(self.asked("DELETE", identity)), 1)

    def test_each_language_has_its_words_and_its_direction(self):
        page = self.desk()
        self.share(self.ask(page), missing=["org.iso.18013.5.1/expiry_date"])
        self.expect(page, "unclear")
        for language in ("en", "de", "es", "fr", "it", "pt", "ar", "zh"):
            with self.subTest(language=language):
                page.select_option("[data-languages]", language)
                self.assertEqual(page.evaluate("document.documentElement.dir"), "rtl" if language == "ar" else "ltr")
                self.assertNotIn("\ufffd", self.words(page))
                self.assertNotRegex(self.words(page), r"\{\w+\}|\bundefined\b|\bnull\b|\bNaN\b|\b(desk|clerk|element|answer)\.\w")
                for size in ((1280, 800), (1024, 768), (390, 844)):
                    page.set_viewport_size(dict(zip(("width", "height"), size)))
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, size)
                self.assert_accessible(page)
                page.set_viewport_size({"width": 1280, "height": 800})
                self.shot(page, f"desk-unclear-{language}")

    def test_paper_has_the_booking_and_the_data_and_nothing_to_press(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        self.assertTrue(page.is_visible('[data-action="print"]'), "the twin: on the screen there are buttons")
        page.emulate_media(media="print")
        for gone in ("[data-actions]", ".copy", "[data-booking]", "[data-languages]"):
            self.assertFalse(page.locator(gone).first.is_visible(), gone)
        words = self.words(page)
        for part in ("Booking 4711, driver 1", NAME, NUMBER, "Kept until"):
            self.assertIn(part, words)
        self.shot(page, "desk-paper")

    def test_a_page_without_presets_or_without_a_right_says_so(self):
        page = self.desk()
        self.stand_in.set_lane(dataPresets=[])
        self.expect(page, "none")
        self.assertIn("Ask the owner", self.words(page))
        self.start_over()
        self.expected_complaints = ("403", "401")
        page = self.open("desk", code="00")
        self.expect(page, "refused")
        self.assert_accessible(page)


class DeskPrivacyTests(KioskCase):
    desk, ask, share = DeskTests.desk, DeskTests.ask, DeskTests.share

    def assert_gone(self, page):
        for secret in (NAME, NUMBER):
            self.assertNotIn(secret, page.content())
            self.assertNotIn(secret, page.evaluate("JSON.stringify(history.state) + location.href + document.title"))

    def test_the_data_leaves_the_page_when_its_time_at_the_daemon_is_over(self):
        page = self.desk()
        identity = self.ask(page)
        self.share(identity)
        self.expect(page, "allow")
        self.assertIn(NAME, page.content(), "the twin: the data is found")
        self.stand_in.wipe_documents(identity)
        self.expect(page, "wiped")
        self.assert_gone(page)
        kept = page.evaluate("""async () => [localStorage.length, sessionStorage.length, document.cookie,
            (await indexedDB.databases()).length, (await caches.keys()).length]""")
        self.assertEqual(kept, [0, 0, "", 0, 0])

    def test_a_page_that_is_left_or_loses_the_daemon_keeps_nothing(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        self.assert_gone(page)
        self.assertNotIn("4711", page.content())
        self.assertEqual(page.input_value("[data-reference]"), "")

    def test_no_file_of_the_browser_s_profile_has_the_data_after_the_end(self):
        self.stand_in.lane["dataPresets"] = [RENTAL]

        def use(page):
            self.expect(page, "start")
            identity = self.ask(page, booking="booking-4711")
            self.share(identity)
            self.expect(page, "allow")
            self.stand_in.wipe_documents(identity)
            self.expect(page, "wiped")

        self.assertEqual(self.files_of_a_profile("desk", use, (NAME, NUMBER, "booking-4711")), {})


class DeskNextCustomerTests(KioskCase):
    """What one customer's check leaves for the next."""

    desk, ask, share = DeskTests.desk, DeskTests.ask, DeskTests.share

    def banner(self, page, words):
        self.until(page, lambda: words in page.inner_text("[data-banner]"), f"the banner does not say: {words}")

    def orders(self):
        return [(order["reference"], order["holder"]) for *_, order, _ in self.asked("POST", "/v1/lanes/counter-1/presentations")]

    def unknown_to_this_page(self, page):
        """From now on the page is not told the drivers of a booking."""
        page.route("**/v1/presentations?reference=*", lambda route: route.fulfill(json={"presentations": [], "next": None}))

    def test_a_number_typed_while_the_booking_is_looked_up_is_not_asked(self):
        page = self.desk()
        held = []
        page.fill("[data-reference]", "4711")
        page.route("**/v1/presentations?reference=*", lambda route: held.append(route))
        page.click('[data-preset="Rental"]')
        self.until(page, lambda: held, "the booking is not looked up")
        page.focus("[data-reference]")
        page.keyboard.type("2")
        held[0].continue_()
        self.expect(page, "armed")
        self.assertEqual(self.orders(), [("4711", 1)])
        self.assertEqual(page.input_value("[data-reference]"), "4711")

    def test_a_booking_with_drivers_is_shown_before_another_one_is_asked(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        page.click('[data-action="new"]')
        self.expect(page, "start")
        page.fill("[data-reference]", "4711")
        page.click('[data-preset="Rental"]')
        self.banner(page, "press again")
        self.assertEqual((plain(page.inner_text("[data-driver]")), page.locator("[data-drivers] li").count()), ("Driver 2", 1))
        self.assertEqual(self.orders(), [("4711", 1)])
        page.click('[data-preset="Rental"]')
        self.expect(page, "armed")
        self.assertEqual(self.orders(), [("4711", 1), ("4711", 2)])

    def test_what_was_asked_before_is_no_fresh_yes(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        self.assertEqual(page.get_attribute("body", "data-tone"), "yes", "the twin: a fresh yes is green")
        page.click('[data-action="new"]')
        self.unknown_to_this_page(page)
        page.fill("[data-reference]", "4711")
        page.click('[data-preset="Rental"]')
        self.expect(page, "earlier")
        self.assertEqual(page.get_attribute("body", "data-tone"), "plain")
        self.assertEqual(self.heading(page), "Earlier check: Yes")
        self.assertNotIn("You may hand over", self.words(page))
        self.assertRegex(page.inner_text("[data-text]"), r"It ended on \W*\w+ \d+, 20\d\d")
        self.assert_accessible(page)

    def test_an_older_result_is_opened_with_its_time(self):
        page = self.desk()
        identity = self.ask(page)
        self.share(identity)
        self.expect(page, "allow")
        page.click('[data-action="addDriver"]')
        self.expect(page, "startDriver")
        with self.stand_in.lock:
            self.stand_in.put({**self.stand_in.presentations[identity], "ended": "2026-11-25T10:30:00Z"})
        page.click("[data-drivers] li:first-child button")
        self.expect(page, "earlier")
        self.assertIn("It ended on Nov 25, 2026", self.words(page))
        self.assertIn(NAME, page.content())
        self.stand_in.emit("laneChanged")
        self.settle(page)
        self.assertEqual(self.screen(page), "earlier", "it is fresh after an update")

    def test_an_agreement_is_for_one_booking_and_one_driver(self):
        page = self.desk(RENTAL, AGREED)

        def agreed():
            return page.is_checked("[data-agreed]")
        page.fill("[data-reference]", "4711")
        page.check("[data-agreed]")
        page.fill("[data-reference]", "4712")
        self.assertFalse(agreed(), "it stays for another number")
        page.check("[data-agreed]")
        self.settle(page)
        self.assertTrue(agreed(), "the twin: an update takes it away")
        page.click('[data-preset="Rental"]')
        self.expect(page, "armed")
        self.share(self.stand_in.lane["presentation"])
        self.expect(page, "allow")
        page.check("[data-agreed]")
        page.click('[data-action="addDriver"]')
        self.expect(page, "startDriver")
        self.assertFalse(agreed(), "it stays for the next driver")
        page.click("[data-drivers] li:first-child button")
        self.expect(page, "allow")
        page.check("[data-agreed]")
        page.click('[data-action="new"]')
        self.expect(page, "start")
        self.assertFalse(agreed(), "it stays for the next booking")

    def test_answers_have_a_symbol_and_a_colour_beside_a_yes_alone(self):
        page = self.desk()
        yes = ("age_over_21", "yes")
        identity = self.ask(page, booking="b-1")
        self.stand_in.move(identity, "awaitingDecision", result={**verdict(answers=[yes]), "documents": DOCUMENTS})
        self.expect(page, "decide")

        def look():
            colour = "(node) => getComputedStyle(node).color"
            item = page.locator("[data-answers] li").first
            return page.locator("[data-answers] svg").count(), item.evaluate(colour) == page.locator(".lane").evaluate(colour)
        self.assertEqual(look(), (0, True))
        page.click('[data-action="refuse"]')
        self.expect(page, "deny")
        self.assertEqual(look(), (0, True))
        self.share(self.ask_next(page, "b-2"), answers=[yes, ("drive:B", "unknown")])
        self.expect(page, "unclear")
        self.assertEqual(look(), (0, True))
        self.share(self.ask_next(page, "b-3"), answers=[yes])
        self.expect(page, "allow")
        self.assertEqual(look(), (1, False), "the twin: a yes has both")

    def ask_next(self, page, booking):
        page.click('[data-action="new"]')
        self.expect(page, "start")
        return self.ask(page, booking=booking)

    def test_the_question_whether_to_delete_ends_with_its_booking(self):
        page = self.desk()
        self.share(self.ask(page))
        self.expect(page, "allow")
        page.click('[data-action="addDriver"]')
        self.expect(page, "startDriver")
        page.click('[data-action="delete"]')
        page.wait_for_selector('[data-action="deleteNow"]')
        identity = self.stand_in.arm(kind="data", reference="4712", holder=1, retention="days(2)")
        self.expect(page, "armed")
        self.assertEqual(page.locator('[data-action="deleteNow"]').count(), 0)
        self.assertTrue(page.is_visible('[data-action="cancel"]'))
        self.share(identity)
        self.expect(page, "allow")
        self.assertEqual(page.locator('[data-action="deleteNow"]').count(), 0)
        self.assertEqual(self.asked("POST", "/v1/deletions"), [])

    def test_a_driver_who_was_asked_otherwise_has_own_words(self):
        page = self.desk(RENTAL, {**RENTAL, "preset": "Other"})
        self.share(self.ask(page))
        self.expect(page, "allow")
        page.click('[data-action="new"]')
        self.unknown_to_this_page(page)
        page.fill("[data-reference]", "4711")
        page.click('[data-preset="Other"]')
        self.banner(page, "This booking has this driver already")
        self.expected_complaints = ("409",)

    def test_a_result_ends_two_minutes_after_the_last_press(self):
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 3_600
        page = self.desk(has_clock=True)
        self.share(self.ask(page))
        self.expect(page, "allow")
        self.until(page, lambda: page.locator("[data-drivers] li").count() == 1, "the driver is not in the list")
        page.clock.fast_forward(100_000)
        page.click("h1")
        page.clock.fast_forward(100_000)
        page.clock.run_for(2_000)
        self.assertEqual(self.screen(page), "allow", "it ends although somebody pressed")
        page.clock.fast_forward(120_000)
        self.expect_in_time(page, "wiped")
        self.assertNotIn(NAME, page.content())
        self.settle(page)
        self.assertNotIn(NAME, page.content())
        page.click("[data-drivers] li:first-child button")
        self.until(page, lambda: NAME in page.content(), "the list does not open it")

    def test_a_refused_page_keeps_neither_booking_nor_data(self):
        for place in ("GET /v1/lanes/counter-1$", "POST /v1/deletions"):
            with self.subTest(place=place):
                page = self.desk()
                self.share(self.ask(page, booking="b-4711"))
                self.expect(page, "allow")
                self.until(page, lambda: "b-4711" in page.inner_text("[data-drivers]"), "the twin: the booking is shown")
                self.stand_in.failing = {place: 401}
                if place.startswith("GET"):
                    page.evaluate("document.querySelector('[data-reference]').focus()")
                    self.stand_in.emit("laneChanged")
                else:
                    page.click('[data-action="delete"]')
                    page.click('[data-action="deleteNow"]')
                self.expect(page, "refused")
                for secret in (NAME, NUMBER, "b-4711"):
                    self.assertNotIn(secret, page.content())
                self.assertEqual(page.input_value("[data-reference]"), "")
                self.expected_complaints = ("401",)
                self.start_over()


@unittest.skipUnless(IS_BUILT, "no daemon is built")
class DeskDaemonTests(KioskCase):
    """The page on the daemon that was built, with a software wallet."""

    @classmethod
    def setUpClass(cls):
        daemon = cls.stand_in = BuiltDaemon(cls.addClassCleanup)
        daemon.run("brand", "add", "utopia", "--name", "Utopia Rentals")
        daemon.run("brand", "key", "add", "utopia", "--kid", "k1", "--generate", daemon.folder / "utopia.pem")
        preset = {"name": "Rental", "brand": "utopia", "intent": "age over 21",
                  "then": {"intent": "rental: name, licence number, categories B", "retention": "days(2)"}}
        token = {"name": "desk", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "scopes": ["desk"]}
        daemon.serve(
            presets=[preset], tokens=[token], acceptTestDocuments=True, policies={"rental": "age"},
            readerTokens={"keys": [{"brand": "utopia", "kid": "k1", "keyFile": str(daemon.folder / "utopia.pem")}], "grants": []})

    def test_a_desk_without_a_program_asks_reads_and_deletes(self):
        page = self.open("desk")
        self.expect(page, "start")
        page.fill("[data-reference]", "booking-4711")
        page.click('[data-preset="Rental"]')
        # The wallet's issuer is a test's: the page never says that it may be handed over.
        self.expect(page, "test")
        self.until(page, lambda: "Testrup" in self.words(page), "the name is not shown")
        words = self.words(page)
        for part in ("UT-7700423519", "Kept until", "Utopia Rentals"):
            self.assertIn(part, words)
        self.assertNotIn("You may hand over", words)
        page.click('[data-action="delete"]')
        page.click('[data-action="deleteNow"]')
        self.expect(page, "deleted")
        self.assertNotIn("Testrup", page.content())
        self.assertEqual(json.loads(self.stand_in.run("retained", "list", "--json"))["records"], [])
