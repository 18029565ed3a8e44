"""The clerk's page without a till: buttons that start what the configuration has."""

from browser import KioskCase

PRESETS = ["Age 18", "Age 21", "Rental"]
STANDING = {"intent": "age over 21", "retention": "receipt", "isPaused": False, "reason": None}


class PresetTests(KioskCase):
    def started(self):
        return [body["preset"] for method, path, body, _ in self.stand_in.asked
                if (method, path) == ("POST", "/v1/lanes/counter-1/presentations")]

    def buttons(self, page):
        return page.locator("[data-presets]:not([hidden]) button").all_inner_texts()

    def test_a_button_starts_its_preset_once(self):
        self.stand_in.set_lane(presets=PRESETS)
        page = self.open("clerk")
        page.wait_for_selector("[data-preset]")
        self.assertEqual(self.buttons(page), PRESETS)
        self.assertEqual(page.inner_text("[data-text]"), "Press a button to ask the customer.")
        self.assert_accessible(page)
        self.shot(page, "presets-clerk")
        page.click('[data-preset="Age 21"]')
        self.expect(page, "armed")
        self.assertEqual(self.started(), ["Age 21"])
        self.assertEqual(self.buttons(page), [])
        self.assertEqual(page.locator('[data-action="cancel"]').count(), 1)

    def test_a_preset_is_started_by_keys_alone(self):
        self.stand_in.set_lane(presets=PRESETS)
        page = self.open("clerk")
        page.wait_for_selector("[data-preset]")
        page.focus('[data-preset="Rental"]')
        page.keyboard.press("Enter")
        self.expect(page, "armed")
        self.assertEqual(self.started(), ["Rental"])

    def test_a_preset_is_started_by_touch(self):
        self.stand_in.set_lane(presets=PRESETS)
        page = self.open("clerk", has_touch=True)
        page.tap('[data-preset="Age 18"]')
        self.expect(page, "armed")
        self.assertEqual(self.started(), ["Age 18"])

    def test_presets_without_a_name_are_named_by_what_they_ask_in_the_page_s_language(self):
        buttons = [{"preset": "age-18", "names": None, "asks": ["age_over_18", "portrait"]}, {"preset": "both", "names": None, "asks": ["age_over_21", "drive:B"]},
                   {"preset": "rental", "names": None, "asks": ["family_name", "given_name"]}, {"preset": "own", "names": {"en": "Beer", "de": "Bier"}, "asks": []},
                   {"preset": "plain", "names": {}, "asks": []}, {"preset": "age_over_18+portrait", "names": {}, "asks": ["age_over_18", "portrait"]},
                   {"preset": "age_over_21", "names": {"en": "Spirits"}, "asks": ["age_over_21"]},
                   {"preset": "age_over_16", "names": {"en": "Cider"}, "asks": ["age_over_16", "portrait"]}]
        context = self.context()
        context.route("**/v1/lanes/counter-1", lambda route: route.fulfill(json={**route.fetch().json(), "buttons": buttons}))
        page = self.open("clerk", context=context)
        page.wait_for_selector("[data-preset]")
        self.assertEqual(self.buttons(page), ["Age 18", "Age 21 · Driving B", "Data", "Beer", "plain", "Age 18", "Spirits", "Cider"])
        page.select_option("[data-languages]", "de")
        self.assertEqual(self.buttons(page), ["Ab 18", "Ab 21 · Führerschein B", "Daten", "Bier", "plain", "Ab 18", "Ab 21", "Cider"])

    def test_presets_are_the_page_while_nothing_is_asked(self):
        self.stand_in.set_lane(presets=PRESETS)
        page = self.open("clerk")
        page.wait_for_selector("[data-preset]")
        boxes = [tile.bounding_box() for tile in page.locator("[data-preset]").all()]
        self.assertGreater(sum(box["width"] * box["height"] for box in boxes), 0.5 * 1280 * 800)

    def test_the_tiles_fit_the_screen(self):
        page = self.open("clerk")
        for count in (1, 2, 3, 4, 6):
            self.stand_in.set_lane(presets=["Age 18", "Age 21", "Rental", "Beer and wine", "Tobacco", "Key"][:count])
            page.wait_for_selector(f"[data-presets]:not([hidden]) > :nth-child({count}):last-child")
            for width, height in ((1280, 800), (1024, 768)):
                with self.subTest(count=count, width=width):
                    page.set_viewport_size({"width": width, "height": height})
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def test_without_presets_there_is_no_button(self):
        page = self.open("clerk")
        self.expect(page, "idle")
        self.assertEqual(self.buttons(page), [])

    def test_a_lane_that_asks_by_itself_offers_its_presets_and_nothing_to_cancel(self):
        self.stand_in.set_lane(presets=PRESETS, standing=STANDING)
        identity = self.stand_in.arm(isStanding=True)
        page = self.open("clerk")
        self.expect(page, "armed")
        page.wait_for_selector("[data-preset]")
        self.assertEqual(page.locator('[data-action="cancel"]').count(), 0)
        self.stand_in.move(identity, "awaitingConsent")
        page.wait_for_selector('[data-action="cancel"]')
        self.assertEqual(self.buttons(page), [])

    def test_an_order_of_a_till_at_such_a_lane_can_be_cancelled(self):
        self.stand_in.set_lane(presets=PRESETS, standing=STANDING)
        self.stand_in.arm()
        page = self.open("clerk")
        self.expect(page, "armed")
        page.wait_for_selector('[data-action="cancel"]')
        self.assertEqual(self.buttons(page), [])

    def test_a_lane_that_is_paused_says_so_on_both_pages(self):
        self.stand_in.set_lane(standing={**STANDING, "isPaused": True, "reason": {"id": "recordsUnavailable", "text": "t"}})
        kiosk, clerk = self.both()
        self.expect(kiosk, "unavailable")
        self.expect(clerk, "paused")
        self.assertEqual(self.heading(clerk), "No phone can be asked now")
        self.assertIn("recordsUnavailable", self.words(clerk))
        self.assert_accessible(clerk)
        self.stand_in.set_lane(standing=STANDING)
        self.expect(clerk, "idle")
