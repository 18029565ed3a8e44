"""The privacy notice of the customer's page: the owner's texts, or the pages' own in the customer's language."""

import json
import re

from browser import KioskCase, plain
from stand_in import PAGES

STRINGS = json.loads((PAGES / "strings.json").read_text())
BUTTONS = [{"preset": "age_over_18+portrait", "names": None, "asks": ["age_over_18", "portrait"]}]
ABSENT = dict.fromkeys(("controller", "purpose", "kept", "contact"))


class NoticeTests(KioskCase):
    def notice(self, page):
        """The rows of the notice: its heading to its text."""
        page.click("[data-notice-open]")
        read = lambda kind: [plain(words) for words in page.locator(f"dialog {kind}").all_inner_texts()]
        rows = dict(zip(read("dt"), read("dd")))
        page.click("dialog .close")
        return rows

    def texts(self, language, *keys):
        return [plain(STRINGS[language]["strings"][key]) for key in keys]

    def test_a_german_page_has_no_english_word_where_the_owner_gave_no_text(self):
        english = set(STRINGS["en"]["strings"].values())
        for language in STRINGS:
            with self.subTest(language):
                self.start_over()
                self.stand_in.set_lane(presets=["age_over_18+portrait"], buttons=BUTTONS, retention="none")
                page = self.open("kiosk", lang=language)
                self.expect(page, "idle")
                heads = self.texts(language, "notice.who", "notice.what", "notice.kept", "notice.contact")
                texts = self.texts(language, "notice.purpose.age", "kept.none", "notice.staff")
                self.assertEqual(self.notice(page), dict(zip(heads, ["Corner Wines", *texts])))
                if language != "en":
                    shown = plain(page.evaluate("document.body.textContent"))
                    for words in english - set(STRINGS[language]["strings"].values()):
                        self.assertNotIn(words, re.split(r"(?<=[.?!])\s|\n", shown))

    def test_the_owners_text_in_the_language_of_the_page_comes_before_the_owners_general_text(self):
        kiosk = self.stand_in.lane["kiosk"]
        kiosk["notice"] = {**ABSENT, "controller": "Corner Wines Ltd", "purpose": "To sell wine"}
        kiosk["notices"] = {"de": {**ABSENT, "purpose": "Um Wein zu verkaufen"}}
        self.stand_in.set_lane(retention="receipt")
        self.assertEqual(list(self.notice(self.open("kiosk", lang="de")).values()),
                         ["Corner Wines Ltd", "Um Wein zu verkaufen", *self.texts("de", "kept.receipt", "notice.staff")])
        self.assertEqual(list(self.notice(self.open("kiosk", lang="fr")).values()),
                         ["Corner Wines Ltd", "To sell wine", *self.texts("fr", "kept.receipt", "notice.staff")])

    def test_what_is_kept_is_that_of_the_running_order_and_is_not_claimed_where_it_is_not_known(self):
        kiosk = self.stand_in.lane["kiosk"]
        kiosk["notice"] = {**ABSENT, "kept": "Nothing"}
        page = self.open("kiosk", lang="en")
        self.assertEqual(self.notice(page)["What is kept"], "Nothing")
        self.stand_in.arm(retention="days(30)")
        self.expect(page, "armed")
        self.assertIn("30 days", self.notice(page)["What is kept"])
        self.start_over()
        self.assertEqual(self.notice(self.open("kiosk", lang="en"))["What is kept"],
                         STRINGS["en"]["strings"]["notice.keptLater"])

    def test_the_purpose_follows_from_what_is_asked(self):
        page = self.open("kiosk", lang="en")
        for asks, key in ((("age_over_21", "portrait"), "age"), (("drive:B", "age_over_21"), "drive"),
                          (("in date",), "other"), (("age_over_21", "family_name"), "other")):
            with self.subTest(asks):
                identity = self.stand_in.arm(asks=asks)
                self.expect(page, "armed")
                self.settle(page)
                self.assertEqual(self.notice(page)["What for"], STRINGS["en"]["strings"][f"notice.purpose.{key}"])
                self.stand_in.move(identity, "cancelled", reasons=["connection.cancelled"])
                self.expect(page, "cancelled")
