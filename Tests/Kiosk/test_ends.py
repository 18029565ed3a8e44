"""The end of a check on the clerk's page: one word, alone; a wrong key, another attempt, and the time that is left."""

import re

from browser import KioskCase, plain
from scenes import CONFIRM, PORTRAIT, SCENES
from stand_in import ago, unanswered


class LastScreenTests(KioskCase):
    def compared(self, clerk, **arming):
        identity = self.stand_in.arm(**{**PORTRAIT, **arming})
        self.expect(clerk, "armed")
        self.stand_in.verify(identity, picture=True)
        clerk.wait_for_selector('[data-state="shown"] img')
        return identity

    def banner(self, clerk):
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        return plain(clerk.inner_text("[data-banner]"))

    def test_a_decision_that_the_daemon_refuses_never_ends_in_a_word(self):
        self.expected_complaints = ("409", "500")
        clerk = self.open("clerk")
        self.compared(clerk)
        self.remember(clerk)
        for status in (409, 500):
            for action in ("matches", "matchesNot", "skip"):
                self.stand_in.failing = {"POST .*/decision": status}
                clerk.click(f'[data-action="{action}"]')
                self.assertIn("not carried out", self.banner(clerk))
                self.expect(clerk, "compare")
        self.assertLessEqual(set(clerk.evaluate("screens")), {"compare"})
        self.assertEqual(clerk.locator(".portrait img").count(), 1)
        self.stand_in.failing = {}
        clerk.click('[data-action="matches"]')
        self.expect(clerk, "verified")

    def test_the_end_stands_alone_with_presets_and_in_a_trial(self):
        self.stand_in.set_lane(presets=["Age 18", "Age 21"], acceptsTestDocuments=True)
        clerk = self.open("clerk")
        for size in ({"width": 1280, "height": 800}, {"width": 1024, "height": 768}):
            with self.subTest(size=size):
                clerk.set_viewport_size(size)
                self.compared(clerk)
                clerk.click('[data-action="matches"]')
                self.expect(clerk, "verified")
                self.assertEqual(clerk.locator("[data-presets] button:visible").count(), 0)
                # The band of a trial is never outside the window.
                band = clerk.locator("[data-trial]").bounding_box()
                self.assertLessEqual(band["y"] + band["height"], size["height"])
                clerk.click('[data-action="done"]')
                # The twin: without an end the presets are the page.
                self.expect(clerk, "idle")
                self.assertEqual(clerk.locator("[data-presets] button:visible").count(), 2)

    def test_a_message_moves_no_button_of_a_decision(self):
        self.expected_complaints = ("409",)
        clerk = self.open("clerk")
        self.compared(clerk)
        place = clerk.locator('[data-action="matches"]').bounding_box()
        self.stand_in.failing = {"POST .*/decision": 409}
        clerk.click('[data-action="skip"]')
        self.assertIn("not carried out", self.banner(clerk))
        self.assertEqual(clerk.locator('[data-action="matches"]').bounding_box(), place)

    def test_the_lasting_message_about_bluetooth_leaves_the_bar_usable(self):
        self.stand_in.set_lane(bluetooth="missing")
        clerk = self.open("clerk")
        clerk.wait_for_selector("[data-banner][data-lasting]:visible")
        clerk.click("[data-sound]")
        clerk.select_option("[data-languages]", "de")
        bar, banner = clerk.locator("header").bounding_box(), clerk.locator("[data-banner]").bounding_box()
        self.assertGreaterEqual(banner["y"], bar["y"] + bar["height"])

    def test_the_word_follows_the_daemon_and_not_the_key(self):
        clerk = self.open("clerk")
        identity = self.compared(clerk)
        # Another page was faster, and this one has not heard of it yet.
        clerk.route("**/decision", lambda route: route.fulfill(json={
            **self.stand_in.presentations[identity], "state": "verified", "hint": "decided", "outcome": "deny", "reasons": ["decision.rejected"],
            "result": {**self.stand_in.presentations[identity]["result"], "decision": "rejected"}}))
        clerk.click('[data-action="matches"]')
        self.expect(clerk, "otherPerson")
        self.assertEqual(self.heading(clerk), "Do not sell")

    def test_the_key_looks_pressed_until_the_daemon_has_answered(self):
        clerk = self.open("clerk")
        self.compared(clerk)
        held = []
        clerk.route("**/decision", lambda route: held.append(route))
        clerk.click('[data-action="matches"]')
        clerk.wait_for_selector('[data-action="matches"][data-pressed]:disabled')
        self.assertEqual(clerk.locator(".actions button:enabled, [data-pressed]:not([data-action=matches])").count(), 0)
        self.assertEqual(self.screen(clerk), "compare")
        self.until(clerk, lambda: held, "the decision was not sent")
        held[0].continue_()
        self.expect(clerk, "verified")

    def test_the_words_are_those_of_a_sale_only_where_an_age_is_asked(self):
        clerk = self.open("clerk")
        for asks, words in ((("age_over_21", "portrait"), "You may sell"), (("drive:B", "portrait"), "Accepted"),
                            (("age_over_18", "drive:B"), "Accepted"), (("age_over_18", "in date"), "You may sell"), ((), "Accepted")):
            with self.subTest(asks=asks):
                self.clear(clerk)
                identity = self.stand_in.arm(asks=asks, validation="confirm")
                self.stand_in.verify(identity, answers=[(ask, "yes") for ask in asks])
                self.expect(clerk, "compare" if "portrait" in asks else "decide")
                self.stand_in.decide(identity, "approved")
                self.expect(clerk, "verified")
                self.assertEqual(self.heading(clerk), words)

    def test_an_end_that_is_neither_yes_nor_no_forbids_the_sale_for_now(self):
        clerk = self.open("clerk")
        open_ends = ("closed-without-deciding", "nobody-decided", "decide-overdue", "cannot-tell", "revocation-unknown", "not-shared", "declined",
                     "cancelled", "no-tap", "no-answer", "link-lost", "no-bluetooth", "no-way", "test-issuer")
        for name in (*open_ends, "yes", "no", "matches-not", "rejected-revoked"):
            with self.subTest(scene=name):
                self.clear(clerk)
                SCENES[name][0](self.stand_in)
                clerk.wait_for_selector(f'body[data-final][data-screen="{SCENES[name][2]}"]')
                self.settle(clerk)
                lines = clerk.locator("[data-instruction]:visible").all_inner_texts()
                self.assertEqual(lines, ["Do not sell yet."] if name in open_ends else ["21 or over"] if name == "yes" else [])
                if name in open_ends:
                    self.assertIn("Do not sell yet.", clerk.text_content("[role=status][data-announcement]"))
        self.clear(clerk)
        self.stand_in.move(self.stand_in.arm(asks=("drive:B",)), "declined", result=unanswered("declined"))
        self.expect(clerk, "declined")
        self.assertEqual(clerk.inner_text("[data-instruction]"), "Do not accept yet.")

    def test_a_no_without_a_sale_says_what_to_do(self):
        clerk = self.open("clerk")
        SCENES["may-not-drive"][0](self.stand_in)
        self.expect(clerk, "answerNo")
        self.assertEqual(plain(clerk.inner_text(".words")).split("\n\n"), ["Not accepted", "Don’t accept", "May drive B: No"])

    def test_another_page_of_the_lane_ends_in_the_same_word(self):
        clerk, other = self.open("clerk"), self.open("clerk")
        self.compared(clerk)
        self.expect(other, "compare")
        clerk.click('[data-action="matchesNot"]')
        for page in (clerk, other):
            page.wait_for_selector('body[data-final][data-screen="otherPerson"]')
            self.assertNotIn("Mustermann", page.content())

    def test_the_last_screen_stands_for_the_lane_s_time_and_a_new_check_ends_it(self):
        self.stand_in.lane["kiosk"].update(resultSeconds=20, heartbeatSeconds=36_000)
        clerk = self.open("clerk", has_clock=True)
        for is_interrupted in (False, True):
            self.compared(clerk)
            clerk.click('[data-action="matches"]')
            self.expect(clerk, "verified")
            self.settle(clerk)
            clerk.clock.fast_forward(17_000)
            self.assertEqual(self.screen(clerk), "verified")
            if is_interrupted:
                self.stand_in.arm()
                self.expect(clerk, "armed")
            clerk.clock.fast_forward(4_000)
            self.assertEqual(self.screen(clerk), "armed" if is_interrupted else "idle")

    def test_a_yes_by_the_checks_alone_ends_as_well(self):
        self.stand_in.lane["kiosk"].update(resultSeconds=20, heartbeatSeconds=36_000)
        clerk = self.open("clerk", has_clock=True)
        self.stand_in.verify(self.stand_in.arm())
        clerk.wait_for_selector('body[data-final][data-screen="verified"]')
        self.assertEqual((self.heading(clerk), clerk.inner_text(".words")), ("You may sell", "You may sell\n\n21 or over"))
        self.settle(clerk)
        clerk.clock.fast_forward(21_000)
        self.assertEqual(self.screen(clerk), "idle")

    def test_every_end_is_alone_and_told(self):
        clerk = self.open("clerk")
        for name in ("matches", "matches-not", "closed-without-deciding", "no", "declined", "cannot-tell"):
            with self.subTest(scene=name):
                self.clear(clerk)
                SCENES[name][0](self.stand_in)
                clerk.wait_for_selector(f'body[data-final][data-screen="{SCENES[name][2]}"]')
                self.settle(clerk)
                self.assertEqual(clerk.locator("h1:visible, h2:visible").count(), 1)
                self.assertEqual(clerk.evaluate("document.activeElement.tagName"), "H1")
                self.assertIn(self.heading(clerk), plain(clerk.text_content("[role=status][data-announcement]")))

    def test_a_wrong_key_begins_a_new_check_that_names_the_first(self):
        clerk = self.open("clerk")
        for action in ("matches", "matchesNot", "skip"):
            with self.subTest(action=action):
                self.clear(clerk)
                first = self.compared(clerk)
                clerk.click(f'[data-action="{action}"]')
                clerk.click('[data-action="wrongKey"]')
                self.expect(clerk, "armed")
                self.settle(clerk)
                self.assertEqual(self.stand_in.presentations[self.stand_in.lane["presentation"]]["repeats"], first)
                self.assertIn("repeats the one before", self.words(clerk))

    def test_a_wrong_key_that_the_daemon_does_not_mend_is_said(self):
        self.expected_complaints = ("409",)
        clerk = self.open("clerk")
        refused = {"askedAgain": "was repeated before", "nothingToAskAgain": "The checks decided this",
                   "retentionRefused": "for one check only", "laneBusy": "Another request",
                   "presetUnknown": "no longer offered", "other": "not carried out"}
        self.compared(clerk)
        clerk.click('[data-action="matches"]')
        for name, words in refused.items():
            with self.subTest(problem=name):
                clerk.route("**/again", lambda route: route.fulfill(status=409, json={"id": name, "status": 409}))
                clerk.click('[data-action="wrongKey"]')
                clerk.wait_for_selector(f'[data-banner]:has-text("{words}")')
                self.assertEqual(self.screen(clerk), "verified")
                clerk.unroute("**/again")

    def test_there_is_no_wrong_key_where_data_is_kept_by_consent(self):
        clerk = self.open("clerk")
        for retention, buttons in (("consented(2)", 0), ("receipt", 1)):
            identity = self.stand_in.arm(**CONFIRM, retention=retention)
            self.stand_in.verify(identity)
            self.expect(clerk, "decide")
            clerk.click('[data-action="matches"]')
            self.expect(clerk, "verified")
            self.assertEqual(clerk.locator('[data-action="wrongKey"]').count(), buttons)


