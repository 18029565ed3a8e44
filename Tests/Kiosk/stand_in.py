"""Speaks the daemon's HTTP and Server-Sent Events to the kiosk pages, with a script in the place of reader and phone."""

import contextlib
import http.server
import json
import queue
import re
import socket
import struct
import sys
import threading
import time
import urllib.parse
import zlib

from contract import DOCUMENT, ROOT, Contract

PAGES = ROOT / "Sources/Service/ReaderAPI/Kiosk"
PORTRAIT = ROOT / "Sources/Laboratory/MdocWallet/Resources/portrait.jpg"
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "json": "application/json",
         "svg": "image/svg+xml"}
HTML = {"/": "landing.html", "/kiosk": "customer.html", "/clerk": "clerk.html", "/docs": "docs.html", "/owner": "owner.html",
        "/desk": "desk.html"}
HEADERS = {
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
}
# For how long the daemon waits for a person, in seconds.
WAITS = {"awaitingConsent": 180, "awaitingDecision": 120}
ENDS = ("awaitingDecision", "verified", "rejected", "declined", "cancelled", "failed")


def png(width, height, colour):
    """A picture of one colour (RFC 2083)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes(colour) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


LOGO = png(120, 60, (0x7a, 0x1f, 0x3d))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Many pages may knock at once.
    request_queue_size = 64

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.connections = set()

    def process_request(self, request, client_address):
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def cut(self):
        """Breaks every connection, as a daemon does that is killed."""
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address):
        """A page that leaves in the middle of an answer is no fault."""


class StandIn:
    """One lane, its presentations, and what was asked of it. All that it says is held to the daemon's document."""

    token = "cookie-of-the-stand-in"
    code = "c0de"
    # What a person types to pair a page; `paired` says which.
    words = "lamp-river-stone"
    contract = Contract()

    def __init__(self):
        self.lock = threading.RLock()
        self.asked = []
        self.log = []
        self.streams = []
        self.reset()
        # Kept while the stand-in is away, so that nothing else is given its port.
        self.place = socket.socket()
        self.place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.place.bind(("127.0.0.1", 0))
        self.port = self.place.getsockname()[1]
        self.server = None
        self.start()

    def reset(self):
        with self.lock:
            self.lane = {
                "lane": "counter-1", "state": "ready", "bluetooth": "ready", "advice": None, "presentation": None,
                "presentationState": None, "acceptsTestDocuments": False, "presets": [], "buttons": [],
                "retention": None, "standing": None, "accessories": [],
                "brand": {"name": "Corner Wines", "logo": "/v1/brands/corner/logo"},
                "kiosk": {"antenna": {"x": 50, "y": 42, "place": "below"}, "resultSeconds": 12,
                          "heartbeatSeconds": 15, "language": "en", "notice": None, "notices": {}, "reader": "square",
                          "colours": None, "welcome": None, "accepts": ["Apple Wallet", "Google Wallet", "EUDI Wallet"],
                          "asks": ["age_over_21", "portrait"], "speaks": False, "texts": {}},
            }
            self.overview, self.receipts, self.broken = None, [], None
            self.presentations = {}
            self.portraits = {}
            # What is retained, by reference.
            self.retained = {}
            # What a desk ordered, with its presentation, by reference and holder.
            self.orders = {}
            self.asked.clear()
            self.failing = {}
            self.beats = True
            self.portrait = (PORTRAIT.read_bytes(), "image/jpeg")
            self.paired = ("clerk", "counter-1")

    # Coming and going.

    def start(self):
        outer = self

        class Bound(Handler):
            stand_in = outer

        self.server = Server(("127.0.0.1", self.port), Bound)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.server.cut()
        self.drop()

    def drop(self):
        """Ends every stream of events."""
        with self.lock:
            for stream in self.streams:
                stream.put(None)
            self.streams = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def page_code(self, layout):
        """What lets a page in; here any number of times."""
        return self.code

    # The script.

    def emit(self, kind, **data):
        data = {"at": ago(0), **data, "lane": "counter-1"}
        hold(self.contract.faults_of_event(kind, data))
        with self.lock:
            entry = (len(self.log) + 1, kind, data)
            self.log.append(entry)
            for stream in self.streams:
                stream.put(entry)

    def arm(self, asks=("age_over_21",), retention="none", hint=None, **more):
        with self.lock:
            identity = self.lane["presentation"] = f"p-{len(self.log)}"
            self.put({
                "id": identity, "kind": "display", "lane": "counter-1", "reference": "till-7/4711", "holder": None,
                "state": "armed", "outcome": None, "test": None, "reasons": [], "created": ago(0), "intent": "age over 21", "validation": "check",
                "asks": list(asks), "retention": retention, "brand": self.lane["brand"], "hint": hint, "deadline": None, "repeats": None, "ended": None,
                "then": None, "isStanding": False, **more})
        self.emit("armed", presentation=identity, state="armed", **({"hint": hint} if hint else {}))
        return identity

    def put(self, presentation):
        hold(self.contract.faults(presentation, "Presentation"))
        self.presentations[presentation["id"]] = presentation
        # An earlier one may still change.
        if presentation["id"] == self.lane["presentation"]:
            self.lane["presentationState"] = presentation["state"]

    def move(self, identity, state, hint=None, **changes):
        with self.lock:
            before = self.presentations[identity]
            wait = WAITS.get(state)
            presentation = {**before, "state": state, "hint": hint, "deadline": None if wait is None else ago(-wait),
                            "ended": ago(0) if state in ENDS else None, **changes}
            presentation["test"] = (presentation.get("result") or {}).get("test")
            outcome, reasons = conclusion(presentation)
            self.put({**presentation, "outcome": outcome, "reasons": reasons})
        name = "ended" if outcome else "hintChanged" if state == before["state"] else state
        self.emit(name, presentation=identity, state=state, **({"hint": hint} if hint else {}),
                  **({"test": presentation["test"]} if state in ENDS else {}), **({"outcome": outcome} if outcome else {}))

    def begin_cancelling(self, identity):
        """It is cancelled, and its phone is being notified: no event says so, and there is no outcome yet."""
        with self.lock:
            self.put({**self.presentations[identity], "state": "cancelled", "hint": None})

    def overrun(self, identity):
        """Nobody decided in time."""
        result = {**self.presentations[identity]["result"], "portrait": None, "name": None}
        self.portraits.pop(identity, None)
        self.move(identity, "verified", "wiped", result=result)

    def verify(self, identity, picture=False, **changes):
        result = verdict(**changes)
        if picture:
            result["portrait"] = f"/v1/presentations/{identity}/portrait"
            result["name"] = {"given": "Erika", "family": "Mustermann"}
            self.portraits[identity] = self.portrait
        self.move(identity, "rejected" if result["verdict"] == "rejected" or is_refused(result) else self.judged(identity, result),
                  result=result)

    def judged(self, identity, result):
        """The state after a verified answer: a person decides only where nothing else is missing."""
        presentation = self.presentations[identity]
        is_yes = all(answer["answer"] == "yes" for answer in result["answers"])
        return "awaitingDecision" if asks_person(presentation) and is_yes else "verified"

    def wipe_documents(self, identity):
        """The time of the documents is over, or they were deleted."""
        presentation = self.presentations[identity]
        result = {**presentation["result"], "documents": None}
        with self.lock:
            self.put({**presentation, "hint": "wiped", "result": result})
        self.emit("wiped", presentation=identity, state=presentation["state"], hint="wiped", test=presentation["test"],
                  outcome=presentation["outcome"])

    def set_lane(self, **changes):
        if "presets" in changes:  # named by the owner in one language alone
            changes.setdefault("buttons", [{"preset": name, "names": {}, "asks": []} for name in changes["presets"]])
        with self.lock:
            self.lane.update(changes)
        self.emit("laneChanged")

    def decide(self, identity, decision):
        """Whether the daemon takes this decision: one that is awaited, the same again, and the end of a result on which
        nobody was to decide."""
        with self.lock:
            presentation = self.presentations[identity]
            result = {**(presentation.get("result") or {})}
            is_awaited = presentation["state"] == "awaitingDecision"
            if result.get("decision") == decision or (presentation["hint"] == "decided" and not asks_person(presentation)):
                return True
            is_over = presentation["outcome"] is not None
            if not is_awaited and not (is_over and decision == "dismissed" and not asks_person(presentation)):
                return False
            self.portraits.pop(identity, None)
            for name in ("portrait", "name"):
                result.pop(name, None)
            if is_awaited:
                result["decision"] = decision
            state = "verified" if is_awaited else presentation["state"]
            presentation = {**presentation, "state": state, "hint": "decided", "deadline": None, "result": result}
            outcome, reasons = conclusion(presentation)
            self.put({**presentation, "outcome": outcome, "reasons": reasons})
        self.emit("ended" if is_awaited else "wiped", presentation=identity, state=state, hint="decided",
                  test=presentation["test"], outcome=outcome)
        return True

    def refusal_to_repeat(self, presentation):
        """The problem with which the daemon refuses to repeat an order, or nothing."""
        if any(other["repeats"] == presentation["id"] for other in self.presentations.values()):
            return "askedAgain"
        result = presentation.get("result") or {}
        is_final = presentation["outcome"] in ("allow", "deny") and result.get("decision") is None
        if is_final and not result.get("missing"):
            return "nothingToAskAgain"
        return "retentionRefused" if presentation["retention"].startswith("consented") else None

    def cancel(self, identity):
        state = self.presentations[identity]["state"]
        if state == "awaitingDecision":
            self.decide(identity, "dismissed")
        elif state not in ENDS:
            self.move(identity, "cancelled")


