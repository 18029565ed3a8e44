"""What goes wrong, and what the pages then say and do."""

from browser import KioskCase
from scenes import PORTRAIT


class FaultTests(KioskCase):
    def setUp(self):
        super().setUp()
        self.expected_complaints = ("ERR_CONNECTION", "ERR_EMPTY", "ERR_INCOMPLETE", "ERR_FAILED", "401", "404", "503")

    def tearDown(self):
        super().tearDown()
        self.stand_in.stop()
        self.stand_in.start()

    def test_a_daemon_that_goes_is_said_wipes_the_picture_and_comes_back(self):
        customer, clerk = self.both()
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        clerk.wait_for_selector('[data-state="shown"] img')
        self.stand_in.stop()
        self.expect(clerk, "daemonGone")
        self.expect(customer, "unavailable")
        self.assertEqual(clerk.locator("img:not(.logo)").count(), 0)
        self.assertNotIn("Mustermann", clerk.content())
        self.shot(clerk, "fault-daemon-gone-clerk")
        self.shot(customer, "fault-daemon-gone-customer")
        self.assert_accessible(clerk)
        self.stand_in.presentations.clear()
        self.stand_in.lane["presentation"] = None
        self.stand_in.start()
        clerk.click('[data-action="retry"]')
        self.expect(clerk, "idle")
        self.expect(customer, "idle")

    def test_a_daemon_that_reloads_is_not_even_noticed(self):
        page = self.open("kiosk")
        identity = self.stand_in.arm()
        self.stand_in.move(identity, "awaitingConsent")
        self.expect(page, "look")
        page.evaluate("""() => { window.screens = []; new MutationObserver(() => screens.push(
            document.body.dataset.screen)).observe(document.body, { attributeFilter: ['data-screen'] }); }""")
        self.stand_in.drop()
        page.wait_for_timeout(1_200)
        self.stand_in.move(identity, "receiving")
        self.expect(page, "receiving")
        self.assertEqual([screen for screen in page.evaluate("screens") if screen not in ("look", "receiving")], [])

    def test_events_missed_are_fetched_by_the_last_id(self):
        page = self.open("kiosk")
        identity = self.stand_in.arm()
        self.expect(page, "armed")
        number = len(self.stand_in.log)
        self.stand_in.failing = {"GET .*/events": 503}
        self.stand_in.drop()
        page.wait_for_timeout(300)
        self.stand_in.move(identity, "awaitingConsent")
        self.stand_in.failing = {}
        self.expect(page, "look")
        resumed = [headers.get("Last-Event-ID") for _, _, _, headers in self.asked("GET", "/events")]
        self.assertIn(str(number), resumed)

    def test_attempts_have_a_budget(self):
        page = self.open("kiosk")
        self.stand_in.failing = {"GET .*/events": 503}
        self.stand_in.asked.clear()
        self.stand_in.drop()
        page.wait_for_timeout(5_000)
        self.assertLessEqual(len(self.asked("GET", "/events")), 7)

    def test_silence_beyond_the_heartbeat_is_said(self):
        self.stand_in.lane["kiosk"]["heartbeatSeconds"] = 1
        clerk = self.open("clerk")
        clerk.wait_for_timeout(3_500)
        self.expect(clerk, "idle")
        self.stand_in.beats = False
        self.stand_in.failing = {"GET .*/events": 503}
        self.expect(clerk, "daemonGone")

    def test_a_capability_that_is_refused_is_not_tried_again(self):
        customer, clerk = self.both(token="wrong")
        self.expect(clerk, "refused")
        self.expect(customer, "unavailable")
        self.shot(clerk, "fault-refused-clerk")
        clerk.wait_for_timeout(2_500)
        self.assertEqual(len(self.asked("GET", "/events")), 2)

    def test_without_a_capability_nothing_is_asked(self):
        page = self.context().new_page()
        page.goto(f"{self.stand_in.url}/clerk?lane=counter-1")
        self.expect(page, "refused")
        self.assertEqual(self.asked("GET", "/v1/"), [])

    def test_a_lane_that_is_none_is_named(self):
        page = self.context().new_page()
        page.goto(f"{self.stand_in.url}/clerk?lane=other#token={self.stand_in.token}")
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
        clerk.wait_for_timeout(500)
        self.expect(clerk, "compare")

    def test_bluetooth_and_a_busy_lane_are_said_beside_the_rest(self):
        clerk = self.open("clerk")
        self.stand_in.set_lane(bluetooth="off")
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("Bluetooth is off", self.words(clerk))
        self.stand_in.set_lane(bluetooth="ready")
        clerk.wait_for_selector("[data-banner][hidden]", state="attached")
        self.stand_in.arm()
        self.stand_in.emit("lane", state="ready", notice="laneBusy")
        clerk.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("Another request", self.words(clerk))
        self.expect(clerk, "armed")
