"""A tour of every operation of the API, with the daemon, a software wallet, a brand and a shop's merchant key."""

import base64
import dataclasses
import hashlib
import http.client
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

from built_daemon import PROGRAMS, ROOT, TOKEN, BuiltDaemon
from stand_in import LOGO

DOCUMENT = ROOT / "Sources/Service/ReaderAPI/OpenAPI/openapi.json"
SCOPES = ["app", "screen", "clerk", "order", "desk", "accessory", "readerTokens", "online", "admin"]
ORIGIN, MERCHANT, TEAM = "https://shop.example", "merchant.example.shop", "TEAM123456"
BRAND = {"name": "Corner Shop", "colours": {"ground": "#14352a", "words": "#ffffff"}, "welcome": "Welcome to the Corner Shop"}
PAGE = {"language": "en", "antenna": {"x": 50, "y": 30, "place": "right"}, "resultSeconds": 12,
        "accepts": ["Apple Wallet", "Google Wallet"], "asks": ["age_over_18"],
        "texts": {"en": {"customer.idle.text": "Please wait at the till."}},
        "notice": {"controller": "Corner Shop Ltd", "purpose": "To check your age.", "contact": "privacy@shop.example"},
        "notices": {"de": {"purpose": "Um Ihr Alter zu prüfen."}}}
PORTRAIT = "age over 21 with portrait for a human to compare"
RENTAL = "rental: name, licence number"
PRESETS = [{"name": "Age 18", "names": {"de": "Ab 18"}, "intent": "age over 18"},
           {"name": "Rental", "brand": "utopia", "intent": "age over 21", "then": {"intent": RENTAL, "retention": "days(2)"}}]
# Nothing is opened here: the tour takes the place of the program that opens devices.
ACCESSORIES = [
    {"name": "lock", "lane": "counter-1", "out": {"relay": {"lcus": {"device": "/dev/ttyUSB0", "channel": 1}}},
     "engagements": ["nfc", "qr"], "trial": True},
    {"name": "qr-1", "lane": "counter-1", "in": {"hidPos": {"usb": "0c2e:0901"}}}]


@dataclasses.dataclass(frozen=True)
class Exchange:
    operation: str  # as "GET /v1/lanes/{lane}"
    status: int
    asked: object  # the body that was sent; None where there is no body
    kind: str  # the media type of the answer
    answer: object  # the JSON of the answer, the first event of a stream, or bytes


