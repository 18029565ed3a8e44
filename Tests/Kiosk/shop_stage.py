"""The shop of Hardware/Examples/Shop with the built software wallet behind `navigator.credentials`, and behind the shop the built daemon,
or one that is scripted but for its verdicts: those are the built `countersign verify`'s."""

import base64
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("KIOSK_PROGRAMS", ROOT / ".build/debug"))
PROGRAM, LAB, DAEMON = (PROGRAMS / name for name in ("countersign", "countersign-lab", "countersignd"))
sys.path.insert(0, str(ROOT / "Hardware/Examples/Shop"))

from built_daemon import held_port  # noqa: E402
from shop import Desk, Shop  # noqa: E402  (an example stands where a developer looks for it)

SEALED = json.loads((ROOT / "TestVectors/presentations/sealed-answers.json").read_text())
TOKEN = "online-capability"
# What a browser with the API would have; the wallet is asked through a function that the test exposes.
CREDENTIALS = """
window.DigitalCredential = class { static userAgentAllowsProtocol(name) { return name === "org-iso-mdoc"; } };
Object.defineProperty(navigator.credentials, "get", { value: async ({ mediation, digital }) => {
    const [request] = digital.requests;
    const response = await window.wallet(JSON.stringify({
        request, mediation, origin: location.origin, isActive: navigator.userActivation.isActive }));
    if (response === "") { throw new DOMException("declined", "NotAllowedError"); }
    return { type: "digital", protocol: request.protocol, data: { response } };
} });
"""


def head(kind, count):
    """The head of a CBOR item (RFC 8949, 3)."""
    return bytes([kind << 5 | count]) if count < 24 else bytes([kind << 5 | 24, count])


def encoded(value):
    match value:
        case bool():
            return b"\xf5" if value else b"\xf4"
        case bytes():
            return b"\xd8\x18" + head(2, len(value)) + value
        case str():
            return head(3, len(value)) + value.encode()
        case list():
            return head(4, len(value)) + b"".join(map(encoded, value))
        case dict():
            return head(5, len(value)) + b"".join(encoded(key) + encoded(item) for key, item in value.items())


DEVICE_REQUEST = encoded({"version": "1.0", "docRequests": [{"itemsRequest": encoded(
    {"docType": "org.iso.18013.5.1.mDL", "nameSpaces": {"org.iso.18013.5.1": {"age_over_21": False}}})}]})


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class ScriptedDaemon(http.server.ThreadingHTTPServer):
    """Two routes. The nonce is a published one; that each is new and used once is tested of the daemon itself."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Routes)
        self.folder = folder
        self.asked = []
        self.failing = None
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def stop(self):
        self.shutdown()
        self.server_close()

    def verdict(self, body):
        (self.folder / "response.txt").write_text(body["response"])
        (self.folder / "request.cbor").write_bytes(DEVICE_REQUEST)
        (self.folder / "policy.json").write_text('{"acceptTestDocuments": true}')
        (self.folder / "recipient-key.txt").write_text(SEALED["recipientKey"])
        judged = subprocess.run(
            [PROGRAM, "verify", "--web-response", self.folder / "response.txt", "--encryption-info",
             body["encryptionInfo"], "--origin", body["origin"], "--key",
             self.folder / "recipient-key.txt", "--request", self.folder / "request.cbor", "--trust",
             self.folder / "root.der", "--policy-file", self.folder / "policy.json", "--json"],
            capture_output=True, text=True, timeout=600, check=False)
        return json.loads(judged.stdout)


class Routes(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.json(401, {"id": "unauthorized"})
        if self.server.failing:
            return self.json(self.server.failing, {"id": "scripted"})
        if self.path == "/v1/web/requests":
            return self.json(201, {
                "protocol": "org-iso-mdoc", "expires": "2026-11-22T12:05:00Z",
                "data": {"deviceRequest": base64url(DEVICE_REQUEST), "encryptionInfo": SEALED["web"]["encryptionInfo"]}})
        verdict = self.server.verdict(body)
        if verdict["documents"]:
            return self.json(200, verdict)
        self.json(422, {"id": verdict["errors"][0]["id"]})

    def json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class BuiltDaemon:
    """The daemon that was built, which trusts the wallet that is in the visitor's hand already."""

    def __init__(self, folder, origin):
        self.held = contextlib.ExitStack()
        port = held_port(self.held.callback)
        self.url = f"http://127.0.0.1:{port}"
        key, store, file = folder / "web.pem", folder / "store", folder / "countersignd.json"
        key.touch(0o600)
        subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key],
                       check=True, capture_output=True)
        subprocess.run([PROGRAM, "trust", "import", folder / "root.der", "--store", store], check=True,
                       stdout=subprocess.DEVNULL)
        file.write_text(json.dumps({
            "store": str(store), "socket": None, "http": {"port": port},
            "tokens": [{"name": "shop", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "scopes": ["online"]}],
            "acceptTestDocuments": True,
            "lanes": [{"name": "counter-1", "benchLink": "tcp://127.0.0.1:9"}],
            "online": {"web": {"origins": [origin], "keys": [str(key)]}}}))
        self.process = subprocess.Popen([DAEMON, "--config", file], stderr=subprocess.PIPE, text=True)
        while " ready" not in (line := self.process.stderr.readline()):
            assert line, "the daemon does not start"
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.reader.join(30)
        self.process.stderr.close()
        self.held.close()


class ShopStage:
    """A shop with its daemon, and one wallet at a time."""

    token = TOKEN

    def __init__(self, built=False):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-shop-")
        folder = pathlib.Path(self.folder.name)
        self.shop = Shop(0, Desk("", TOKEN, "", in_trial=True))
        self.url = self.shop.desk.origin = f"http://127.0.0.1:{self.shop.server_address[1]}"
        self.wallet = None
        self.calls = []
        if built:
            self.hold()
            self.answer_once_ready()
        self.daemon = BuiltDaemon(folder, self.url) if built else ScriptedDaemon(folder)
        self.shop.desk.daemon = self.daemon.url
        threading.Thread(target=self.shop.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def hold(self, *options):
        """Puts a wallet into the visitor's hand."""
        self.drop()
        self.wallet = subprocess.Popen(
            [LAB, "wallet", "--web-request", "-", "--origin", self.url, "--root",
             pathlib.Path(self.folder.name) / "root.der", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer_once_ready(self):
        """The root is there before the first answer."""
        request = {"data": {"deviceRequest": base64url(DEVICE_REQUEST), "encryptionInfo": SEALED["web"]["encryptionInfo"]}}
        self.answer(json.dumps({"request": request}))
        self.calls.clear()

    def drop(self):
        if self.wallet is not None:
            self.wallet.stdin.close()
            self.wallet.wait(30)
            self.wallet.stdout.close()
            self.wallet = None

    def answer(self, text):
        """What `navigator.credentials.get` is called with, and what the wallet says to it."""
        call = json.loads(text)
        self.calls.append(call)
        self.wallet.stdin.write(json.dumps(call["request"]) + "\n")
        self.wallet.stdin.flush()
        return self.wallet.stdout.readline().strip()

    def reset(self):
        self.calls.clear()
        if isinstance(self.daemon, BuiltDaemon):
            return
        self.drop()
        self.daemon.asked.clear()
        self.daemon.failing = None

    def stop(self):
        self.drop()
        self.shop.shutdown()
        self.shop.server_close()
        self.daemon.stop()
        self.folder.cleanup()
