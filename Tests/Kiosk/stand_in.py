"""Speaks the daemon's HTTP and Server-Sent Events to the kiosk pages, with a script in the place of reader and phone."""

import contextlib
import http.server
import json
import pathlib
import queue
import re
import socket
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "Sources/Service/ReaderAPI/Kiosk"
PORTRAIT = ROOT / "Sources/Mdoc/MdocWallet/Resources/portrait.jpg"
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "json": "application/json",
         "svg": "image/svg+xml"}
HEADERS = {
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
}
ENDS = ("verified", "rejected", "declined", "cancelled", "failed")
LOGO = (b"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 60'><rect width='120' height='60' fill='#7a1f3d'/>"
        b"<circle cx='30' cy='30' r='17' fill='#fff'/><path d='M58 20h46M58 40h30' stroke='#fff' stroke-width='8'/></svg>")


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
    """One lane, its presentations, and what was asked of it."""

    token = "display-capability"

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
                "lane": "counter-1", "state": "ready", "bluetooth": "ready", "presentation": None,
                "brand": {"name": "Corner Wines", "logo": "/v1/brands/corner/logo"},
                "kiosk": {"antenna": {"x": 50, "y": 42, "place": "below"}, "resultSeconds": 12,
                          "heartbeatSeconds": 15, "language": "en", "notice": None},
            }
            self.presentations = {}
            self.portraits = {}
            self.asked.clear()
            self.failing = {}
            self.beats = True
            self.portrait = (PORTRAIT.read_bytes(), "image/jpeg")

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

    # The script.

    def emit(self, kind, **data):
        with self.lock:
            entry = (len(self.log) + 1, kind, {**data, "lane": "counter-1", "at": "2026-11-21T12:00:00Z"})
            self.log.append(entry)
            for stream in self.streams:
                stream.put(entry)

    def arm(self, asks=("age_over_21",), retention="none", hint=None, **more):
        with self.lock:
            identity = f"p-{len(self.log)}"
            self.presentations[identity] = {
                "id": identity, "kind": "display", "lane": "counter-1", "reference": "till-7/4711", "state": "armed",
                "created": "2026-11-21T12:00:00Z", "intent": "age over 21", "asks": list(asks), "retention": retention,
                "brand": self.lane.get("brand"), "hint": hint, "ended": None, **more}
            self.lane["presentation"] = identity
        self.emit("state", presentation=identity, state="armed", **({"hint": hint} if hint else {}))
        return identity

    def move(self, identity, state, hint=None, **changes):
        with self.lock:
            self.presentations[identity].update(
                state=state, hint=hint, ended="2026-11-21T12:00:00Z" if state in ENDS else None, **changes)
        self.emit("state", presentation=identity, state=state, **({"hint": hint} if hint else {}))

    def verify(self, identity, picture=False, **changes):
        result = verdict(**changes)
        if picture:
            result["portrait"] = f"/v1/presentations/{identity}/portrait"
            result["name"] = {"given": "Erika", "family": "Mustermann"}
            result["age"] = 34
            self.portraits[identity] = self.portrait
        self.move(identity, "rejected" if result["verdict"] == "rejected" else "verified", result=result)

    def set_lane(self, **changes):
        with self.lock:
            self.lane.update(changes)
        self.emit("lane", **{key: value for key, value in changes.items() if key in ("state", "bluetooth")})

    def decide(self, identity, decision):
        with self.lock:
            presentation = self.presentations[identity]
            self.portraits.pop(identity, None)
            for name in ("portrait", "name", "age"):
                presentation["result"].pop(name, None)
            presentation["result"]["outcome"] = decision
            self.lane["presentation"] = None
        self.emit("state", presentation=identity, state=presentation["state"])


