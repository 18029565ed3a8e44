#!/usr/bin/env node
// A till: orders an age check of countersignd, shows what happens, and ends with 0 only for allow.
//
//     COUNTERSIGN_TOKEN=… till.mjs REFERENCE [INTENT]

import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

const daemon = process.env.COUNTERSIGN_URL ?? "http://127.0.0.1:8411";
const seconds = Number(process.env.COUNTERSIGN_SECONDS ?? 600); // After this time the till ends the check.
const headers = { Authorization: `Bearer ${process.env.COUNTERSIGN_TOKEN}`, "Content-Type": "application/json" };
const say = {
    armed: "Open your ID, then hold your phone to the reader.", engaged: "Connecting to your phone …",
    awaitingConsent: "Confirm on your phone.", receiving: "Receiving …",
    awaitingDecision: "Compare the portrait on the clerk's page.",
    phoneLocked: "Unlock your phone and open your ID.", notAnID: "That is not an ID. Open your ID on your phone.",
    tapAgain: "Lift your phone, then tap again.", offerQR: "Or show the QR code of your ID.",
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

function call(method, path, body, most = 40_000) {
    const signal = AbortSignal.timeout(Math.min(most, 40_000));
    return fetch(daemon + path, { method, headers, body: body && JSON.stringify(body), signal });
}

// Returns the presentation with its outcome. The same reference continues the same presentation, also after a crash.
async function check(reference, intent) {
    const end = Date.now() + 1000 * seconds;
    for (let left, wait, said; (left = end - Date.now()) > -30_000; await sleep(1000 * (wait ?? 1))) {
        try {
            let answer = await call("POST", "/v1/presentations", { kind: "display", intent, reference });
            wait = answer.headers.get("Retry-After");
            let presentation = await answer.json();
            if (answer.status >= 500 || wait) { // The lane is busy, or the daemon cannot take the order now.
                if (said !== presentation.detail) console.log(said = presentation.detail);
                continue;
            }
            if (!answer.ok) return { problem: presentation.detail };
            const path = `/v1/presentations/${presentation.id}`;
            // The customer is no longer asked. The answer has the outcome, even one that came just now.
            if (left <= 0) presentation = await (await call("DELETE", path)).json();
            if (presentation.outcome) return presentation;
            const events = await call("GET", `${path}/events`, undefined, Math.max(left, 0));
            for await (const line of createInterface({ input: Readable.fromWeb(events.body) })) {
                const event = line.startsWith("data:") ? JSON.parse(line.slice(5)) : undefined;
                if (event?.outcome) return event;
                if (event) console.log(say[event.hint] ?? say[event.state] ?? "…");
            }
        } catch { /* The daemon restarts, the network is down, or the time is over. */ }
    }
    return { problem: "The daemon did not answer in time. The check may still be open: order again with the same reference." };
}

const { problem, outcome, test, reasons } = await check(process.argv[2], process.argv[3] ?? "age over 21");
console.log(problem ?? [words(outcome, reasons), ...(test ? ["(test document)"] : []), ...reasons].join(" "));
process.exit(outcome === "allow" ? 0 : 1);
