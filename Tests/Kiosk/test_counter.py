"""The whole story of a counter with the installed daemon, in a guest of Hardware/Packaging/boot-deb --story: a brand and
its reader token, a clerk's comparison on the pages, data by HTTP, the receipts, and the end of what was retained."""

import hashlib
import json
import os
import time
import unittest
import urllib.error
import urllib.request

from playwright.sync_api import sync_playwright

from browser import CHROMIUM, KioskCase, LANDSCAPE
from guest import Guest

FOLDER = os.environ.get("COUNTERSIGN_GUEST")
PORT = os.environ.get("COUNTERSIGN_GUEST_PORT")
TOKENS = {scope: f"{scope}-token-of-the-story" for scope in ("app", "screen", "clerk", "admin")}
STORE, KEYS, LANE = "/var/lib/countersign", "/var/lib/countersign-keys", "counter-1"
NAMESPACE = "org.iso.18013.5.1"
# A screen may be gone before a slow machine looks at it.
REMEMBER = """
    window.screens = new Set();
    new MutationObserver(() => window.screens.add(document.body?.dataset.screen)).observe(
        document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-screen"] });
"""


class InstalledDaemon:
    """What the pages' tests need of a daemon."""

    url = f"http://127.0.0.1:{PORT}"

    def reset(self):
        pass

    def stop(self):
        pass