class Tour:
    """The exchanges in the order in which they were made, each operation once at least."""

    def __init__(self, cleanup):
        self.exchanges = []
        self.patterns = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path)
                         for path in json.loads(DOCUMENT.read_text())["paths"]]
        # What has no parameter is meant before what has one.
        self.patterns.sort(key=lambda pattern: pattern[1].count("{"))
        self.daemon = BuiltDaemon(cleanup)
        self.folder = self.daemon.folder
        self.prepare()
        self.go()

    def prepare(self):
        (self.folder / "logo.png").write_bytes(LOGO)
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.folder / "key.pem"],
                       check=True)
        (self.folder / "key.pem").chmod(0o600)
        run = self.daemon.run
        run("brand", "add", "utopia", "--name", "Utopia Rentals", "--logo", self.folder / "logo.png")
        run("brand", "key", "add", "utopia", "--kid", "k1", "--generate", self.folder / "utopia.pem")
        self.instance = run("token", "instance")
        key = str(self.folder / "key.pem")
        self.daemon.serve(
            lanes=[{"name": "counter-1", "benchLink": self.daemon.link, "page": PAGE,
                    "brand": {**BRAND, "logo": str(self.folder / "logo.png")}}],
            # An accessory is tried by a user of this computer only.
            socket={"path": str(self.folder / "socket"), "users": [{"uid": os.getuid(), "scopes": ["admin"]}]},
            accessories=ACCESSORIES, presets=PRESETS, acceptTestDocuments=True, policies={"rental": "age", "elements": "age"},
            tokens=[{"name": "all", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "scopes": SCOPES}],
            readerTokens={"keys": [{"brand": "utopia", "kid": "k1", "keyFile": str(self.folder / "utopia.pem")}],
                          "grants": [{"caller": "all", "brand": "utopia", "instances": [self.instance]}]},
            online={"merchants": [{"name": "shop", "merchantIdentifier": MERCHANT, "teamIdentifier": TEAM, "keys": [key]}],
                    "web": {"origins": [ORIGIN], "keys": [key]}})

    def ask(self, method, path, body=None):
        """The answer, which joins the exchanges."""
        request = urllib.request.Request(
            self.daemon.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        try:
            response = urllib.request.urlopen(request, timeout=120)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            kind = response.headers.get("Content-Type", "").split(";")[0]
            if kind == "text/event-stream":
                answer = b"".join(iter(response.readline, b"\n")).decode() + "\n"
            else:
                answer = response.read()
                answer = json.loads(answer) if kind.endswith("json") else answer
        self.exchanges.append(Exchange(f"{method} {self.template(path)}", response.status, body, kind, answer))
        return answer

    def template(self, path):
        return next(name for pattern, name in self.patterns if pattern.fullmatch(path.split("?")[0]))

    def order(self, **members):
        """A presentation that has ended, or waits for a person."""
        return self.ended(self.ask("POST", "/v1/presentations", {"kind": "display", "lane": "counter-1", **members}))

    def ended(self, seen):
        deadline = time.monotonic() + 300
        while seen["ended"] is None:
            assert time.monotonic() < deadline, seen
            time.sleep(0.05)
            seen = json.loads(self.daemon.ask("GET", f"/v1/presentations/{seen['id']}"))
        return f"/v1/presentations/{seen['id']}"

    def go(self):
        ask = self.ask
        (self.daemon.store / "doctor.json").write_text(json.dumps({"checks": [
            {"id": "clock.synchronised", "outcome": "warning", "detail": "the clock is not synchronised", "fix": "timedatectl set-ntp true"},
            {"id": "clock.set", "outcome": "ok", "detail": "set", "fix": None}]}))
        for path in ("/healthz", "/readyz", "/metrics", "/v1/openapi.json", "/v1/trust", "/v1/lanes", "/v1/lanes/counter-1",
                     "/v1/lanes/counter-1/logo", "/", "/kiosk", "/clerk", "/desk", "/docs", "/owner", "/kiosk/docs.js", "/v1/lanes/counter-1/events"):
            ask("GET", path)
        self.desk(ask)
        self.button(ask)
        self.counter(ask)
        self.accessories(ask)
        self.receipts(ask)
        self.pages(ask)
        self.shop(ask)
        ask("GET", "/v1/presentations/unknown")

    def counter(self, ask):
        one = self.order(intent=PORTRAIT, reference="till-7/4711", validation="confirm")
        ask("GET", one)
        ask("GET", one + "/events")
        ask("GET", one + "/portrait")
        ask("POST", "/v1/presentations", {"kind": "display", "lane": "counter-1", "intent": "age over 21"})
        ask("POST", one + "/decision", {"decision": "approved"})
        ask("GET", one)
        ask("GET", one + "/events")
        ask("POST", "/v1/presentations", {"kind": "display", "lane": "counter-1", "intent": PORTRAIT,
                                          "reference": "till-7/4711", "validation": "confirm"})
        ask("GET", "/v1/presentations?reference=till-7/4711")
        ask("POST", one + "/engagement", {"uri": "mdoc:owBjMS4wAYIB2BhBoA"})
        ask("DELETE", one)

    def button(self, ask):
        path, body = "/v1/lanes/counter-1/presentations", {"preset": "Age 18", "reference": "button-1"}
        one = self.ended(ask("POST", path, body))
        ask("POST", path, body)
        ask("POST", one + "/again", {})
        lacking = self.order(intent="elements: age over 18, org.iso.18013.5.1/weight; required org.iso.18013.5.1/weight")
        self.ended(ask("POST", lacking + "/again", {}))

    def accessories(self, ask):
        """What the program of the accessories does, with a presentation whose outcome a lock acts on."""
        request = urllib.request.Request(self.daemon.url + "/v1/accessories/events", headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(request, timeout=300) as stream:
            frames = self.frames(stream)
            first = next(frames)
            ask("PUT", "/v1/accessories/lock/state", {"state": "ready"})
            ask("POST", "/v1/lanes/counter-1/engagement", {"accessory": "qr-1", "fault": "foreignCode"})
            seen = json.loads(self.daemon.ask("POST", "/v1/presentations", {
                "kind": "display", "lane": "counter-1", "intent": "age over 18", "retention": "receipt"}))
            for name in ("lane", "output"):
                frame = next(frame for frame in frames if frame.startswith(f"event: {name}\n"))
                self.exchanges.append(Exchange("GET /v1/accessories/events", 200, None, "text/event-stream", frame))
            output = json.loads(frame.split("data: ")[1])["output"]
            for state in ("given", "done"):
                ask("POST", f"/v1/accessories/lock/outputs/{output}", {"state": state})
            # No accessory is tried during a presentation.
            self.ended(seen)
            ask("PUT", "/v1/accessories/qr-1/state", {"state": "ready"})
            for name, steps in (("lock", [{"state": "given"}, {"state": "pulsed"}]),
                                ("qr-1", [{"state": "phoneCode", "characters": 243}])):
                operator = threading.Thread(target=self.try_accessory, args=(name,))
                operator.start()
                frame = next(frame for frame in frames if frame.startswith("event: try\n"))
                self.exchanges.append(Exchange("GET /v1/accessories/events", 200, None, "text/event-stream", frame))
                number = json.loads(frame.split("data: ")[1])["try"]
                for step in steps:
                    ask("POST", f"/v1/accessories/{name}/tries/{number}", step)
                operator.join()
            # The example has the shape of the first event.
            self.exchanges.append(Exchange("GET /v1/accessories/events", 200, None, "text/event-stream", first))
        receipts = json.loads(self.daemon.ask("GET", "/v1/receipts?limit=100"))["receipts"]
        ask("GET", "/v1/receipts/" + next(one["id"] for one in reversed(receipts) if one["statement"]["kind"] == "outputs"))

    def try_accessory(self, name):
        """The operator tries an accessory at the daemon's socket, as soon as no output of its lane is due, and waits for the end."""
        deadline = time.monotonic() + 120
        while True:
            connection = http.client.HTTPConnection("localhost", timeout=120)
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(str(self.folder / "socket"))
            connection.request("POST", f"/v1/accessories/{name}/tries")
            response = connection.getresponse()
            kind, answer = response.headers["Content-Type"].split(";")[0], json.loads(response.read())
            connection.close()
            if response.status != 409 or time.monotonic() > deadline:
                break
            time.sleep(1)
        self.exchanges.append(Exchange("POST /v1/accessories/{accessory}/tries", response.status, None, kind, answer))

    @staticmethod
    def frames(stream):
        """The events of a stream as they come, without its comments."""
        lines = []
        for line in stream:
            if line != b"\n":
                lines += [] if line.startswith(b":") else [line.decode()]
            elif lines:
                yield "".join(lines) + "\n"
                lines = []

    def desk(self, ask):
        token = ask("POST", "/v1/reader-tokens", {"brand": "utopia", "instance": self.instance})["token"]
        one = self.order(kind="data", intent=RENTAL + ", portrait", reference="booking-4712", readerToken=token,
                         retention="days(2)", holder=1, policy="age")
        ask("GET", one)
        ask("GET", one + "/documents/portrait")
        ask("GET", "/v1/brands/utopia/logo")
        export = ask("POST", "/v1/exports", {"reference": "booking-4712"})
        ask("DELETE", f"/v1/exports/{export['id']}")
        self.ended(ask("POST", "/v1/lanes/counter-1/presentations", {"preset": "Rental", "reference": "booking-4713", "holder": 1}))
        ask("POST", "/v1/deletions", {"reference": "booking-4713"})

    def receipts(self, ask):
        for path in ("/v1/receipts?limit=1", "/v1/receipts/1", "/v1/receipt-chain", "/v1/receipt-keys",
                     "/v1/receipt-verification", "/v1/receipts.csv", "/v1/owner"):
            ask("GET", path)

    def pages(self, ask):
        # The examples have the shape of the last request of each kind: that of a code.
        words = ask("POST", "/v1/page-codes", {"page": "kiosk", "lane": "counter-1", "kind": "words"})["words"]
        ask("POST", "/v1/page-sessions", {"words": words})
        code = ask("POST", "/v1/page-codes", {"page": "clerk", "lane": "counter-1"})["code"]
        ask("POST", "/v1/page-sessions", {"code": code})
        ask("GET", "/v1/page-sessions")

    def shop(self, ask):
        root = self.folder / "online-root.der"
        wallet = [PROGRAMS / "countersign-lab", "wallet", "--root", root]
        request = ask("POST", "/v1/web/requests", {"session": "visit-1", "origin": ORIGIN, "intent": "age over 21"})
        (self.folder / "request.json").write_text(json.dumps(request))
        subprocess.run([*wallet, "--web-request", self.folder / "request.json", "--origin", ORIGIN, "--web-response",
                        self.folder / "response.txt"], check=True, stdout=subprocess.DEVNULL)
        self.daemon.run("trust", "import", root)
        ask("POST", "/v1/web/presentations", {
            "session": "visit-1", "origin": ORIGIN, "encryptionInfo": request["data"]["encryptionInfo"],
            "response": (self.folder / "response.txt").read_text().strip()})
        request = ask("POST", "/v1/wallet/requests", {
            "session": "visit-2", "merchant": "shop", "document": "driversLicense",
            "elements": ["givenName", "age(atLeast:21)"], "intentToStore": "willNotStore"})
        subprocess.run([*wallet, "--envelope", self.folder / "envelope.cbor", "--merchant-id", MERCHANT, "--team-id", TEAM,
                        "--nonce", request["nonce"], "--key", self.folder / "key.pem", "--element", "givenName",
                        "--element", "age(atLeast:21)"], check=True, stdout=subprocess.DEVNULL)
        self.daemon.run("trust", "import", root)
        envelope = base64.urlsafe_b64encode((self.folder / "envelope.cbor").read_bytes()).decode().rstrip("=")
        ask("POST", "/v1/wallet/presentations", {"session": "visit-2", "nonce": request["nonce"], "envelope": envelope})
