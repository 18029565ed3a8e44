"""Every scene on both pages: the right screen, nothing for axe to find, targets large enough, and a picture of it."""

import itertools
import json

from browser import KioskCase, plain
from scenes import HEADS, SCENES
from stand_in import PAGES

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "ar", "zh")
SIZES = {"landscape": (1280, 800), "upright": (1080, 1920), "small": (800, 480), "handheld": (390, 844), "tablet": (1024, 768)}
# The smallest text on the customer's page, in pixels.
LEAST = {"landscape": 24, "upright": 36}
# Where a page is not scrolled.
UNSCROLLED = {"customer": ("landscape", "upright", "tablet"), "clerk": ("landscape", "tablet", "handheld")}
# What a clerk must see at once: the words and each control, whole.
DECISION = """() => [...document.querySelectorAll("h1, .answers li, .actions button, .portrait")].filter((e) => e.checkVisibility() && e.closest("body[data-layout=steps] .words") === null)
    .filter((e) => { const { top, bottom, left, right } = e.getBoundingClientRect();
        return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth; }).map((e) => e.textContent)"""
# All text that is seen, each with its size in pixels. In a drawing the size is that on the screen.
READ = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const { data, parentElement: parent } = walker.currentNode;
        const hidden = parent.closest(".announcement, dialog, body[data-layout=steps] .words");
        if (data.trim() === "" || hidden !== null || !parent.checkVisibility({ visibilityProperty: true })) continue;
        const drawn = parent.closest("svg");
        const scale = drawn === null ? 1 : parent.getScreenCTM().a;
        found.push([data, Math.round(parseFloat(getComputedStyle(parent).fontSize) * scale * 10) / 10]);
    }
    return found;
}"""
# Of these scenes there are pictures in every size.
PICTURED = ("armed", "not-an-id", "tap-again", "may-lift", "connecting-phone", "check-bluetooth", "consent", "compare", "no")
# As somebody does who chooses a language: what is then spoken.
SPEAKING = """language => {
    const button = document.querySelector(`button[value="${language}"]`);
    const choice = document.querySelector("select");
    if (button !== null) {
        button.click();
    } else {
        choice.value = language;
        choice.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return [document.documentElement.lang, document.querySelector("h1").innerText, document.body.innerText];
}"""


class SceneTests(KioskCase):
    def play(self, name, customer=None, clerk=None):
        """On the pages that are given."""
        play, *screens = SCENES[name]
        pages = [(page, screen) for page, screen in zip((customer, clerk), screens) if page is not None]
        self.stand_in.reset()
        self.stand_in.lane["kiosk"]["resultSeconds"] = 600
        self.stand_in.emit("laneChanged")
        for page, _ in pages:
            self.expect(page, "idle")
        play(self.stand_in)
        for page, screen in pages:
            self.expect(page, screen)
        if clerk is not None and name == "compare":
            clerk.wait_for_selector('[data-state="shown"] img')
        if clerk is not None and name.startswith("bluetooth-"):
            clerk.wait_for_selector("[data-banner]:not([hidden])")

    def scene_by_scene(self, layout, page):
        for name in SCENES:
            with self.subTest(scene=name, layout=layout):
                self.play(name, **{layout: page})
                for look in ("light", "dark"):
                    page.emulate_media(color_scheme=look)
                    self.shot(page, f"en-{look}-{name}-{layout}")
                    self.assert_accessible(page)
                self.assert_targets(page)

    def assert_targets(self, page):
        small = page.evaluate("""() => [...document.querySelectorAll('button, select')]
            .filter(e => e.checkVisibility()).map(e => [e.textContent, e.getBoundingClientRect()])
            .filter(([, box]) => box.width < 44 || box.height < 44).map(([text]) => text)""")
        self.assertEqual(small, [])

    def test_every_scene_of_the_customer_by_day_and_in_the_dark(self):
        self.scene_by_scene("customer", self.open("kiosk"))

    def test_every_scene_of_the_clerk_by_day_and_in_the_dark(self):
        self.scene_by_scene("clerk", self.open("clerk"))

    def test_each_language_speaks_in_every_scene(self):
        table = json.loads((PAGES / "strings.json").read_text())
        pages = self.both()
        for name, (_, customer, clerk) in SCENES.items():
            self.play(name, *pages)
            for language in LANGUAGES:
                with self.subTest(language=language, scene=name):
                    strings = table[language]["strings"]
                    word = HEADS.get(clerk, f"clerk.{clerk}.head")
                    if name == "several":
                        word = "final.accept.yes"
                    heads = (strings[f"customer.{customer}.head"], strings.get(word) or strings[f"fault.{clerk}.head"])
                    heads = (head.replace("{years}", "21") for head in heads)
                    for layout, page, head in zip(("customer", "clerk"), pages, heads):
                        spoken, heading, words = page.evaluate(SPEAKING, language)
                        self.assertEqual((spoken, plain(heading)), (language, head))
                        self.assertNotRegex(plain(words), r"\{\w+\}|\bundefined\b|\bnull\b|\bNaN\b|\b(customer|clerk|outcome|reason|fault)\.\w")
                        if name in ("armed", "consent", "compare", "rejected-issuer") and language != "en":
                            self.shot(page, f"{language}-light-{name}-{layout}")

    def test_a_page_opens_in_each_language(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                pages = self.both(context=self.context(), lang=language)
                self.play("compare", *pages)
                for page in pages:
                    self.assertEqual(page.evaluate("document.documentElement.lang"), language)
                    if language in ("de", "ar"):
                        self.assert_accessible(page)

    def assert_large(self, page, size, width, name):
        """That all can be read and seen at a distance."""
        self.assertEqual([words for words, font in page.evaluate(READ) if font < LEAST[size]], [])
        if page.get_attribute("body", "data-layout") == "result":
            mark = page.locator("[data-picture] svg").bounding_box()
            self.assertGreater(mark["width"], 0.44 * width, f"{name} {size}")

    def test_every_scene_fits_every_size_and_a_customer_s_is_large_enough_at_a_distance(self):
        pages = self.both()
        for name in SCENES:
            self.play(name, *pages)
            # What is asked comes after the event.
            for page in pages:
                self.settle(page)
            for (size, (width, height)), (layout, page) in itertools.product(
                    SIZES.items(), zip(("customer", "clerk"), pages)):
                page.set_viewport_size({"width": width, "height": height})
                is_distant = layout == "customer" and size in LEAST
                for language in ("fr", "de", "ar") if is_distant else ("fr", "de"):
                    with self.subTest(size=size, language=language, scene=name, layout=layout):
                        page.evaluate(SPEAKING, language)
                        wider, taller = page.evaluate("""() => { const { scrollWidth, scrollHeight } = document.documentElement;
                            return [scrollWidth - innerWidth, scrollHeight - innerHeight]; }""")
                        self.assertLessEqual(wider, 0)
                        if size in UNSCROLLED[layout]:
                            self.assertLessEqual(taller, 0)
                            self.assertEqual(page.evaluate(DECISION), [])
                        if is_distant:
                            self.assert_large(page, size, width, name)
                            self.shot(page, f"{size}-{language}-{name}-customer")
                if name in PICTURED:
                    self.shot(page, f"{size}-{name}-{layout}")

    def test_a_clerk_who_compares_reads_the_task_before_the_answer(self):
        page = self.open("clerk")
        self.play("compare", clerk=page)
        for size, (width, height) in SIZES.items():
            with self.subTest(size=size):
                page.set_viewport_size({"width": width, "height": height})
                head, task, answer = page.evaluate("""["h1", ".text", ".answers li"].map((selector) => { const node = document.querySelector(selector);
                    return [parseFloat(getComputedStyle(node).fontSize), node.getBoundingClientRect().top]; })""")
                self.assertGreater(head[0], task[0])
                self.assertGreaterEqual(task[0], 1.2 * answer[0])
                self.assertLess(task[1], answer[1])

    def test_before_the_tap_there_are_two_pictures_and_six_words(self):
        page = self.open("kiosk")
        self.play("armed", page)
        self.assertEqual(page.locator("main svg.scene:visible").count(), 2)
        self.assertEqual(page.locator("main .step-of-tap p").all_inner_texts(), ["Open your ID", "Hold it here"])
        self.assertFalse(page.locator("[data-text]").is_visible())
        # A screen reader is told the whole.
        self.assertEqual(self.heading(page), "Open your ID, then hold your phone here")

    def test_languages_are_a_row_before_the_tap_and_one_button_after_it(self):
        page = self.open("kiosk")
        for name, is_row in (("idle", True), ("armed", True), ("consent", False), ("yes", False)):
            self.play(name, page)
            with self.subTest(scene=name):
                self.assertEqual(page.locator("[data-languages]").is_visible(), is_row)
                self.assertEqual(page.locator("[data-languages-open]").is_visible(), not is_row)
        page.click("[data-languages-open]")
        self.assert_accessible(page)
        page.click('button[value="fr"]')
        self.assertEqual(self.heading(page), "Confirmé")
        self.play("compare", page)
        self.assertFalse(page.locator("[data-languages]").is_visible())

    def test_a_result_comes_with_light_unless_motion_is_unwanted(self):
        for motion in ("no-preference", "reduce"):
            page = self.open("kiosk", context=self.context(reduced_motion=motion))
            self.play("yes", page)
            page.wait_for_selector('[data-shape="yes"]')
            names = page.evaluate("[getComputedStyle(document.body), getComputedStyle(document.querySelector('[data-picture] [data-shape] path'))].map((s) => s.animationName)")
            self.assertEqual(names, ["light", "draw-line"] if motion == "no-preference" else ["none", "none"])

    def test_the_id_is_opened_before_the_tap_and_a_still_picture_says_so_too(self):
        for motion in ("no-preference", "reduce"):
            with self.subTest(motion=motion):
                page = self.open("kiosk", context=self.context(reduced_motion=motion))
                self.stand_in.reset()
                SCENES["armed"][0](self.stand_in)
                self.expect(page, "armed")
                self.assertEqual(sorted(page.locator(".scene .step:visible").all_text_contents()), ["1", "2"])
                names = page.evaluate("document.getAnimations().map((a) => a.animationName)")
                self.assertEqual("unfold" in names, motion == "no-preference")
                self.shot(page, f"armed-{motion}")
                self.stand_in.move(next(iter(self.stand_in.presentations)), "armed", hint="offerQR")
                self.expect(page, "offerQR")
                self.assertEqual(page.locator(".scene .step").count(), 0)

    def test_over_nfc_the_phone_is_drawn_where_it_lies(self):
        page = self.open("kiosk")
        for name, words in (("consent-nfc", "Leave your phone here and confirm on it"), ("receiving-nfc", "Leave your phone here a moment longer")):
            with self.subTest(scene=name):
                self.play(name, page)
                self.assertEqual(self.heading(page), words)
                mark, phone = (page.locator(selector).bounding_box() for selector in (".at-reader .mark", ".at-reader .phone"))
                self.assertAlmostEqual(mark["x"] + mark["width"] / 2, phone["x"] + phone["width"] / 2, delta=2)
                self.assertTrue(phone["y"] < mark["y"] + mark["height"] / 2 < phone["y"] + phone["height"])

    def test_right_to_left_mirrors_the_page_but_not_the_counter(self):
        context = self.context()

        def add_language(route):
            table = route.fetch().json()
            strings = {key: f"‹{words}›" for key, words in table["en"]["strings"].items()}
            route.fulfill(json={**table, "ar": {"name": "Pseudo", "direction": "rtl", "strings": strings}})

        context.route("**/kiosk/strings.json", add_language)
        self.stand_in.lane["kiosk"]["antenna"]["place"] = "left"
        pages = self.both(context=context, lang="ar")
        for name in ("idle", "armed", "compare", "rejected-issuer", "reader-missing"):
            with self.subTest(scene=name):
                self.play(name, *pages)
                for layout, page in zip(("customer", "clerk"), pages):
                    self.assertEqual(page.evaluate("document.documentElement.dir"), "rtl")
                    brand = page.locator("[data-brand]").bounding_box()
                    self.assertGreater(brand["x"], 640, "the brand starts on the right")
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
                    self.shot(page, f"rtl-{name}-{layout}")
                    self.assert_accessible(page)
        self.stand_in.reset()
        self.stand_in.lane["kiosk"]["antenna"]["place"] = "left"
        self.stand_in.arm()
        self.expect(pages[0], "armed")
        pages[0].wait_for_selector('[data-pointer][data-place="left"]')
        self.assertLess(pages[0].locator("[data-pointer]").bounding_box()["x"], 200, "left stays left")
        self.assertEqual(plain(pages[0].locator("[data-head]").inner_text()), "‹Open your ID, then hold your phone here›")

    def test_the_antenna_is_drawn_where_the_lane_has_it(self):
        seen = set()
        page = self.open("kiosk")
        for place, (x, y) in {"left": (20, 20), "right": (80, 30), "above": (50, 80), "below": (30, 60),
                              "here": (50, 50)}.items():
            with self.subTest(place=place):
                self.stand_in.reset()
                self.stand_in.lane["kiosk"]["antenna"] = {"x": x, "y": y, "place": place}
                self.settle(page)
                self.stand_in.arm()
                self.expect(page, "armed")
                self.shot(page, f"antenna-{place}-customer")
                reader = page.locator(".at-reader .reader").bounding_box()
                mark = page.locator(".at-reader .mark").bounding_box()
                middle = (mark["x"] + mark["width"] / 2 - reader["x"]) / reader["width"]
                self.assertAlmostEqual(middle * 100, x, delta=3)
                seen.add(page.locator("[data-pointer]").is_visible())
                words = plain(page.text_content("[data-announcement]"))
                self.assertIn({"left": "to the left of", "right": "to the right of", "above": "above",
                               "below": "below", "here": "next to"}[place], words)
        self.assertEqual(seen, {True, False})

    def test_nothing_moves_for_those_who_do_not_want_it(self):
        context = self.context(reduced_motion="reduce")
        page = self.open("kiosk", context=context)
        for name in ("armed", "not-an-id", "tap-again", "may-lift", "connecting-phone", "check-bluetooth", "consent", "receiving"):
            with self.subTest(scene=name):
                self.stand_in.reset()
                SCENES[name][0](self.stand_in)
                self.expect(page, SCENES[name][1])
                self.assertEqual(page.evaluate("""document.getAnimations()
                    .filter(a => a.effect.getTiming().iterations === Infinity).length"""), 0)
        twin = self.open("kiosk", reduced_motion="no-preference")
        SCENES["armed"][0](self.stand_in)
        self.expect(twin, "armed")
        self.assertGreater(twin.evaluate("document.getAnimations().length"), 0)
