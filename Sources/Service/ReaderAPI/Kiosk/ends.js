// Chooses the screen for the end of a presentation. These functions have no side effects.

import { canAskAgain, missingElements } from "./missing.js";
import { awaitsComparison, hasPicture, isAgeCheck, isUndecided } from "./presentation.js";

/// The screens of a failed presentation by its reason, where they are not "failed".
const failures = {
    "engagement.overdue": "timedOut", "consent.overdue": "timedOut", "connection.overdue": "noBluetooth",
    "connection.failed": "noBluetooth", "engagement.no_retrieval": "noWay",
};

function failure(id) {
    return Object.hasOwn(failures, id) ? failures[id] : "failed";
}

/// Returns the customer's screen for an outcome, or for the wait for a person's decision.
export function customerEnd(presentation) {
    if (awaitsComparison(presentation)) {
        return { name: hasPicture(presentation) ? "compare" : "decide", tone: "attend", shape: "person" };
    }
    switch (presentation.outcome) {
    case "allow": return { name: "yes", tone: "yes", shape: "yes", cue: "yes" };
    case "declined": return { name: "declined", tone: "quiet", shape: "hand" };
    case "cancelled": return { name: "cancelled", tone: "quiet", shape: "stopped" };
    case "failed": {
        // The customer learns what the phone lacks. A reader that is gone is for the staff.
        const name = failure(presentation.reasons?.[0]);
        return { name: name === "timedOut" ? "failed" : name, tone: "quiet", shape: "failed", cue: "no" };
    }
    case "unclear":
        if (isUndecided(presentation)) {
            return { name: "cancelled", tone: "quiet", shape: "stopped" };
        }
        if (presentation.result?.issuer?.test === true) {
            return { name: "test", tone: "test", shape: "test" };
        }
        if (missingElements(presentation).length > 0) {
            return { name: "missing", tone: "unknown", shape: "unknown", cue: "unclear" };
        }
        return { name: "cannotTell", tone: "unknown", shape: "unknown", cue: "unclear" };
    }
    // Only a `no` is a statement about the customer. Any other refusal is about the ID or the comparison.
    const name = presentation.reasons?.[0] === "answer.no" ? "notConfirmed" : "notAccepted";
    return { name, tone: "no", shape: "no", cue: "no" };
}

/// Returns the lowest age in years that the customer has not reached, or null if no such question was
/// answered no.
function youngest(result) {
    const ages = agesAnswered("no", result);
    return ages.length === 0 ? null : Math.min(...ages);
}

/// Returns the ages in years whose question has this answer.
function agesAnswered(answer, result) {
    return (result?.answers ?? []).filter((one) => one.answer === answer)
        .map(({ ask }) => /^age_over_(\d{2})$/.exec(ask)?.[1]).filter((age) => age !== undefined).map(Number);
}

/// Returns the clerk's screen for an outcome, or for the wait for a person's decision.
export function clerkEnd(presentation) {
    if (awaitsComparison(presentation)) {
        return { name: hasPicture(presentation) ? "compare" : "decide", tone: "attend", shape: "person", shows: true };
    }
    const screen = conclusion(presentation);
    // Grey, amber and a test document are no yes, which a heading alone leaves open.
    const isOpen = ["quiet", "unknown", "test"].includes(screen.tone);
    return { ...screen, ...isOpen ? { instruction: word(presentation, "notYet") } : {}, isFinal: true };
}

/// Returns the clerk's screen after a decision that the daemon has confirmed: one heading, the instruction, and
/// nothing of the person.
export function finalScreen(presentation) {
    const { name, head, instruction, tone, shape, cue, values } = clerkEnd(presentation);
    const isKept = !["none", "receipt"].includes(presentation.retention);
    return { name, head, instruction, tone, shape, cue, values, isFinal: true, wiped: isKept ? "clerk.wiped.screen" : "clerk.wiped.text" };
}

/// Returns the clerk's screen for an outcome.
function conclusion(presentation) {
    const [id = ""] = presentation.reasons ?? [];
    const asksAgain = canAskAgain(presentation);
    switch (presentation.outcome) {
    case "allow": return {
        name: "verified", head: word(presentation, "yes"), tone: "yes", shape: "yes", shows: true, cue: "yes", ...confirmedAge(presentation),
    };
    case "deny": return { tone: "no", shape: "no", shows: true, cue: "no", ...denial(id, presentation) };
    case "declined": return { name: "declined", tone: "quiet", shape: "hand", asksAgain };
    case "cancelled": return { name: "cancelled", tone: "quiet", shape: "stopped", asksAgain };
    case "failed": {
        return { name: failure(id), tone: "quiet", shape: "failed", reason: { id }, cue: "no", asksAgain };
    }
    }
    return { ...doubt(id, presentation), asksAgain };
}

/// Returns the key of the words that end a check: whether to sell, or, where more than an age is asked, whether
/// the person is accepted.
function word(presentation, answer) {
    return `final.${isAgeCheck(presentation) ? "sell" : "accept"}.${answer}`;
}

/// Returns the line below the heading with the age that a check of an age confirmed. Empty for other checks.
function confirmedAge(presentation) {
    const years = agesAnswered("yes", presentation.result);
    return isAgeCheck(presentation) && years.length > 0
        ? { instruction: "question.ageOver", values: { years: Math.max(...years) } } : {};
}

/// Returns the part of the clerk's screen that says why the outcome is `deny`. `id` is the first reason.
function denial(id, presentation) {
    const head = word(presentation, "no");
    const years = youngest(presentation.result);
    switch (id) {
    case "answer.no":
        if (!isAgeCheck(presentation)) {
            // "Not accepted" says what the daemon decided, and not what to do.
            return { name: "answerNo", head, instruction: "clerk.refuse" };
        }
        return years === null ? { name: "answerNo", head } : { name: "tooYoung", values: { years } };
    case "decision.rejected": return { name: hasPicture(presentation) ? "otherPerson" : "notAccepted", head };
    default: return { name: "rejected", head, reason: { id, outcome: presentation.outcome } };
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
    const screen = { tone: "unknown", shape: "unknown", shows: true, cue: "unclear" };
    if (missingElements(presentation).length > 0) {
        return { ...screen, name: "missing" };
    }
    return { ...screen, name: "cannotTell", reason: id === "" || id === "answer.unknown" ? undefined : { id } };
}
