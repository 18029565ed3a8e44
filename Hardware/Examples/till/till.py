#!/usr/bin/python3
"""A till: orders an age check of countersignd, says what is going on, and ends with 0 for allow alone.

    COUNTERSIGN_TOKEN=… till.py REFERENCE [INTENT]"""

import http.client, json, os, sys, time, urllib.error, urllib.request

DAEMON = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8411")
HEADERS = {"Authorization": "Bearer " + os.environ["COUNTERSIGN_TOKEN"], "Content-Type": "application/json"}
SAY = {"armed": "Open your ID, then hold your phone to the reader.", "engaged": "Connecting to your phone …",
       "awaitingConsent": "Confirm on your phone.", "receiving": "Receiving …",
       "awaitingDecision": "Compare the portrait on the clerk's page.",
       "phoneLocked": "Unlock your phone and open your ID.", "notAnID": "That is not an ID. Open your ID on your phone.",
       "tapAgain": "Lift your phone, then tap again.", "offerQR": "Or show the QR code of your ID.",
       "mayLift": "You can lift your phone now.", "checkBluetooth": "Is Bluetooth on, on your phone?",
       "hold": "Leave your phone on the reader.",
       "allow": "Yes. You may sell.", "deny": "No. Do not sell.", "unclear": "Not proven. Check another document.",
       "declined": "The customer did not answer. Ask again or check another document.",
       "failed": "It did not work. Try again.", "cancelled": "Cancelled."}


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(DAEMON + path, data, HEADERS, method=method), timeout=40)


def check(reference, intent, deadline=300):
    """The presentation with its outcome. The same reference again, also after a crash, goes on with the same one."""
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        try:
            order = {"kind": "display", "intent": intent, "reference": reference}
            presentation = json.load(call("POST", "/v1/presentations", order))
            if presentation["outcome"]:
                return presentation
            for line in call("GET", f"/v1/presentations/{presentation['id']}/events"):
                if line.startswith(b"data:"):
                    event = json.loads(line[5:])
                    if event.get("outcome"):
                        return event
                    print(SAY.get(event.get("hint")) or SAY.get(event.get("state"), "…"), flush=True)
            time.sleep(1)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                sys.exit(json.load(error)["detail"])
            time.sleep(1)
        except (OSError, http.client.HTTPException):
            time.sleep(1)  # The daemon is starting again, or the network is.
    sys.exit("the daemon did not answer in time")


presentation = check(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "age over 21")
print(SAY[presentation["outcome"]], *presentation["reasons"])
sys.exit(0 if presentation["outcome"] == "allow" else 1)