def verdict(answers=(("age_over_21", "yes"),), parts=None, reasons=(), issuer=None, revocation=None, verdict="verified"):
    """A result, in which everything is well unless told otherwise."""
    return {
        "verdict": verdict, "answers": [{"ask": ask, "answer": answer} for ask, answer in answers],
        "reasons": [{"id": name, "text": f"plain words about {name}"} for name in reasons],
        "issuer": issuer or {"country": "DE", "name": "Kraftfahrt-Bundesamt", "test": False},
        "revocation": revocation or {"state": "good", "ageSeconds": 7_300},
        "parts": {"authentic": "yes", "fresh": "yes", "documentCurrent": "yes", "holderBound": "yes", **(parts or {})},
        "outcome": None, "portrait": None, "name": None, "age": None, "trustSnapshot": "5b1c", "trustAgeSeconds": 90_000, "receipt": "r-2041",
    }


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in = None

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path in ("/kiosk", "/clerk"):
            return self.page("customer.html" if path == "/kiosk" else "clerk.html")
        if path.startswith("/kiosk/"):
            return self.page(path.removeprefix("/kiosk/"))
        self.api(path)

    do_POST = do_DELETE = lambda self: self.api(self.path.split("?")[0])

    def page(self, name):
        file = PAGES / name
        if not re.fullmatch(r"[a-z-]+\.[a-z]+", name) or not file.is_file():
            return self.answer(404, b"", "text/plain")
        self.answer(200, file.read_bytes(), TYPES[file.suffix[1:]] + "; charset=utf-8", HEADERS)

    def answer(self, status, body, kind="application/json", headers={}):
        self.send_response(status)
        for name, value in {**headers, "Content-Type": kind, "Cache-Control": "no-store",
                            "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, status, value):
        self.answer(status, json.dumps(value).encode())

    def refuse(self, status, name):
        self.json(status, {"error": {"id": name, "text": name}})

    def api(self, path):
        stand_in = self.stand_in
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with stand_in.lock:
            stand_in.asked.append((self.command, path, json.loads(body) if body else None, dict(self.headers)))
        if self.headers.get("Authorization") != f"Bearer {stand_in.token}":
            return self.refuse(401, "capabilityRequired")
        for pattern, status in list(stand_in.failing.items()):
            if re.search(pattern, f"{self.command} {path}"):
                return self.refuse(status, "scripted")
        found = re.fullmatch(r"/v1/(lanes|presentations|brands)/([^/]+)(?:/(\w+))?", path)
        if found is None:
            return self.refuse(404, "unknown")
        getattr(self, found[1])(found[2], found[3], body)

    def lanes(self, name, what, body):
        if name != "counter-1":
            return self.refuse(404, "unknownLane")
        if what == "events":
            return self.events()
        with self.stand_in.lock:
            self.json(200, self.stand_in.lane)

    def brands(self, name, what, body):
        self.answer(200, LOGO, "image/svg+xml")

    def presentations(self, identity, what, body):
        stand_in = self.stand_in
        with stand_in.lock:
            presentation = stand_in.presentations.get(identity)
        if presentation is None:
            return self.refuse(404, "unknownPresentation")
        match self.command, what:
            case "GET", None:
                with stand_in.lock:
                    self.json(200, presentation)
            case "GET", "portrait":
                bytes_, kind = stand_in.portraits.get(identity, (None, None))
                self.refuse(410, "wiped") if bytes_ is None else self.answer(200, bytes_, kind)
            case "POST", "decision":
                stand_in.decide(identity, json.loads(body)["decision"])
                self.json(200, {})
            case "POST", "engagement":
                self.json(202, {})
                stand_in.move(identity, "engaged")
            case "DELETE", None:
                self.json(200, {})
                stand_in.move(identity, "cancelled")
            case _:
                self.refuse(405, "method")

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
        print(f"{stand_in.url}/{page}?lane=counter-1#token={stand_in.token}", flush=True)
    while True:
        identity = stand_in.arm(asks=("age_over_21", "portrait"), validation="confirm")
        for state, stay in (("armed", 6), ("engaged", 1), ("awaitingConsent", 5), ("receiving", 2)):
            stand_in.move(identity, state)
            time.sleep(stay)
        stand_in.verify(identity, picture=True)
        time.sleep(15)
