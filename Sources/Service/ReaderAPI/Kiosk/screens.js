// Chooses the screen for a state. These functions have no side effects; the views draw the screens that they
// return.

import { canAskAgain, missingElements } from "./missing.js";

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
    "reader.unavailable": "reader", "request.not_signed": "signing", "consent.overdue": "noAnswer", "document.not_returned": "missing",
    "element.not_returned": "missing",
};
/// The reasons with which a failed presentation shows the clerk's screen "timedOut".
const overdue = ["engagement.overdue", "consent.overdue", "connection.overdue"];

/// Returns the key of a reason's text.
export function reasonKey({ id }) {
    const other = /^(session|response)\./.test(id) ? "session" : "other";
    const group = Object.hasOwn(reasons, id) ? reasons[id] : other;
    return `reason.${group}`;
}

/// The screens before a phone has engaged, by hint.
const invitations = new Map([
    ["openYourID", { name: "armed", drawing: "open" }], ["phoneLocked", { name: "phoneLocked", drawing: "open" }],
    ["notAnID", { name: "notAnID", drawing: "card" }], ["tapAgain", { name: "tapAgain", drawing: "again" }],
    ["confirmThenTapAgain", { name: "confirmThenTapAgain", drawing: "again" }],
    ["offerQR", { name: "offerQR", drawing: "qr" }],
]);
/// The screens while an engaged phone connects, by hint.
const connections = new Map([
    ["mayLift", { name: "mayLift", drawing: "lift" }], ["connecting", { name: "connectingPhone", drawing: "connect" }],
    ["checkBluetooth", { name: "checkBluetooth", drawing: "bluetooth" }],
]);
const closed = ["verified", "rejected", "declined", "cancelled", "failed"];

/// Whether the phone has nothing more to do. A presentation that is being cancelled has no outcome yet and is
/// not closed.
export function isClosed({ state, outcome }) {
    return state === "awaitingDecision" || (closed.includes(state) && typeof outcome === "string");
}

/// Whether the presentation belongs to a standing order and no phone is there yet, so that there is nothing
/// to cancel.
export function isUnasked(presentation) {
    return presentation?.isStanding === true && presentation.state === "armed";
}

/// Returns the common answer of a result: `no` if an answer is no, `yes` if every answer is yes or there is
/// no answer, otherwise `unknown`. A refused test document has no answers: its state `rejected` shows that it
/// was refused.
export function overall(result) {
    const answers = (result?.answers ?? []).map(({ answer }) => answer);
    if (answers.includes("no")) {
        return "no";
    }
    return answers.every((answer) => answer === "yes") ? "yes" : "unknown";
}

/// Whether a person has to decide, by comparing the picture with the face if a picture was asked for.
export function awaitsComparison(presentation) {
    return presentation?.state === "awaitingDecision";
}

/// Whether the clerk sees a picture. The portrait of a data request is only for the till.
export function hasPicture({ kind, asks }) {
    return kind !== "data" && (asks ?? []).includes("portrait");
}

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
const onTheReader = { look: "keep", receiving: "keepOn" };

/// Returns the customer's screen, which never has a reason, a name or a picture.
export function customerScreen(known) {
    const broken = fault(known);
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
    return known.hint === "hold" ? { ...screen, name: onTheReader[screen.name] ?? screen.name } : screen;
}

/// Returns the customer's screen for an outcome, or for the wait for a person's decision.
function customerEnd(presentation) {
    if (awaitsComparison(presentation)) {
        return { name: hasPicture(presentation) ? "compare" : "decide", tone: "attend", shape: "person" };
    }
    switch (presentation.outcome) {
    case "allow": return { name: "yes", tone: "yes", shape: "yes", cue: "yes" };
    case "declined": return { name: "declined", tone: "quiet", shape: "hand" };
    case "cancelled": return { name: "cancelled", tone: "quiet", shape: "stopped" };
    case "failed": return { name: "failed", tone: "quiet", shape: "failed", cue: "no" };
    case "unclear":
        if (isUndecided(presentation)) {
            return { name: "cancelled", tone: "quiet", shape: "stopped" };
        }
        if (presentation.result?.issuer?.test === true) {
            return { name: "test", tone: "test", shape: "test" };
        }
        if (missingElements(presentation).length > 0) {
            return { name: "missing", tone: "quiet", shape: "unknown", cue: "no" };
        }
    }
    // The outcome is `deny`, or `unclear` for another reason. The customer does not learn which.
    return { name: "notConfirmed", tone: "no", shape: "no", cue: "no" };
}

/// Whether a person had to decide and did not.
function isUndecided({ reasons }) {
    return ["decision.dismissed", "decision.overdue"].includes(reasons?.[0]);
}

/// Returns the lowest age in years that the customer has not reached, or null if no such question was
/// answered no.
function youngest(result) {
    const ages = (result?.answers ?? []).filter(({ answer }) => answer === "no")
        .map(({ ask }) => /^age_over_(\d{2})$/.exec(ask)?.[1]).filter((age) => age !== undefined);
    return ages.length === 0 ? null : Math.min(...ages.map(Number));
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
        return known.wiped
            ? { name: "wiped", tone: "plain", shape: "wiped" } : { name: "idle", tone: "plain", shape: "idle" };
    }
    return isClosed(presentation) ? clerkEnd(presentation) : { ...phase(known), cancels: true };
}

