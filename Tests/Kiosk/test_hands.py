"""Without a mouse, without a screen, without sound, and with a scanner that types."""

from browser import KioskCase, plain
from scenes import PORTRAIT

QR = "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVggWojRgrzl9C76WZ-Q5TvOa8lnsc3zHMyOl4Tz_abcDEF0123456789"
# What the test itself runs in a page counts as a touch to Chromium, so that its rule has to be kept here.
TOUCH_FIRST = """for (const type of ["pointerdown", "keydown"]) {
    addEventListener(type, (event) => { window.isTouched ||= event.isTrusted; }, { capture: true }); }
window.AudioContext = class extends AudioContext {
    constructor() { super(); if (!window.isTouched) { super.suspend(); } }
    resume() { return window.isTouched ? super.resume() : new Promise(() => {}); } };"""
COUNTING = TOUCH_FIRST + """window.notes = []; window.OscillatorNode = class extends OscillatorNode {
    constructor(context, options) { super(context, options); notes.push(options.frequency); } };"""


class KeyboardTests(KioskCase):
    def walk(self, page, most=20):
        """The words of each control that Tab reaches, with whether the focus can be seen."""
        reached = []
        for _ in range(most):
            page.keyboard.press("Tab")
            words, visible = page.evaluate("""() => { const e = document.activeElement, s = getComputedStyle(e);
                return [e === document.body ? '' : e.innerText || e.tagName,
                        s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2] }""")
            if words == "":
                break
            self.assertTrue(visible, words)
            reached.append(plain(words))
        return reached

    def test_every_control_of_the_customer_is_reached_in_order(self):
        page = self.open("kiosk")
        self.stand_in.arm()
        self.expect(page, "armed")
        # The first key is a touch, after which the page may sound.
        reached = [words.replace("is off", "is on") for words in self.walk(page)]
        self.assertEqual(reached, ["Your data", "Sound is on", "English", "Deutsch", "Español", "Français", "Italiano",
                                   "Português", "العربية", "中文"])

    def test_the_notice_opens_and_closes_and_gives_the_focus_back(self):
        self.stand_in.lane["kiosk"]["notice"] = {
            "controller": "Corner Wines Ltd, 4 High Street", "purpose": "To sell alcohol to adults only",
            "kept": "A receipt without your name, for one year", "contact": "privacy@corner.example"}
        page = self.open("kiosk")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        self.assertTrue(page.locator("dialog").is_visible())
        for words in ("Who asks", "Corner Wines Ltd", "To sell alcohol", "for one year", "privacy@corner.example"):
            self.assertIn(words, plain(page.inner_text("dialog")))
        self.assert_accessible(page)
        self.shot(page, "notice-customer")
        page.keyboard.press("Escape")
        self.assertFalse(page.locator("dialog").is_visible())
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Your data")

    def test_a_comparison_is_decided_by_keys_alone(self):
        page = self.open("clerk", has_clock=True)
        identity = self.stand_in.arm(**PORTRAIT)
        self.stand_in.verify(identity, picture=True)
        page.wait_for_selector('[data-state="shown"] img')
        self.assertEqual(page.evaluate("document.activeElement.tagName"), "H1", "the question has the focus, no answer")
        page.keyboard.press("Enter")
        self.assertEqual(self.asked("POST", "decision"), [])
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
        for action in ("matches", "matchesNot"):
            # Between two keys of a person who is quick.
            page.clock.run_for(80)
            page.keyboard.press("Tab")
            self.assertEqual(page.evaluate("document.activeElement.dataset.action"), action)
        page.clock.run_for(80)
        page.keyboard.press("Space")
        self.assertEqual(self.wait_asked(page, "POST", "decision")[0][2], {"decision": "rejected"})

    def test_a_match_is_confirmed_by_a_key_only_after_a_second_on_it(self):
        for key in ("Enter", "Space"):
            with self.subTest(key=key):
                self.start_over()
                page = self.open("clerk", has_clock=True)
                self.stand_in.verify(self.stand_in.arm(**PORTRAIT), picture=True)
                page.wait_for_selector('[data-state="shown"] img')
                self.settle(page)
                page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
                page.keyboard.press("Tab")
                for pause in (600, 900):
                    page.clock.run_for(pause)
                    page.keyboard.press(key)
                    self.settle(page)
                    self.assertEqual(self.asked("POST", "decision"), [])
                page.clock.run_for(1_000)
                page.keyboard.press(key)
                self.assertEqual(self.wait_asked(page, "POST", "decision")[0][2], {"decision": "approved"})
                self.expect(page, "verified")

    def test_each_new_screen_is_announced_once(self):
        page = self.open("kiosk")
        page.evaluate("""() => { window.told = []; new MutationObserver(() => told.push(
            document.querySelector('[data-announcement]').textContent.split('\\n')[0])).observe(
            document.querySelector('[data-announcement]'), { childList: true, characterData: true, subtree: true }); }""")
        identity = self.stand_in.arm(asks=["age_over_21"])
        self.expect(page, "armed")
        self.stand_in.move(identity, "engaged")
        self.expect(page, "look")
        self.stand_in.move(identity, "awaitingConsent")
        self.settle(page)
        self.stand_in.verify(identity)
        self.expect(page, "yes")
        self.settle(page)
        told = page.evaluate("told.filter((words, index) => words !== told[index - 1])")
        self.assertEqual(told, ["Open your ID, then hold your phone here", "Look at your phone", "Confirmed"])
        self.assertEqual(page.get_attribute("[data-announcement]", "aria-live"), "polite")
        self.assertIn("Confirmed", plain(page.title()))


