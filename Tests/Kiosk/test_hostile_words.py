"""Text from outside in every place where a page shows some: no script runs, nothing leaves its box, nothing covers a button, and
no value changes the order of the words around it."""

import copy
import json

from browser import KioskCase
from contract import DOCUMENT
from scenes import PORTRAIT
from stand_in import StandIn
from test_chain import Hub, TOKEN, document, kiosk
from test_owner import OVERVIEW, receipt

MARKUP = ('"><img src=x onerror="window.ran = 1"><script>window.ran = 1</script><svg onload="window.ran = 1"></svg>'
          "<style>* { display: none }</style></title></textarea>{{7*7}}${window.ran = 1} javascript:window.ran=1 ']]>--><!--")
SAMPLES = {
    "markup": MARKUP,
    "overrides": "A\u202egnp.exe \u2067\u2066x\u202d y \u061c\u200f1 2\u200e\u2069\u2069\u202c\u202b z",
    "letters from right to left": "\u05d0\u05d1\u05d2 12 \u05d3\u05d4",
    "one long word": "W" * 10_000,
    "many words": "word " * 2_000,
    "long from right to left": "\u0627\u0644 " * 3_400,
    "heaped marks": "Z" + "\u0301\u0316\u0489\u20dd" * 400 + "algo",
    "no width": "a\u200bb\u2060c\ufeffd\u00ade\u180ef\u3164g\u034fh\U000e0041\U000e0042",
    "lines": "one\ntwo\r\nthree\u2028four\u2029five\u0085six\tseven\u000beight",
    "nulls and controls": "a\u0000b\u0007c\u001b[2Jd\u009be\u007ff\ufffe",
    "wide": "\ufdfd" * 300,
}
# What no page may show of a text from outside.
UNSEEN = r"[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2067\u206a-\u206f\u3164\ufeff]"
# Every element of a page, as it lies there. Elements that scroll by themselves may hold more than fits.
INSPECT = """() => {
    const faults = [];
    const say = (what, node) => faults.push(`${what}: ${node.outerHTML.slice(0, 160)}`);
    const visible = (node) => node.checkVisibility() && !node.closest(".announcement");
    const scrolls = (node) => node.closest(".scrolls, pre, dialog, nav, [data-kiosks], [data-rollouts]") !== null;
    if (window.ran !== undefined) { faults.push("a script ran"); }
    for (const node of document.querySelectorAll("script:not([src]), body style, iframe, object, [onerror], [onload], img[src='x'], a[href^='javascript']")) {
        say("markup became an element", node);
    }
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) { faults.push(`the page is ${root.scrollWidth - innerWidth} px too wide`); }
    // Nothing leaves the page, nor the box of what it is in.
    for (const node of document.querySelectorAll("body *")) {
        if (!visible(node) || node.closest("svg") || scrolls(node)) { continue; }
        const box = node.getBoundingClientRect();
        if (box.width === 0 || getComputedStyle(node).position === "fixed") { continue; }
        if (box.left < -1 || box.right > innerWidth + 1) { say("it leaves the page", node); }
        const style = getComputedStyle(node);
        if (style.overflowX === "visible" && style.display !== "inline" && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0) {
            say("its words leave it", node);
        }
    }
    // Each button can be pressed in its middle, and none lies on another.
    const buttons = [...document.querySelectorAll("button, select, input, summary")].filter((node) => visible(node) && !node.closest(".scrolls"));
    for (const button of buttons) {
        if (document.querySelector("dialog[open]") !== null && !button.closest("dialog")) { continue; }
        button.scrollIntoView({ block: "nearest", inline: "nearest" });
        const { left, top, width, height } = button.getBoundingClientRect();
        if (width < 24 || height < 24) { say("it is too small to press", button); }
        // One that is taller than the page is pressed where it can be seen.
        const hit = document.elementFromPoint(left + width / 2, Math.min(Math.max(top + height / 2, 1), innerHeight - 2));
        if (hit === null || (hit !== button && !button.contains(hit) && !hit.contains(button))) { say("something lies on it", button); }
    }
    // What comes before a value stands before it, and what comes after it stands after it.
    const rectOf = (node, from, to) => {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        return [...range.getClientRects()].filter((rect) => rect.width > 0);
    };
    const inOrder = (before, value, after, node, direction) => {
        const first = before.at(-1), last = after[0];
        for (const rect of value) {
            const [left, right] = direction === "rtl" ? [last, first] : [first, last];
            if (left !== undefined && Math.abs(left.top - rect.top) < 3 && left.left > rect.left + 1) { say("a word before it stands behind it", node); }
            if (right !== undefined && Math.abs(right.top - rect.top) < 3 && right.right < rect.right - 1) { say("a word after it stands before it", node); }
        }
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const text = node.data, parent = node.parentElement;
        const opened = text.split("\u2068").length, closed = text.split("\u2069").length;
        if (opened !== closed) { say("a value is not set apart to its end", parent); }
        if (!visible(parent)) { continue; }
        const { direction } = getComputedStyle(parent);
        for (const { index, 0: value } of text.matchAll(/\u2068[^\u2069]*\u2069/g)) {
            const end = index + value.length;
            inOrder(index > 0 ? rectOf(node, index - 1, index) : [], rectOf(node, index + 1, end - 1),
                end < text.length ? rectOf(node, end, end + 1) : [], parent, direction);
        }
    }
    for (const value of document.querySelectorAll("bdi")) {
        if (!visible(value) || value.firstChild === null) { continue; }
        const { previousSibling: before, nextSibling: after } = value;
        const { direction } = getComputedStyle(value.parentElement);
        inOrder(before?.nodeType === 3 && before.length > 0 ? rectOf(before, before.length - 1, before.length) : [], rectOf(value, 0, 1),
            after?.nodeType === 3 && after.length > 0 ? rectOf(after, 0, 1) : [], value, direction);
    }
    return faults;
}"""


