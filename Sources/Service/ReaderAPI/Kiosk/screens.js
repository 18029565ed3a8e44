// Chooses the screen for a state. These functions have no side effects; the views draw the screens that they
// return.

import { clerkEnd, customerEnd } from "./ends.js";
import { isClosed } from "./presentation.js";

/// The daemon's ids of reasons, each with its group. The reasons of one group have the same text.
const reasons = {
    issuer_certificate: "issuer", issuer_signature: "forged", mso: "forged", digests: "forged",
    issuing_country: "forged", validity: "validity", revocation: "revocation", device_authentication: "phone",
    key_authorizations: "phone", request_match: "mismatch", "document.other": "otherHolder",
    "device_signature.payload_attached": "phone", "device_key.coordinate_too_short": "phone",
    "mso.signed_before_certificate": "validity", "mso.signed_after_certificate": "validity", "engagement.overdue": "noTap",
    "engagement.failed": "link", "engagement.malformed": "link", "engagement.no_retrieval": "noWay",
    "link.malformed": "link", "link.lost": "link", "message.too_long": "session", "transfer.failed": "link",
    "connection.overdue": "bluetooth", "connection.failed": "bluetooth", "radio.unavailable": "radio",
    "reader.unavailable": "reader", "request.not_signed": "signing", "consent.overdue": "noAnswer", "document.not_returned": "noDocument",
    "element.not_returned": "missing",
};
/// Returns the key of a reason's text. The check of the revocation has one id for a revoked document, which is
/// denied, and for one whose revocation is undetermined.
export function reasonKey({ id, outcome }) {
    if (id === "revocation" && outcome === "deny") {
        return "reason.revoked";
    }
    const other = /^(session|response)\./.test(id) ? "session" : "other";
    const group = Object.hasOwn(reasons, id) ? reasons[id] : other;
    return `reason.${group}`;
}

/// The screens before a phone has engaged, by hint.
const invitations = new Map([
    ["openYourID", { name: "armed", drawing: "open", isInSteps: true }], ["phoneLocked", { name: "phoneLocked", drawing: "open" }],
    ["notAnID", { name: "notAnID", drawing: "card" }], ["tapAgain", { name: "tapAgain", drawing: "again" }],
    ["confirmThenTapAgain", { name: "confirmThenTapAgain", drawing: "again" }],
    ["offerQR", { name: "offerQR", drawing: "qr" }],
    // What a scanner read was no code of an ID. The lane still waits for a phone.
    ["codeNotAnID", { name: "codeNotAnID", drawing: "qr" }], ["codeOfReader", { name: "codeOfReader", drawing: "qr" }],
    ["codeUnreadable", { name: "codeUnreadable", drawing: "qr" }],
]);
/// The screens while an engaged phone connects, by hint.
const connections = new Map([
    ["mayLift", { name: "mayLift", drawing: "lift" }], ["connecting", { name: "connectingPhone", drawing: "connect" }],
    ["checkBluetooth", { name: "checkBluetooth", drawing: "bluetooth" }],
]);
/// Returns the screen before a result, which is the same on both pages.
function phase({ presentation, hint }) {
    const look = { name: "look", drawing: "look" };
    switch (presentation.state) {
    case "armed":
        return { ...(invitations.get(hint) ?? invitations.get("openYourID")), step: 0, tone: "invite", isAtReader: true };
    case "engaged":
        // While the phone still connects, the clerk's page stays at its first step.
        return { ...(connections.get(hint) ?? look), step: connections.has(hint) ? 0 : 1, tone: "attend", cue: "engaged" };
    case "awaitingConsent":
        return { ...look, step: 1, tone: "attend", cue: "engaged" };
    default:
        return { name: "receiving", drawing: "checking", step: 2, tone: "attend" };
    }
}

/// Returns the screen for the most important reason why no presentation is possible, or null.
function fault({ link, lane, presentation }) {
    if (link === "refused" || link === "noLane") {
        return { name: link, tone: "fault", shape: "key" };
    }
    if (link === "lost") {
        return { name: "daemonGone", tone: "fault", shape: "unplugged", retries: true };
    }
    // A result stays on the page even if the reader fails meanwhile.
    const isOver = presentation !== null && isClosed(presentation);
    if (lane !== null && lane.state !== undefined && lane.state !== "ready" && !isOver) {
        const shape = lane.state === "stopped" ? "stopped" : "reader";
        return { name: lane.state, tone: "fault", shape };
    }
    if (presentation === null && lane?.standing?.isPaused) {
        return { name: "paused", tone: "fault", shape: "stopped", code: lane.standing.reason?.id };
    }
    return null;
}

/// The screens while the response comes over NFC: taking the phone away would interrupt it.
const onTheReader = { look: { name: "keep", drawing: "keep" }, receiving: { name: "keepOn", drawing: "keepOn" } };

/// Returns the customer's screen, which never has a reason, a name or a picture.
export function customerScreen(known) {
    const broken = fault(known);
    if (broken?.name === "refused") {
        return { name: "refused", tone: "quiet", shape: "key" };
    }
    if (broken !== null) {
        return { name: "unavailable", tone: "quiet", shape: "stopped" };
    }
    if (known.lane === null) {
        return { name: "connecting", tone: "plain", shape: "idle" };
    }
    const { presentation } = known;
    if (presentation === null) {
        return { name: "idle", tone: "plain", shape: "idle" };
    }
    if (isClosed(presentation)) {
        return customerEnd(presentation);
    }
    const screen = phase(known);
    return known.hint === "hold" ? { ...screen, ...onTheReader[screen.name] } : screen;
}

/// The customer's screens that are no result, although they have a symbol.
const waiting = ["idle", "connecting", "unavailable"];

/// Returns the arrangement of a customer's screen: two steps beside each other, a drawing with its words, a
/// result with a large symbol, or a block in the middle.
export function customerLayout({ name, drawing, isInSteps }) {
    if (isInSteps) {
        return "steps";
    }
    if (drawing === undefined) {
        return waiting.includes(name) ? "block" : "result";
    }
    return drawing === "checking" ? "result" : "guide";
}

/// Returns the clerk's screen.
export function clerkScreen(known) {
    const broken = fault(known);
    if (broken !== null) {
        return { ...broken, prefix: "fault" };
    }
    if (known.lane === null) {
        return { name: "connecting", tone: "plain", shape: "idle" };
    }
    const { presentation } = known;
    if (presentation === null) {
        return known.final?.screen ?? { name: "idle", tone: "plain", shape: "idle" };
    }
    return isClosed(presentation) ? clerkEnd(presentation) : { ...phase(known), cancels: true };
}
