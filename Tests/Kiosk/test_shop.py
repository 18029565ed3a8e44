"""A shop's page asks a wallet through the Digital Credentials API, and the shop believes what the daemon says of the answer."""

import json
import unittest
import urllib.error
import urllib.request

from browser import KioskCase
from shop_stage import CREDENTIALS, DAEMON, LAB, PROGRAM, SEALED, TOKEN, ShopStage

PHONE = {"width": 390, "height": 844}


class ShopCase(KioskCase):
    """Visitors of the shop, with a wallet in their hand."""

    built_daemon = False

    @classmethod
    def setUpClass(cls):
        cls.stand_in = ShopStage(cls.built_daemon)

    def visit(self, script=CREDENTIALS, **options):
        page = self.context(**options).new_page()
        page.set_default_timeout(120_000)
        self.watch(page)
        page.expose_function("wallet", self.stand_in.answer)
        page.add_init_script(script)
        page.goto(self.stand_in.url)
        return page

    def confirm(self, page, state):
        page.click("[data-ask]")
        page.wait_for_selector(f'body[data-state="{state}"]')

    def order(self, page):
        return page.is_enabled("[data-order]")


@unittest.skipUnless(PROGRAM.exists() and LAB.exists(), f"{PROGRAM} or {LAB} is not built")
class ShopTests(ShopCase):
    def test_who_is_old_enough_may_order(self):
        self.stand_in.hold()
        page = self.visit()
        self.assertFalse(self.order(page))
        self.assert_accessible(page)
        self.shot(page, "shop-ready")
        self.confirm(page, "yes")
        self.assertTrue(self.order(page))
        self.assertIn("you are over 21", self.words(page))
        self.assert_accessible(page)
        self.shot(page, "shop-yes")

    def test_the_wallet_is_asked_with_what_the_daemon_gave_and_after_a_click(self):
        self.stand_in.hold()
        page = self.visit()
        self.confirm(page, "yes")
        (call,) = self.stand_in.calls
        self.assertTrue(call["isActive"])
        self.assertEqual((call["mediation"], call["origin"]), ("required", self.stand_in.url))
        self.assertEqual(call["request"]["protocol"], "org-iso-mdoc")
        self.assertEqual(set(call["request"]["data"]), {"deviceRequest", "encryptionInfo"})
        (asked, request), (told, presentation) = self.stand_in.daemon.asked
        self.assertEqual((asked, told), ("/v1/web/requests", "/v1/web/presentations"))
        self.assertEqual((request["intent"], request["origin"]), ("age over 21", self.stand_in.url))
        self.assertEqual(presentation["session"], request["session"])
        self.assertEqual(presentation["encryptionInfo"], SEALED["web"]["encryptionInfo"])

    def test_the_page_has_neither_token_nor_verdict_nor_session(self):
        answers = []
        self.stand_in.hold()
        page = self.visit()
        page.on("response", lambda answer: answers.append(answer.text()))
        self.confirm(page, "yes")
        page.wait_for_load_state("networkidle")
        self.assertEqual(json.loads(answers[-1]), {"outcome": "yes"})
        everything = "\n".join(answers) + page.content() + page.evaluate(
            "document.cookie + JSON.stringify([localStorage, sessionStorage])")
        session = self.stand_in.daemon.asked[0][1]["session"]
        for secret in (self.stand_in.token, session, "Testrup", "elements", SEALED["recipientKey"]):
            self.assertNotIn(secret, everything)

    def test_who_is_too_young_may_not(self):
        self.stand_in.hold("--age", "20")
        page = self.visit(color_scheme="dark", viewport=PHONE)
        self.confirm(page, "no")
        self.assertFalse(self.order(page))
        self.assert_accessible(page)
        self.shot(page, "shop-no-dark-phone")

    def test_bad_answers_are_told_apart_as_far_as_the_visitor_can_help(self):
        for fault, state in (("channel.other_origin", "refused"), ("channel.encryption_info_reencoded", "refused"),
                             ("channel.swapped_enc", "refused"), ("channel.cut", "refused"), ("channel.mac", "rejected"),
                             ("channel.extra_document", "rejected"), ("mso.expired", "rejected"),
                             ("channel.test_issuer", "mock"), ("channel.simulator", "mock")):
            with self.subTest(fault):
                self.stand_in.hold("--fault", fault)
                page = self.visit()
                self.confirm(page, state)
                self.assertFalse(self.order(page))
                if fault == "channel.test_issuer":
                    self.shot(page, "shop-mock")
                page.close()

    def test_a_test_document_counts_in_a_trial_alone(self):
        self.stand_in.shop.desk.in_trial = False
        self.addCleanup(setattr, self.stand_in.shop.desk, "in_trial", True)
        self.stand_in.hold()
        page = self.visit()
        self.confirm(page, "mock")
        self.assertFalse(self.order(page))

    def test_who_declines_can_think_again(self):
        self.stand_in.hold("--decision", "declines")
        page = self.visit()
        self.confirm(page, "declined")
        self.assertFalse(self.order(page))
        self.assertEqual([path for path, _ in self.stand_in.daemon.asked], ["/v1/web/requests"])
        self.stand_in.hold()
        self.confirm(page, "yes")

    def test_an_answer_is_taken_once(self):
        self.stand_in.hold()
        page = self.visit()
        self.confirm(page, "yes")
        response = self.stand_in.daemon.asked[-1][1]["response"]
        outcome = page.evaluate("""async response => (await (await fetch("/age/answer", { method: "POST",
            body: JSON.stringify({ response }) })).json()).outcome""", response)
        self.assertEqual(outcome, "refused")
        self.assertEqual(len(self.stand_in.daemon.asked), 2)

    def test_an_answer_of_another_session_is_not_taken(self):
        self.stand_in.hold()
        page, stranger = self.visit(), self.visit()
        self.confirm(page, "yes")
        response = self.stand_in.daemon.asked[-1][1]["response"]
        outcome = stranger.evaluate("""async response => (await (await fetch("/age/answer", { method: "POST",
            body: JSON.stringify({ response }) })).json()).outcome""", response)
        self.assertEqual(outcome, "refused")

    def test_another_site_is_not_served(self):
        request = urllib.request.Request(
            f"{self.stand_in.url}/age/request", data=b"{}",
            headers={"Origin": "https://evil.example", "Cookie": "shop=0123456789abcdef"})
        with self.assertRaises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(request, timeout=120)
        self.assertEqual(refusal.exception.code, 400)
        self.assertEqual(self.stand_in.daemon.asked, [])

    def test_a_browser_without_the_api_is_told_so(self):
        page = self.visit(script="delete window.DigitalCredential;")
        page.wait_for_selector('body[data-state="unsupported"]')
        self.assertFalse(page.is_enabled("[data-ask]"))
        self.assertFalse(self.order(page))
        self.assert_accessible(page)
        self.shot(page, "shop-unsupported")

    def test_without_the_daemon_nothing_is_confirmed(self):
        self.stand_in.hold()
        page = self.visit()
        for status, state in ((503, "refused"), (401, "refused")):
            self.stand_in.daemon.failing = status
            self.confirm(page, state)
            self.assertFalse(self.order(page))
        self.stand_in.shop.desk.daemon, address = "http://127.0.0.1:9", self.stand_in.shop.desk.daemon
        self.addCleanup(setattr, self.stand_in.shop.desk, "daemon", address)
        self.confirm(page, "unavailable")
        self.assertFalse(self.order(page))