class SoundTests(KioskCase):
    def through(self, page, **changes):
        identity = self.stand_in.arm()
        self.expect(page, "armed")
        self.stand_in.move(identity, "engaged")
        self.expect(page, "look")
        self.stand_in.verify(identity, **changes)
        self.expect(page, "notConfirmed" if changes else "yes")
        return page.evaluate("notes.splice(0)")

    def test_the_tones_tell_engaged_yes_and_no_apart_and_can_be_switched_off(self):
        page = self.open("kiosk", script=COUNTING)
        page.wait_for_selector('[data-sound][aria-pressed="false"]')
        self.assertEqual(self.through(page), [], "before the first touch a browser lets nothing sound")
        page.mouse.click(640, 600)
        page.wait_for_selector('[data-sound][aria-pressed="true"]')
        yes = self.through(page)
        no = self.through(page, answers=[("age_over_21", "no")])
        self.assertEqual(len(yes), 5)
        self.assertEqual(yes[:2], no[:2])
        self.assertNotEqual(yes[2:], no[2:])
        self.assertGreater(yes[-1], yes[2], "yes rises")
        self.assertLess(no[-1], no[2], "no falls")
        page.click("[data-sound]")
        page.wait_for_selector('[data-sound][aria-pressed="false"]')
        self.assertEqual(self.through(page), [])
        page.click("[data-sound]")
        page.wait_for_selector('[data-sound][aria-pressed="true"]')

    def test_the_tone_of_an_engagement_sounds_once_whatever_is_said_next(self):
        page = self.open("kiosk", script=COUNTING)
        page.click("[data-sound]")
        page.wait_for_selector('[data-sound][aria-pressed="true"]')
        for hints, screens in [(["hold"], ["keep"]), (["mayLift", "connecting", "checkBluetooth"], ["mayLift", "connectingPhone", "checkBluetooth"])]:
            with self.subTest(hints=hints):
                identity = self.stand_in.arm()
                self.expect(page, "armed")
                self.stand_in.move(identity, "engaged")
                self.expect(page, "look")
                self.assertEqual(len(page.evaluate("notes")), 2)
                for hint, screen in zip(hints, screens):
                    self.stand_in.move(identity, "engaged", hint=hint)
                    self.expect(page, screen)
                self.stand_in.move(identity, "awaitingConsent", hint="hold" if hints == ["hold"] else None)
                self.expect(page, "keep" if hints == ["hold"] else "look")
                self.assertEqual(len(page.evaluate("notes.splice(0)")), 2)
                # A second tap has its own tone.
                self.stand_in.move(identity, "armed", hint="tapAgain")
                self.expect(page, "tapAgain")
                self.stand_in.move(identity, "engaged")
                self.expect(page, "look")
                self.assertEqual(len(page.evaluate("notes.splice(0)")), 2)
                # What it still reads of this presentation is not there once the next is armed.
                self.settle(page)

    def test_the_switch_itself_is_the_first_touch(self):
        page = self.open("kiosk", script=COUNTING)
        page.click("[data-sound]")
        page.wait_for_selector('[data-sound][aria-pressed="true"]')