def ago(seconds):
    """A time of the daemon, so many seconds before now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))


def asks_person(presentation):
    """Whether a person decides, where everything else is well."""
    return presentation["validation"] == "confirm" or (
        presentation["kind"] == "display" and "portrait" in presentation["asks"])


def is_refused(result):
    """Whether it is a test document, and none is accepted."""
    return any(reason["id"] == "document.test" for reason in result["reasons"])


def conclusion(presentation):
    """Outcome and reasons, as the daemon decides them."""
    state, result = presentation["state"], presentation.get("result")
    if state in ("declined", "cancelled", "failed"):
        return state, [reason["id"] for reason in (result or {}).get("reasons", [])] or [state]
    if state == "rejected" and is_refused(result):
        return "unclear", ["document.test"]
    if state == "rejected" and result["parts"]["revocation"]["state"] == "undetermined":
        return "unclear", ["revocation"]
    if state == "rejected":
        return "deny", [reason["id"] for reason in result["reasons"]] or ["response.rejected"]
    if state != "verified":
        return None, []
    answers = [answer["answer"] for answer in result["answers"]]
    if "no" in answers:
        return "deny", ["answer.no"]
    if presentation["hint"] == "wiped" and result["decision"] is None and asks_person(presentation):
        return "unclear", ["decision.overdue"]
    if result["decision"] == "rejected":
        return "deny", ["decision.rejected"]
    if "unknown" in answers or result["missing"]:
        reasons = ["answer.unknown"] if "unknown" in answers else []
        return "unclear", reasons + (["element.not_returned"] if result["missing"] else [])
    return ("unclear", ["decision.dismissed"]) if result["decision"] == "dismissed" else ("allow", [])


def hold(faults):
    """Ends a test that has the stand-in say what the daemon would not."""
    if faults:
        raise AssertionError(f"not as openapi.json has it: {faults}")


def verdict(answers=(("age_over_21", "yes"),), parts=None, reasons=(), issuer=None, revocation=None, verdict="verified", policy="age", missing=()):
    """A result, in which everything is well unless told otherwise."""
    return {
        "verdict": verdict, "test": verdict == "mock",
        "answers": [{"ask": ask, "answer": answer} for ask, answer in answers],
        "reasons": [{"id": name, "text": f"plain words about {name}"} for name in reasons],
        "missing": [{"element": element, "text": f"plain words about {element}"} for element in missing],
        "docType": "org.iso.18013.5.1.mDL",
        "issuer": issuer or {"country": "DE", "name": "Kraftfahrt-Bundesamt", "test": False},
        "parts": {"authentic": "yes", "fresh": "yes", "documentCurrent": "yes", "holderBound": "yes",
                  "revocation": {"state": "good", "cause": None, "ageSeconds": 7_300, **(revocation or {})},
                  **(parts or {})},
        "decision": None, "portrait": None, "name": None, "trustSnapshot": "5b1c", "trustAgeSeconds": 90_000,
        "policy": policy, "receipt": "r-2041", "retainedUntil": None,
    }


def unanswered(reason):
    """The result of a presentation to which no answer came."""
    return {"verdict": "incomplete", "test": False, "answers": [], "reasons": [{"id": reason, "text": reason}], "missing": [], "docType": None,
            "parts": None, "issuer": None, "trustSnapshot": None, "trustAgeSeconds": None, "policy": None,
            "decision": None, "receipt": None, "retainedUntil": None}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in = None

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path in HTML:
            return self.page(HTML[path])
        if path == "/v1/openapi.json":
            return self.answer(200, DOCUMENT.read_bytes())
        if path.startswith("/kiosk/"):
            return self.page(path.removeprefix("/kiosk/"))
        self.api(path)

    do_POST = do_DELETE = lambda self: self.api(self.path.split("?")[0])

    def page(self, name):
        file = PAGES / name
        if status := self.failure():
            return self.refuse(status, "failed")
        if not re.fullmatch(r"[a-z-]+\.[a-z]+", name) or not file.is_file():
            return self.refuse(404, "notFound")
        self.answer(200, file.read_bytes(), TYPES[file.suffix[1:]] + "; charset=utf-8", HEADERS)

    def answer(self, status, body, kind="application/json", headers={}):
        faults = self.stand_in.contract.faults_of_answer(self.command, self.path.split("?")[0], status, kind, body)
        if faults:
            status, body, kind = 500, f"not as openapi.json has it: {faults}".encode(), "text/plain"
            print(self.command, self.path, body.decode(), file=sys.stderr)
        self.send_response(status)
        for name, value in {**headers, "Content-Type": kind, "Cache-Control": "no-store",
                            "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, status, value):
        self.answer(status, json.dumps(value).encode())

    def refuse(self, status, name):
        self.answer(status, json.dumps({
            "type": f"urn:countersign:problem:{name}", "id": name, "title": name, "status": status, "detail": name,
        }).encode(), "application/problem+json")

    def api(self, path):
        stand_in = self.stand_in
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with stand_in.lock:
            stand_in.asked.append((self.command, path, json.loads(body) if body else None, dict(self.headers)))
        if status := self.failure():
            return self.refuse(status, "failed")
        if path == "/v1/page-sessions":
            return self.pages() if self.command == "GET" else self.let_in(json.loads(body))
        if not self.is_known():
            return self.refuse(401, "unauthorized")
        if path in ("/v1/owner", "/v1/receipts", "/v1/receipts.csv", "/v1/receipt-verification"):
            return self.owner(path)
        if path == "/v1/presentations" or path in ("/v1/exports", "/v1/deletions"):
            return self.desk(path, body)
        found = re.fullmatch(r"/v1/(lanes|presentations|brands)/([^/]+)(?:/(\w+))?", path)
        if found is None:
            return self.refuse(404, "notFound")
        getattr(self, found[1])(found[2], found[3], body)

    def failure(self):
        """With which status this fails, where a test has it fail."""
        asked = f"{self.command} {self.path.split('?')[0]}"
        return next((status for pattern, status in list(self.stand_in.failing.items()) if re.search(pattern, asked)), None)

    def pages(self):
        """The pages whose cookies came."""
        names = re.findall(rf"countersign-([^=;]+)={self.stand_in.token}", self.headers.get("Cookie") or "")
        self.json(200, {"pages": [{"page": page, "lane": lane or None} for page, _, lane in (name.partition("-") for name in names)]})

    def let_in(self, body):
        if "words" in body:
            if re.sub("[^a-z]", "", body["words"].lower()) != self.stand_in.words.replace("-", ""):
                return self.refuse(403, "pageWordsRefused")
            page, lane = self.stand_in.paired
            place = page if lane is None else f"{page}-{lane}"
        elif body["code"] != self.stand_in.code:
            return self.refuse(403, "pageCodeRefused")
        else:
            place = self.headers["Countersign-Page"]
            page, _, lane = place.partition("-")
        self.answer(200, json.dumps({"page": page, "lane": lane or None}).encode(), headers={
            "Set-Cookie": f"countersign-{place}={self.stand_in.token}; Path=/; HttpOnly; SameSite=Strict"})

    def is_known(self):
        """A page by its cookie, or a test that asks itself."""
        return self.is_page() or self.headers.get("Authorization") == f"Bearer {self.stand_in.token}"

    def is_page(self):
        cookies = (self.headers.get("Cookie") or "").split("; ")
        return f"countersign-{self.headers.get('Countersign-Page')}={self.stand_in.token}" in cookies

    def lanes(self, name, what, body):
        if name != "counter-1":
            return self.refuse(404, "laneUnknown")
        if what == "events":
            return self.events()
        if what == "presentations":
            return self.start(body)
        with self.stand_in.lock:
            self.json(200, self.stand_in.lane)

    def start(self, body):
        """Starts a preset, as a button does."""
        order = json.loads(body)
        asked = next((preset for preset in self.stand_in.lane.get("dataPresets", []) if preset["preset"] == order["preset"]), None)
        if asked is not None:
            if asked["needsConsent"] and order.get("consent") != "given":
                return self.refuse(400, "retentionRefused")
            name = order["reference"], order["holder"]
            if name in self.stand_in.orders:
                earlier, identity = self.stand_in.orders[name]
                return self.json(200, self.stand_in.presentations[identity]) if earlier == order else self.refuse(409, "referenceTaken")
            identity = self.stand_in.arm(kind="data", reference=order["reference"], holder=order["holder"], retention=asked["retention"])
            self.stand_in.orders[name] = order, identity
            return self.json(201, self.stand_in.presentations[identity])
        if order["preset"] not in self.stand_in.lane.get("presets", []):
            return self.refuse(404, "presetUnknown")
        identity = self.stand_in.arm()
        self.json(201, self.stand_in.presentations[identity])

    def owner(self, path):
        stand_in = self.stand_in
        receipts = stand_in.receipts
        match path:
            case "/v1/owner":
                self.json(200, stand_in.overview)
            case "/v1/receipts":
                query = dict(part.split("=") for part in self.path.partition("?")[2].split("&"))
                after, limit = int(query["after"]), int(query["limit"])
                self.json(200, {"receipts": receipts[after:after + limit], "count": len(receipts), "head": None})
            case "/v1/receipts.csv":
                self.answer(200, b'"number"\r\n', "text/csv")
            case _:
                self.json(200, {"verdict": "broken" if stand_in.broken else "intact", "receipts": len(receipts), "head": None,
                                "broken": stand_in.broken})

    def desk(self, path, body):
        """What a desk asks about a booking."""
        stand_in = self.stand_in
        with stand_in.lock:
            if path == "/v1/presentations":
                reference = urllib.parse.parse_qs(self.path.partition("?")[2])["reference"][0]
                found = [presentation for presentation in stand_in.presentations.values() if presentation["reference"] == reference]
                return self.json(200, {"presentations": sorted(found, key=lambda one: one["holder"]), "next": None})
            reference = json.loads(body)["reference"]
            if reference not in stand_in.retained:
                return self.refuse(404, "nothingRetained")
            if path == "/v1/exports":
                return self.json(200, stand_in.retained[reference])
            del stand_in.retained[reference]
        for presentation in [one for one in stand_in.presentations.values() if one["reference"] == reference]:
            stand_in.wipe_documents(presentation["id"])
        self.json(200, {"removed": 1})

    def brands(self, name, what, body):
        self.answer(200, LOGO, "image/png")

    def presentations(self, identity, what, body):
        stand_in = self.stand_in
        with stand_in.lock:
            presentation = stand_in.presentations.get(identity)
            # A page sees the latest of its lane alone, but learns that an order was repeated. A desk sees what it started.
            is_desk = (self.headers.get("Countersign-Page") or "").startswith("desk-")
            if self.is_page() and not is_desk and identity != stand_in.lane["presentation"] and what != "again":
                presentation = None
        if presentation is None:
            return self.refuse(404, "presentationUnknown")
        match self.command, what:
            case "GET", None:
                with stand_in.lock:
                    self.json(200, presentation)
            case "GET", "portrait":
                bytes_, kind = stand_in.portraits.get(identity, (None, None))
                self.refuse(410, "portraitGone") if bytes_ is None else self.answer(200, bytes_, kind)
            case "POST", "decision":
                if not stand_in.decide(identity, json.loads(body)["decision"]):
                    return self.refuse(409, "decisionNotDue")
                self.json(200, stand_in.presentations[identity])
            case "POST", "again":
                kept = {name: presentation[name] for name in ("asks", "retention", "validation", "kind", "intent")}
                # A desk's booking keeps its reference.
                is_desk = (self.headers.get("Countersign-Page") or "").startswith("desk-")
                kept |= {name: presentation[name] for name in ("reference", "holder")} if is_desk else {"reference": None}
                with stand_in.lock:
                    refusal = stand_in.refusal_to_repeat(presentation)
                    fresh = refusal or stand_in.arm(**kept, repeats=identity)
                self.refuse(409, refusal) if refusal else self.json(201, stand_in.presentations[fresh])
            case "POST", "engagement":
                stand_in.move(identity, "engaged")
                self.json(202, stand_in.presentations[identity])
            case "DELETE", None:
                stand_in.cancel(identity)
                self.json(200, stand_in.presentations[identity])
            case _:
                self.refuse(405, "methodNotAllowed")

    def events(self):
        stand_in = self.stand_in
        last = int(self.headers.get("Last-Event-ID") or 0)
        stream = queue.Queue()
        with stand_in.lock:
            if last:
                for entry in stand_in.log[last:]:
                    stream.put(entry)
            stand_in.streams.append(stream)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b": here\n\n")
        while True:
            try:
                entry = stream.get(timeout=min(stand_in.lane["kiosk"]["heartbeatSeconds"], 15) / 2)
            except queue.Empty:
                if stand_in.beats:
                    self.wfile.write(b": beat\n\n")
                continue
            if entry is None:
                return
            number, kind, data = entry
            self.wfile.write(f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode())


if __name__ == "__main__":
    # For a look by hand: a lane that goes round.
    stand_in = StandIn()
    for page in ("kiosk", "clerk"):
        print(f"{stand_in.url}/{page}?lane=counter-1#code={stand_in.code}", flush=True)
    while True:
        identity = stand_in.arm(asks=("age_over_21", "portrait"), validation="confirm")
        for state, stay in (("armed", 6), ("engaged", 1), ("awaitingConsent", 5), ("receiving", 2)):
            stand_in.move(identity, state)
            time.sleep(stay)
        stand_in.verify(identity, picture=True)
        time.sleep(15)
