"""What a phone did not share, in words on both pages, and the press that asks again."""

import json
import re

from browser import KioskCase, plain
from stand_in import PAGES

MDL = "org.iso.18013.5.1"
TABLE = json.loads((PAGES / "strings.json").read_text())
ELEMENTS = ["expiry_date", "birth_date", "portrait", "driving_privileges", "document_number", "family_name", "given_name", "issue_date",
            "issuing_authority", "issuing_country", "nationality", "resident_address", "age_in_years"]


class MissingTests(KioskCase):
    def withhold(self, *elements, answers=(("drive:B", "unknown"),), **changes):
        identity = self.stand_in.arm(asks=[ask for ask, _ in answers])
        self.stand_in.verify(identity, answers=answers, missing=elements, **changes)
        return identity

    def asked_again(self):
        return [body for method, path, body, _ in self.stand_in.asked if method == "POST" and path.endswith("/again")]

    def test_both_pages_say_what_is_missing(self):
        customer, clerk = self.both()
        self.withhold(f"{MDL}/expiry_date")
        for page in (customer, clerk):
            self.expect(page, "missing")
            self.assert_accessible(page)
        self.assertEqual(plain(clerk.inner_text("[data-text]")), "This was not shared: expiry date. Ask again and share it.")
        self.assertEqual(plain(customer.inner_text("[data-text]")),
                         "This was not shared: expiry date. Please share it when you are asked again.")
        self.shot(customer, "missing-customer")
        self.shot(clerk, "missing-clerk")

    def test_each_element_has_its_word_in_each_language(self):
        customer, clerk = self.both()
        self.stand_in.lane["kiosk"]["resultSeconds"] = 600
        for name in ELEMENTS + ["domestic_driving_privileges", "age_over_18"]:
            self.withhold(f"{MDL}/{name}")
            for page, layout in ((customer, "customer"), (clerk, "clerk")):
                self.expect(page, "missing")
                self.settle(page)
                for language, entry in TABLE.items():
                    with self.subTest(element=name, page=layout, language=language):
                        strings = entry["strings"]
                        word = strings["element." + {"age_over_18": "age_over"}.get(name, name.removeprefix("domestic_"))]
                        expected = strings[f"{layout}.missing.one"].replace("{element}", word)
                        if layout == "customer":
                            if not page.locator("[data-languages]").is_visible():
                                page.click("[data-languages-open]")
                            page.click(f'button[value="{language}"]')
                        else:
                            page.select_option("[data-languages]", language)
                        shown = plain(page.inner_text("[data-text]"))
                        number = r"[0-9\u0660-\u0669]+"
                        self.assertRegex(shown, "^" + re.escape(expected).replace(re.escape("{years}"), number) + "$")

    def test_an_element_without_a_word_is_never_named_by_its_identifier(self):
        customer, clerk = self.both()
        utopia = ["org.example.utopia/eye_colour", "org.example.utopia/wing_span"]
        for missing, words in ((utopia[:1], "This was not shared: one more detail."), (utopia, "This was not shared: more details."),
                               ([*utopia[:1], f"{MDL}/expiry_date"], "These were not shared: expiry date and one more detail.")):
            self.withhold(*missing)
            for page in (customer, clerk):
                self.settle(page)
                self.assertIn(words, plain(page.inner_text("[data-text]")))
                self.assertNotRegex(page.content(), "eye_colour|wing_span")

    def test_several_are_listed_once_and_not_without_end(self):
        clerk = self.open("clerk")
        self.withhold(f"{MDL}/portrait", f"{MDL}/portrait", f"{MDL}/expiry_date")
        self.expect(clerk, "missing")
        self.assertEqual(plain(clerk.inner_text("[data-text]")),
                         "These were not shared: picture and expiry date. Ask again and share them.")
        self.withhold(*(f"{MDL}/{name}" for name in ELEMENTS))
        clerk.wait_for_selector("text=…")
        self.assertEqual(
            plain(clerk.inner_text("[data-text]")),
            "These were not shared: expiry date, date of birth, picture, list of driving categories, …. Ask again and share them.")

    def test_only_an_open_outcome_says_so(self):
        clerk = self.open("clerk")
        for answers, screen in (([("age_over_21", "no")], "tooYoung"), ([("age_over_21", "unknown")], "missing")):
            self.withhold(f"{MDL}/expiry_date", answers=answers)
            self.expect(clerk, screen)
        self.stand_in.verify(self.stand_in.arm(), answers=[("age_over_21", "unknown")])
        self.expect(clerk, "cannotTell")
        self.assertEqual(clerk.locator(".actions button").all_inner_texts(), ["Try again", "Done"])

    def test_one_press_asks_again_and_only_once(self):
        customer, clerk = self.both()
        self.withhold(f"{MDL}/expiry_date")
        clerk.dblclick('[data-action="askAgain"]')
        self.expect(clerk, "armed")
        self.expect(customer, "armed")
        self.assertEqual(self.asked_again(), [{}])

    def test_an_order_that_keeps_by_consent_is_not_asked_again(self):
        clerk = self.open("clerk")
        for retention, buttons in (("consented(2)", 0), ("days(2)", 1)):
            with self.subTest(retention=retention):
                identity = self.stand_in.arm(asks=["drive:B"], retention=retention)
                self.expect(clerk, "armed")
                self.stand_in.verify(identity, answers=[("drive:B", "unknown")], missing=[f"{MDL}/expiry_date"])
                self.expect(clerk, "missing")
                self.assertEqual(clerk.locator('[data-action="askAgain"]').count(), buttons)

    def test_a_press_by_keys_and_by_touch(self):
        for options, press in (({}, "keys"), ({"has_touch": True}, "touch")):
            with self.subTest(press=press):
                self.start_over()
                clerk = self.open("clerk", **options)
                self.withhold(f"{MDL}/expiry_date")
                clerk.wait_for_selector('[data-action="askAgain"]')
                if press == "touch":
                    clerk.tap('[data-action="askAgain"]')
                else:
                    clerk.focus('[data-action="askAgain"]')
                    clerk.keyboard.press("Enter")
                self.expect(clerk, "armed")
                self.assertEqual(self.asked_again(), [{}])

    def test_a_press_that_is_refused_says_so_and_can_be_repeated(self):
        self.expected_complaints = ("503",)
        clerk = self.open("clerk")
        self.withhold(f"{MDL}/expiry_date")
        self.stand_in.failing["^POST .*/again$"] = 503
        clerk.click('[data-action="askAgain"]')
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        self.assertEqual(self.screen(clerk), "missing")
        self.stand_in.failing.clear()
        clerk.click('[data-action="askAgain"]')
        self.expect(clerk, "armed")

    def test_the_customer_has_no_button_and_nothing_of_a_value(self):
        customer = self.open("kiosk")
        self.withhold(f"{MDL}/expiry_date")
        self.expect(customer, "missing")
        self.assertEqual(customer.locator('[data-action]').count(), 0)
        self.assertNotIn("plain words about", self.words(customer))
