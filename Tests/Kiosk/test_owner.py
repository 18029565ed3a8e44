"""The owner's page: what attention is needed for, today's outcomes, receipts and tokens."""

import copy
import json

from browser import KioskCase
from contract import DOCUMENT

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


class OwnerTests(KioskCase):
    def owner(self, receipts=(), code=None, **changes):
        with self.stand_in.lock:
            self.stand_in.overview = overview(**{"receipts": {"count": len(receipts), "head": None, "last": None}, **changes})
            self.stand_in.receipts = list(receipts)
        page = self.context(timezone_id="UTC", viewport={"width": 1280, "height": 1250}).new_page()
        self.watch(page)
        page.goto(f"{self.stand_in.url}/owner#code={code or self.stand_in.code}")
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
        rows = page.locator("[data-today] tbody tr").all_inner_texts()
        self.assertEqual([row.split("\t")[:3] for row in rows], [["01:00", "3", "1"], ["02:00", "12", "2"]])
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
        words = page.locator("[data-faults] li").all_inner_texts()
        self.assertEqual(len(words), 6)
        for number, part in enumerate(["counter-1: Plug it in", "31 days old", "“soon” expires in 5 days", "“over” has expired",
                                       "“bare” cannot be used", "Test documents"]):
            self.assertIn(part, words[number])
        self.assertEqual(page.inner_text("[data-lanes] td.no"), "reader missing")
        self.assert_accessible(page)
        self.shot(page, "owner-faults")

    def test_what_doctor_found_on_the_computer_needs_attention_and_says_when_it_looked(self):
        findings = [{"id": "usb.power", "outcome": "warning", "text": "the kernel may put it to sleep", "fix": "countersign doctor --fix"},
                    {"id": "trust.age", "outcome": "warning", "text": "the daemon says so itself", "fix": None}]
        page = self.owner(doctor={"time": "2026-11-25T13:00:00Z", "findings": findings}, faults=[], acceptsTestDocuments=False)
        self.assertEqual(page.locator("[data-faults] li").all_inner_texts(),
                         ["This computer, usb.power: the kernel may put it to sleep. Run: countersign doctor --fix"])
        self.assertIn("computer checked", page.inner_text("[data-facts]"))
        page = self.owner(doctor=None, faults=[], acceptsTestDocuments=False)
        self.assertIn("computer not checked", page.inner_text("[data-facts]"))

    def test_a_list_is_old_once_doctor_says_so_and_not_before(self):
        for days, found in ((30, []), (31, ["The newest list of the trust store is 31 days old: run countersign trust update."])):
            trust = {**OVERVIEW["trust"], "ageSeconds": days * 86_400 + 5}
            page = self.owner(trust=trust, faults=[], acceptsTestDocuments=False)
            self.assertEqual(page.locator("[data-faults] li").all_inner_texts(), found)

    def test_a_lane_that_is_paused_says_why(self):
        standing = {"intent": "age over 21", "retention": "receipt", "isPaused": True,
                    "reason": {"id": "recordsUnavailable", "text": "the store of records: the disk is full"}}
        page = self.owner(lanes=[{**LANE, "standing": standing}], faults=[], acceptsTestDocuments=False)
        self.assertEqual(page.locator("[data-faults] li").all_inner_texts(), ["counter-1: the store of records: the disk is full"])
        self.assertEqual(page.locator("[data-lanes] td").all_inner_texts()[-1], "is paused")

    def test_receipts_are_searched_verified_and_saved(self):
        page = self.owner(receipts=[receipt(number, outcome="deny" if number % 3 == 0 else "allow") for number in range(1, 8)])
        page.fill("[data-search]", "DENY answer.no")
        self.assertEqual(page.locator("[data-receipts] tbody th").all_inner_texts(), ["6", "3"])
        page.fill("[data-search]", "nothing of this")
        self.assertEqual(page.locator("[data-receipts] tbody tr").count(), 0)
        page.click("[data-verify]")
        self.until(page, lambda: page.inner_text("[data-verdict]") == "7 receipts verified: no fault was found.", "no verdict")
        self.stand_in.broken = {"at": 3, "id": "receipt_chain.changed", "detail": "the signature is wrong"}
        page.click("[data-verify]")
        self.until(page, lambda: "Receipt 3 is not valid" in page.inner_text("[data-verdict]"), "no fault")
        with page.expect_download() as saved:
            page.focus("[data-csv]")
            page.keyboard.press("Enter")
        self.assertEqual(saved.value.suggested_filename, "receipts.csv")

    def test_earlier_receipts_come_when_they_are_asked_for(self):
        page = self.owner(receipts=[receipt(number) for number in range(1, 503)])
        self.assertIn("100 of 500 receipts", page.inner_text("[data-receipts] caption"))
        page.click("[data-earlier]")
        self.until(page, lambda: "100 of 502" in page.inner_text("[data-receipts] caption"), "they did not come")
        self.assertFalse(page.is_visible("[data-earlier]"))

    def test_a_page_without_a_code_says_how_to_get_one(self):
        page = self.owner(code="00")
        self.assertEqual(self.screen(page), "refused")
        self.assertIn("countersign page-code --page owner", page.inner_text("[data-state]"))
        self.assertFalse(page.is_visible("main"))
        self.complaints.clear()
