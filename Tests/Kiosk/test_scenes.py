"""Every scene on both pages: the right screen, nothing for axe to find, targets large enough, and a picture of it."""

from browser import KioskCase, plain
from scenes import SCENES

LANGUAGES = ("en", "de", "es", "fr", "zh")
SIZES = {"landscape": (1280, 800), "upright": (1080, 1920), "small": (800, 480), "handheld": (390, 844)}


class SceneTests(KioskCase):
    def setUp(self):
        super().setUp()
        # Between two scenes the presentation that a page still shows is taken away.
        self.expected_complaints = ("404",)

    def play(self, name, pages):
        self.stand_in.reset()
        self.stand_in.lane["kiosk"]["resultSeconds"] = 600
        self.stand_in.emit("lane", state="ready")
        for page in pages:
            self.expect(page, "idle")
        play, customer, clerk = SCENES[name]
        play(self.stand_in)
        for page, screen in zip(pages, (customer, clerk)):
            self.expect(page, screen)
        if name == "compare":
            pages[1].wait_for_selector('[data-state="shown"] img')
        if name == "bluetooth-off":
            pages[1].wait_for_selector("[data-banner]:not([hidden])")

    def scene_by_scene(self, tag, **options):
        for name in SCENES:
            with self.subTest(scene=name, look=tag):
                pages = self.both(**options)
                self.play(name, pages)
                for layout, page in zip(("customer", "clerk"), pages):
                    self.shot(page, f"{tag}-{name}-{layout}")
                    self.assert_accessible(page)
                    self.assert_targets(page)
                for page in pages:
                    page.close()

    def assert_targets(self, page):
        small = page.evaluate("""() => [...document.querySelectorAll('button, select')]
            .filter(e => e.checkVisibility()).map(e => [e.textContent, e.getBoundingClientRect()])
            .filter(([, box]) => box.width < 44 || box.height < 44).map(([text]) => text)""")
        self.assertEqual(small, [])

    def test_every_scene_in_daylight(self):
        self.scene_by_scene("en-light", context=self.context())

    def test_every_scene_in_the_dark(self):
        self.scene_by_scene("en-dark", context=self.context(color_scheme="dark"))

    def test_each_language_speaks_in_every_scene(self):
        context = self.context()
        for language in LANGUAGES:
            pages = self.both(context=context, lang=language)
            table = pages[0].evaluate("async () => (await fetch('/kiosk/strings.json')).json()")
            for name, (_, customer, clerk) in SCENES.items():
                with self.subTest(language=language, scene=name):
                    self.play(name, pages)
                    strings = table[language]["strings"]
                    self.assertEqual(self.heading(pages[0]), strings[f"customer.{customer}.head"])
                    key = f"clerk.{clerk}.head"
                    self.assertEqual(self.heading(pages[1]), strings.get(key) or strings[f"fault.{clerk}.head"])
                    for page in pages:
                        self.assertEqual(page.evaluate("document.documentElement.lang"), language)
                        self.assertNotRegex(self.words(page), r"\{\w+\}|undefined|null|NaN|\b(customer|clerk|outcome|reason|fault)\.\w")
                    if name in ("armed", "consent", "compare", "rejected-issuer") and language != "en":
                        self.shot(pages[0], f"{language}-light-{name}-customer")
                        self.shot(pages[1], f"{language}-light-{name}-clerk")
            for page in pages:
                self.assert_accessible(page)
                page.close()

    def test_every_scene_fits_every_size(self):
        for size, (width, height) in SIZES.items():
            context = self.context(viewport={"width": width, "height": height})
            for language in ("de", "fr"):
                pages = self.both(context=context, lang=language)
                for name in SCENES:
                    with self.subTest(size=size, language=language, scene=name):
                        self.play(name, pages)
                        for page in pages:
                            wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                            self.assertLessEqual(wider, 0)
                        if size in ("landscape", "upright"):
                            taller = pages[0].evaluate("document.documentElement.scrollHeight - innerHeight")
                            self.assertLessEqual(taller, 0)
                        if language == "de" and name in ("armed", "consent", "compare", "no"):
                            self.shot(pages[0], f"{size}-{name}-customer")
                            self.shot(pages[1], f"{size}-{name}-clerk")
                for page in pages:
                    page.close()

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
                self.play(name, pages)
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
        self.assertEqual(plain(pages[0].locator("[data-head]").inner_text()), "‹Hold your phone here›")

    def test_the_antenna_is_drawn_where_the_lane_has_it(self):
        seen = set()
        for place, (x, y) in {"left": (20, 20), "right": (80, 30), "above": (50, 80), "below": (30, 60),
                              "here": (50, 50)}.items():
            with self.subTest(place=place):
                self.stand_in.reset()
                self.stand_in.lane["kiosk"]["antenna"] = {"x": x, "y": y, "place": place}
                page = self.open("kiosk")
                self.stand_in.arm()
                self.expect(page, "armed")
                self.shot(page, f"antenna-{place}-customer")
                reader = page.locator(".hold .reader").bounding_box()
                mark = page.locator(".hold .mark").bounding_box()
                middle = (mark["x"] + mark["width"] / 2 - reader["x"]) / reader["width"]
                self.assertAlmostEqual(middle * 100, x, delta=3)
                seen.add(page.locator("[data-pointer]").is_visible())
                words = plain(page.text_content("[data-announcement]"))
                self.assertIn({"left": "to the left of", "right": "to the right of", "above": "above",
                               "below": "below", "here": "next to"}[place], words)
                page.close()
        self.assertEqual(seen, {True, False})

    def test_nothing_moves_for_those_who_do_not_want_it(self):
        context = self.context(reduced_motion="reduce")
        page = self.open("kiosk", context=context)
        for name in ("armed", "consent", "receiving"):
            with self.subTest(scene=name):
                self.stand_in.reset()
                SCENES[name][0](self.stand_in)
                self.expect(page, SCENES[name][1])
                self.assertEqual(page.evaluate("""document.getAnimations()
                    .filter(a => a.effect.getTiming().iterations === Infinity).length"""), 0)
        twin = self.open("kiosk")
        SCENES["armed"][0](self.stand_in)
        self.expect(twin, "armed")
        self.assertGreater(twin.evaluate("document.getAnimations().length"), 0)
