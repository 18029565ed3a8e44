"""The owner's page: what attention is needed for, today's outcomes, receipts and tokens."""

import copy
import json
import pathlib
import re
import unittest

from browser import LANDSCAPE, SCREENSHOTS, KioskCase, plain
from contract import DOCUMENT, ROOT
from stand_in import PAGES

OVERVIEW = json.loads(DOCUMENT.read_text())["paths"]["/v1/owner"]["get"]["responses"]["200"]["content"]["application/json"]["example"]
LANE = OVERVIEW["lanes"][0]


def overview(**changes):
    return {**copy.deepcopy(OVERVIEW), "doctor": {"time": "2026-11-25T13:00:00Z", "findings": []}, "time": "2026-11-25T13:40:00Z", **changes}


def hours(*counts):
    """One entry an hour from midnight in UTC, each with its allow and deny."""
    rest = {outcome: 0 for outcome in ("unclear", "declined", "cancelled", "failed")}
    return {"day": "2026-11-25", "hours": [{"from": f"2026-11-25T{hour:02}:00:00Z", "allow": allow, "deny": deny, **rest}
                                           for hour, (allow, deny) in enumerate(counts)]}


def receipt(number, lane="counter-1", outcome="allow"):
    return {"id": str(number), "sequence": number, "digest": "00" * 32, "previous": "11" * 32, "key": "22" * 8, "statement": {
        "time": "2026-11-25T12:00:00Z", "lane": lane, "kind": "display", "purpose": "age",
        "questions": [{"ask": "age_over_21", "answer": "yes" if outcome == "allow" else "no"}], "verdict": "verified", "test": False,
        "reasons": [] if outcome == "allow" else ["answer.no"], "documents": [], "trust": None, "policy": "age",
        "software": "countersign-0.1.0", "retention": "receipt", "method": "machine-validation", "decision": None,
        "outcome": outcome}}


class HelpTests(unittest.TestCase):
    def test_the_commands_of_the_page_are_those_of_the_guide(self):
        guide = (ROOT / "Documentation/owner.md").read_text()
        commands = re.findall(r"<pre[^>]*>(.*?)</pre>", (PAGES / "owner.html").read_text(), re.DOTALL)
        self.assertEqual(len(commands), 6)
        for block in commands:
            for lines in block.split("\n\n"):
                self.assertIn(lines, guide)


