"""The reference of the API is a page made of the OpenAPI document."""

import json

from browser import KioskCase
from contract import DOCUMENT


class DocsTests(KioskCase):
    document = json.loads(DOCUMENT.read_text())

    def reference(self, **options):
        page = self.context(**options).new_page()
        self.watch(page)
        page.goto(f"{self.stand_in.url}/docs")
        page.wait_for_selector('body[data-ready="yes"]')
        return page

    def test_every_operation_schema_and_example_is_on_the_page_and_it_is_accessible(self):
        for scheme, width in [("light", 1280), ("dark", 390)]:
            page = self.reference(color_scheme=scheme, viewport={"width": width, "height": 800})
            headings = [words.replace("\u00a0", " ") for words in page.locator(".operation h3").all_inner_texts()]
            expected = {f"{method.upper()} {path}" for path, methods in self.document["paths"].items() for method in methods}
            self.assertEqual(set(" ".join(words.split()) for words in headings), expected)
            for name in self.document["components"]["schemas"]:
                self.assertEqual(page.locator(f"#schema-{name}").count(), 1, name)
            self.assertIn("urn:countersign:problem:laneUnknown", page.text_content("main"))
            broken = page.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.hash)).map(a => a.hash)")
            self.assertEqual(broken, [])
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True)
            self.assert_accessible(page)
            self.shot(page, f"docs-{scheme}-{width}")

    def test_nothing_is_fetched_but_the_daemons_own(self):
        page = self.context().new_page()
        fetched = []
        page.on("request", lambda request: fetched.append(request.url))
        page.goto(f"{self.stand_in.url}/docs")
        page.wait_for_selector('body[data-ready="yes"]')
        self.assertEqual({url.removeprefix(self.stand_in.url) for url in fetched} - {"/kiosk/icon.svg"},
                         {"/docs", "/kiosk/docs.css", "/kiosk/docs.js", "/v1/openapi.json"})
