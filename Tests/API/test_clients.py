"""The clients in Python and JavaScript: what they use is in the OpenAPI document, and what is not as it should be raises."""

import copy
import hashlib
import hmac
import http.server
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import typing
import unittest

from built_daemon import ROOT, TOKEN, BuiltDaemon

FOLDER = ROOT / "Hardware/Examples/clients"
PYTHON, JAVASCRIPT = FOLDER / "countersign.py", FOLDER / "countersign.mjs"
DOCUMENT = json.loads((ROOT / "Sources/Service/ReaderAPI/OpenAPI/openapi.json").read_text())
# What a till sees of a presentation.
OPEN = {"id": "1", "lane": "counter-1", "reference": "r", "state": "armed", "hint": None, "outcome": None, "test": None, "reasons": [],
        "ended": None}
OVER = {**OPEN, "state": "verified", "outcome": "allow", "test": True, "ended": "2026-11-25T10:04:44Z"}
ENDED = {"presentation": "1", "lane": "counter-1", "state": "verified", "outcome": "allow", "test": True, "reasons": []}
ALLOW = {"presentation": "1", "outcome": "allow", "test": True, "reasons": []}


def load():
    specification = importlib.util.spec_from_file_location("countersign", PYTHON)
    module = importlib.util.module_from_spec(specification)
    sys.modules["countersign"] = module
    specification.loader.exec_module(module)
    return module


client = load()


