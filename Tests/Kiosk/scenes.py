"""Every scene that the pages have, by name: how the lane gets there, and which screen each layout then shows."""

from stand_in import unanswered

PORTRAIT = {"asks": ("age_over_21", "portrait"), "validation": "confirm"}
# A person decides, and has no picture.
CONFIRM = {"asks": ("age_over_21",), "validation": "confirm"}


def ended(state, reason, **arming):
    def play(stand_in):
        identity = stand_in.arm(**arming)
        stand_in.move(identity, state, result=unanswered(reason))
    return play


def moved(state, hint=None, **arming):
    def play(stand_in):
        identity = stand_in.arm(**arming)
        stand_in.move(identity, state, hint=hint)
    return play


def verified(arming=None, outcome=None, **changes):
    def play(stand_in):
        identity = stand_in.arm(**(arming or {}))
        stand_in.move(identity, "receiving")
        stand_in.verify(identity, **changes)
        if outcome:
            stand_in.decide(identity, outcome)
    return play


def overdue(arming):
    def play(stand_in):
        identity = stand_in.arm(**arming)
        stand_in.verify(identity, picture=arming is PORTRAIT)
        stand_in.overrun(identity)
    return play


def lane(**changes):
    return lambda stand_in: stand_in.set_lane(**changes)


# The clerk's screens whose heading is a word that other screens have as well: sold, or accepted where more than an age is asked.
HEADS = {"verified": "final.sell.yes", "otherPerson": "final.sell.no", "notAccepted": "final.sell.no", "rejected": "final.sell.no",
         "answerNo": "final.accept.no"}

# name: (play, customer's screen, clerk's screen)
SCENES = {
    "idle": (lambda stand_in: None, "idle", "idle"),
    "armed": (moved("armed", "openYourID", **PORTRAIT), "armed", "armed"),
    "not-an-id": (moved("armed", "notAnID"), "notAnID", "notAnID"),
    "phone-locked": (moved("armed", "phoneLocked"), "phoneLocked", "phoneLocked"),
    "tap-again": (moved("armed", "tapAgain"), "tapAgain", "tapAgain"),
    "confirm-then-tap-again": (moved("armed", "confirmThenTapAgain"), "confirmThenTapAgain", "confirmThenTapAgain"),
    "offer-qr": (moved("armed", "offerQR"), "offerQR", "offerQR"),
    "code-not-an-id": (moved("armed", "codeNotAnID"), "codeNotAnID", "codeNotAnID"),
    "code-of-reader": (moved("armed", "codeOfReader"), "codeOfReader", "codeOfReader"),
    "code-unreadable": (moved("armed", "codeUnreadable"), "codeUnreadable", "codeUnreadable"),
    "engaged": (moved("engaged"), "look", "look"),
    "may-lift": (moved("engaged", "mayLift"), "mayLift", "mayLift"),
    "connecting-phone": (moved("engaged", "connecting"), "connectingPhone", "connectingPhone"),
    "check-bluetooth": (moved("engaged", "checkBluetooth"), "checkBluetooth", "checkBluetooth"),
    "consent": (moved("awaitingConsent", retention="days(3)", **PORTRAIT), "look", "look"),
    "consent-nfc": (moved("awaitingConsent", "hold"), "keep", "look"),
    "receiving": (moved("receiving"), "receiving", "receiving"),
    "receiving-nfc": (moved("receiving", "hold"), "keepOn", "receiving"),
    "compare": (verified(PORTRAIT, picture=True), "compare", "compare"),
    "matches": (verified(PORTRAIT, picture=True, outcome="approved"), "yes", "verified"),
    "matches-not": (verified(PORTRAIT, picture=True, outcome="rejected"), "notAccepted", "otherPerson"),
    "closed-without-deciding": (verified(PORTRAIT, picture=True, outcome="dismissed"), "cancelled", "undecided"),
    "yes": (verified(), "yes", "verified"),
    "no": (verified(answers=[("age_over_21", "no")]), "notConfirmed", "tooYoung"),
    "may-not-drive": (verified({"asks": ("drive:B",)}, answers=[("drive:B", "no")]), "notConfirmed", "answerNo"),
    "nobody-decided": (overdue(PORTRAIT), "cancelled", "undecided"),
    "decide": (verified(CONFIRM), "decide", "decide"),
    "decide-overdue": (overdue(CONFIRM), "cancelled", "notDecided"),
    "cannot-tell": (verified(answers=[("age_over_21", "unknown")], parts={"documentCurrent": "unknown"},
                             revocation={"state": "undetermined", "cause": "document.list_stale", "ageSeconds": 900_000}),
                    "cannotTell", "cannotTell"),
    "revocation-unknown": (verified(verdict="rejected", reasons=["revocation"], policy="rental(3)", answers=[("age_over_21", "unknown")],
                                    revocation={"state": "undetermined", "cause": "document.list_absent"}), "cannotTell", "cannotTell"),
    "not-shared": (verified(answers=[("drive:B", "unknown")], missing=["org.iso.18013.5.1/expiry_date"]), "missing", "missing"),
    "several-not-shared": (verified(
        answers=[("age_over_21", "unknown"), ("portrait", "unknown")],
        missing=["org.iso.18013.5.1/age_over_21", "org.iso.18013.5.1/portrait", "org.iso.18013.5.1.aamva/DHS_compliance"]),
        "missing", "missing"),
    "in-date": (verified({"asks": ("age_over_21", "in date")}, answers=[("age_over_21", "yes"), ("in date", "yes")]), "yes", "verified"),
    "other-holder": (verified(verdict="rejected", reasons=["document.other"]), "notAccepted", "rejected"),
    "several": (verified({"asks": ("age_over_18", "drive:B")}, answers=[("age_over_18", "yes"), ("drive:B", "yes")]), "yes", "verified"),
    "rejected-issuer": (verified(verdict="rejected", answers=[("age_over_21", "unknown")], reasons=["issuer_certificate"],
                                 parts={"authentic": "no", "fresh": "undetermined", "holderBound": "undetermined"}),
                        "notAccepted", "rejected"),
    "rejected-revoked": (verified(verdict="rejected", reasons=["revocation"], revocation={"state": "revoked"}),
                         "notAccepted", "rejected"),
    "test-issuer": (verified(verdict="mock", answers=[("age_over_21", "unknown")], reasons=["document.test"],
                             issuer={"country": "UT", "name": "Test Issuer", "test": True}), "test", "test"),
    "declined": (ended("declined", "declined"), "declined", "declined"),
    "cancelled": (ended("cancelled", "cancelled"), "cancelled", "cancelled"),
    "no-tap": (ended("failed", "engagement.overdue"), "failed", "timedOut"),
    "no-answer": (ended("failed", "consent.overdue"), "failed", "timedOut"),
    "link-lost": (ended("failed", "link.lost"), "failed", "failed"),
    "no-bluetooth": (ended("failed", "connection.overdue"), "noBluetooth", "noBluetooth"),
    "no-way": (ended("failed", "engagement.no_retrieval"), "noWay", "noWay"),
    "reader-missing": (lane(state="readerMissing"), "unavailable", "readerMissing"),
    "reader-in-use": (lane(state="readerInUse"), "unavailable", "readerInUse"),
    "reader-blocked": (lane(state="readerBlocked"), "unavailable", "readerBlocked"),
    "stopped": (lane(state="stopped"), "unavailable", "stopped"),
    "bluetooth-off": (lane(bluetooth="off"), "idle", "idle"),
    "bluetooth-unprepared": (lane(bluetooth="unprepared"), "idle", "idle"),
}
