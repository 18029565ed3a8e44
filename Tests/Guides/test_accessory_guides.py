"""Runs the guides of the door and of the till that only knows keys, from their own text; see test_guides.py.

Pseudo terminals play an LCUS board, a scanner and the scanner port of a till. Nobody types: without uinput the keys are absent, and
the guide's tests hold that this is said and that nothing is done.
"""

import json
import re
import unittest

import own_system
from guide_page import DOCUMENTATION, GuideCase, blocks

OFF, ON = "a00100a1", "a00101a2"
PLUG = """
plug() {
    serial-cable "$1" /run &
    echo $! > "/run/$1.pid"
    until [ -e "/dev/serial/by-id/$1" ] || ! kill -0 "$(cat "/run/$1.pid")"; do sleep 0.1; done
}
unplug() {
    kill -TERM "$(cat "/run/$1.pid")"
    wait "$(cat "/run/$1.pid")"
}
received() { od -An -v -tx1 "/run/$1.received" | tr -d ' \\n'; }
scan() {
    printf '%s\\r' "$2" > "/run/$1.send"
    kill -HUP "$(cat "/run/$1.pid")"
}
"""


def wait(condition):
    return f"timeout 120 bash -c '{condition}'\n"


def receipts_say(what, times=1):
    list_them = "runuser -u countersign -- countersign receipt list --store /var/lib/countersign"
    return wait(f'until [ "$({list_them} | grep -c "{what}")" = {times} ]; do sleep 0.2; done')


def state_is(state):
    return wait(f'until tail -n 1 /run/countersign-accessories.log | grep -qx "{state}"; do sleep 0.2; done')


def accessory_is(line):
    return wait(f'until countersign accessory list | grep -qx "{line}"; do sleep 0.2; done')


def lane_says(what):
    socket = "curl -s --unix-socket /run/countersign/countersignd.sock http://localhost/v1/lanes/gate"
    return wait(f"until {socket} | jq -e {json.dumps(what)} >/dev/null; do sleep 0.2; done")


def has_received(bytes_in_hex):
    return wait(f'until od -An -v -tx1 /run/usb-LCUS.received | tr -d " \\n" | grep -q {bytes_in_hex}; do sleep 0.2; done')


def boards():
    """What the door's guide writes for each kind of board."""
    text = (DOCUMENTATION / "getting-started-door.md").read_text()
    rows = text.partition("## 8. Another board")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `?([A-Za-z]+)[^|]*\| `(\"[^`]*\})` \|", rows, re.MULTILINE))


