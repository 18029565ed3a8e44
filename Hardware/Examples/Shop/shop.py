#!/usr/bin/python3
"""A shop that asks for an age on its page, with countersignd behind it: an example to start from.

    COUNTERSIGN_TOKEN=… Examples/Shop/shop.py [--port 8080] [--origin http://localhost:8080] [--daemon http://127.0.0.1:8411]

The daemon knows the shop by a token of the scope `online`, and the page by its origin (`online.web.origins`). The page knows
neither token nor verdict: it hands the wallet what the shop gives it, and the shop what the wallet gives it.
"""

import argparse
import collections
import http.server
import json
import os
import pathlib
import secrets
import threading
import urllib.error
import urllib.request

PAGE = pathlib.Path(__file__).resolve().parent / "page"
FILES = {"/": ("shop.html", "text/html"), "/shop.js": ("shop.js", "text/javascript"),
         "/shop.css": ("shop.css", "text/css")}
HEADERS = {
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "digital-credentials-get=(self)",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'",
}
INTENT, AGE = "age over 21", "21"
LONGEST_ANSWER = 3 << 19
MOST_SESSIONS = 1024
DEADLINE = 10


class Refused(Exception):
    """The daemon does not take it, by the name it has for that."""


class Desk:
    """What the shop says to the daemon, and what it makes of the answers."""

    def __init__(self, daemon, token, origin, in_trial=False):
        """`in_trial`: whether test documents count that the daemon accepts (`acceptTestDocuments`); never where it matters."""
        self.daemon, self.token, self.origin, self.in_trial = daemon, token, origin, in_trial

    def ask(self, session):
        """What `navigator.credentials.get` is to ask with, for this session alone."""
        return self.post("/v1/web/requests", {"session": session, "origin": self.origin, "intent": INTENT})

    def decide(self, session, encryption_info, response):
        """Whether this session may buy, and why not."""
        verdict = self.post("/v1/web/presentations", {
            "session": session, "origin": self.origin, "encryptionInfo": encryption_info, "response": response})
        is_accepted_test = self.in_trial and any("elements" in document for document in verdict["documents"])
        if verdict["verdict"] != "verified" and not is_accepted_test:
            return {"outcome": verdict["verdict"]}
        answers = [document["ageOver"].get(AGE, "cannotTell") for document in verdict["documents"]]
        agreed = set(answers) or {"cannotTell"}
        return {"outcome": agreed.pop() if len(agreed) == 1 else "cannotTell"}

    def post(self, path, body):
        request = urllib.request.Request(
            self.daemon + path, data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                raise Refused(json.load(error)["id"]) from None
            except (ValueError, KeyError, TypeError):
                raise Refused(f"status {error.code}") from None


class Shop(http.server.ThreadingHTTPServer):
    """The page, and the two things it asks of us. What was asked last is kept for each session, here and not in the page."""

    daemon_threads = True

    def __init__(self, port, desk):
        super().__init__(("127.0.0.1", port), Visit)
        self.desk = desk
        self.lock = threading.Lock()
        self.asked = collections.OrderedDict()

    def remember(self, session, encryption_info):
        with self.lock:
            self.asked.pop(session, None)
            self.asked[session] = encryption_info
            while len(self.asked) > MOST_SESSIONS:
                self.asked.popitem(last=False)

    def take(self, session):
        """Once: the daemon would take it no second time either."""
        with self.lock:
            return self.asked.pop(session, None)


class Visit(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *arguments):
        """Who visits when is nobody's business."""

    def parse_request(self):
        """Whether there is a body that nobody has read: it would be taken for the next request."""
        is_request = super().parse_request()
        if is_request:
            sizes = self.headers.get_all("Content-Length", ["0"])
            self.unread = "Transfer-Encoding" in self.headers or sizes != ["0"]
        return is_request

    def do_GET(self):
        name, kind = FILES.get(self.path, (None, None))
        if name is None:
            return self.answer(404, b"", "text/plain")
        cookie = {} if self.session else {"Set-Cookie": self.cookie(secrets.token_urlsafe(24))}
        self.answer(200, (PAGE / name).read_bytes(), f"{kind}; charset=utf-8", cookie)

    def do_POST(self):
        body = self.body()
        if body is None or self.session is None or self.headers.get("Origin") != self.server.desk.origin:
            return self.json(400, {"outcome": "refused"})
        steps = {"/age/request": self.ask, "/age/answer": self.decide}
        if self.path not in steps:
            return self.json(404, {"outcome": "refused"})
        try:
            steps[self.path](body)
        except Refused as refusal:
            self.log_error("the daemon refuses: %s", refusal)
            self.json(200, {"outcome": "refused"})
        except (OSError, ValueError, KeyError, TypeError):
            self.json(200, {"outcome": "unavailable"})

    def ask(self, _):
        request = self.server.desk.ask(self.session)
        self.server.remember(self.session, request["data"]["encryptionInfo"])
        self.json(200, {"outcome": "asked", "request": {"protocol": request["protocol"], "data": request["data"]}})

    def decide(self, body):
        encryption_info, response = self.server.take(self.session), body.get("response")
        if encryption_info is None or not isinstance(response, str):
            return self.json(200, {"outcome": "refused"})
        self.json(200, self.server.desk.decide(self.session, encryption_info, response))

    @property
    def session(self):
        for part in (self.headers.get("Cookie") or "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == "shop" and 16 <= len(value) <= 64:
                return value
        return None

    def cookie(self, session):
        secure = "; Secure" if self.server.desk.origin.startswith("https:") else ""
        return f"shop={session}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def body(self):
        """The members of a JSON body; None if it is not valid."""
        try:
            sizes = self.headers.get_all("Content-Length", ["0"])
            is_one = len(sizes) == 1 and sizes[0].isascii() and sizes[0].isdigit() and len(sizes[0]) <= 9
            if "Transfer-Encoding" in self.headers or not is_one or int(sizes[0]) > LONGEST_ANSWER:
                return None
            text = self.rfile.read(int(sizes[0]))
            self.unread = False
            members = json.loads(text or b"{}")
            return members if isinstance(members, dict) else None
        except ValueError:
            return None

    def json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def answer(self, status, body, kind, headers={}):
        self.send_response(status)
        for name, value in {**HEADERS, **headers, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if self.unread:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--origin")
    options.add_argument("--daemon", default="http://127.0.0.1:8411")
    options = options.parse_args()
    origin = options.origin or f"http://localhost:{options.port}"
    with Shop(options.port, Desk(options.daemon, os.environ["COUNTERSIGN_TOKEN"], origin)) as shop:
        print(origin, flush=True)
        shop.serve_forever()


if __name__ == "__main__":
    main()