/// Returns the clerk's screen for an outcome, or for the wait for a person's decision.
function clerkEnd(presentation) {
    if (awaitsComparison(presentation)) {
        return { name: hasPicture(presentation) ? "compare" : "decide", tone: "attend", shape: "person", shows: true };
    }
    const [id = ""] = presentation.reasons ?? [];
    switch (presentation.outcome) {
    case "allow": return { name: "verified", tone: "yes", shape: "yes", shows: true, cue: "yes" };
    case "deny": return { tone: "no", shape: "no", shows: true, cue: "no", ...denial(id, presentation) };
    case "declined": return { name: "declined", tone: "quiet", shape: "hand" };
    case "cancelled": return { name: "cancelled", tone: "quiet", shape: "stopped" };
    case "failed": {
        const name = overdue.includes(id) ? "timedOut" : "failed";
        return { name, tone: "quiet", shape: "failed", reason: { id }, cue: "no" };
    }
    }
    return doubt(id, presentation);
}

/// Returns the part of the clerk's screen that says why the outcome is `deny`. `id` is the first reason.
function denial(id, presentation) {
    const years = youngest(presentation.result);
    switch (id) {
    case "answer.no": return years === null ? { name: "answerNo" } : { name: "tooYoung", values: { years } };
    case "decision.rejected": return { name: hasPicture(presentation) ? "otherPerson" : "notAccepted" };
    default: return { name: "rejected", reason: { id } };
    }
}

/// Returns the clerk's screen for the outcome `unclear`. `id` is the first reason.
function doubt(id, presentation) {
    if (isUndecided(presentation)) {
        return { name: hasPicture(presentation) ? "undecided" : "notDecided", tone: "quiet", shape: "stopped", shows: true };
    }
    if (id === "document.test") {
        return { name: "test", tone: "test", shape: "test", shows: true };
    }
    if (missingElements(presentation).length > 0) {
        return { name: "missing", tone: "unknown", shape: "unknown", shows: true, cue: "no", asksAgain: canAskAgain(presentation) };
    }
    const screen = { name: "cannotTell", tone: "unknown", shape: "unknown", shows: true, cue: "no" };
    return id === "" || id === "answer.unknown" ? screen : { ...screen, reason: { id } };
}

/// Returns the results of the single checks, each of which the clerk's page shows in its own row.
export function outcomes(presentation) {
    // With a second request, the outcome follows from the result of that request.
    const result = presentation.then?.result ?? presentation.result;
    const parts = result?.parts ?? {};
    return [
        authentic(parts, result), inDate(parts), revocation(parts.revocation ?? {}, result?.policy),
        { key: "holder", ...verdict(parts.holderBound, "holder") },
        question([presentation.result, presentation.then?.result]), human(presentation),
    ];
}

/// Returns the row for the answers of both requests.
function question(results) {
    const answers = results.flatMap((result) => result?.answers ?? []);
    if (answers.length === 0) {
        return { key: "question", state: "none" };
    }
    // The answer is shown even if a test issuer signed it.
    const answer = overall({ answers });
    const state = results.some((result) => result?.issuer?.test === true) ? "test" : { yes: "passed", no: "failed" }[answer] ?? "unknown";
    return { key: "question", state, detail: `answer.${answer}` };
}

/// Returns state and text of a row whose check has the result `yes`, `no` or unknown.
function verdict(value, key) {
    switch (value) {
    case "yes": return { state: "passed", detail: `outcome.${key}.yes` };
    case "no": return { state: "failed", detail: `outcome.${key}.no` };
    default: return { state: "unknown", detail: "outcome.unknown" };
    }
}

/// Returns the row for the issuer's signature.
function authentic({ authentic }, result) {
    if (result?.issuer?.test === true) {
        return { key: "authentic", state: "test", detail: "outcome.authentic.test" };
    }
    return { key: "authentic", ...verdict(authentic, "authentic") };
}

/// Returns the row for the dates: `fresh` is the result for the validity period that the issuer signed,
/// `documentCurrent` the result for the document's own expiry date.
function inDate({ fresh, documentCurrent }) {
    // The document's expiry date is known only if it was asked for.
    if (fresh === "yes" && documentCurrent !== "yes" && documentCurrent !== "no") {
        return { key: "inDate", state: "none", detail: "outcome.inDate.some" };
    }
    return { key: "inDate", ...verdict(documentCurrent === "no" ? "no" : fresh, "inDate") };
}

/// Returns the row for the revocation of the document, with the age of the list that was used.
function revocation({ state, ageSeconds }, policy) {
    const seconds = Number.isFinite(ageSeconds) ? ageSeconds : null;
    const suffix = seconds === null ? "" : "Age";
    switch (state) {
    case "good":
        return { key: "revocation", state: "passed", detail: `outcome.revocation.yes${suffix}`, seconds };
    case "revoked":
        return { key: "revocation", state: "failed", detail: "outcome.revocation.no" };
    default:
        // The policy for age checks does not need the revocation state.
        return policy === "age" ? { key: "revocation", state: "none" }
            : { key: "revocation", state: "unknown", detail: `outcome.revocation.unknown${suffix}`, seconds };
    }
}

/// Returns the row for the person's comparison or decision.
function human(presentation) {
    const isCompared = hasPicture(presentation);
    // A decision that nobody made in time is shown like a dismissed one.
    const decided = {
        approved: { state: "passed", detail: isCompared ? "clerk.matches" : "clerk.accept" },
        rejected: { state: "failed", detail: isCompared ? "clerk.matchesNot" : "clerk.refuse" },
        dismissed: { state: "unknown", detail: "outcome.human.skipped" },
    }[isUndecided(presentation) ? "dismissed" : presentation.result?.decision];
    const label = isCompared ? "human" : "decided";
    if (decided === undefined && !awaitsComparison(presentation)) {
        return { key: "human", state: "none" };
    }
    return { key: "human", label, ...(decided ?? { state: "open", detail: `outcome.${label}.open` }) };
}