@unittest.skipUnless(FOLDER and PORT, "Hardware/Packaging/boot-deb --story runs this")
class CounterTests(KioskCase):
    @classmethod
    def setUpClass(cls):
        cls.begun = time.monotonic()
        cls.stand_in = InstalledDaemon()
        cls.guest = Guest(FOLDER)
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])

    def tearDown(self):
        # How things stood, for whoever looks for what went wrong.
        for number, context in enumerate(self.contexts):
            for page in context.pages:
                self.shot(page, f"counter-end-{number}")
        super().tearDown()

    @classmethod
    def tearDownClass(cls):
        cls.guest.run(f"journalctl --no-pager --boot > {Guest.SHARED}/journal.log")
        cls.guest.close()
        super().tearDownClass()

    def chapter(self, words):
        print(f"{time.monotonic() - self.begun:6.1f} s  {words}", flush=True)

    # The daemon, by HTTP

    def ask(self, method, path, body=None, scope="app"):
        request = urllib.request.Request(
            self.stand_in.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKENS[scope]}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as response:
            return response.read()

    def told(self, *arguments, **options):
        return json.loads(self.ask(*arguments, **options))

    def refusal(self, *arguments, **options):
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.ask(*arguments, **options)
        return json.load(refused.exception)["id"]

    def ended(self, identity):
        deadline = time.monotonic() + 600
        while (presentation := self.told("GET", f"/v1/presentations/{identity}"))["ended"] is None:
            self.assertLess(time.monotonic(), deadline, presentation["state"])
            time.sleep(0.5)
        return presentation

    # The guest, by its shell

    def countersign(self, words):
        return self.guest.run(f"runuser -u countersign -- env COUNTERSIGN_STORE={STORE} countersign {words}")

    def listed(self):
        return json.loads(self.countersign("retained list --json"))["records"]

    def install(self):
        self.guest.run(f"dpkg --force-unsafe-io --install {Guest.SHARED}/new.deb {Guest.SHARED}/lab.deb", within=Guest.START)
        configuration = {
            "socket": {"users": [{"uid": 0, "scopes": ["admin"]}]}, "http": {"port": int(PORT)},
            "tokens": [{"name": scope, "scopes": [scope], "sha256": hashlib.sha256(token.encode()).hexdigest()}
                       for scope, token in TOKENS.items()],
            # The software wallet's issuer is a test's, and has no revocation list.
            "acceptTestDocuments": True,
            "policies": {"rental": "age"},
            "lanes": [{"name": LANE, "reader": "Virtual PCD 00 00", "adapter": "hci0"}],
        }
        file = self.guest.put("countersignd.json", json.dumps(configuration).encode())
        # The daemon listens on the guest's loopback alone.
        self.guest.run(f"""
            cat {file} > /etc/countersign/countersignd.json
            systemctl restart countersignd
            systemd-run --quiet --unit=proxy --socket-property=ListenStream=10.0.2.15:{PORT} \
                /lib/systemd/systemd-socket-proxyd 127.0.0.1:{PORT}""")

    def brand(self):
        """A brand of the shop, and a token of it for this reader."""
        self.countersign("brand add utopia --name 'Utopia Rentals'")
        self.countersign(f"brand key add utopia --kid k1 --generate {STORE}/brand.pem")
        instance = self.countersign("token instance")
        return self.countersign(
            f"token sign --brand utopia --kid k1 --key {STORE}/brand.pem --instance {instance}")

    def bring_air(self):
        """An adapter for the counter, and one for the phone, on a virtual air.

        btvirt lets an advertisement be heard only as it begins, and as a search begins, when bluetoothd does not listen yet. With a
        second one, which says nothing, the kernel puts both on the air in turns, as a radio repeats them."""
        self.guest.run("""
            systemctl stop air 2>/dev/null || true
            systemctl reset-failed air 2>/dev/null || true
            rm -f /tmp/bt-server-*
            systemd-run --quiet --unit=air btvirt -l2 -L -s
            for i in $(seq 100); do [ ! -e /sys/class/bluetooth/hci1 ] || break; sleep 0.2; done
            systemctl restart bluetooth
            powered() { busctl get-property org.bluez "/org/bluez/$1" org.bluez.Adapter1 Powered | grep -q true; }
            for i in $(seq 100); do if powered hci0 && powered hci1; then break; fi; sleep 0.2; done
            # It ends with its input.
            sleep 1 | timeout 10 btmgmt --index 0 add-adv -u 180d 5""")

    def lay_phone(self, answering=""):
        """A phone on the reader, of an issuer that this counter trusts.

        One that is back within a second is taken for the phone that was there before (Q208), and pcscd looks every 0.4 s."""
        self.guest.run(f"""
            systemctl stop phone 2>/dev/null && sleep 2 || true
            systemctl reset-failed phone 2>/dev/null || true
            rm -f /run/phone.der
            systemctl start pcscd
            systemd-run --quiet --unit=phone --property=Restart=on-failure --property=RestartSec=1 \
                countersign-lab wallet --card tcp://127.0.0.1:35963 --root /run/phone.der {answering}
            for i in $(seq 300); do [ ! -s /run/phone.der ] || break; sleep 0.2; done
            chmod a+r /run/phone.der""")
        self.countersign("trust import /run/phone.der")

    # The pages

    def open(self, layout):
        page = self.context(viewport=LANDSCAPE).new_page()
        page.set_default_timeout(600_000)
        self.watch(page)
        page.add_init_script(REMEMBER)
        scope = "screen" if layout == "kiosk" else "clerk"
        code = self.told("POST", "/v1/page-codes", {"page": layout, "lane": LANE}, scope=scope)["code"]
        page.goto(f"{self.stand_in.url}/{layout}?lane={LANE}&lang=en#code={code}")
        self.expect(page, "idle")
        return page

    def saw(self, page, screen):
        """Returns once the page has shown this screen."""
        deadline = time.monotonic() + 600
        while screen not in (screens := page.evaluate("[...window.screens]")):
            self.assertLess(time.monotonic(), deadline, screens)
            page.wait_for_timeout(100)

    def test_from_token_to_purge(self):
        self.chapter("the guest runs")
        self.install()
        self.chapter("the package is installed, the daemon runs")
        token = self.brand()
        self.chapter("a brand signed a token for the reader")
        self.compare(token)
        self.chapter("a clerk compared a portrait on the page")
        record, values = self.rent(token)
        self.chapter("data came by HTTP, and is retained")
        self.verify()
        self.chapter("the receipts are verified")
        self.let_go(record, values)
        self.chapter("two days later the data is gone from the files")

    def compare(self, token):
        customer, clerk = self.open("kiosk"), self.open("clerk")
        self.lay_phone()
        identity = self.told("POST", "/v1/presentations", {
            "kind": "display", "lane": LANE, "reference": "till-7/4711", "validation": "confirm",
            "retention": "receipt", "readerToken": token,
            "intent": "age over 21 with portrait for a human to compare"})["id"]
        # The phone lies there already: what comes before is over at once.
        self.saw(customer, "compare")
        clerk.locator('[data-state="shown"] img').wait_for()
        for page, name in ((clerk, "counter-clerk"), (customer, "counter-customer")):
            self.assertIn("Utopia Rentals", self.words(page))
            self.shot(page, name)
        clerk.click('[data-action="matches"]')
        self.saw(clerk, "verified")
        self.saw(customer, "yes")
        presentation = self.told("GET", f"/v1/presentations/{identity}")
        self.assertEqual(presentation["outcome"], "allow")
        result = presentation["result"]
        self.assertEqual(
            result["answers"], [{"ask": ask, "answer": "yes"} for ask in ("age_over_21", "portrait")])
        self.assertEqual(result["decision"], "approved")
        self.assertFalse({"portrait", "name", "documents"} & {name for name, value in result.items() if value})

    def rent(self, token):
        order = {"kind": "data", "lane": LANE, "reference": "booking", "retention": "days(2)",
                 "intent": "rental: name, document number, age over 21"}
        self.assertEqual(self.refusal("POST", "/v1/presentations", order), "readerTokenRequired")
        # It is tapped, and answers over Bluetooth, which is the only way this phone has.
        self.bring_air()
        self.lay_phone("--ble --adapter hci1 --no-nfc-retrieval")
        identity = self.told("POST", "/v1/presentations", {**order, "readerToken": token})["id"]
        presentation = self.ended(identity)
        self.assertEqual(presentation["state"], "verified", presentation)
        documents = presentation["result"]["documents"]
        values = [json.dumps(documents).count(name) for name in ("family_name", "document_number")]
        self.assertTrue(all(values), documents)
        record, = [record["id"] for record in self.listed()]
        self.assertIn(bytes.fromhex(record), self.guest.files(STORE))
        return record, self.elements(documents)

    @staticmethod
    def elements(documents):
        """The texts that nobody but the tenant of this data may read, long enough to be told from chance."""
        found = []

        def collect(value):
            if isinstance(value, dict):
                for inner in value.values():
                    collect(inner)
            elif isinstance(value, list):
                for inner in value:
                    collect(inner)
            elif isinstance(value, str):
                found.append(value)

        for document in documents:
            for name in ("family_name", "given_name", "document_number"):
                collect(find(document, name))
        return [text.encode() for text in found if len(text) > 5]

    def verify(self):
        for name, path in (("chain", "/v1/receipt-chain"), ("keys.pem", "/v1/receipt-keys")):
            self.guest.put(name, self.ask("GET", path, scope="admin"))
        written = self.told("GET", "/v1/receipts", scope="admin")
        self.receipts, head = len(written["receipts"]), written["head"]
        self.assertGreaterEqual(self.receipts, 2)
        command = "runuser -u nobody -- countersign receipt verify --json --key {0}/keys.pem --head {1} {0}/{2}"
        verdict = json.loads(self.guest.run(command.format(Guest.OPEN, head, "chain")))
        self.assertEqual((verdict["verdict"], verdict["receipts"]), ("intact", self.receipts))
        changed = bytearray((self.guest.folder / "chain").read_bytes())
        changed[len(changed) // 2] ^= 1
        self.guest.put("changed", bytes(changed))
        with self.assertRaises(AssertionError):
            self.guest.run(command.format(Guest.OPEN, head, "changed"))

    def let_go(self, record, values):
        self.assertTrue(values)
        for text in values:
            self.assertNotIn(text, self.guest.files(STORE, KEYS))
        # While the daemon is off its time comes. The pages do not reach it, and then ask for a presentation that it has forgotten.
        self.expected_complaints = ("net::ERR_", "404 (Not Found)")
        self.guest.run("systemctl stop countersignd && date --set '+2 days 1 hour' && systemctl start countersignd")
        deadline = time.monotonic() + 600
        while self.listed():
            self.assertLess(time.monotonic(), deadline, "data is retained beyond its deadline")
            time.sleep(1)
        self.assertNotIn(bytes.fromhex(record), self.guest.files(STORE, KEYS))
        self.assertEqual(self.refusal("POST", "/v1/exports", {"reference": "booking"}), "nothingRetained")
        self.assertEqual(len(self.told("GET", "/v1/receipts", scope="admin")["receipts"]), self.receipts)


def find(value, name):
    """What a member of this name holds, however deep it is."""
    if isinstance(value, dict):
        return [inner if key == name else find(inner, name) for key, inner in value.items()]
    return [find(inner, name) for inner in value] if isinstance(value, list) else []