class OwnerTests(KioskCase):
    def owner(self, receipts=(), code=None, lang="en", viewport={"width": 1280, "height": 1250}, has_clock=False, **changes):
        with self.stand_in.lock:
            self.stand_in.overview = overview(**{"receipts": {"count": len(receipts), "head": None, "last": None}, **changes})
            self.stand_in.receipts = list(receipts)
        page = self.context(timezone_id="UTC", viewport=viewport).new_page()
        self.watch(page)
        if has_clock:
            page.clock.install()
        page.goto(f"{self.stand_in.url}/owner?lang={lang}#code={code or self.stand_in.code}")
        page.wait_for_selector('body:not([data-screen="connecting"])')
        if receipts:
            # They are asked for after the overview.
            page.wait_for_selector("[data-receipts] tbody th")
        return page

    def test_all_is_well(self):
        kiosk = {"name": "shop", "expires": "2027-11-01T00:00:00Z", "fault": None}
        page = self.owner(today=hours((0, 0), (3, 1), (12, 2)), identities=[kiosk], acceptsTestDocuments=False, faults=[],
                          ready=True, receipts=[receipt(1), receipt(2, outcome="deny")])
        self.assertEqual(page.inner_text("[data-state]"), "Ready")
        self.assertFalse(page.is_visible("[data-faults-card]"))
        self.assertTrue(page.is_visible("[data-well]"))
        rows = page.locator("[data-today] tbody tr").all_inner_texts()
        self.assertEqual([row.split("\t")[:3] for row in rows], [["01:00", "3", "1"], ["02:00", "12", "2"], ["Whole day", "15", "3"]])
        self.assertEqual(page.locator("[data-today] thead th").all_inner_texts()[1:7],
                         ["Sold", "Refused", "Not decided", "Nothing shared", "Stopped", "Did not work"])
        self.assertEqual(page.locator("[data-receipts] td:nth-of-type(3)").all_inner_texts(), ["Refused", "Sold"])
        self.assertEqual(page.locator("[data-receipts] tbody th").all_inner_texts(), ["2", "1"])
        self.assertNotIn("code", page.url)
        self.assert_accessible(page)
        self.shot(page, "owner")

    def test_what_needs_attention_is_first(self):
        lanes = [{**LANE, "state": "readerMissing", "advice": "Plug it in"}]
        trust = {**OVERVIEW["trust"], "ageSeconds": 31 * 86_400 + 5}
        identities = [{"name": "soon", "expires": "2026-12-01T00:00:00Z", "fault": None},
                      {"name": "over", "expires": "2026-11-01T00:00:00Z", "fault": None},
                      {"name": "bare", "expires": None, "fault": "it has no certificates"}]
        faults = [{"id": "readerMissing", "lane": "counter-1", "text": "Plug it in"}]
        page = self.owner(lanes=lanes, trust=trust, identities=identities, faults=faults, ready=False, acceptsTestDocuments=True)
        self.assertEqual(page.inner_text("[data-state]"), "Not ready")
        entries = page.locator("[data-faults] li")
        self.assertEqual(entries.count(), 6)
        for number, (what, command) in enumerate([
                ("counter-1: The reader is not connected.", None),
                ("The newest list of trusted issuers is 31 days old.",
                 "runuser -u countersign -- countersign trust update --store /var/lib/countersign"),
                ("The reader identity soon expires in 5 days.", "identity csr soon"),
                ("The reader identity over has expired.", "identity csr over"),
                ("The reader identity bare cannot be used.", "identity csr bare"),
                ("Test documents are accepted, and anybody can make one.", "systemctl reload countersignd")]):
            entry = entries.nth(number)
            self.assertEqual(plain(entry.locator(".what").inner_text()), what)
            # Each says what to do, and shows the command if there is one.
            self.assertIn("What to do: ", plain(entry.inner_text()))
            self.assertEqual(entry.locator("pre").count(), 0 if command is None else 1)
            self.assertIn(command or "", entry.locator("pre").inner_text() if command else "")
        self.assertEqual(page.inner_text("[data-lanes] td.no"), "Not connected")
        self.assert_accessible(page)
        self.shot(page, "owner-faults")

    def test_what_doctor_found_on_the_computer_needs_attention_and_says_when_it_looked(self):
        findings = [{"id": "usb.power", "outcome": "warning", "text": "the kernel may put it to sleep", "fix": "countersign doctor --fix"},
                    {"id": "trust.age", "outcome": "warning", "text": "the daemon says so itself", "fix": None}]
        page = self.owner(doctor={"time": "2026-11-25T13:00:00Z", "findings": findings}, faults=[], acceptsTestDocuments=False)
        self.assertEqual(page.locator("[data-faults] li").count(), 1)
        entry = plain(page.inner_text("[data-faults] li"))
        for words in ("This computer (usb.power)", "the kernel may put it to sleep", "Run the command that repairs it."):
            self.assertIn(words, entry)
        self.assertEqual(page.inner_text("[data-faults] pre"), "countersign doctor --fix")
        self.assertIn("computer checked", page.inner_text("[data-facts]"))
        page = self.owner(doctor=None, faults=[], acceptsTestDocuments=False)
        self.assertIn("computer not checked", page.inner_text("[data-facts]"))

    def test_a_list_is_old_once_doctor_says_so_and_not_before(self):
        for days, found in ((30, []), (31, ["The newest list of trusted issuers is 31 days old."])):
            trust = {**OVERVIEW["trust"], "ageSeconds": days * 86_400 + 5}
            page = self.owner(trust=trust, faults=[], acceptsTestDocuments=False)
            self.assertEqual([plain(text) for text in page.locator("[data-faults] .what").all_inner_texts()], found)

    def test_a_lane_that_is_paused_says_why(self):
        standing = {"intent": "age over 21", "retention": "receipt", "isPaused": True,
                    "reason": {"id": "recordsUnavailable", "text": "the store of records: the disk is full"}}
        page = self.owner(lanes=[{**LANE, "standing": standing}], faults=[], acceptsTestDocuments=False)
        self.assertIn("the store of records: the disk is full", page.inner_text("[data-faults] li"))
        self.assertEqual(page.locator("[data-lanes] td").all_inner_texts()[-1], "Paused")

    def test_a_lane_says_what_it_needs_and_has(self):
        """Without Bluetooth, a lane of the bench link and one of NFC lack nothing; a lane that wants it does."""
        for state, link, bluetooth, shown in (
                ("ready", "nfcAndBluetooth", "ready", ["Ready", "Ready"]),
                ("ready", "benchLink", "notUsed", ["Software wallet, no reader needed", "Not needed"]),
                ("stopped", "benchLink", "notUsed", ["Software wallet does not answer", "Not needed"]),
                ("ready", "nfc", "notUsed", ["Ready", "Not needed"]),
                ("ready", "nfcAndBluetooth", "missing", ["Ready", "No adapter"]),
                ("readerMissing", "nfcAndBluetooth", "unknown", ["Not connected", "Not looked at"])):
            with self.subTest(state=state, link=link, bluetooth=bluetooth):
                lane = {**LANE, "state": state, "link": link, "bluetooth": bluetooth}
                # A lane without Bluetooth is ready, and its fault has the id of its state.
                faults = [] if (state, bluetooth) in (("ready", "ready"), ("ready", "notUsed")) else [
                    {"id": state, "lane": "counter-1", "text": "no adapter"}]
                page = self.owner(lanes=[lane], faults=faults, acceptsTestDocuments=False)
                self.assertEqual(page.locator("[data-lanes] td").all_inner_texts()[:2], shown)
                found = [plain(text) for text in page.locator("[data-faults] .what").all_inner_texts()]
                self.assertEqual(len(found), len(faults))
                if link == "benchLink" and faults:
                    self.assertEqual(found, ["counter-1: The software wallet did not answer."])
                self.start_over()

    def test_an_accessory_says_what_it_is_where_it_is_and_how_it_is(self):
        lock = {"lane": "counter-1", "name": "lock", "kind": "relay", "role": "out", "state": "absent", "trial": False}
        hub = {"lane": None, "name": "home", "kind": "mqtt", "role": "out", "state": "ready", "trial": False}
        qr = {"lane": "counter-1", "name": "qr-1", "kind": "hidPos", "role": "in", "state": "trial", "trial": True}
        fault = {"id": "accessoryNotReady", "lane": "counter-1", "text": "the output lock is not ready"}
        page = self.owner(accessories=[lock, hub, qr], faults=[fault], acceptsTestDocuments=False)
        rows = page.locator("[data-accessories] tbody tr").all_inner_texts()
        self.assertEqual([row.split("\t") for row in rows], [
            ["lock", "Output relay", "counter-1", "Not connected"], ["home", "Output mqtt", "all", "Ready"],
            ["qr-1", "Scanner hidPos", "counter-1", "Trial: acts on test documents too"]])
        self.assertEqual(page.locator("[data-accessories] td.no").count(), 1)
        entry = plain(page.inner_text("[data-faults] li"))
        for words in ("counter-1: An output that this lane needs cannot act.", "the output lock is not ready"):
            self.assertIn(words, entry)
        self.assertEqual(page.inner_text("[data-faults] pre"), "systemctl status countersign-accessories")
        self.assert_accessible(page)
        self.start_over()
        page = self.owner(accessories=[], faults=[], acceptsTestDocuments=False)
        self.assertFalse(page.is_visible("[data-accessories-card]"))

    def test_a_receipt_about_outputs_says_how_each_ended(self):
        about = receipt(2)
        about["statement"] = {"version": 2, "kind": "outputs", "time": "2026-11-25T12:00:05Z", "lane": "counter-1",
                              "software": "countersign-0.1.0", "of": "1",
                              "outputs": [{"accessory": "lock", "state": "done"}, {"accessory": "lamp", "state": "refused"}]}
        page = self.owner(receipts=[receipt(1), about])
        cells = page.locator("[data-receipts] tbody tr").first.locator("td").all_inner_texts()
        self.assertEqual([plain(cell) for cell in cells[1:]], ["counter-1", "", "", "", "lock=done, lamp=refused"])
        page.fill("[data-search]", "lamp=refused")
        self.assertEqual(page.locator("[data-receipts] tbody th").all_inner_texts(), ["2"])

    def test_a_fault_without_words_is_shown_in_the_daemons(self):
        page = self.owner(faults=[{"id": "constructor", "text": "something new"}], acceptsTestDocuments=False)
        self.assertIn("something new", page.inner_text("[data-faults] li"))
        self.assertIn("countersign doctor", page.inner_text("[data-faults] pre"))

    def test_every_view_in_three_languages_and_on_two_screens(self):
        lanes = [{**LANE, "state": "readerMissing", "bluetooth": "unknown"},
                 {**LANE, "lane": "bar", "link": "benchLink", "bluetooth": "notUsed"}]
        faults = [{"id": "readerMissing", "lane": "counter-1", "text": "Plug it in"},
                  {"id": "trustNotSetUp", "text": "no issuer is trusted"}]
        for lang, words in (("en", "Shop overview"), ("de", "Übersicht des Ladens"), ("ar", "نظرة عامة على المتجر")):
            with self.subTest(lang=lang):
                self.start_over()
                page = self.owner(lang=lang, viewport=LANDSCAPE, lanes=lanes, faults=faults, ready=False, today=hours((0, 0), (3, 1), (12, 2)),
                                  receipts=[receipt(1), receipt(2, outcome="deny")])
                self.assertEqual(self.heading(page), words)
                self.assertEqual(page.get_attribute("html", "dir"), "rtl" if lang == "ar" else "ltr")
                self.assertNotIn("\ufffd", page.inner_text("body"))
                for width, height in ((1280, 800), (1024, 768)):
                    page.set_viewport_size({"width": width, "height": height})
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    self.shot(page, f"owner-{lang}-{width}x{height}")
                page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
                self.assert_accessible(page)
                page.emulate_media(color_scheme="dark")
                self.assert_accessible(page)
                if SCREENSHOTS:
                    page.screenshot(path=f"{SCREENSHOTS}/owner-{lang}-whole.png", full_page=True)

    def test_another_language_is_chosen_on_the_page(self):
        page = self.owner(receipts=[receipt(1)], acceptsTestDocuments=False)
        page.focus("[data-languages]")
        page.select_option("[data-languages]", "de")
        self.assertEqual(self.heading(page), "Übersicht des Ladens")
        self.assertEqual(page.locator("[data-receipts] td:nth-of-type(3)").all_inner_texts(), ["Verkauft"])
        self.assertEqual(page.evaluate("document.activeElement.dataset.languages"), "")

    def test_the_daily_sheet_has_the_day_and_nothing_of_a_person(self):
        """The receipts of the day are loaded to the first one, also where the page had loaded fewer."""
        earlier, today = "2026-11-24T23:59:59Z", "2026-11-25T00:00:00Z"
        receipts = [receipt(number) for number in range(1, 604)]
        for one in receipts:
            one["statement"]["time"] = earlier if one["sequence"] < 102 else today
        page = self.owner(receipts=receipts, today=hours((3, 1), (12, 2)), acceptsTestDocuments=False,
                          faults=[{"id": "readerMissing", "lane": "counter-1", "text": "Plug it in"}])
        with self.stand_in.lock:
            self.stand_in.overview["receipts"] = {"count": 603, "head": "9d" * 32, "last": today}
        page.evaluate("() => { window.print = () => { window.printed = document.querySelector('[data-sheet]').textContent; }; }")
        page.click("[data-print]")
        sheet = plain(self.until(page, lambda: page.evaluate("window.printed"), "nothing was printed"))
        for words in ("Daily sheet of 25 November 2026", "Receipts of the day: 102 to 603", "9d" * 32, "counter-1: The reader is not connected.",
                      "Whole day153", "Seen by:"):
            self.assertIn(words, sheet)
        page.emulate_media(media="print")
        self.assertTrue(page.is_visible("[data-sheet]"))
        for hidden in ("header", "[data-overview]", "[data-help]"):
            self.assertFalse(page.is_visible(hidden), hidden)
        if SCREENSHOTS:
            pathlib.Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            page.pdf(path=f"{SCREENSHOTS}/owner-sheet.pdf", format="A4")
        page.emulate_media(media="screen")
        self.assertFalse(page.is_visible("[data-sheet]"))

    def test_a_day_without_receipts_is_said_on_the_sheet(self):
        yesterday = receipt(1)
        yesterday["statement"]["time"] = "2026-11-24T12:00:00Z"
        page = self.owner(receipts=[yesterday], today=hours((0, 0)), acceptsTestDocuments=False)
        self.assertIn("No receipt was written on this day.", page.locator("[data-sheet]").text_content())

    def test_receipts_are_searched_verified_and_saved(self):
        page = self.owner(receipts=[receipt(number, outcome="deny" if number % 3 == 0 else "allow") for number in range(1, 8)])
        page.fill("[data-search]", "DENY answer.no")
        self.assertEqual(page.locator("[data-receipts] tbody th").all_inner_texts(), ["6", "3"])
        page.fill("[data-search]", "refused")
        self.assertEqual(page.locator("[data-receipts] tbody th").all_inner_texts(), ["6", "3"])
        page.fill("[data-search]", "nothing of this")
        self.assertEqual(page.locator("[data-receipts] tbody tr").count(), 0)
        page.click("[data-verify]")
        self.until(page, lambda: plain(page.inner_text("[data-verdict]")) == "Receipts checked: 7. No fault was found.", "no verdict")
        self.stand_in.broken = {"at": 3, "id": "receipt_chain.changed", "detail": "the signature is wrong"}
        page.click("[data-verify]")
        self.until(page, lambda: "Receipt 3 is not valid: the signature is wrong" in plain(page.inner_text("[data-verdict]")), "no fault")
        with page.expect_download() as saved:
            page.focus("[data-csv]")
            page.keyboard.press("Enter")
        self.assertEqual(saved.value.suggested_filename, "receipts.csv")

    def test_earlier_receipts_come_when_they_are_asked_for(self):
        page = self.owner(receipts=[receipt(number) for number in range(1, 503)])
        self.assertIn("100 of 500 receipts", plain(page.inner_text("[data-receipts] caption")))
        page.click("[data-earlier]")
        self.until(page, lambda: "100 of 502" in plain(page.inner_text("[data-receipts] caption")), "they did not come")
        self.assertFalse(page.is_visible("[data-earlier]"))

    def test_a_page_whose_access_ended_keeps_neither_receipts_nor_callers(self):
        page = self.owner(receipts=[receipt(1, lane="lane-of-a-receipt")], has_clock=True)
        caller = OVERVIEW["tokens"][0]["name"]
        for word in ("lane-of-a-receipt", caller):
            self.assertIn(word, page.content(), "the twin")
        self.stand_in.failing = {"/v1/owner": 401}
        page.clock.fast_forward(16_000)
        self.expect(page, "refused")
        self.assertEqual([page.locator(f"[data-{name}] *").count() for name in ("receipts", "tokens", "lanes", "accessories", "today", "faults")], [0] * 6)
        # Another language draws anew what the page knows.
        page.select_option("[data-languages]", "de")
        self.assertNotIn("lane-of-a-receipt", page.content())
        self.assertNotIn(caller, page.inner_text("[data-tokens]"))
        self.complaints.clear()

    def test_a_page_without_a_code_says_how_to_get_one(self):
        page = self.owner(code="00")
        self.assertEqual(self.screen(page), "refused")
        self.assertIn("This page has no access.", page.inner_text("[data-state]"))
        self.assertIn("countersign page-code --page owner", page.inner_text("[data-help-code]"))
        self.assertFalse(page.is_visible("[data-overview]"))
        self.assert_accessible(page)
        self.complaints.clear()
