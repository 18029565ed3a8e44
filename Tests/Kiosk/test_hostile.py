"""Pages from elsewhere, in real Chromium, try to drive a real daemon: the one that was built, on a port of its own."""

import http.server
import json
import threading
import unittest

from browser import browsers
from built_daemon import IS_BUILT, TOKEN, BuiltDaemon

REBOUND = "rebound.example"
ORDER = {"kind": "display", "intent": "age over 21"}

# Each way in which a page can send something; each says what it came to see.
ATTEMPTS = """async ([daemon, token, order]) => {
    const seen = {};
    const told = (promise) => Promise.race([promise, new Promise((done) => setTimeout(() => done("silence"), 3000))]);
    const reading = async (name, path, options) => {
        seen[name] = await told(fetch(daemon + path, options).then(
            async (answer) => answer.type === "opaque" ? "opaque" : answer.status + await answer.text(), () => "blocked"));
    };
    const authorization = { Authorization: `Bearer ${token}` };
    const body = JSON.stringify(order);
    await reading("simple", "/v1/presentations", { method: "POST", mode: "no-cors", body });
    await reading("simple, read", "/v1/presentations", { method: "POST", body });
    await reading("json", "/v1/presentations",
        { method: "POST", body, headers: { ...authorization, "Content-Type": "application/json" } });
    await reading("token", "/v1/lanes", { headers: authorization });
    await reading("delete", "/v1/presentations/x", { method: "DELETE", headers: authorization });
    await reading("health", "/healthz", {});
    await reading("health, unread", "/healthz", { mode: "no-cors" });
    seen.beacon = String(navigator.sendBeacon(daemon + "/v1/presentations", body));
    const loads = (name, tag, path) => told(new Promise((done) => {
        const element = document.createElement(tag);
        element.onload = () => done("loaded");
        element.onerror = () => done("blocked");
        element.src = daemon + path;
        document.body.append(element);
    })).then((text) => { seen[name] = text; });
    await loads("image", "img", "/kiosk/icon.svg");
    await loads("script", "script", "/kiosk/page.js");
    seen.events = await told(new Promise((done) => {
        const events = new EventSource(daemon + "/v1/lanes/counter-1/events");
        events.onopen = () => done("open");
        events.onerror = () => { events.close(); done("blocked"); };
    }));
    seen.socket = await told(new Promise((done) => {
        const socket = new WebSocket(daemon.replace("http", "ws") + "/v1/lanes/counter-1/events");
        socket.onopen = () => done("open");
        socket.onerror = () => done("blocked");
    }));
    return seen;
}"""


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Another web server of this computer."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

    def log_message(self, *arguments):
        pass


@unittest.skipUnless(IS_BUILT, "no daemon is built")
class HostilePageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The holder takes long to decide, so that nothing but a page ends what was ordered.
        cls.built = BuiltDaemon(cls.addClassCleanup, consent_time=30_000).serve()
        cls.daemon, cls.port = cls.built.url, cls.built.port
        cls.elsewhere = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
        threading.Thread(target=cls.elsewhere.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.elsewhere.shutdown)

    def setUp(self):
        # A browser that guards this computer by itself would leave nothing for the daemon to refuse.
        context = browsers.get(
            f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1",
            "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests").new_context()
        self.addCleanup(context.close)
        self.page = context.new_page()
        self.page.set_default_timeout(120_000)

    def refusals(self, name):
        """How often the daemon refused by this name."""
        for line in self.built.ask("GET", "/metrics").splitlines():
            if line.startswith(f'countersign_http_refusals_total{{id="{name}"}}'):
                return int(line.split()[-1])
        return 0

    def wait_refused(self, name, count):
        for _ in range(200):
            if self.refusals(name) >= count:
                return
            self.page.wait_for_timeout(25)
        self.fail(f"{name} was not refused")

    def assert_idle(self):
        self.assertIsNone(json.loads(self.built.ask("GET", "/v1/lanes/counter-1"))["presentation"])

    def test_a_page_of_another_origin_sees_nothing_and_orders_nothing(self):
        for host in ("127.0.0.1", "localhost"):
            with self.subTest(host=host):
                before = self.refusals("originRefused")
                self.page.goto(f"http://{host}:{self.elsewhere.server_port}/")
                seen = self.page.evaluate(ATTEMPTS, [self.daemon, TOKEN, ORDER])
                allowed = {"simple": "opaque", "health, unread": "opaque", "beacon": "true"}
                self.assertEqual(seen, {name: allowed.get(name, "blocked") for name in seen})
                self.assertGreaterEqual(self.refusals("originRefused") - before, len(seen) - 2)
                self.assert_idle()

    def test_a_form_and_a_frame_elsewhere_get_no_further(self):
        self.page.goto(f"http://localhost:{self.elsewhere.server_port}/")
        for is_sandboxed in (False, True):
            before = self.refusals("originRefused")
            form = (f"<form method=post enctype=text/plain action={self.daemon}/v1/presentations>"
                    "<input name='{\"kind\":\"' value='display\"}'></form><script>document.forms[0].submit()</script>")
            self.page.evaluate("""([form, sandbox]) => {
                const frame = document.createElement("iframe");
                if (sandbox) { frame.sandbox = "allow-forms allow-scripts"; }
                frame.srcdoc = form;
                document.body.append(frame);
            }""", [form, is_sandboxed])
            self.wait_refused("originRefused", before + 1)
        self.page.evaluate("""address => new Promise((done) => {
            const frame = Object.assign(document.createElement("iframe"), { src: address, id: "framed", onload: done });
            document.body.append(frame);
        })""", f"{self.daemon}/kiosk")
        framed = self.page.query_selector("#framed").content_frame()
        self.assertNotIn("kiosk", framed.content())
        self.assert_idle()

    def test_a_name_pointed_here_meanwhile_is_refused(self):
        address = f"http://{REBOUND}:{self.port}"
        # The page came from the attacker's own server, before its name was pointed here.
        self.page.route(f"{address}/attack", lambda route: route.fulfill(
            content_type="text/html", body="<!doctype html><title>rebound</title><body>"))
        self.page.goto(f"{address}/attack")
        before = self.refusals("hostRefused")
        seen = self.page.evaluate(ATTEMPTS, [address, TOKEN, ORDER])
        for name in ("json", "token", "delete", "health", "simple, read"):
            self.assertTrue(seen[name].startswith("421") and "hostRefused" in seen[name], f"{name}: {seen[name]}")
        for name in ("image", "script", "events", "socket"):
            self.assertEqual(seen[name], "blocked", name)
        self.assertGreaterEqual(self.refusals("hostRefused") - before, 10)
        self.assert_idle()

    def test_the_daemons_own_page_is_let_through(self):
        self.page.goto(f"{self.daemon}/kiosk?lane=counter-1")
        seen = self.page.evaluate("""async (token) => (await fetch("/v1/lanes",
            { headers: { Authorization: `Bearer ${token}` } })).status""", TOKEN)
        self.assertEqual(seen, 200)
        identity = json.loads(self.built.ask("POST", "/v1/presentations", ORDER))["id"]
        state = self.page.evaluate("""async ([token, id]) => (await (await fetch(`/v1/presentations/${id}`,
            { method: "DELETE", headers: { Authorization: `Bearer ${token}` } })).json()).state""", [TOKEN, identity])
        self.assertEqual(state, "cancelled")