class ScannerTests(KioskCase):
    def stop_clock(self, page):
        """What is typed comes in no time, as from a scanner, however busy the machine is."""
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)

    def engaged(self, page):
        return [body["uri"] for _, _, body, _ in self.wait_asked(page, "POST", "/engagement")]

    def test_a_code_that_is_typed_fast_is_posted_and_presses_nothing(self):
        page = self.open("clerk", has_clock=True)
        self.stand_in.arm()
        self.expect(page, "armed")
        self.stop_clock(page)
        page.focus('[data-action="cancel"]')
        page.keyboard.type(QR, delay=1)
        page.keyboard.press("Enter")
        self.assertEqual(self.engaged(page), [QR])
        self.expect(page, "look")
        self.assertEqual(self.asked("DELETE", "/v1/"), [])

    def test_no_code_presses_a_button(self):
        # Each with the time between two of its keys.
        codes = [("\t\r", 1), ("\t ", 1), ("\t\t\r", 30), ("\t\r", 300), ("mdoc:" + "a" * 40 + "\t\t\r", 1), ("mdoc:" + "a" * 40 + "\t\t\r", 100),
                 ("mdoc:" + "a" * 40 + "\t" * 6 + "\r", 100), ("https://example.org/\t\t\r", 20), ("\t" + "x" * 60 + "\r", 100)]
        page = self.open("clerk", has_clock=True)
        self.stand_in.verify(self.stand_in.arm(**PORTRAIT), picture=True)
        page.wait_for_selector('[data-state="shown"] img')
        self.settle(page)
        self.stop_clock(page)
        for code, pause in codes:
            with self.subTest(code=code, pause=pause):
                page.clock.run_for(2_000)
                page.focus("h1")
                for letter in code:
                    page.keyboard.press({"\t": "Tab", "\r": "Enter"}.get(letter, letter))
                    page.clock.run_for(pause)
                self.settle(page)
                self.assertEqual(self.asked("POST", "decision"), [])
                self.assertEqual(self.screen(page), "compare")

    def test_the_customer_s_page_takes_no_code(self):
        page = self.open("kiosk")
        self.stand_in.arm()
        self.expect(page, "armed")
        page.keyboard.type(QR, delay=1)
        page.keyboard.press("Enter")
        self.settle(page)
        self.assertEqual(self.asked("POST", "/engagement"), [])

    def test_a_scanner_set_to_a_us_keyboard_is_read_on_a_german_one(self):
        page = self.open("clerk")
        self.stand_in.arm()
        self.expect(page, "armed")
        page.evaluate("""text => { const shifted = { ':': 'Semicolon', '_': 'Minus' };
            const german = { Semicolon: 'Ö', Minus: '?', KeyY: 'z', KeyZ: 'y' };
            for (const letter of text) {
                const code = shifted[letter] ?? (letter === '-' ? 'Minus' : /[0-9]/.test(letter) ? `Digit${letter}`
                    : `Key${letter.toUpperCase()}`);
                const isShifted = letter in shifted || /[A-Z]/.test(letter);
                const key = german[code] ?? letter;
                document.body.dispatchEvent(new KeyboardEvent('keydown', { code, shiftKey: isShifted, bubbles: true,
                    key: isShifted ? key.toUpperCase() : key })); }
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })); }""", QR)
        self.assertEqual(self.engaged(page), [QR])

    def test_a_code_that_is_pasted_is_posted(self):
        page = self.open("clerk")
        self.stand_in.arm()
        self.expect(page, "armed")
        page.evaluate("""text => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', text);
            document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true })) }""", QR + "\n")
        self.assertEqual(self.engaged(page), [QR])

    def test_other_codes_and_slow_hands_are_not_taken(self):
        page = self.open("clerk", has_clock=True)
        self.stand_in.arm()
        self.expect(page, "armed")
        self.stop_clock(page)
        page.keyboard.type("https://example.org/menu", delay=1)
        page.keyboard.press("Enter")
        page.keyboard.type("mdoc:short", delay=1)
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("not the QR code of an ID", self.words(page))
        page.keyboard.type("mdoc:abcdefgh", delay=1)
        page.clock.run_for(1_000)
        page.keyboard.type("ijklmnopqrstuvwxyz", delay=1)
        page.keyboard.press("Enter")
        # The twin, before which any of them would have been posted.
        page.keyboard.type(QR, delay=1)
        page.keyboard.press("Enter")
        self.assertEqual(self.engaged(page), [QR])
        self.settle(page)
        self.assertEqual(self.engaged(page), [QR])

    def test_a_code_that_nothing_waits_for_is_said(self):
        page = self.open("clerk", has_clock=True)
        self.stop_clock(page)
        page.keyboard.type(QR, delay=1)
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-banner]:not([hidden])")
        self.assertIn("nothing is waiting", self.words(page))
        self.assertEqual(self.asked("POST", "/engagement"), [])
