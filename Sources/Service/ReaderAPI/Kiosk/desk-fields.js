// Turns the documents of a data request into lines of text for the desk's page.

import { elementText } from "./missing.js";
import { plain } from "./text.js";

/// The maximum length of a value, in characters. A longer value ends in "…".
const longest = 400;

/// Returns the shared elements of a presentation as `{ label, value }`, in the order of the document. An
/// element that only the phone signed is left out: no issuer vouches for it. A portrait never comes here.
export function fields(presentation, strings) {
    return documentsOf(presentation).flatMap(({ elements = {}, selfAsserted = [] }) =>
        Object.entries(elements).flatMap(([space, values]) => Object.entries(values)
            .filter(([name]) => name !== "portrait" && !selfAsserted.includes(`${space}/${name}`))
            .map(([name, value]) => ({ label: label(name, strings), value: plain(valueText(value, strings), longest) }))));
}

/// Whether the daemon still has shared elements of this presentation.
export function hasFields(presentation) {
    return documentsOf(presentation).length > 0;
}

function documentsOf(presentation) {
    return [presentation?.result, presentation?.then?.result].flatMap((result) => result?.documents ?? []);
}

/// Returns the names of the needed elements that were not shared, each once.
export function notShared(presentation, strings) {
    const entries = [presentation?.result, presentation?.then?.result].flatMap((result) => result?.missing ?? []);
    const names = entries.map(({ element }) => element.slice(element.indexOf("/") + 1));
    return [...new Set(names)].map((name) => elementText(name, strings));
}

/// Returns the latest time until which data of the presentation is kept, or null if nothing is kept.
export function keptUntil(presentation) {
    const times = [presentation?.result, presentation?.then?.result].map((result) => result?.retainedUntil)
        .filter((time) => typeof time === "string");
    return times.sort().at(-1) ?? null;
}

function label(name, strings) {
    const words = elementText(name, strings);
    return words.charAt(0).toLocaleUpperCase(strings.language) + words.slice(1);
}

function valueText(value, strings) {
    if (Array.isArray(value)) {
        return value.map((entry) => valueText(entry, strings)).join(", ");
    }
    if (typeof value === "boolean") {
        return strings.text(value ? "answer.yes" : "answer.no");
    }
    if (typeof value !== "object") {
        return String(value);
    }
    // A driving category with its dates, and any other map.
    const { vehicle_category_code: category, issue_date: from, expiry_date: until, ...rest } = value;
    const parts = [category, from !== undefined || until !== undefined ? `${from ?? ""}–${until ?? ""}` : undefined,
        ...Object.entries(rest).map(([name, entry]) => `${name}: ${valueText(entry, strings)}`)];
    return parts.filter((part) => part !== undefined).join(" ");
}
