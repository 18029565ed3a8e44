#!/usr/bin/python3
"""A till: orders an age check of countersignd, shows what happens, and ends with 0 only for allow.

    COUNTERSIGN_TOKEN=… till.py REFERENCE [INTENT]"""

import http.client, json, os, sys, time, urllib.error, urllib.request

DAEMON = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8411")
SECONDS = float(os.environ.get("COUNTERSIGN_SECONDS", "600"))  # After this time the till ends the check.
HEADERS = {"Authorization": "Bearer " + os.environ["COUNTERSIGN_TOKEN"], "Content-Type": "application/json"}
SAY = {"armed": "Open your ID, then hold your phone to the reader.", "engaged": "Connecting to your phone …",
       "awaitingConsent": "Confirm on your phone.", "receiving": "Receiving …",
       "awaitingDecision": "Compare the portrait on the clerk's page.",
       "phoneLocked": "Unlock your phone and open your ID.", "notAnID": "That is not an ID. Open your ID on your phone.",
       "tapAgain": "Lift your phone, then tap again.", "offerQR": "Or show the QR code of your ID.",
       "mayLift": "You can lift your phone now.", "checkBluetooth": "Is Bluetooth on, on your phone?",
       "hold": "Leave your phone on the reader.", "connecting": "Connecting to your phone …",
       "confirmThenTapAgain": "Confirm on your phone, then tap again.",
       "bluetoothUnavailable": "Hold your phone to the reader, and leave it there.",
       "allow": "Yes. You may sell.", "deny": "Not accepted. Check another document.", "unclear": "Not proven. Check another document.",
       "declined": "Nothing was shared: declined, no such document, or a wallet that does not know this reader. "
                   "Check another document.",
       "failed": "No answer. Begin a new check, or check another document.",
       "cancelled": "The check was cancelled. Do not sell."}
WHY = [("deny", "answer.no decision.rejected", "No. Do not sell."),
       ("deny", "revocation", "This document was withdrawn. Check another document."),
       ("deny", "validity", "The document is not valid now. Refresh it on the phone, then begin a new check."),
       ("deny", "session.decryption response.status device_authentication key_authorizations request_match",
        "The check failed. Begin a new check, once."),
       ("unclear", "element.not_returned", "Something was not shared. Check again and share it all, or check another document."),
       ("unclear", "answer.unknown", "Not proven. Check another document."),
       ("unclear", "decision.overdue decision.dismissed", "Nobody decided. Check again."),
       ("failed", "reader.unavailable radio.unavailable", "The reader is not there. Call whoever looks after it.")]


def words(outcome, reasons):
    """The words of the highest row of WHY that matches; if a reason is in no row, the words of the outcome."""
    rows = [next((row for row, (of, ids, _) in enumerate(WHY) if of == outcome and reason in ids.split()), -1)
            for reason in reasons]
    return WHY[min(rows)][2] if rows and min(rows) >= 0 else SAY[outcome]


def call(method, path, body=None, seconds=40):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(DAEMON + path, data, HEADERS, method=method)
    return urllib.request.urlopen(request, timeout=min(seconds, 40))


def detail(error):
    """What happened and what to do, in the daemon's words."""
    try:
        return json.load(error)["detail"]
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        return str(error)


def check(reference, intent):
    """Returns the presentation with its outcome. The same reference continues the same presentation, also after a crash."""
    end, said = time.monotonic() + SECONDS, None
    while (left := end - time.monotonic()) > -30:
        is_ordered = False
        try:
            order = {"kind": "display", "intent": intent, "reference": reference}
            presentation = json.load(call("POST", "/v1/presentations", order))
            path, is_ordered = f"/v1/presentations/{presentation['id']}", True
            if left <= 0:  # The customer is no longer asked. The answer has the outcome, even one that came just now.
                presentation = json.load(call("DELETE", path))
            if presentation["outcome"]:
                return presentation
            for line in call("GET", path + "/events", seconds=left):
                event = json.loads(line[5:]) if line.startswith(b"data:") else {}
                if event.get("outcome"):
                    return event
                if event:
                    print(SAY.get(event.get("hint")) or SAY.get(event.get("state"), "…"), flush=True)
                if time.monotonic() > end:
                    break
        except urllib.error.HTTPError as error:
            wait, before, said = error.headers["Retry-After"], said, detail(error)
            if error.code < 500 and not wait and not is_ordered:
                sys.exit(said)
            if said != before:  # The lane is busy, the daemon cannot take the order now, or the check ended in between.
                print(said, flush=True)
            time.sleep(int(wait or 1))
        except (OSError, http.client.HTTPException):
            time.sleep(1)  # The daemon restarts, or the network is down.
    sys.exit("The daemon did not answer in time. The check may still be open: order again with the same reference.")


presentation = check(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "age over 21")
outcome, reasons = presentation["outcome"], presentation["reasons"]
print(words(outcome, reasons), *["(test document)"] * bool(presentation["test"]), *reasons)
sys.exit(0 if outcome == "allow" else 1)
