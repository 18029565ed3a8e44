"""What goes wrong, and what the pages then say and do."""

from browser import KioskCase
from scenes import PORTRAIT
from stand_in import ago


# Whatever arrives on a stream is a sign of life. When it ends, and when the next is asked for, is noted in the page's time.
COUNTING_SIGNS = """const read = ReadableStreamDefaultReader.prototype.read;
Object.assign(window, {signs: 0, lost: null, asked: null});
ReadableStreamDefaultReader.prototype.read = async function () {
    try {
        const piece = await read.call(this);
        if (piece.done) window.lost ??= Date.now();
        else window.signs += 1;
        return piece;
    } catch (error) {
        window.lost ??= Date.now();
        throw error;
    }
};
const ask = window.fetch;
window.fetch = (address, ...rest) => {
    if (String(address).includes("/events")) window.asked = Date.now();
    return ask(address, ...rest);
};"""


class FaultTests(KioskCase):
    def setUp(self):
        super().setUp()
        self.expected_complaints = ("ERR_CONNECTION", "ERR_EMPTY", "ERR_INCOMPLETE", "ERR_FAILED", "401", "403", "404", "503")

    def tearDown(self):
        super().tearDown()
        self.stand_in.stop()
        self.stand_in.start()

    def test_a_daemon_that_goes_is_said_wipes_the_picture_and_comes_back(self):
        customer, clerk = self.both(has_clock=True)
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        clerk.wait_for_selector('[data-state="shown"] img')
        self.stand_in.stop()
        self.expect_in_time(clerk, "daemonGone")
        self.expect_in_time(customer, "unavailable")
        self.assertEqual(clerk.locator("img:not(.logo)").count(), 0)
        self.assertNotIn("Mustermann", clerk.content())
        self.shot(clerk, "fault-daemon-gone-clerk")
        self.shot(customer, "fault-daemon-gone-customer")
        self.assert_accessible(clerk)
        self.stand_in.presentations.clear()
        self.stand_in.lane["presentation"] = None
        self.assertTrue(clerk.is_visible('[data-action="retry"]'))
        self.stand_in.start()
        # The page may have found the daemon by itself meanwhile.
        clerk.evaluate("""document.querySelector('[data-action="retry"]')?.click()""")
        self.expect(clerk, "idle")
        self.expect_in_time(customer, "idle")

    def lose(self, *pages):
        """Until the pages say that the daemon is gone."""
        self.stand_in.failing = {"GET .*/events": 503}
        for page in pages:
            # From here on events are resumed.
            self.settle(page)
        self.stand_in.drop()
        for page in pages:
            self.until(page, lambda: self.screen(page) in ("daemonGone", "unavailable"), "the loss was not said", step=0.5)

    def find_again(self, *pages):
        self.stand_in.failing = {}
        for page in pages:
            self.remember(page)
            self.until(page, lambda: self.screen(page) not in ("daemonGone", "unavailable", "connecting"), "the daemon did not come back", step=0.5)
            self.settle(page)

    def test_a_sale_of_an_outage_is_shown_only_while_it_is_news(self):
        for age, screens in ((60, ("idle", "idle")), (3, ("yes", "verified"))):
            with self.subTest(age=age):
                self.start_over()
                pages = self.both(has_clock=True)
                self.lose(*pages)
                identity = self.stand_in.arm()
                self.stand_in.move(identity, "engaged")
                self.stand_in.verify(identity)
                self.stand_in.presentations[identity]["ended"] = ago(age)
                self.find_again(*pages)
                for page, screen in zip(pages, screens):
                    self.assertEqual(self.screen(page), screen)
                    if age == 60:
                        self.assertFalse({"yes", "verified"} & set(page.evaluate("screens")))

    def test_a_result_that_an_outage_took_away_does_not_come_back_later(self):
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        self.stand_in.presentations[identity]["ended"] = ago(60)
        self.stand_in.failing = {"GET /v1/presentations/": 503}
        customer = self.open("kiosk", has_clock=True)
        # A daemon begins a stream with what stands.
        self.stand_in.emit("awaitingDecision", presentation=identity, state="awaitingDecision", at=ago(60))
        self.settle(customer)
        self.stand_in.failing = {}
        self.expect_in_time(customer, "compare")
        self.stand_in.decide(identity, "approved")
        self.expect(customer, "yes")
        self.lose(customer)
        self.find_again(customer)
        self.assertEqual(self.screen(customer), "idle")

    def test_a_decision_that_took_long_is_news_to_a_page_that_saw_it_awaited(self):
        customer = self.open("kiosk")
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        # What ends is the phone's part.
        self.stand_in.presentations[identity]["ended"] = ago(60)
        self.expect(customer, "compare")
        self.stand_in.decide(identity, "approved")
        self.expect(customer, "yes")

    def test_an_end_of_an_earlier_presentation_leaves_the_running_one_alone(self):
        pages = self.both()
        earlier = self.stand_in.arm()
        for page in pages:
            self.expect(page, "armed")
        self.stand_in.begin_cancelling(earlier)
        identity = self.stand_in.arm(**PORTRAIT)
        for page in pages:
            self.settle(page)
            self.remember(page)
        self.stand_in.move(earlier, "cancelled")
        for page in pages:
            self.settle(page)
            self.assertEqual({self.screen(page), *page.evaluate("screens")}, {"armed"})
        self.stand_in.verify(identity, picture=True)
        for page in pages:
            self.expect(page, "compare")
            self.settle(page)
            self.remember(page)
        self.stand_in.emit("wiped", presentation="older", state="verified", hint="wiped", outcome="allow")
        for page in pages:
            self.settle(page)
            self.assertEqual({self.screen(page), *page.evaluate("screens")}, {"compare"})

    def test_the_lane_s_presentation_is_shown_whatever_an_event_names(self):
        pages = self.both()
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        for page in pages:
            self.expect(page, "compare")
            self.settle(page)
            self.remember(page)
        self.stand_in.emit("armed", presentation="older", state="armed")
        for page in pages:
            self.settle(page)
            self.assertEqual(self.screen(page), "compare")
            self.assertNotIn("idle", page.evaluate("screens"))

    def test_what_is_being_cancelled_has_no_answer_yet(self):
        pages = self.both()
        identity = self.stand_in.arm()
        self.stand_in.move(identity, "engaged")
        for page in pages:
            self.expect(page, "look")
            self.settle(page)
            self.remember(page)
        self.stand_in.begin_cancelling(identity)
        for page in pages:
            self.settle(page)
            self.assertEqual(self.screen(page), "receiving")
        self.stand_in.move(identity, "cancelled")
        for page in pages:
            self.expect(page, "cancelled")
            self.assertFalse({"notConfirmed", "notAccepted", "cannotTell"} & set(page.evaluate("screens")))

    def test_a_lane_that_a_reload_removes_is_named_and_comes_back(self):
        customer, clerk = self.both()
        self.stand_in.failing = {"GET /v1/lanes/counter-1$": 404}
        self.stand_in.emit("laneChanged")
        self.expect(clerk, "noLane")
        self.expect(customer, "unavailable")
        self.stand_in.failing = {}
        self.stand_in.emit("laneChanged")
        self.expect(clerk, "idle")
        self.expect(customer, "idle")

    def test_heartbeats_alone_renew_the_budget_of_attempts(self):
        page = self.open("kiosk", has_clock=True, script=COUNTING_SIGNS)
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
        for count in range(10):
            self.until(page, lambda: page.evaluate("signs > 0"), "nothing came")
            page.evaluate("[signs, lost, asked] = [0, null, null]")
            self.stand_in.drop()
            self.until(page, lambda: page.evaluate("lost !== null"), "the end was not noticed")
            self.until(page, lambda: page.evaluate("asked !== null"), "no attempt was made", step=0.05)
            self.assertLess(page.evaluate("asked - lost"), 1_000, count)

    def test_a_daemon_that_reloads_is_not_even_noticed(self):
        page = self.open("kiosk", has_clock=True)
        identity = self.stand_in.arm()
        self.stand_in.move(identity, "awaitingConsent")
        self.expect(page, "look")
        self.remember(page)
        self.stand_in.drop()
        self.wait_asked(page, "GET", "/events", count=2)
        self.stand_in.move(identity, "receiving")
        self.expect(page, "receiving")
        # Beyond the time after which the loss would be said.
        page.clock.run_for(10_000)
        self.settle(page)
        self.assertEqual([screen for screen in page.evaluate("screens") if screen not in ("look", "receiving")], [])

    def test_events_missed_are_fetched_by_the_last_id(self):
        page = self.open("kiosk")
        identity = self.stand_in.arm()
        self.expect(page, "armed")
        number = len(self.stand_in.log)
        self.stand_in.failing = {"GET .*/events": 503}
        self.stand_in.drop()
        self.wait_asked(page, "GET", "/events", count=2)
        self.stand_in.move(identity, "awaitingConsent")
        self.stand_in.failing = {}
        self.expect(page, "look")
        resumed = [headers.get("Last-Event-ID") for _, _, _, headers in self.asked("GET", "/events")]
        self.assertIn(str(number), resumed)

    def test_attempts_have_a_budget(self):
        page = self.open("kiosk", has_clock=True)
        self.stand_in.failing = {"GET .*/events": 503}
        self.stand_in.asked.clear()
        self.stand_in.drop()
        begun = page.evaluate("Date.now()")
        self.until(page, lambda: len(self.asked("GET", "/events")) == 8, "eight attempts were not made", step=0.5)
        # A quarter more or less of the 31 s that their pauses take.
        self.assertGreater(page.evaluate("Date.now()") - begun, 23_000)
        for _ in range(60):
            page.clock.run_for(1_000)
        # A quarter more or less than two a minute. A busy machine may answer the eighth attempt during this minute.
        self.assertLessEqual(len(self.asked("GET", "/events")), 10)
        self.until(page, lambda: len(self.asked("GET", "/events")) >= 9, "no further attempt is made", step=0.5)

    def test_silence_beyond_the_heartbeat_is_said(self):
        clerk = self.open("clerk", has_clock=True, script=COUNTING_SIGNS)
        clerk.clock.pause_at(clerk.evaluate("Date.now() / 1000") + 1)
        # A second heartbeat shortens the silence that the first one allows.
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 1
        self.settle(clerk)
        for _ in range(5):
            clerk.evaluate("window.signs = 0")
            self.until(clerk, lambda: clerk.evaluate("signs") > 0, "no heartbeat came")
            # Less than two and a half heartbeats, which would end the stream.
            clerk.clock.run_for(2_250)
        self.assertEqual(len(self.asked("GET", "/events")), 1)
        self.assertEqual(self.screen(clerk), "idle")
        self.stand_in.beats = False
        self.stand_in.failing = {"GET .*/events": 503}
        self.expect_in_time(clerk, "daemonGone")
        # What it asks for is on its way while its own time goes on.
        self.wait_asked(clerk, "GET", "/events", 2)

    def test_a_capability_that_is_refused_is_not_tried_again(self):
        customer, clerk = self.both(code="bad", has_clock=True)
        self.expect(clerk, "refused")
        self.expect(customer, "refused")
        self.shot(clerk, "fault-refused-clerk")
        for page in (customer, clerk):
            page.clock.run_for(600_000)
            # What it would have asked for goes first.
            page.evaluate("fetch('/kiosk/icon.svg').then((answer) => answer.text())")
        self.assertEqual(len(self.asked("GET", "/events")), 2)
        self.assertEqual(len(self.asked("POST", "/v1/page-sessions")), 2)

    def test_a_page_that_opens_at_a_bad_moment_opens_later(self):
        for failing in ("GET /kiosk/strings.json", "POST /v1/page-sessions"):
            for layout in ("kiosk", "clerk"):
                with self.subTest(failing=failing, layout=layout):
                    self.start_over()
                    self.stand_in.failing = {failing: 503}
                    page = self.context().new_page()
                    self.watch(page)
                    path = failing.split()[1]
                    answers = []
                    page.on("response", lambda answer: path in answer.url and answers.append(answer.status))
                    page.goto(f"{self.stand_in.url}/{layout}?lane=counter-1#code={self.stand_in.code}")
                    self.until(page, lambda: len(answers) >= 3, "it was not asked for again")
                    self.assertIn(self.screen(page), (None, "connecting"))
                    self.stand_in.failing = {}
                    self.expect(page, "idle")
                    self.assertEqual((answers[0], answers[-1]), (503, 200))

    def test_without_a_code_and_a_cookie_a_page_asks_once(self):
        page = self.context().new_page()
        page.goto(f"{self.stand_in.url}/clerk?lane=counter-1")
        self.expect(page, "refused")
        self.assertEqual([entry[1] for entry in self.asked("GET", "/v1/")], ["/v1/lanes/counter-1/events"])
        self.assertEqual(self.asked("POST", "/v1/"), [])

    def test_a_lane_that_is_none_is_named(self):
        page = self.context().new_page()
        page.goto(f"{self.stand_in.url}/clerk?lane=other#code={self.stand_in.code}")
        self.expect(page, "noLane")

    def test_a_reader_that_goes_and_comes(self):
        customer, clerk = self.both()
        self.stand_in.set_lane(state="readerMissing")
        self.expect(clerk, "readerMissing")
        self.expect(customer, "unavailable")
        self.assertIn("Plug its USB cable in again", self.words(clerk))
        self.stand_in.set_lane(state="ready")
        self.expect(clerk, "idle")
        self.expect(customer, "idle")

    def test_a_result_stands_while_the_reader_goes(self):
        clerk = self.open("clerk")
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        clerk.wait_for_selector('[data-state="shown"] img')
        self.stand_in.set_lane(state="readerMissing")
        self.settle(clerk)
        self.assertEqual(self.screen(clerk), "compare")

    def test_bluetooth_and_a_busy_lane_are_said_beside_the_rest(self):
        clerk = self.open("clerk")
        self.stand_in.set_lane(bluetooth="off")
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("Bluetooth is off", self.words(clerk))
        self.stand_in.set_lane(bluetooth="ready")
        clerk.wait_for_selector("[data-banner][hidden]", state="attached")
        self.stand_in.arm()
        self.stand_in.emit("orderRefused")
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("Another request", self.words(clerk))
        self.expect(clerk, "armed")
