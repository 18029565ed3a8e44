#!/usr/bin/python3
"""A till: orders an age check of countersignd, shows what happens, and ends with 0 only for allow.

    COUNTERSIGN_TOKEN=… till.py REFERENCE [INTENT]

Needs countersign.py beside it."""

import os, sys

from countersign import Client, CountersignError

SAY = {"armed": "Open your ID, then hold your phone to the reader.", "engaged": "Connecting to your phone …",
       "awaitingConsent": "Confirm on your phone.", "receiving": "Receiving …",
       "awaitingDecision": "Compare the portrait on the clerk's page.",
       "phoneLocked": "Unlock your phone and open your ID.", "notAnID": "That is not an ID. Open your ID on your phone.",
       "tapAgain": "Lift your phone, then tap again.", "offerQR": "Or show the QR code of your ID.",
       "codeNotAnID": "That code is not an ID. Show the QR code of your ID.",
       "codeOfReader": "That is the code of a reader. Show the code of your own phone.",
       "codeUnreadable": "That code cannot be used. Open your QR code again.",
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


def show(event):
    print(SAY.get(event.data.get("hint")) or SAY.get(event.data["state"], "…"), flush=True)


token = os.environ.get("COUNTERSIGN_TOKEN")
if not token or len(sys.argv) not in (2, 3):
    print("usage: COUNTERSIGN_TOKEN=… till.py REFERENCE [INTENT]", file=sys.stderr)
    sys.exit(64)
order = {"kind": "display", "intent": (sys.argv[2:] or ["age over 21"])[0], "reference": sys.argv[1]}
seconds = float(os.environ.get("COUNTERSIGN_SECONDS", "600"))  # After this time the till ends the check.
try:
    client = Client(os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8411"), token)
    ended = client.check(order, seconds, show, wait=lambda refusal: print(refusal, flush=True))
except CountersignError as error:  # What happened and what to do, in words.
    sys.exit(str(error))
print(words(ended.outcome, ended.reasons), *["(test document)"] * bool(ended.test), *ended.reasons)
sys.exit(0 if ended.outcome == "allow" else 1)