class AnotherAttemptTests(KioskCase):
    FAILED = ("no-tap", "link-lost", "no-bluetooth", "declined", "cancelled", "cannot-tell", "nobody-decided", "test-issuer")

    def test_after_a_failure_the_first_key_repeats_the_order(self):
        clerk = self.open("clerk")
        for name in self.FAILED:
            with self.subTest(scene=name):
                self.clear(clerk)
                SCENES[name][0](self.stand_in)
                self.expect(clerk, SCENES[name][2])
                self.settle(clerk)
                self.assertEqual(clerk.locator(".actions button").all_inner_texts(), ["Try again", "Done"])
                first = self.stand_in.lane["presentation"]
                clerk.click(".actions button:first-child")
                self.expect(clerk, "armed")
                again = self.stand_in.presentations[self.stand_in.lane["presentation"]]
                self.assertEqual((again["repeats"], again["asks"]), (first, self.stand_in.presentations[first]["asks"]))

    def test_what_the_checks_decided_is_not_repeated(self):
        clerk = self.open("clerk")
        for name in ("yes", "no", "rejected-issuer", "rejected-revoked"):
            with self.subTest(scene=name):
                self.clear(clerk)
                SCENES[name][0](self.stand_in)
                self.expect(clerk, SCENES[name][2])
                self.settle(clerk)
                self.assertEqual(clerk.locator(".actions button").all_inner_texts(), ["Done"])


    def test_a_phone_that_cannot_answer_and_a_document_that_did_not_come_are_said(self):
        customer, clerk = self.both()
        for reason, words in {"engagement.no_retrieval": ("cannot answer here", "Ask for another document"),
                              "connection.failed": ("switch Bluetooth on", "without Bluetooth cannot answer"),
                              "reader.unavailable": ("ask the staff", "The reader cannot be used")}.items():
            with self.subTest(reason=reason):
                self.clear(customer, clerk)
                self.stand_in.move(self.stand_in.arm(), "failed", result=unanswered(reason))
                for page, word in zip((customer, clerk), words):
                    page.wait_for_selector(f'[data-text]:has-text("{word}"), h1:has-text("{word}")')
        self.clear(customer, clerk)
        self.stand_in.verify(self.stand_in.arm(), verdict="rejected", reasons=["document.not_returned"], answers=[])
        self.expect(clerk, "rejected")
        self.assertIn("did not send this document", self.words(clerk))

    def test_a_customer_sees_the_question_only_with_its_answer(self):
        customer = self.open("kiosk")
        for name, line in {"yes": "21 or over", "no": "21 or over: No", "may-not-drive": "May drive B: No", "matches-not": "", "other-holder": "",
                           "rejected-issuer": "", "rejected-revoked": ""}.items():
            with self.subTest(scene=name):
                self.clear(customer)
                SCENES[name][0](self.stand_in)
                self.expect(customer, SCENES[name][1])
                self.settle(customer)
                self.assertEqual(plain(customer.text_content("[data-question]")), line)

    def test_a_revoked_document_and_one_that_may_be_revoked_are_told_apart(self):
        for layout in ("clerk", "desk"):
            page = self.open(layout)
            for name, words in {"rejected-revoked": "its issuer has revoked it", "revocation-unknown": "could not be found out"}.items():
                with self.subTest(page=layout, scene=name):
                    self.stand_in.reset()
                    self.settle(page)
                    SCENES[name][0](self.stand_in)
                    page.wait_for_selector(f'[data-text]:has-text("{words}")')

    def test_only_a_no_is_red_and_what_is_not_known_is_kind(self):
        customer = self.open("kiosk")
        for name, (tone, shape) in {"cannot-tell": ("unknown", "unknown"), "not-shared": ("unknown", "unknown"), "no": ("no", "no"),
                                    "link-lost": ("quiet", "failed"), "declined": ("quiet", "hand")}.items():
            with self.subTest(scene=name):
                self.clear(customer)
                SCENES[name][0](self.stand_in)
                self.expect(customer, SCENES[name][1])
                self.assertEqual((customer.get_attribute("body", "data-tone"), customer.get_attribute("[data-picture] svg", "data-shape")), (tone, shape))