@unittest.skipUnless(LAB.exists() and DAEMON.exists(), f"{LAB} or {DAEMON} is not built")
class BuiltDaemonTests(ShopCase):
    built_daemon = True

    def present(self, **changes):
        """As the shop does, past the page: the daemon's status, and what it says."""
        request = urllib.request.Request(
            f"{self.stand_in.daemon.url}/v1/web/presentations", data=json.dumps(changes).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)["id"]

    def test_the_whole_way_from_the_click_to_the_order(self):
        page = self.visit()
        self.confirm(page, "yes")
        self.assertTrue(self.order(page))
        (call,) = self.stand_in.calls
        self.assertEqual(call["request"]["protocol"], "org-iso-mdoc")
        self.shot(page, "shop-daemon-yes")
        # Another visit is another nonce.
        self.confirm(self.visit(), "yes")
        first, second = (call["request"]["data"]["encryptionInfo"] for call in self.stand_in.calls)
        self.assertNotEqual(first, second)

    def test_the_daemon_takes_an_answer_of_one_session_once(self):
        desk, session = self.stand_in.shop.desk, "session-of-one-visitor"
        request = desk.ask(session)
        response = self.stand_in.answer(json.dumps({"request": request}))
        answer = {"origin": self.stand_in.url, "encryptionInfo": request["data"]["encryptionInfo"], "response": response}
        self.assertEqual(self.present(session="a-stranger", **answer), (403, "nonce.other_session"))
        status, verdict = self.present(session=session, **answer)
        self.assertEqual((status, verdict["verdict"], verdict["isReplayChecked"]), (200, "mock", True))
        self.assertEqual(self.present(session=session, **answer), (403, "nonce.reused"))
