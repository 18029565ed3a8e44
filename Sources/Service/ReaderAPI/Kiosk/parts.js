// The results of the single checks, for the clerk's page. One table has the state of each part for each
// result, with the key of its text.

import { awaitsComparison, hasPicture, isUndecided, overall } from "./presentation.js";

const notChecked = ["notChecked", "outcome.notChecked"];
const unknown = ["unknown", "outcome.unknown"];

/// The state and the text of each part by its result. Another result, or none, is not checked.
///
/// - inDate: the validity period that the issuer signed (`fresh`), then the document's own expiry date.
/// - revocation: the state of the finding, or the cause why it is undetermined. `Age` is added to the key of a
///   text that names the age of the list.
const table = {
    authentic: {
        yes: ["passed", "outcome.authentic.yes"], no: ["failed", "outcome.authentic.no"], undetermined: unknown,
    },
    inDate: {
        "yes yes": ["passed", "outcome.inDate.yes"], "yes unknown": ["partly", "outcome.inDate.some"],
        no: ["failed", "outcome.inDate.no"], undetermined: unknown,
    },
    revocation: {
        good: ["passed", "outcome.revocation.yes"], revoked: ["failed", "outcome.revocation.no"],
        not_checked: notChecked, nothing_published: ["unknown", "outcome.revocation.nothingPublished"],
        undetermined: ["unknown", "outcome.revocation.unknown"],
    },
    holder: {
        yes: ["passed", "outcome.holder.yes"], no: ["failed", "outcome.holder.no"], undetermined: unknown,
    },
    question: {
        yes: ["passed", "answer.yes"], no: ["failed", "answer.no"], unknown: ["unknown", "answer.unknown"],
    },
};
/// The texts of a list that have a second form with the age of the list.
const aged = ["outcome.revocation.yes", "outcome.revocation.unknown"];

/// Returns the results of the single checks, each of which the clerk's page shows in its own row.
export function outcomes(presentation) {
    // With a second request, the outcome follows from the result of that request.
    const result = presentation.then?.result ?? presentation.result;
    const parts = result?.parts ?? {};
    const { revocation = {} } = parts;
    const isTest = result?.issuer?.test === true;
    const results = [presentation.result, presentation.then?.result];
    return [
        row("authentic", parts.authentic, isTest), row("inDate", dates(parts), isTest),
        { ...row("revocation", revocationValue(revocation), isTest, revocation.ageSeconds), isMinor: result?.policy === "age" },
        row("holder", parts.holderBound, isTest),
        row("question", answer(results), results.some((one) => one?.issuer?.test === true)), human(presentation),
    ];
}

/// Returns one row. A failure is shown first; what passed for a test document is only a test.
function row(key, value, isTest, age) {
    const [found, detail] = (Object.hasOwn(table[key], value) && table[key][value]) || notChecked;
    const state = found === "passed" && isTest ? "test" : found;
    const text = key === "authentic" && state === "test" ? "outcome.authentic.test" : detail;
    const seconds = Number.isFinite(age) && aged.includes(text) ? age : null;
    return { key, state, detail: seconds === null ? text : `${text}Age`, seconds };
}

/// Returns the result for the dates. A date that has passed outweighs one that is not known.
function dates({ fresh, documentCurrent }) {
    if (fresh === "no" || documentCurrent === "no") {
        return "no";
    }
    // The document's own expiry date is known only if it was asked for.
    return fresh === "yes" ? `yes ${documentCurrent === "yes" ? "yes" : "unknown"}` : fresh;
}

/// Returns the result for the revocation. The cause tells a list that was looked for from one that was not.
function revocationValue({ state, cause }) {
    const reason = String(cause).split(".")[1];
    return state === "undetermined" && Object.hasOwn(table.revocation, reason) ? reason : state;
}

/// Returns the common answer of both requests, or nothing if no question was answered.
function answer(results) {
    const answers = results.flatMap((result) => result?.answers ?? []);
    return answers.length === 0 ? undefined : overall({ answers });
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
