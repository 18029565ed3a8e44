// Chooses the screen of the desk's page. These functions have no side effects.

import { hasPicture, isClosed } from "./presentation.js";
import { clerkScreen, reasonKey } from "./screens.js";

const shapes = { allow: "yes", deny: "no", unclear: "unknown", declined: "hand", cancelled: "stopped", failed: "failed" };
const tones = { allow: "yes", deny: "no", unclear: "unknown" };

/// Returns the screen for what is known: a fault and the progress as on the clerk's page, and for an outcome
/// the desk's own words. `isFurtherDriver` says whether the booking has drivers already.
export function deskScreen(known) {
    const { lane, presentation } = known;
    // An earlier check says nothing about who is here now.
    if (presentation !== null && presentation.id === known.earlier && known.link === "live") {
        return { name: "earlier", prefix: "desk", tone: "plain", shape: "idle", isResult: true };
    }
    if (presentation !== null && isClosed(presentation) && ["live", "connecting"].includes(known.link)) {
        return presentation.state === "awaitingDecision"
            ? { name: hasPicture(presentation) ? "compare" : "decide", prefix: "clerk", tone: "attend", shape: "person" }
            : ending(presentation);
    }
    const screen = clerkScreen({ ...known, wiped: false });
    if (presentation !== null || screen.prefix === "fault" || lane === null) {
        return { prefix: "clerk", ...screen };
    }
    if (known.wiped !== null) {
        return { name: known.wiped, prefix: "desk", tone: "plain", shape: "wiped" };
    }
    const start = known.isFurtherDriver ? "startDriver" : "start";
    return { name: (lane.dataPresets ?? []).length > 0 ? start : "none", prefix: "desk", tone: "plain", shape: "idle" };
}

/// Returns the screen for an outcome. A test document never looks like a yes: it proves nothing.
function ending({ outcome, test, reasons }) {
    const [id = ""] = reasons ?? [];
    if (test === true && ["allow", "unclear"].includes(outcome)) {
        return { name: "test", prefix: "desk", tone: "test", shape: "test", isResult: true };
    }
    const screen = { name: outcome, prefix: "desk", tone: tones[outcome] ?? "quiet", shape: shapes[outcome], isResult: true };
    // The answers beside the heading say more than the reason that an answer is no, or that somebody decided.
    const isSaid = id === "" || /^(answer|decision)\.|^(declined|cancelled|restarted|element\.not_returned)$/.test(id);
    return isSaid ? screen : { ...screen, reason: reasonKey({ id, outcome }), code: id };
}

/// Whether the order of a presentation can be repeated: after an outcome that is neither yes nor no, after a
/// person's decision, and if a needed element was not shared.
export function isRepeatable(presentation) {
    const missing = [presentation.result, presentation.then?.result].flatMap((result) => result?.missing ?? []);
    return !["allow", "deny"].includes(presentation.outcome) || missing.length > 0
        || ["approved", "rejected"].includes(presentation.result?.decision);
}

/// Whether the order of a presentation has to state the holder's consent to the retention.
export function needsConsent({ retention, then }) {
    return [retention, then?.retention].some((name) => /^consented\b/.test(name ?? ""));
}
