"""Every example of the OpenAPI document is what the running daemon takes and answers, and fuzzing finds nothing else."""

import copy
import json
import re
import subprocess
import sys
import unittest

from built_daemon import TOKEN
from contract import Contract
from tour import ROOT, Tour

HERE = ROOT / "Tests/API"
JSON_LIKE = ("application/json", "application/problem+json", "text/event-stream")
# What the tour does not come to: a phone that shows its QR code, a daemon that is not ready, a till that asked too often.
NOT_TOURED = {("POST /v1/presentations/{id}/engagement", "asked"), ("POST /v1/presentations/{id}/engagement", 202),
              ("GET /readyz", 503), ("POST /v1/reader-tokens", 429), ("POST /v1/presentations", 429),
              ("POST /v1/lanes/{lane}/presentations", 429)}
# Members that no exchange of the tour has: further members of an order, an event in the middle of a presentation, a check that
# failed; and those of a verdict that may have more than the document says.
NOT_SEEN = {*(f"Order.{name}" for name in ("consent", "identity", "then", "wallet", "webhook")), "Engagement.uri",
            "PresentationEvent.hint", "PresentationEvent.outcome", "Presentation.decision", "Reason.id", "Reason.text",
            "Missing.element", "Missing.text", "ScannedCode.uri",
            *(f"ChannelVerdict.{name}" for name in ("ageStandIns", "documents", "errors", "isReplayChecked", "missing", "mockSign", "outcome",
                                                    "reasons", "verdict"))}


def shape(value):
    """The members of a value and the kinds of what they hold."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value[:1]]
    return "null" if value is None else "truth" if isinstance(value, bool) else "number" if isinstance(value, int) else \
        type(value).__name__


def event(frame):
    """The name and the shape of the data of an event."""
    name, data = parsed(frame)
    return name, shape(data)


def parsed(frame):
    """The name and the data of an event."""
    fields = dict(line.split(": ", 1) for line in frame.strip().split("\n"))
    return fields["event"], json.loads(fields["data"])


def faults(contract, exchange):
    """What of an exchange is not as the document has it."""
    method, path = exchange.operation.split(" ")
    if exchange.kind == "text/event-stream":
        return contract.faults_of_event(*parsed(exchange.answer))
    found = []
    if exchange.asked is not None and exchange.status < 300:
        content = contract.document["paths"][path][method.lower()]["requestBody"]["content"]
        found += contract._faults(exchange.asked, content["application/json"]["schema"])
    if exchange.kind.endswith("json"):
        found += contract.faults_of_answer(method, path.replace("{", "").replace("}", ""), exchange.status, exchange.kind,
                                           json.dumps(exchange.answer))
    return found


def examples(document):
    """Each example with its place: `(operation, "asked" or status)`, media type, schema, example."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path}"
            for kind, media in operation.get("requestBody", {}).get("content", {}).items():
                yield (name, "asked"), kind, media
            for status, response in operation["responses"].items():
                if status != "default":
                    for kind, media in response.get("content", {}).items():
                        yield (name, int(status)), kind, media


class DocumentTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.contract = Contract()
        cls.document = cls.contract.document
        cls.tour = Tour(cls.addClassCleanup)

    def test_every_request_and_every_answer_in_json_has_an_example_that_its_schema_takes(self):
        for place, kind, media in examples(self.document):
            if kind in JSON_LIKE:
                with self.subTest(place=place):
                    self.assertIn("example", media)
                    if kind != "text/event-stream":
                        self.assertEqual(self.contract._faults(media["example"], media["schema"]), [])

    def test_every_operation_is_toured_and_every_answer_is_as_the_document_has_it(self):
        self.assertEqual(self.untoured(self.document), set())
        for exchange in self.tour.exchanges:
            self.assertEqual(faults(self.contract, exchange), [], exchange.operation)

    def test_a_member_that_the_document_loses_is_found(self):
        """In each schema each member in turn, but for those that no exchange of the tour has."""
        unfound = set()
        for name, schema in self.document["components"]["schemas"].items():
            for member in list(schema.get("properties", {})):
                changed = Contract()
                del changed.document["components"]["schemas"][name]["properties"][member]
                if not any(faults(changed, exchange) for exchange in self.tour.exchanges):
                    unfound.add(f"{name}.{member}")
        self.assertEqual(unfound, NOT_SEEN)

    def untoured(self, document):
        """The operations of the tour or of the document alone."""
        return {exchange.operation for exchange in self.tour.exchanges} ^ {place[0] for place, _, _ in examples(document)}

    def test_an_operation_that_the_document_loses_is_found(self):
        for path, operations in self.document["paths"].items():
            for method in operations:
                changed = copy.deepcopy(self.document)
                del changed["paths"][path][method]
                self.assertEqual(self.untoured(changed), {f"{method.upper()} {path}"})

    def differences(self, document):
        """The places whose example has not the shape of what was asked and answered."""
        shapes = {}
        for exchange in self.tour.exchanges:
            shapes[exchange.operation, exchange.status] = exchange.answer
            if exchange.asked is not None and exchange.status < 300:
                shapes[exchange.operation, "asked"] = exchange.asked
        found = []
        for place, kind, media in examples(document):
            if kind not in JSON_LIKE or place in NOT_TOURED or place[0] == "GET /v1/openapi.json":
                continue
            read = event if kind == "text/event-stream" else shape
            if place not in shapes or read(media["example"]) != read(shapes[place]):
                found.append(place)
        return found

    def test_every_example_has_the_shape_of_what_the_daemon_takes_and_answers(self):
        self.assertEqual(self.differences(self.document), [])

    def test_an_example_that_is_changed_is_found(self):
        """In each place a member is left out, and the check names that place alone."""
        for place, kind, media in examples(self.document):
            if kind != "application/json" or place in NOT_TOURED or place[0] == "GET /v1/openapi.json":
                continue
            if not media["example"]:  # a body without members has none to leave out
                continue
            changed = copy.deepcopy(self.document)
            for other, _, inner in examples(changed):
                if other == place:
                    inner["example"].pop(next(iter(inner["example"])))
            self.assertEqual(self.differences(changed), [place])

    def test_the_example_of_a_refusal_is_one_of_the_daemon(self):
        example = self.document["components"]["responses"]["Problem"]["content"]["application/problem+json"]["example"]
        try:
            self.tour.daemon.ask("POST", "/v1/presentations", {"kind": "display", "intent": "age over 21", "lane": "none"})
        except OSError as refused:
            self.assertEqual(json.load(refused), example)
            self.assertEqual(refused.headers["Content-Type"], "application/problem+json")
        else:
            self.fail("it is not refused")

    def test_operations_have_tags_that_are_described_and_names_of_their_own(self):
        described = {tag["name"] for tag in self.document["tags"]}
        operations = [operation for methods in self.document["paths"].values() for operation in methods.values()]
        self.assertEqual({tag for operation in operations for tag in operation["tags"]}, described)
        names = [operation["operationId"] for operation in operations]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(self.document["servers"][0]["url"], "/")


class FuzzingTests(unittest.TestCase):
    def test_schemathesis_finds_nothing_that_the_document_does_not_promise(self):
        """Seeded, and as many cases in each run: 6 s. Streams of events do not end, and are left out."""
        daemon = Tour(self.addCleanup).daemon
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "schemathesis.toml", "run",
             f"{daemon.url}/v1/openapi.json", "--header", f"Authorization: Bearer {TOKEN}", "--seed", "20",
             "--max-examples", "10", "--phases", "examples,coverage,fuzzing", "--exclude-path-regex", "events$",
             "--continue-on-failure"],
            cwd=daemon.folder, capture_output=True, text=True, timeout=1800)
        self.assertEqual(done.returncode, 0, done.stdout[-20_000:])
        self.assertGreater(int(re.search(r"(\d+) generated", done.stdout)[1]), 1000)


if __name__ == "__main__":
    unittest.main()
