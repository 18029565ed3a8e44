"""One presentation after the other, as the two pages live through them."""

import statistics
import time

from browser import KioskCase, plain
from scenes import CONFIRM, PORTRAIT
from stand_in import ago

DECISIONS = {"matches": "approved", "matchesNot": "rejected", "skip": "dismissed"}
# The clerk's last screen and its only heading, with tone and symbol, by the decision. What is not decided has one line more.
LAST = {"approved": ("verified", "You may sell", "yes", "yes"), "rejected": ("otherPerson", "Do not sell", "no", "no"),
        "dismissed": ("undecided", "Not decided", "quiet", "stopped")}


class StoryTests(KioskCase):
    def to_comparison(self, **options):
        customer, clerk = self.both(**options)
        identity = self.stand_in.arm(**PORTRAIT)
        self.expect(customer, "armed")
        self.stand_in.move(identity, "engaged")
        self.expect(customer, "look")
        self.stand_in.move(identity, "awaitingConsent")
        self.stand_in.move(identity, "receiving")
        self.expect(clerk, "receiving")
        self.stand_in.verify(identity, picture=True)
        clerk.wait_for_selector('[data-state="shown"] img')
        return identity, customer, clerk

    def test_a_picture_is_compared_decided_on_and_wiped(self):
        for button, decision in DECISIONS.items():
            with self.subTest(decision=decision):
                self.start_over()
                identity, customer, clerk = self.to_comparison(has_clock=True)
                self.expect(customer, "compare")
                self.assertIn("Erika Mustermann", self.words(clerk))
                clerk.click(f'[data-action="{button}"]')
                self.expect_last(clerk, *LAST[decision])
                asked = self.wait_asked(clerk, "POST", "decision")
                self.assertEqual([body for _, _, body, _ in asked], [{"decision": decision}])
                self.assertEqual(clerk.locator("img:not(.logo)").count(), 0)
                self.assertNotIn("Mustermann", clerk.content())
                self.expect(customer, {"approved": "yes", "rejected": "notAccepted", "dismissed": "cancelled"}[decision])
                self.expect_in_time(clerk, "idle")

    def expect_last(self, clerk, screen, heading, tone, shape):
        """The last screen: one heading in its colour and shape, and nothing of the person."""
        clerk.wait_for_selector(f'body[data-final][data-screen="{screen}"]')
        self.assertEqual((self.heading(clerk), clerk.get_attribute("body", "data-tone")), (heading, tone))
        self.assertEqual(clerk.get_attribute("[data-picture] svg", "data-shape"), shape)
        instruction = {"quiet": "Do not sell yet. ", "yes": "21 or over "}.get(tone, "")
        self.assertEqual(clerk.inner_text(".words").split(), f"{heading} {instruction}Picture and answer are deleted.".split())
        self.assertEqual(clerk.locator(".person:visible, .details:visible, .answers:visible, .steps:visible").count(), 0)

    def test_without_a_picture_done_closes(self):
        customer, clerk = self.both()
        identity = self.stand_in.arm()
        self.stand_in.verify(identity)
        self.expect(customer, "yes")
        self.expect(clerk, "verified")
        clerk.click('[data-action="done"]')
        self.expect(clerk, "idle")
        self.assertEqual(len(self.asked("POST", "decision")), 1)

    def test_without_a_picture_a_person_decides_and_compares_nothing(self):
        for button, decision, screen in (("Accept", "approved", "yes"), ("Don’t accept", "rejected", "notAccepted")):
            with self.subTest(decision=decision):
                self.start_over()
                customer, clerk = self.both()
                self.stand_in.verify(self.stand_in.arm(**CONFIRM))
                for page in (customer, clerk):
                    self.expect(page, "decide")
                    self.assertNotRegex(self.words(page), "[Cc]ompare")
                self.assertEqual(clerk.locator(".portrait").count(), 0)
                self.assertIn("Person decided Open", plain(clerk.locator('[data-outcome="human"]').inner_text()))
                clerk.get_by_role("button", name=button, exact=True).click()
                self.expect(clerk, "verified" if decision == "approved" else "notAccepted")
                self.assertEqual(self.wait_asked(clerk, "POST", "decision")[0][2], {"decision": decision})
                self.expect(customer, screen)

    def test_done_closes_what_nobody_is_to_decide_on(self):
        undecided = lambda identity: (self.stand_in.verify(identity, picture=True), self.stand_in.overrun(identity))
        too_young = lambda identity: self.stand_in.verify(identity, answers=[("age_over_21", "no")])
        for end, screen in ((undecided, "undecided"), (too_young, "tooYoung")):
            with self.subTest(screen=screen):
                self.start_over()
                clerk = self.open("clerk")
                end(self.stand_in.arm(**PORTRAIT))
                self.expect(clerk, screen)
                self.assertEqual(clerk.locator('[data-action="wrongKey"]').count(), 0)
                clerk.click('[data-action="done"]')
                self.expect(clerk, "idle")
                self.settle(clerk)
                self.assertEqual(self.asked("POST", "decision"), [])

    def test_a_result_that_nobody_closes_goes_without_a_word_to_the_daemon(self):
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 36_000
        clerk = self.open("clerk", has_clock=True)
        self.stand_in.verify(self.stand_in.arm())
        self.expect(clerk, "verified")
        self.settle(clerk)
        self.expect_in_time(clerk, "idle", step=10)
        self.settle(clerk)
        self.assertEqual(self.asked("POST", "decision"), [])

    def test_the_page_does_not_end_the_wait_for_consent_and_ends_a_result(self):
        # The stand-in's heartbeats keep to the time outside.
        self.stand_in.lane["kiosk"].update(resultSeconds=30, heartbeatSeconds=36_000)
        page = self.open("kiosk", has_clock=True)
        identity = self.stand_in.arm()
        self.stand_in.move(identity, "awaitingConsent")
        self.expect(page, "look")
        page.wait_for_selector("[data-time]:not([hidden])")
        self.settle(page)
        page.clock.fast_forward(3_600_000)
        self.assertIn("The time is over", self.words(page))
        self.settle(page)
        self.assertEqual(self.screen(page), "look")
        self.stand_in.verify(identity)
        self.expect(page, "yes")
        self.settle(page)
        page.clock.run_for(20_000)
        self.assertEqual(self.screen(page), "yes")
        page.clock.run_for(10_000)
        self.assertEqual(self.screen(page), "idle")

    def test_the_next_person_starts_from_an_empty_page_in_the_lane_s_language(self):
        self.stand_in.lane["kiosk"]["language"] = "es"
        page = self.open("kiosk", has_clock=True)
        page.wait_for_selector('html[lang="es"]')
        page.click('button[value="fr"]')
        self.assertEqual(self.heading(page), "Bienvenue")
        identity = self.stand_in.arm()
        self.stand_in.verify(identity)
        self.expect(page, "yes")
        self.assertEqual(self.heading(page), "Confirmé")
        self.expect_in_time(page, "idle")
        self.assertEqual(page.evaluate("document.documentElement.lang"), "es")

    def test_a_new_presentation_takes_the_place_of_one_that_nobody_decided_on(self):
        identity, customer, clerk = self.to_comparison()
        self.stand_in.overrun(identity)
        self.expect(clerk, "undecided")
        self.stand_in.arm()
        self.expect(clerk, "armed")
        self.expect(customer, "armed")
        self.assertNotIn("Mustermann", clerk.content())
        self.assertEqual(clerk.locator("img:not(.logo)").count(), 0)

    def test_the_clerk_cancels_at_any_phase(self):
        for state in ("armed", "engaged", "awaitingConsent", "receiving"):
            with self.subTest(state=state):
                self.start_over()
                customer, clerk = self.both()
                identity = self.stand_in.arm()
                self.stand_in.move(identity, state)
                self.expect(clerk, {"armed": "armed", "receiving": "receiving"}.get(state, "look"))
                clerk.click('[data-action="cancel"]')
                self.expect(clerk, "cancelled")
                self.expect(customer, "cancelled")

    def test_a_page_that_opens_late_shows_what_stands(self):
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.move(identity, "armed", hint="phoneLocked")
        late = self.open("kiosk")
        self.expect(late, "phoneLocked")
        self.stand_in.verify(identity, picture=True)
        clerk = self.open("clerk")
        self.expect(clerk, "compare")
        clerk.wait_for_selector('[data-state="shown"] img')

    def test_what_was_over_long_ago_is_not_shown_to_a_page_that_opens(self):
        for state, screen in (("armed", "armed"), ("verified", "idle")):
            with self.subTest(state=state):
                self.start_over()
                identity = self.stand_in.arm()
                if state == "verified":
                    self.stand_in.verify(identity)
                    self.stand_in.presentations[identity]["ended"] = ago(3_600)
                for layout in ("kiosk", "clerk"):
                    page = self.open(layout)
                    # A daemon begins a stream with what stands.
                    is_over = state == "verified"
                    self.stand_in.emit("ended" if is_over else state, presentation=identity, state=state,
                                       **({"test": False, "outcome": "allow"} if is_over else {}))
                    self.settle(page)
                    self.assertEqual(self.screen(page), screen)
                    page.close()

    def test_an_event_is_on_the_page_at_once(self):
        page = self.open("kiosk")
        page.evaluate("""() => { window.seen = []; new MutationObserver(() => seen.push(
            [document.body.dataset.screen, performance.timeOrigin + performance.now()]))
            .observe(document.body, { attributeFilter: ['data-screen'] }); }""")
        identity = self.stand_in.arm()
        self.expect(page, "armed")
        delays = []
        for state, screen in (("engaged", "look"), ("armed", "armed")) * 15:
            sent = time.time() * 1_000
            self.stand_in.move(identity, state)
            self.expect(page, screen)
            delays.append(page.evaluate("seen.at(-1)[1]") - sent)
        print(f"event to page: median {statistics.median(delays):.1f} ms of {len(delays)}")
        self.assertLess(statistics.median(delays), 100)

    def test_what_failed_is_said_and_can_be_tried_again(self):
        self.expected_complaints = ("500",)
        _, _, clerk = self.to_comparison()
        self.stand_in.failing = {"POST .*/decision": 500}
        clerk.click('[data-action="matches"]')
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("not carried out", self.words(clerk))
        self.expect(clerk, "compare")
        self.stand_in.failing = {}
        clerk.click('[data-action="matches"]')
        self.expect(clerk, "verified")

    def test_a_picture_that_does_not_come_cannot_be_confirmed_by(self):
        self.expected_complaints = ("410", "Failed to load")
        for picture in ((b"no image", "image/png"), (b"<p>", "application/octet-stream"), None):
            with self.subTest(picture=picture):
                self.start_over()
                self.stand_in.portrait = picture or (b"", "image/png")
                clerk = self.open("clerk")
                identity = self.stand_in.arm(**PORTRAIT)
                if picture is None:
                    self.stand_in.failing = {"GET .*/portrait": 410}
                self.stand_in.verify(identity, picture=True)
                clerk.wait_for_selector('.portrait[data-state="failed"]')
                self.assertTrue(clerk.locator('[data-action="matches"]').is_disabled())
                self.assertTrue(clerk.locator('[data-action="matchesNot"]').is_enabled())

    def test_a_picture_that_the_daemon_wiped_cannot_be_confirmed_by(self):
        identity, _, clerk = self.to_comparison()
        for name in ("portrait", "name"):
            self.stand_in.presentations[identity]["result"][name] = None
        self.stand_in.move(identity, "awaitingDecision")
        clerk.wait_for_selector('[data-action="matches"]:disabled')
        self.assertNotIn("Mustermann", clerk.content())
        self.assertEqual(clerk.locator("img:not(.logo)").count(), 0)

    def test_several_questions_are_each_answered(self):
        clerk = self.open("clerk")
        identity = self.stand_in.arm(asks=("age_over_18", "drive:B", "age_over_65"))
        self.stand_in.verify(identity, answers=[("age_over_18", "yes"), ("drive:B", "no"), ("age_over_65", "unknown")])
        self.expect(clerk, "answerNo")
        self.assertEqual(plain(clerk.inner_text("[data-text]")), "May drive B: No · 65 or over: Cannot tell")
        clerk.click("[data-opens]")
        rows = [plain(row) for row in clerk.locator("[data-answers] li").all_inner_texts()]
        self.assertEqual(rows, ["18 or over: Yes", "May drive B: No", "65 or over: Cannot tell"])

    def test_outcomes_are_told_apart(self):
        clerk = self.open("clerk")
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True, parts={"documentCurrent": "no", "holderBound": "undetermined"},
                             revocation={"state": "undetermined", "ageSeconds": 700_000}, policy="rental(10)")
        self.expect(clerk, "compare")
        states = {row.get_attribute("data-outcome"): row.get_attribute("data-state")
                  for row in clerk.locator("[data-outcome]").all()}
        self.assertEqual(states, {"authentic": "passed", "inDate": "failed", "revocation": "unknown",
                                  "holder": "unknown", "question": "passed", "human": "open"})
        self.assertIn("list is 8 days old", self.words(clerk))

    def test_where_test_documents_are_accepted_both_pages_say_so_and_the_clerk_compares(self):
        customer, clerk = self.both()
        for page in (customer, clerk):
            self.assertFalse(page.locator("[data-trial]").is_visible())
            page.evaluate("""() => {
                window.changes = [];
                new MutationObserver((all) => window.changes.push(...all.map(({ type }) => type)))
                    .observe(document.querySelector("[data-trial]"), { attributes: true, childList: true });
            }""")
        self.stand_in.set_lane(acceptsTestDocuments=True)
        for page in (customer, clerk):
            page.locator("[data-trial]:visible").wait_for()
            self.assertIn("test documents are accepted", page.locator("[data-trial]").text_content())
            # A screen reader announces only what changes in a visible element.
            self.assertEqual(page.evaluate("window.changes.at(-1)"), "childList")
            band = page.locator("[data-trial]").bounding_box()
            self.assertAlmostEqual(band["y"] + band["height"], 800, delta=1)
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True, verdict="mock", issuer={"country": "UT", "name": "Any", "test": True})
        self.expect(customer, "compare")
        self.expect(clerk, "compare")
        self.assertEqual(clerk.locator('[data-outcome="authentic"]').get_attribute("data-state"), "test")

    def test_a_test_issuer_is_never_shown_as_verified(self):
        customer, clerk = self.both()
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, verdict="mock", answers=[("age_over_21", "unknown")], reasons=["document.test"],
                             issuer={"country": "UT", "name": "Any", "test": True})
        self.expect(customer, "test")
        self.expect(clerk, "test")
        self.assertEqual(clerk.locator('[data-outcome="authentic"]').get_attribute("data-state"), "test")
        self.assertEqual(clerk.locator('[data-action="matches"]').count(), 0)
        for page in (customer, clerk):
            self.assertEqual(page.locator('[data-shape="yes"]:visible').count() if page is customer else 0, 0)
            self.assertEqual(page.locator("[data-picture] svg").get_attribute("data-shape"), "test")