class Anything:
    """In place of the document: what is tested here is what the pages do where a daemon says what it never should."""

    def faults(self, *_):
        return []

    faults_of_event = faults_of_answer = faults


class HostileWordsTests(KioskCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stand_in.contract = Anything()

    def each_sample(self, check):
        """Each sample in a subtest of its own, from a fresh start."""
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                self.start_over()
                check(sample)

    def assert_harmless(self, page, place=""):
        self.assertEqual(page.evaluate(INSPECT), [], place)
        self.assertNotRegex(page.evaluate("document.body.textContent"), UNSEEN, place)
        self.assertNotRegex(page.title(), UNSEEN, place)

    def poison_lane(self, sample):
        kiosk = self.stand_in.lane["kiosk"]
        kiosk.update(welcome=sample, accepts=[sample] * 4, asks=[sample, "drive:" + sample[:40], "age_over_21"], resultSeconds=600,
                     notice=dict.fromkeys(("controller", "purpose", "kept", "contact"), sample))
        names = [sample, sample + "2"]
        self.stand_in.lane.update(brand={"name": sample, "logo": sample}, advice=sample, presets=names, retention=sample,
                                  buttons=[{"preset": name, "names": {"en": name}, "asks": [name]} for name in names])

    def both_poisoned(self, sample, language, **options):
        self.poison_lane(sample)
        self.expected_complaints = ("404",)
        return self.both(lang=language, **options)

    def test_the_pages_of_a_lane_before_and_after_an_answer(self):
        self.each_sample(self.check_the_pages_of_a_lane_before_and_after_an_answer)

    def check_the_pages_of_a_lane_before_and_after_an_answer(self, sample):
        for language in ("en", "ar"):
            self.start_over()
            customer, clerk = pages = self.both_poisoned(sample, language)
            for page in pages:
                self.settle(page)
                self.assert_harmless(page, "idle")
            customer.click("[data-notice-open]")
            self.assert_harmless(customer, "notice")
            customer.click("dialog .close")
            asks = (sample, "drive:" + sample[:40], "age_over_21", "portrait")
            identity = self.stand_in.arm(asks=asks, reference=sample, retention=sample, validation="confirm",
                                         brand={"name": sample, "logo": None})
            for state, hint in (("armed", sample), ("armed", "offerQR"), ("awaitingConsent", None)):
                self.stand_in.move(identity, state, hint=hint)
                for page in pages:
                    self.settle(page)
                    self.assert_harmless(page, state)
            self.answer(identity, sample, [(sample, "yes"), ("drive:" + sample[:40], "yes"), ("age_over_21", "yes"), ("portrait", "yes")])
            self.expect(clerk, "compare")
            clerk.click("[data-opens]")
            for page in pages:
                self.settle(page)
                self.assert_harmless(page, "compare")

    def answer(self, identity, sample, answers, **changes):
        """An answer that is poisoned wherever it has words."""
        self.stand_in.verify(identity, picture=True, answers=answers, issuer={"country": sample, "name": sample, "test": False}, **changes)
        with self.stand_in.lock:
            result = self.stand_in.presentations[identity]["result"]
            result.update(name={"given": sample, "family": sample}, receipt=sample, docType=sample, policy=sample, trustSnapshot=sample)
            for reason in result["reasons"] + result["missing"]:
                reason["text"] = sample
        self.stand_in.emit("laneChanged")

    def test_every_end_on_both_pages(self):
        ends = {
            "rejected": {"verdict": "rejected", "answers": []},
            "missing": {"answers": [("age_over_21", "unknown")]},
            "yes": {"answers": [("age_over_21", "yes")]},
            "no": {"answers": [("drive:B", "no")]},
        }
        def check(sample):
            self.start_over()
            customer, clerk = pages = self.both_poisoned(sample, "en")
            for name, changes in ends.items():
                identity = self.stand_in.arm(asks=(sample, "age_over_21"), reference=sample)
                answers = [*changes["answers"], *([(sample, "yes")] if changes["answers"] else [])]
                self.answer(identity, sample, answers, **{
                    **{key: value for key, value in changes.items() if key != "answers"},
                    **({"reasons": [sample]} if name == "rejected" else {}),
                    **({"missing": [f"{sample}/{sample}", f"org.iso/{sample}", sample]} if name == "missing" else {})})
                for page in pages:
                    self.settle(page)
                    self.assert_harmless(page, name)
            identity = self.stand_in.arm(asks=(sample,))
            self.stand_in.move(identity, "failed", result={"reasons": [{"id": sample, "text": sample}], "answers": [], "missing": []})
            for page in pages:
                self.settle(page)
                self.assert_harmless(page, "failed")

        self.each_sample(check)

    def test_faults_of_a_lane_and_its_name_in_the_address(self):
        self.each_sample(self.check_faults_of_a_lane_and_its_name_in_the_address)

    def check_faults_of_a_lane_and_its_name_in_the_address(self, sample):
        self.poison_lane(sample)
        self.stand_in.lane.update(standing={"intent": sample, "retention": sample, "isPaused": True,
                                            "reason": {"id": sample, "text": sample}})
        # The name in the address is of no lane, and its page has no cookie.
        self.expected_complaints = ("404", "401", "431")
        pages = self.both(lang="en")
        for page in pages:
            self.settle(page)
            self.assert_harmless(page, "paused")
        clerk = pages[1]
        clerk.goto("about:blank")
        clerk.goto(f"{self.stand_in.url}/clerk?" + clerk.evaluate("(lane) => new URLSearchParams({ lane }).toString()", sample[:500]))
        self.until(clerk, lambda: self.screen(clerk) in ("noLane", "refused", "daemonGone"), "no fault is shown")
        self.assert_harmless(clerk, "another lane")

    def test_small_screens(self):
        self.each_sample(self.check_small_screens)

    def check_small_screens(self, sample):
        self.start_over()
        customer, clerk = pages = self.both_poisoned(sample, "en", viewport={"width": 390, "height": 844})
        identity = self.stand_in.arm(**{**PORTRAIT, "asks": (sample, "portrait")}, reference=sample)
        self.answer(identity, sample, [(sample, "yes"), ("portrait", "yes")])
        self.expect(clerk, "compare")
        for page in pages:
            self.settle(page)
            self.assert_harmless(page, "handheld")

    def test_the_owners_page(self):
        self.each_sample(self.check_the_owners_page)

    def check_the_owners_page(self, sample):
        overview = poisoned(OVERVIEW, sample, keep=("state", "link", "bluetooth", "kind", "outcome", "day", "time", "started", "expires",
                                                    "obtained", "from", "lastUsed", "last"))
        entry = poisoned(receipt(1), sample, keep=("time", "outcome"))
        with self.stand_in.lock:
            self.stand_in.overview = {
                **overview, "receipts": {"count": 1, "head": None, "last": None},
                "faults": [{"id": sample, "lane": sample, "text": sample}],
                "identities": [{"name": sample, "expires": "2026-11-01T00:00:00Z", "fault": None}, {"name": sample, "expires": None, "fault": sample}],
                "lanes": [{**overview["lanes"][0], "standing": {"isPaused": True, "reason": {"id": sample, "text": sample}}}],
                "doctor": {"time": "2026-11-25T13:00:00Z",
                           "findings": [{"id": sample, "outcome": "failed", "text": sample, "fix": sample}]}}
            self.stand_in.receipts = [entry]
            self.stand_in.broken = {"at": 1, "detail": sample}
        for width in (1280, 390):
            page = self.context(timezone_id="UTC", viewport={"width": width, "height": 900}).new_page()
            self.watch(page)
            page.goto(f"{self.stand_in.url}/owner#code={self.stand_in.code}")
            page.wait_for_selector("[data-receipts] tbody th")
            self.assert_harmless(page, "overview")
            page.click("[data-verify]")
            page.wait_for_selector('[data-verdict][data-holds="no"]')
            self.assert_harmless(page, "broken receipts")

    def test_the_reference(self):
        # The document is the program's own file, whose text is shown as it is.
        for name in ("markup", "one long word", "many words", "wide"):
            with self.subTest(sample=name):
                self.start_over()
                self.check_the_reference(SAMPLES[name])

    def check_the_reference(self, sample):
        reference = json.loads(DOCUMENT.read_text())
        small = {**reference, "info": {**reference["info"], "title": sample, "summary": sample, "description": sample},
                 "paths": {"/v1/trust": poisoned(reference["paths"]["/v1/trust"], sample, keep=("$ref", "operationId", "type", "tags"))},
                 "components": {**reference["components"], "schemas": {
                     name: poisoned(schema, sample, keep=("$ref", "type", "required", "format"))
                     for name, schema in list(reference["components"]["schemas"].items())[:4] + [("Problem", reference["components"]["schemas"]["Problem"])]}}}
        page = self.context().new_page()
        self.watch(page)
        page.route("**/v1/openapi.json", lambda route: route.fulfill(json=small))
        page.goto(f"{self.stand_in.url}/docs")
        page.wait_for_selector('body[data-ready="yes"]')
        self.assertEqual(page.evaluate(INSPECT), [])


class HostileChainTests(KioskCase):
    def setUp(self):
        super().setUp()
        self.hub = Hub()

    def tearDown(self):
        self.hub.shutdown()
        self.hub.server_close()
        for address in self.addresses:
            self.assertTrue(address.startswith((self.hub.url, "data:")), address)
        self.addresses = []
        super().tearDown()

    assert_harmless = HostileWordsTests.assert_harmless

    def test_the_operators_page(self):
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                report = {"software": sample, "documents": [{"level": sample, "version": 3, "result": sample}],
                          "health": {"lanes": [{"name": sample, "state": sample}], "findings": [sample], "trustAgeHours": 3}}
                self.hub.is_whole = True
                self.hub.kiosks = [
                    kiosk(sample, site=sample, group=sample, software=sample, alert=sample, report=report),
                    kiosk(sample + "~", state=sample, report=report), kiosk("last"),
                ]
                self.hub.documents = [document(level=sample, name=sample, isPaused=True, failures=2)]
                page = self.context(timezone_id="UTC").new_page()
                self.watch(page)
                page.goto(self.hub.url)
                page.fill("[data-token]", TOKEN)
                page.click("button[type=submit]")
                page.wait_for_selector("[data-kiosks] tbody tr")
                self.assert_harmless(page, "list")
                page.locator("[data-kiosks] button").first.click()
                self.assert_harmless(page, "one kiosk")
                self.hub.other = (503, json.dumps({"id": sample, "detail": sample}).encode())
                other = self.context().new_page()
                other.goto(self.hub.url)
                other.fill("[data-token]", TOKEN)
                other.click("button[type=submit]")
                other.wait_for_selector('[data-state][data-ready="no"]')
                self.assert_harmless(other, "refused")
                self.hub.other = None
                for context in self.contexts:
                    context.close()
                self.contexts.clear()


def poisoned(value, sample, keep=()):
    """The same with the sample in place of each text, but in members of these names."""
    if isinstance(value, dict):
        return {name: copy.deepcopy(inner) if name in keep else poisoned(inner, sample, keep) for name, inner in value.items()}
    if isinstance(value, list):
        return [poisoned(inner, sample, keep) for inner in value]
    return sample if isinstance(value, str) else value


class TwinTests(KioskCase):
    """The inspection itself finds what it is for."""

    def test_each_fault_is_found(self):
        page = self.open("clerk")
        self.stand_in.arm()
        self.expect(page, "armed")
        self.assertEqual(page.evaluate(INSPECT), [])
        for words, change in {
            "a script ran": "window.ran = 1",
            "markup became": "document.body.append(Object.assign(document.createElement('img'), { src: 'x', alt: '' }))",
            "leaves": "document.querySelector('[data-text]').style.inlineSize = '3000px'",
            "something lies on it": "document.body.append(Object.assign(document.createElement('p'), { className: 'over' })); Object.assign(document.querySelector('.over').style, { position: 'fixed', inset: '0', zIndex: 9 })",
            "not set apart": "document.querySelector('[data-text]').textContent = 'a \u2068b'",
            "stands": "document.querySelector('[data-text]').replaceChildren('12 ', Object.assign(document.createElement('bdi'), { textContent: 'x' })), document.querySelector('[data-text]').style.setProperty('unicode-bidi', 'bidi-override'), document.querySelector('[data-text]').style.direction = 'rtl', document.querySelector('[data-text] bdi').style.setProperty('unicode-bidi', 'normal'), document.querySelector('[data-text]').style.direction = 'ltr', document.querySelector('[data-text]').insertAdjacentText('afterbegin', '\u202e')",
        }.items():
            with self.subTest(words=words):
                page.evaluate(f"() => {{ {change}; }}")
                self.assertTrue([fault for fault in page.evaluate(INSPECT) if words in fault], page.evaluate(INSPECT))
                page.reload()
                self.expect(page, "armed")
        self.complaints.clear()
        self.addresses.clear()
