// The daily sheet, which the owner prints: the lanes, the day's outcomes by hour, its receipts and the open
// faults. Nothing on it is about a person.

import { element } from "./elements.js";
import { table } from "./tables.js";
import { plain } from "./text.js";

/// The outcomes in the order of the columns.
export const outcomes = ["allow", "deny", "unclear", "declined", "cancelled", "failed"];

/// Returns a day such as 2026-11-25 in the language's form. Another text is returned as it is.
export function dayText(day, strings) {
    const date = new Date(`${day}T12:00:00Z`);
    return Number.isNaN(date.getTime()) ? plain(day) : date.toLocaleDateString(strings.locale, { dateStyle: "long", timeZone: "UTC" });
}

/// Returns the time of an hour's beginning.
export function hourText(from, strings) {
    return new Date(from).toLocaleTimeString(strings.locale, { hour: "2-digit", minute: "2-digit" });
}

export function outcomeText(outcome, strings) {
    return outcomes.includes(outcome) ? strings.text(`owner.outcome.${outcome}`) : plain(outcome);
}

/// Returns the numbers of the receipts that were written since the day began: `{ first, last }`, or null.
export function receiptsOfDay(known, hours) {
    const midnight = Date.parse(hours[0]?.from);
    const numbers = known.filter(({ statement }) => Date.parse(statement?.time) >= midnight).map(({ sequence }) => sequence);
    return numbers.length === 0 ? null : { first: Math.min(...numbers), last: Math.max(...numbers) };
}

/// Returns the contents of the sheet.
///
/// - lanes: the table of lanes.
/// - attention: what needs attention, from `attention`.
/// - known: the receipts that the page has loaded, at least those of the day.
export function sheet(overview, { lanes, attention, known, strings }) {
    const { today: { day, hours }, version, time, receipts } = overview;
    const numbers = receiptsOfDay(known, hours);
    const facts = numbers === null ? strings.text("owner.sheet.noReceipts")
        : strings.text("owner.sheet.receipts", { first: String(numbers.first), last: String(numbers.last) });
    const digest = receipts?.head === undefined ? [] : [element("p", { class: "digest" }, strings.text("owner.sheet.digest", { digest: receipts.head }))];
    const open = attention.length === 0 ? [element("p", {}, strings.text("owner.attention.none"))]
        : [element("ul", {}, ...attention.map(({ what, detail }) => element("li", {}, what, detail === null ? "" : ` (${plain(detail)})`)))];
    return [
        element("h2", {}, strings.text("owner.sheet.head", { day: dayText(day, strings) })),
        element("p", {}, strings.text("owner.sheet.made", { time: strings.time(time), version })),
        element("h3", {}, strings.text("owner.lanes.head")), lanes,
        element("h3", {}, strings.text("owner.today.head")), outcomeTable(day, hours, strings),
        element("h3", {}, strings.text("owner.receipts.head")), element("p", {}, facts), ...digest,
        element("h3", {}, strings.text("owner.attention.head")), ...open,
        element("p", { class: "signed" }, strings.text("owner.sheet.signed")),
    ];
}

/// Returns the table of the day's outcomes: a row for each hour that has some, and one for the whole day.
///
/// - more: returns further cells of an hour's row, and `heading` is their heading.
export function outcomeTable(day, hours, strings, { heading = null, more = () => [] } = {}) {
    const busy = hours.filter((hour) => outcomes.some((outcome) => hour[outcome] > 0));
    const total = Object.fromEntries(outcomes.map((outcome) => [outcome, busy.reduce((sum, hour) => sum + hour[outcome], 0)]));
    const numbers = (hour) => outcomes.map((outcome) => [hour[outcome].toLocaleString(strings.language), "number"]);
    const headings = outcomes.map((outcome) => [outcomeText(outcome, strings), "number"]);
    const made = table(strings.text("owner.today.caption", { day: dayText(day, strings) }),
        [strings.text("owner.column.from"), ...headings, ...(heading === null ? [] : [heading])], [
            ...busy.map((hour) => [hourText(hour.from, strings), ...numbers(hour), ...more(hour)]),
            [strings.text("owner.today.total"), ...numbers(total), ...more(total)],
        ]);
    made.classList.add("outcomes");
    return made;
}
