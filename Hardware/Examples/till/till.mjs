#!/usr/bin/env node
// A till: orders an age check of countersignd, says what is going on, and ends with 0 for allow alone.
//
//     COUNTERSIGN_TOKEN=… till.mjs REFERENCE [INTENT]

import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

const daemon = process.env.COUNTERSIGN_URL ?? "http://127.0.0.1:8411";
const headers = { Authorization: `Bearer ${process.env.COUNTERSIGN_TOKEN}`, "Content-Type": "application/json" };
const say = {
    armed: "Open your ID, then hold your phone to the reader.", engaged: "Connecting to your phone …",
    awaitingConsent: "Confirm on your phone.", receiving: "Receiving …",
    awaitingDecision: "Compare the portrait on the clerk's page.",
    phoneLocked: "Unlock your phone and open your ID.", notAnID: "That is not an ID. Open your ID on your phone.",
    tapAgain: "Lift your phone, then tap again.", offerQR: "Or show the QR code of your ID.",
    mayLift: "You can lift your phone now.", checkBluetooth: "Is Bluetooth on, on your phone?",
    hold: "Leave your phone on the reader.",
    allow: "Yes. You may sell.", deny: "No. Do not sell.", unclear: "Not proven. Check another document.",
    declined: "The customer did not answer. Ask again or check another document.",
    failed: "It did not work. Try again.", cancelled: "Cancelled.",
};

function call(method, path, body) {
    return fetch(daemon + path, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(40_000) });
}

// The presentation with its outcome. The same reference again, also after a crash, goes on with the same one.
async function check(reference, intent, deadline = Date.now() + 300_000) {
    for (; Date.now() < deadline; await sleep(1000)) {
        try {
            const answer = await call("POST", "/v1/presentations", { kind: "display", intent, reference });
            if (answer.status >= 400 && answer.status < 500) return { problem: (await answer.json()).detail };
            if (!answer.ok) continue;
            const presentation = await answer.json();
            if (presentation.outcome) return presentation;
            const events = await call("GET", `/v1/presentations/${presentation.id}/events`);
            for await (const line of createInterface({ input: Readable.fromWeb(events.body) })) {
                const event = line.startsWith("data:") ? JSON.parse(line.slice(5)) : undefined;
                if (event?.outcome) return event;
                if (event) console.log(say[event.hint] ?? say[event.state] ?? "…");
            }
        } catch { /* The daemon is starting again, or the network is. */ }
    }
    return { problem: "the daemon did not answer in time" };
}

const { problem, outcome, reasons } = await check(process.argv[2], process.argv[3] ?? "age over 21");
console.log(problem ?? [say[outcome], ...reasons].join(" "));
process.exit(outcome === "allow" ? 0 : 1);
