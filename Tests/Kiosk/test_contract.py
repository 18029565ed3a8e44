"""The stand-in says nothing that the daemon would not: every answer and event is held to openapi.json."""

import json
import unittest
import urllib.error
import urllib.request

from built_daemon import IS_BUILT, BuiltDaemon
from contract import Contract
from scenes import PORTRAIT, SCENES
from stand_in import HEADERS, HTML, PAGES, StandIn


class ContractTests(unittest.TestCase):
    def setUp(self):
        self.stand_in = StandIn()
        self.addCleanup(self.stand_in.stop)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.stand_in.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.stand_in.token}"})
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read()

    def test_every_scene_and_what_is_asked_in_it_is_as_the_document_has_it(self):
        for name, (play, *_) in SCENES.items():
            with self.subTest(scene=name):
                self.stand_in.reset()
                play(self.stand_in)
                self.assertEqual(self.ask("GET", "/v1/lanes/counter-1")[0], 200)
                for identity in self.stand_in.presentations:
                    self.assertEqual(self.ask("GET", f"/v1/presentations/{identity}")[0], 200)

    def test_every_answer_of_a_presentation_is_as_the_document_has_it(self):
        identity = self.stand_in.arm(**PORTRAIT)
        path = f"/v1/presentations/{identity}"
        self.assertEqual(self.ask("POST", f"{path}/engagement", {"uri": "mdoc:x"})[0], 202)
        self.stand_in.verify(identity, picture=True)
        self.assertEqual(self.ask("GET", f"{path}/portrait")[0], 200)
        self.assertEqual(self.ask("POST", f"{path}/decision", {"decision": "approved"})[0], 200)
        self.assertEqual(self.ask("GET", f"{path}/portrait")[0], 410)
        self.assertEqual(self.ask("DELETE", path)[0], 200)
        for path, status in [("/v1/brands/corner/logo", 200), ("/", 200), ("/kiosk", 200), ("/clerk", 200), ("/kiosk/page.js", 200),
                             ("/kiosk/none.js", 404), ("/v1/lanes/other", 404), ("/v1/presentations/none", 404),
                             ("/v1/none", 404)]:
            self.assertEqual(self.ask("GET", path)[0], status, path)

    def test_an_answer_that_the_document_has_not_is_refused(self):
        for change in ({"state": "asleep"}, {"bluetooth": None}, {"more": 1}, {"kiosk": {}}):
            with self.subTest(change=change):
                self.stand_in.reset()
                self.stand_in.lane.update(change)
                status, body = self.ask("GET", "/v1/lanes/counter-1")
                self.assertEqual(status, 500)
                self.assertIn("not as openapi.json has it", body.decode())
        self.stand_in.reset()
        del self.stand_in.lane["advice"]
        self.assertEqual(self.ask("GET", "/v1/lanes/counter-1")[0], 500)

    def test_an_event_or_a_presentation_that_the_document_has_not_is_refused_where_a_test_makes_it(self):
        identity = self.stand_in.arm()
        for wrong in (lambda: self.stand_in.emit("laneChanged", state="ready"),
                      lambda: self.stand_in.emit("armed", presentation=identity, state="asleep"),
                      lambda: self.stand_in.emit("news"),
                      lambda: self.stand_in.emit("ended", presentation=identity, state="verified"),
                      lambda: self.stand_in.move(identity, "asleep"),
                      lambda: self.stand_in.move(identity, "armed", hint="hurry"),
                      lambda: self.stand_in.verify(identity, verdict="perhaps"),
                      lambda: self.stand_in.arm(kind="loan")):
            self.assertRaises(AssertionError, wrong)
        self.stand_in.emit("orderRefused")

    def test_the_check_itself_finds_a_wrong_type_a_wrong_path_and_a_wrong_status(self):
        contract = Contract()
        good = json.dumps({"status": "ok"})
        self.assertEqual(contract.faults_of_answer("GET", "/healthz", 200, "application/json", good), [])
        for method, path, status, kind, body in [
                ("GET", "/healthz", 200, "text/plain", "ok"), ("GET", "/healthz", 200, "application/json", "[]"),
                ("POST", "/healthz", 200, "application/json", good), ("GET", "/healthy", 200, "application/json", good),
                ("GET", "/healthz", 404, "application/json", good)]:
            self.assertNotEqual(contract.faults_of_answer(method, path, status, kind, body), [], (method, path, status))


@unittest.skipUnless(IS_BUILT, "countersignd is not built")
class HeaderTests(unittest.TestCase):
    def test_the_daemon_gives_the_pages_with_the_headers_that_the_stand_in_gives_them(self):
        daemon = BuiltDaemon(self.addCleanup).serve()
        for path, file in [*HTML.items()] + [
                (f"/kiosk/{file.name}", file.name) for file in PAGES.iterdir() if file.suffix != ".html"]:
            with self.subTest(path=path), urllib.request.urlopen(daemon.url + path, timeout=120) as response:
                self.assertEqual(response.read(), (PAGES / file).read_bytes())
                for name, value in HEADERS.items():
                    self.assertEqual(response.headers[name], value, name)
