// What both pages have to know of a presentation. These functions have no side effects.

/// The seconds after which a result leaves a page if nobody closes it.
export const unclosedStay = 120;

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

/// Whether a person had to decide and did not.
export function isUndecided({ reasons }) {
    return ["decision.dismissed", "decision.overdue"].includes(reasons?.[0]);
}

/// Whether nothing but an age is asked, as before a sale.
export function isAgeCheck({ kind, asks, then }) {
    const others = (asks ?? []).filter((ask) => !["portrait", "in date"].includes(ask));
    return kind !== "data" && (then ?? null) === null && others.length > 0 && others.every((ask) => /^age_over_\d{2}$/.test(ask));
}