def kinds(schema):
    """The types of a member of the document, and its words where they are listed."""
    if "$ref" in schema:
        return kinds(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    if "oneOf" in schema:
        parts = [kinds(part) for part in schema["oneOf"]]
        return set().union(*(part[0] for part in parts)), set().union(*(part[1] for part in parts))
    found = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return set(found), set(schema.get("enum", [])) - {None}


def python_kinds(hint):
    """The same of a type in Python."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"string"}, set(parts)
    if origin in (typing.Union, client.types.UnionType):
        found = [python_kinds(part) for part in parts]
        return set().union(*(part[0] for part in found)), set().union(*(part[1] for part in found))
    name = {str: "string", int: "integer", bool: "boolean", type(None): "null", list: "array"}.get(origin or hint, "object")
    return {name}, set()


def python_shapes():
    """The classes of the client: each member's types and words, and the names of those that are never absent."""
    return {name: ({member: python_kinds(hint) for member, hint in typing.get_type_hints(kind).items()}, set(kind.__required_keys__))
            for name, kind in vars(client).items() if typing.is_typeddict(kind)}


def javascript_shapes():
    code = f"import * as c from {json.dumps(str(JAVASCRIPT))}; console.log(JSON.stringify([c.SHAPES, c.OUTCOMES, c.EVENTS]))"
    found, outcomes, events = json.loads(subprocess.run(["node", "--input-type=module", "--eval", code], check=True, timeout=60,
                                                        capture_output=True, text=True).stdout)

    def one(kind):
        words = set(outcomes) if kind.startswith("Outcome") else set()
        bare = kind.removesuffix("|null")
        name = "array" if bare.endswith("[]") else {"Outcome": "string", "string": "string", "boolean": "boolean",
                                                    "integer": "integer"}.get(bare, "object")
        return {name} | ({"null"} if kind.endswith("|null") else set()), words

    return {name: ({member.rstrip("?"): one(kind) for member, kind in members.items()},
                   {member for member in members if not member.endswith("?")}) for name, members in found.items()}, outcomes, events


def faults(shapes, schemas):
    """What a client takes for granted that the document does not say."""
    found = []
    for name, (members, required) in shapes.items():
        schema = schemas["Order"]["properties"]["then"] if name == "Then" else schemas[name]
        for member, (types, words) in members.items():
            if member not in schema["properties"]:
                found.append(f"{name}.{member} does not exist")
                continue
            stated, listed = kinds(schema["properties"][member])
            if stated != types:
                found.append(f"{name}.{member} is {sorted(stated)}")
            if words and words != listed:
                found.append(f"{name}.{member} has the words {sorted(listed)}")
            if (member in required) and member not in schema["required"]:
                found.append(f"{name}.{member} may be absent")
    return found


class ContractTests(unittest.TestCase):
    """Every path, member and word of the clients is in the document."""

    def setUp(self):
        self.schemas = DOCUMENT["components"]["schemas"]
        self.javascript, self.outcomes, self.events = javascript_shapes()

    def test_members_and_words(self):
        self.assertEqual(faults(python_shapes(), self.schemas), [])
        self.assertEqual(faults(self.javascript, self.schemas), [])
        self.assertGreater(len(python_shapes()), 8)

    def test_a_document_with_one_difference_is_found(self):
        for change, fault in {
                lambda all: all["Presentation"]["properties"].pop("test"): "Presentation.test does not exist",
                lambda all: all["Receipt"]["properties"]["sequence"].update(type="string"): "Receipt.sequence is ['string']",
                lambda all: all["EndedEvent"]["required"].remove("outcome"): "EndedEvent.outcome may be absent"}.items():
            schemas = copy.deepcopy(self.schemas)
            change(schemas)
            self.assertEqual(faults(python_shapes(), schemas), [fault])
            self.assertEqual(faults(self.javascript, schemas), [fault])

    def test_the_outcomes_are_those_of_the_document_and_each_has_its_words_in_the_tills(self):
        stated = self.schemas["Outcome"]["enum"]
        self.assertEqual(list(typing.get_args(client.Outcome)), stated)
        self.assertEqual(self.outcomes, stated)
        declared = re.search(r"@typedef \{(.*)\} Outcome", JAVASCRIPT.read_text())[1]
        self.assertEqual(re.findall(r'"(\w+)"', declared), stated)

    def test_events_have_names_of_the_document(self):
        self.assertLess(set(self.events), set(self.schemas["EventName"]["enum"]))
        self.assertEqual(list(typing.get_args(client.EventName)), self.events)

    def test_the_declared_types_of_javascript_are_those_that_it_checks(self):
        text = JAVASCRIPT.read_text()
        declared = {name: set(re.findall(r"@property \{[^\n]*\} (\[?\w+)", body))
                    for body, name in [(found[0], found[1]) for found in re.findall(r"(@typedef \{object\} (\w+)(?:\n \* @property.*)+)", text)]}
        self.assertIn("Order", declared)
        for name, (members, required) in self.javascript.items():
            self.assertEqual(declared[name], required | {f"[{member}" for member in set(members) - required}, name)
        orders = {member.strip("[") for member in declared["Order"]}
        self.assertEqual(orders, set(typing.get_type_hints(client.Order)))
        # `policy` is for the owner's rules; every other member of an order can be given.
        self.assertEqual(orders, set(self.schemas["Order"]["properties"]) - {"policy"})

    def test_every_path_is_in_the_document(self):
        for file in (PYTHON, JAVASCRIPT):
            found = re.findall(r'"(GET|POST|DELETE)", f?["`](/v1/[^"`]*)["`]', file.read_text())
            self.assertEqual(len(found), 5, file)
            for method, path in found:
                path, _, query = re.sub(r"\$?\{(?:_quoted|encodeURIComponent)\(\w+\)\}", "{id}", path).partition("?")
                operation = DOCUMENT["paths"][path][method.lower()]
                stated = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"}
                self.assertLessEqual({part.split("=")[0] for part in query.split("&") if part}, stated, path)


class TypeTests(unittest.TestCase):
    """The type checkers find nothing, and do find a mistake of a program that uses the client."""

    def check(self, command, wrong, name, client):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(client, folder)
            with open(f"{folder}/{name}", "w") as program:
                program.write(wrong)
            done = subprocess.run([*command, client.name, name], cwd=folder, capture_output=True, text=True, timeout=600)
        lines = [line for line in done.stdout.splitlines() if "error" in line and not line.startswith("Found ")]
        self.assertEqual([line for line in lines if not line.startswith(name)], [], done.stdout + done.stderr)
        return lines

    def test_python(self):
        wrong = ('from countersign import Client, Ended\nfrom typing import assert_never\nclient = Client("http://127.0.0.1:1", "t")\n'
                 'client.order({"kind": "display", "intent": 21})\ndef ends(ended: Ended) -> int:\n    match ended.outcome:\n'
                 '        case "allow" | "deny" | "unclear" | "declined" | "cancelled":\n            return 1\n        case other:\n'
                 '            assert_never(other)\n')
        lines = self.check([sys.executable, "-m", "mypy", "--strict", "--no-incremental"], wrong, "wrong.py", PYTHON)
        self.assertEqual([line.split(":")[1] for line in lines], ["4", "10"], lines)

    def test_javascript(self):
        wrong = ('// @ts-check\nimport { Client } from "./countersign.mjs";\nconst client = new Client("http://127.0.0.1:1", "t");\n'
                 'client.order({ kind: "display", intent: 21 });\n')
        options = ["--noEmit", "--strict", "--allowJs", "--checkJs", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node",
                   "--lib", "es2022,dom,dom.iterable"]
        lines = self.check(["tsc", *options], wrong, "wrong.mjs", JAVASCRIPT)
        self.assertEqual([line.split("(")[1].split(",")[0] for line in lines], ["4"], lines)


class Daemon(http.server.BaseHTTPRequestHandler):
    """Answers each request by the next of `answers`, the last again and again, and keeps what was asked."""

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server
        server.asked.append((self.command, self.path, self.headers.get("Last-Event-ID"), self.headers.get("Authorization")))
        status, kind, body, headers = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # The client read enough.

    do_POST = do_GET = do_DELETE = answer

    def log_message(self, *_):
        pass


def plain(value, status=200, **headers):
    return status, "application/json", json.dumps(value).encode(), headers


def problem(identifier, status, **headers):
    value = {"type": f"urn:countersign:problem:{identifier}", "id": identifier, "title": "x", "status": status, "detail": "in words"}
    return plain(value, status, **headers)


def stream(*events):
    frames = "".join(f"id: {number}\nevent: {name}\ndata: {json.dumps(data)}\n\n" for number, name, data in events)
    return 200, "text/event-stream", (": a comment\n\n" + frames).encode(), {}


class BehaviourTests(unittest.TestCase):
    """Both clients do the same with each answer."""

    def serve(self, *answers):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Daemon)
        server.answers, server.asked = list(answers), []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def python(self, url, method, arguments):
        try:
            value = getattr(client.Client(url, "secret"), method)(*arguments)
            if method == "receipts":
                return list(value)
            return {name: list(part) if isinstance(part, tuple) else part for name, part in vars(value).items()} \
                if isinstance(value, client.Ended) else value
        except client.CountersignError as error:
            return {"error": type(error).__name__, "id": getattr(error, "id", None)}

    def javascript(self, url, method, arguments):
        code = (f"import * as c from {json.dumps(str(JAVASCRIPT))};\ntry {{\n"
                f"let value = new c.Client({json.dumps(url)}, 'secret').{method}(...{json.dumps(arguments)});\n"
                "if (value[Symbol.asyncIterator]) { const all = []; for await (const one of value) all.push(one); value = all; }\n"
                "console.log(JSON.stringify(await value));\n} catch (error) {\n"
                "if (!(error instanceof c.CountersignError)) throw error;\n"
                "console.log(JSON.stringify({ error: error.constructor.name, id: error.id ?? null }));\n}")
        done = subprocess.run(["node", "--input-type=module", "--eval", code], timeout=120, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def each(self, method, arguments, *answers):
        """What each client makes of the answers, which is the same, and what each asked."""
        found = []
        for run in (self.python, self.javascript):
            server = self.serve(*answers)
            value = run(f"http://127.0.0.1:{server.server_port}", method, arguments)
            if isinstance(value, dict) and value.get("result", 0) is None:
                value.pop("result")
            found.append((value, [asked[:3] for asked in server.asked]))
        self.assertEqual(found[0], found[1])
        return found[0]

    def check(self, *answers):
        return self.each("check", [{"kind": "display", "intent": "age over 21", "reference": "r"}], *answers)

    def test_an_outcome_that_is_unknown_is_never_an_outcome(self):
        for wrong in ({**OVER, "outcome": "allowed"}, {**OVER, "outcome": True}, {**OVER, "outcome": ["allow"]}, {**OVER, "test": 1},
                      {name: value for name, value in OVER.items() if name != "outcome"}, [OVER], "allow", None):
            value, asked = self.check(plain(wrong))
            self.assertEqual((value, len(asked)), ({"error": "Malformed", "id": None}, 1), wrong)
        value, _ = self.check(plain(OPEN), stream((1, "ended", {**ENDED, "outcome": "ALLOW"})))
        self.assertEqual(value["error"], "Malformed")
        self.assertEqual(self.check(plain(OVER))[0], ALLOW)

    def test_only_the_event_ended_ends(self):
        value, asked = self.check(plain(OPEN), stream((1, "armed", {**ENDED, "state": "armed"}), (2, "aLaterEvent", {"x": 1})),
                                  stream((3, "ended", {**ENDED, "outcome": "deny", "reasons": ["answer.no"]})))
        self.assertEqual(value, {**ALLOW, "outcome": "deny", "reasons": ["answer.no"]})
        # A stream that broke is followed from where it broke.
        self.assertEqual([after for _, _, after in asked], [None, None, "1"])

    def test_a_presentation_without_events_is_read(self):
        value, asked = self.check(plain(OPEN), problem("presentationOver", 409), plain({**OVER, "outcome": "failed", "reasons": ["restarted"]}))
        self.assertEqual(value["outcome"], "failed")
        self.assertEqual([path for _, path, _ in asked], ["/v1/presentations", "/v1/presentations/1/events", "/v1/presentations/1"])

    def test_a_check_that_ended_meanwhile_is_ordered_again_for_its_outcome(self):
        value, asked = self.check(plain(OPEN), problem("presentationUnknown", 404), plain(OVER))
        self.assertEqual((value, [method for method, _, _ in asked]), (ALLOW, ["POST", "GET", "POST"]))
        self.assertEqual(self.each("follow", ["1", 5], problem("presentationUnknown", 404))[0], {"error": "Refused", "id": "presentationUnknown"})

    def test_a_busy_lane_is_waited_for_and_another_refusal_is_final(self):
        value, asked = self.check(problem("laneBusy", 409, **{"Retry-After": "1"}), problem("trustNotSetUp", 503), plain(OVER))
        self.assertEqual((value, len(asked)), (ALLOW, 3))
        value, asked = self.check(problem("intentRefused", 400))
        self.assertEqual((value, len(asked)), ({"error": "Refused", "id": "intentRefused"}, 1))

    def test_the_answer_of_another_server_is_none(self):
        self.assertEqual(self.each("presentation", ["1"], (200, "text/html", b"<html>", {}))[0]["error"], "Malformed")
        self.assertEqual(self.each("presentation", ["1"], (502, "text/html", b"<html>", {}))[0], {"error": "Refused", "id": "http.502"})
        self.assertEqual(self.each("presentation", ["1"], (200, "application/json", b" " * ((1 << 24) + 1), {}))[0]["error"], "Malformed")
        long = (200, "text/event-stream", b"data: " + b"x" * ((1 << 20) + 1), {})
        self.assertEqual(self.check(plain(OPEN), long)[0]["error"], "Malformed")

    def test_the_token_goes_nowhere_else(self):
        other = self.serve(plain(OVER))
        value, _ = self.each("presentation", ["1"], plain({}, 307, Location=f"http://127.0.0.1:{other.server_port}/"))
        self.assertEqual((value, other.asked), ({"error": "Refused", "id": "http.307"}, []))
        for url in ("http://example.org", "ftp://127.0.0.1", "http://127.0.0.1@example.org", "http://localhost.example.org", "127.0.0.1"):
            for run in (self.python, self.javascript):
                self.assertEqual(run(url, "presentation", ["1"])["error"], "AddressRefused", url)

    def test_identifiers_are_quoted_and_receipts_have_pages(self):
        _, asked = self.each("cancel", ["../lanes?x"], plain(OVER))
        self.assertEqual(asked[0][:2], ("DELETE", "/v1/presentations/..%2Flanes%3Fx"))
        receipt = {"id": "a", "sequence": 7, "digest": "d", "previous": "p", "statement": None}
        value, asked = self.each("receipts", [3], plain({"receipts": [receipt], "count": 1}), plain({"receipts": [], "count": 1}))
        self.assertEqual(value, [receipt])
        self.assertEqual([path for _, path, _ in asked], ["/v1/receipts?after=3&limit=100", "/v1/receipts?after=7&limit=100"])

    def test_a_daemon_that_is_not_there_is_unreachable(self):
        server = self.serve(plain(OVER))
        server.shutdown()
        server.server_close()
        for run in (self.python, self.javascript):
            self.assertEqual(run(f"http://127.0.0.1:{server.server_port}", "presentation", ["1"])["error"], "Unreachable")


class WebhookTests(unittest.TestCase):
    SECRET, NOW = b"sixteen bytes of secret\n", 1_790_000_000

    def signed(self, body, timestamp=None, secret=SECRET):
        timestamp = str(self.NOW if timestamp is None else timestamp)
        signature = hmac.new(secret, f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
        return {"countersign-timestamp": timestamp, "countersign-signature": f"v1={signature}"}, body

    def cases(self):
        body = json.dumps(OVER).encode()
        headers, _ = self.signed(body)
        refused = "WebhookRefused"
        return [(self.signed(body), "allow"), (self.signed(body, self.NOW - 299), "allow"), (self.signed(body, self.NOW - 301), refused),
                (self.signed(body, self.NOW + 301), refused), (self.signed(body, secret=self.SECRET[:-1]), refused),
                ((headers, body.replace(b"allow", b"deny!")), refused), (({**headers, "countersign-timestamp": str(self.NOW + 1)}, body), refused),
                (({**headers, "countersign-signature": headers["countersign-signature"].removeprefix("v1=")}, body), refused),
                (({}, body), refused), (self.signed(body, "x"), refused), (self.signed(json.dumps(OPEN).encode()), "Malformed"),
                (self.signed(b"{}"), "Malformed"), (self.signed(b"no json"), "Malformed")]

    def test_python(self):
        for (headers, body), expected in self.cases():
            try:
                found = client.webhook(self.SECRET, {name.title(): value for name, value in headers.items()}, body, self.NOW).outcome
            except client.CountersignError as error:
                found = type(error).__name__
            self.assertEqual(found, expected)

    def test_javascript(self):
        code = (f"import * as c from {json.dumps(str(JAVASCRIPT))};\nconst bytes = (text) => new TextEncoder().encode(text);\n"
                f"for (const [headers, body] of {json.dumps([[headers, body.decode()] for (headers, body), _ in self.cases()])}) {{\n"
                f"try {{ console.log((await c.webhook(bytes({json.dumps(self.SECRET.decode())}), headers, bytes(body), {self.NOW})).outcome); }}\n"
                "catch (error) { console.log(error.constructor.name); }\n}")
        done = subprocess.run(["node", "--input-type=module", "--eval", code], timeout=120, capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), [expected for _, expected in self.cases()], done.stderr)


class DaemonTests(unittest.TestCase):
    """With the daemon and the software wallet: the webhook and the receipts of a check."""

    def test_a_webhook_and_a_receipt_are_understood(self):
        taken, came = [], threading.Event()

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                taken.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()
                came.set()

            def log_message(self, *_):
                pass

        hook = http.server.HTTPServer(("127.0.0.1", 0), Hook)
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        origin = f"http://127.0.0.1:{hook.server_port}"
        daemon = BuiltDaemon(self.addCleanup)
        secret = daemon.folder / "secret"
        secret.write_bytes(WebhookTests.SECRET)
        secret.chmod(0o600)
        daemon.serve(acceptTestDocuments=True, webhooks={"origins": [origin], "secretFile": str(secret)})
        asking = client.Client(daemon.url, TOKEN)
        steps = []
        ended = asking.check({"kind": "display", "intent": "age over 21", "reference": "r", "retention": "receipt", "webhook": origin + "/done"},
                             show=lambda event: steps.append(event.name))
        self.assertEqual((ended.outcome, ended.test, ended.reasons), ("allow", True, ()))
        self.assertTrue(came.wait(60))
        headers, body = taken[0]
        reported = client.webhook(WebhookTests.SECRET, headers, body)
        self.assertEqual((reported.presentation, reported.outcome), (ended.presentation, "allow"))
        with self.assertRaises(client.WebhookRefused):
            client.webhook(WebhookTests.SECRET, headers, body + b" ")
        self.assertEqual([receipt["id"] for receipt in asking.receipts()], [reported.result["receipt"]])
        code = (f"import * as c from {json.dumps(str(JAVASCRIPT))};\nconst bytes = (text) => new TextEncoder().encode(text);\n"
                f"const ended = await c.webhook(bytes({json.dumps(WebhookTests.SECRET.decode())}),\n"
                f"{json.dumps({name.lower(): value for name, value in headers.items()})}, bytes({json.dumps(body.decode())}));\n"
                f"const all = []; for await (const one of new c.Client({json.dumps(daemon.url)}, {json.dumps(TOKEN)}).receipts()) all.push(one.id);\n"
                "console.log(JSON.stringify([ended.presentation, ended.outcome, all]));")
        done = subprocess.run(["node", "--input-type=module", "--eval", code], timeout=120, capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout or "null"), [ended.presentation, "allow", [reported.result["receipt"]]], done.stderr)


if __name__ == "__main__":
    unittest.main()
