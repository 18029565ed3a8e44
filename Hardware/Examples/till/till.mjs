#!/usr/bin/env node
// A till: orders an age check of countersignd, shows what happens, and ends with 0 only for allow.
//
//     COUNTERSIGN_TOKEN=… till.mjs REFERENCE [INTENT]
//
// Needs countersign.mjs beside it.

import { Client, CountersignError } from "./countersign.mjs";

const say = {
    armed: "Open your ID, then hold your phone to the reader.", engaged: "Connecting to your phone …",
    awaitingConsent: "Confirm on your phone.", receiving: "Receiving …",
    awaitingDecision: "Compare the portrait on the clerk's page.",
    phoneLocked: "Unlock your phone and open your ID.", notAnID: "That is not an ID. Open your ID on your phone.",
    tapAgain: "Lift your phone, then tap again.", offerQR: "Or show the QR code of your ID.",
    codeNotAnID: "That code is not an ID. Show the QR code of your ID.",
    codeOfReader: "That is the code of a reader. Show the code of your own phone.",
    codeUnreadable: "That code cannot be used. Open your QR code again.",
    mayLift: "You can lift your phone now.", checkBluetooth: "Is Bluetooth on, on your phone?",
    hold: "Leave your phone on the reader.", connecting: "Connecting to your phone …",
    confirmThenTapAgain: "Confirm on your phone, then tap again.",
    bluetoothUnavailable: "Hold your phone to the reader, and leave it there.",
    allow: "Yes. You may sell.", deny: "Not accepted. Check another document.", unclear: "Not proven. Check another document.",
    declined: "Nothing was shared: declined, no such document, or a wallet that does not know this reader. Check another document.",
    failed: "No answer. Begin a new check, or check another document.",
    cancelled: "The check was cancelled. Do not sell.",
};
const why = [
    ["deny", ["answer.no", "decision.rejected"], "No. Do not sell."],
    ["deny", ["revocation"], "This document was withdrawn. Check another document."],
    ["deny", ["validity"], "The document is not valid now. Refresh it on the phone, then begin a new check."],
    ["deny", ["session.decryption", "response.status", "device_authentication", "key_authorizations", "request_match"],
        "The check failed. Begin a new check, once."],
    ["unclear", ["element.not_returned"], "Something was not shared. Check again and share it all, or check another document."],
    ["unclear", ["answer.unknown"], "Not proven. Check another document."],
    ["unclear", ["decision.overdue", "decision.dismissed"], "Nobody decided. Check again."],
    ["failed", ["reader.unavailable", "radio.unavailable"], "The reader is not there. Call whoever looks after it."],
];

// The words of the highest row that matches; if a reason is in no row, the words of the outcome.
function words(outcome, reasons) {
    const rows = reasons.map((reason) => why.findIndex(([of, ids]) => of === outcome && ids.includes(reason)));
    return rows.length > 0 && Math.min(...rows) >= 0 ? why[Math.min(...rows)][2] : say[outcome];
}

const { COUNTERSIGN_TOKEN: token, COUNTERSIGN_URL: url = "http://127.0.0.1:8411", COUNTERSIGN_SECONDS: seconds = "600" } = process.env;
const [reference, intent = "age over 21", ...further] = process.argv.slice(2);
if (!token || !reference || further.length > 0) {
    console.error("usage: COUNTERSIGN_TOKEN=… till.mjs REFERENCE [INTENT]");
    process.exit(64);
}
try {
    const { outcome, test, reasons } = await new Client(url, token).check(
        { kind: "display", intent, reference }, Number(seconds), // After these seconds the till ends the check.
        ({ data }) => console.log(say[data.hint] ?? say[data.state] ?? "…"), (refusal) => console.log(refusal.detail));
    console.log([words(outcome, reasons), ...(test ? ["(test document)"] : []), ...reasons].join(" "));
    process.exitCode = outcome === "allow" ? 0 : 1;
} catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    console.log(error.message); // What happened and what to do, in words.
    process.exitCode = 1;
}