class AccessoryGuide(GuideCase):
    DOOR, KEYS = "getting-started-door.md", "getting-started-keys.md"

    def test_a_door_opens_once_for_a_tap_and_pauses_without_its_lock(self):
        board = boards()["LCUS"].replace("…", "usb-LCUS")
        scanner = next(text for _, text in blocks(self.DOOR, "json") if '"in"' in text)
        scanner = scanner.replace("usb-MAKER_MODEL_SERIAL-if00", "usb-scanner")
        add = f"""file=/etc/countersign/countersignd.json
            jq --argjson scanner '{scanner}' '.accessories[0].engagements = ["nfc", "qr"] | .accessories += [$scanner]' $file > /run/new
            cat /run/new > $file\n"""
        standing = """jq '.lanes[0].benchLink = "tcp://127.0.0.1:7000" | .acceptTestDocuments = true | .accessories[0].trial = true' \
            $file > /run/new\ncat /run/new > $file\nsystemctl restart countersignd\n"""
        wallet = "countersign-lab wallet --listen tcp://127.0.0.1:7000 --issuer /var/lib/trial-wallet --root /run/trial-root.der"
        said = self.run_guide(self.DOOR, before={
            1: f"{PLUG}BOARD='{board}'\nplug usb-LCUS\n", 2: accessory_is("lock at gate: relay, trial"),
            6: receipts_say("lock done"), 8: receipts_say("age_over_18 no"), 10: receipts_say("lock refused"),
            # The board is unplugged and plugged in during the trial, and again on the lane with the standing order.
            11: "unplug usb-LCUS\n" + state_is("lock: \\(absent\\|notAnswering\\)")
                + "plug usb-LCUS\n" + state_is("lock: trial") + "echo received $(received usb-LCUS)\n",
            15: "plug usb-scanner\n", 16: add,
        }, after=f"""
            scan usb-scanner https://shop.example/menu
            echo '== standing'
            {standing}{wallet} --handover static >/dev/null 2>&1 &
            {wait("until [ -s /run/trial-root.der ]; do sleep 0.2; done")}
            chmod a+r /run/trial-root.der
            runuser -u countersign -- countersign trust import /run/trial-root.der --store /var/lib/countersign
            : > /run/usb-LCUS.received
            {has_received(ON + OFF)}
            unplug usb-LCUS
            {lane_says('.standing.reason.id == "accessoryNotReady"')}
            plug usb-LCUS
            {lane_says('.standing.isPaused == false')}
            echo '== journal'
            cat /run/countersign-accessories.log /run/countersignd.log""")
        self.assertEqual(len(said), 17)
        self.assertRegex(said[2], r'^lock at gate: relay, trial\n.*"trial": true.*\n$')
        self.assertRegex(said[3], r"^lock: the contact closed and opened again")
        self.assertEqual([said[5], said[7], said[9]], ['"allow"\n', '"deny"\n', '"allow"\n'])
        self.assertRegex(said[6], r"^\S+ .*\n.* outputs of receipt 1  lock done\nreceipts: 2;.*\n$")
        self.assertRegex(said[8], r"age_over_18 no\nreceipts: 3;")
        self.assertRegex(said[10], r"outputs of receipt 4 +lock refused\nreceipts: 5;")
        # Off at the start and when it is plugged in again; a pulse for the try, and one for three checks.
        self.assertTrue(said[10].endswith(f"received {OFF}{ON}{OFF}{ON}{OFF}{OFF}\n"), said[10])
        self.assertRegex(said[13], r"^http://127\.0\.0\.1:8411/kiosk\?lane=gate#code=[0-9a-f]{32}\n$")
        # The lock is ready or becomes so; nobody has connected a reader or imported a root yet.
        self.assertRegex(said[14], r'^true\n"[A-Za-z]+"\n$')
        self.assertIn("usb-scanner\n", said[15])
        states, _, journal = said[16].partition("== standing\n")
        self.assertIn("qr-1: ready\n", states)
        self.assertIn("a standing order is resumed", journal)
        self.assertNotIn("shop.example", journal)

    def test_every_board_of_the_door_is_accepted_and_a_misspelt_one_is_not(self):
        page = [text for _, text in blocks(self.DOOR)]
        check = page[1].partition("systemctl")[0]
        self.assertEqual(set(boards()), {"KMTronic", "LCUS", "HIDRelay", "Modbus", "GPIO"})
        for board in [*boards().values(), '"usbRelay": { "serial": "HURTM", "channel": 1 }']:
            done = own_system.run(self, f"BOARD='{board}'\n{check}")
            self.assertEqual(done.returncode, 0, f"{board}\n{done.stderr}")
        done = own_system.run(self, f"BOARD='\"relais\": 1'\n{check}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("relais", done.stderr)

    def test_a_till_gets_its_text_and_absent_keys_type_nothing(self):
        lane, line = [text for _, text in blocks(self.KEYS, "json")]
        line = line.replace("usb-MAKER_CABLE-if00-port0", "usb-cable")
        # Step 6 by hand. Then the line in place of the keys, as in step 7; the wallet stands for reader and phone.
        real = f"""file=/etc/countersign/countersignd.json
            jq --argjson lane '{{{lane}}}' 'del(.acceptTestDocuments) | . += $lane' $file > /run/new\ncat /run/new > $file\n"""
        other = f"""jq --argjson line '{line}' '.acceptTestDocuments = true
                | .lanes = [{{"name": "till", "benchLink": "tcp://127.0.0.1:7000"}}]
                | .accessories = [$line + {{"trial": true, "engagements": ["nfc", "qr"]}}]' $file > /run/new\ncat /run/new > $file
            systemctl restart countersignd\n{state_is("line: trial")}"""
        said = self.run_guide(self.KEYS, before={
            0: PLUG, 2: accessory_is("keys at till: keys, absent, trial"), 6: receipts_say("keys refused", times=2), 8: real, 9: "plug usb-cable\n",
        }, after=f"""
            {other}countersign-lab wallet --listen tcp://127.0.0.1:7000 --issuer /var/lib/trial-wallet --root /run/trial-root.der \
                >/dev/null 2>&1 &
            {wait("until [ -s /run/trial-root.der ]; do sleep 0.2; done")}
            chmod a+r /run/trial-root.der
            runuser -u countersign -- countersign trust import /run/trial-root.der --store /var/lib/countersign
            echo '== line'
            check
            {wait("until grep -q CS /run/usb-cable.received; do sleep 0.2; done")}
            cat /run/usb-cable.received""")
        self.assertEqual(len(said), 10)
        self.assertTrue(said[2].startswith("keys at till: keys, absent, trial\n"), said[2])
        self.assertEqual([said[4], said[5]], ['"allow"\n', '"deny"\n'])
        self.assertRegex(said[6], r"outputs of receipt 1 +keys refused\n(.*\n)*.*outputs of receipt 3 +keys refused\nreceipts: 4;")
        # Accepted, and still absent.
        self.assertTrue(said[8].endswith("\nkeys: absent\n"), said[8])
        listed, _, typed = said[9].partition("== line\n")
        self.assertTrue(listed.startswith("usb-cable\n"), listed)
        self.assertRegex(typed, r'^"allow"\nCS allow 18 [0-9]{6}\n$')

    def test_a_template_that_cannot_be_typed_is_named(self):
        """The twin: the configuration of the till with a character that the layout does not have."""
        config = blocks(self.KEYS)[1][1].partition("systemctl")[0]
        done = own_system.run(self, config.replace("CS {outcome} {age} {code}{enter}", "CS é{enter}"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("deny", done.stderr)


if __name__ == "__main__":
    unittest.main()