class TimeTests(KioskCase):
    def waiting(self, state, seconds, **options):
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 36_000
        pages = self.both(has_clock=True, **options)
        identity = self.stand_in.arm(**PORTRAIT)
        if state == "awaitingDecision":
            self.stand_in.verify(identity, picture=True)
        self.stand_in.move(identity, state, deadline=ago(-seconds))
        for page in pages:
            page.wait_for_selector("[data-time]:not([hidden])")
            self.settle(page)
        return identity, pages

    def time(self, page):
        return plain(page.inner_text("[data-time]"))

    def test_both_pages_show_the_time_that_is_left(self):
        for state in ("awaitingConsent", "awaitingDecision"):
            with self.subTest(state=state):
                self.start_over()
                identity, pages = self.waiting(state, 150)
                for page in pages:
                    self.assertRegex(self.time(page), "^About [23] minutes left$")
                    page.clock.fast_forward(110_000)
                    self.assertRegex(self.time(page), "^[0-9]+ seconds left$")
                    whole, left = page.evaluate("""() => { const bar = document.querySelector("[data-time] .bar");
                        return [bar.clientWidth, bar.firstChild.getBoundingClientRect().width]; }""")
                    self.assertTrue(0 < left < 0.5 * whole, (whole, left))
                    page.clock.fast_forward(60_000)
                    self.assertEqual(self.time(page), "The time is over")
                self.stand_in.move(identity, "receiving")
                for page in pages:
                    page.wait_for_selector("[data-time][hidden]", state="attached")

    def test_the_daemon_s_clock_counts_and_not_the_page_s(self):
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 36_000
        page = self.open("clerk", script="Date.now = () => 0;")
        self.stand_in.move(self.stand_in.arm(), "awaitingConsent", deadline=ago(-50))
        page.wait_for_selector("[data-time]:not([hidden])")
        self.assertRegex(self.time(page), "^[45][0-9] seconds left$")

    def test_no_screen_reader_is_told_of_each_second(self):
        _, pages = self.waiting("awaitingConsent", 50)
        for page in pages:
            self.assertEqual(page.get_attribute("[data-time]", "role"), "timer")
            self.assertIsNone(page.get_attribute("[data-time]", "aria-live"))
            self.assertFalse(page.evaluate("document.querySelector('[data-time]').closest('[role=status], [aria-live]') !== null"))
            self.assertNotRegex(page.text_content("[data-announcement]"), re.compile("seconds"))

    def test_no_time_is_shown_where_nobody_is_waited_for(self):
        pages = self.both()
        identity = self.stand_in.arm()
        for state in ("engaged", "receiving"):
            self.stand_in.move(identity, state)
            for page in pages:
                self.settle(page)
                self.assertFalse(page.locator("[data-time]").is_visible())
