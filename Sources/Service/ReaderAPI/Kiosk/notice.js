// The texts of the customer's privacy notice: the owner's, or the pages' own in the customer's language.

import { keptTexts, parse } from "./asks.js";

/// The questions that check an age: the age itself, and the portrait to compare.
const agePurpose = ["ageOver", "age", "portrait"];
/// The questions that check a driving licence.
const drivePurpose = [...agePurpose, "drive", "inDate"];

/// Returns the key and the text of each row of the notice. A text of the owner comes before the pages' own
/// text, except for what is kept: while a phone is asked, the retention of its order is shown.
export function noticeTexts(lane, presentation, strings) {
    const { notice, notices } = lane?.kiosk ?? {};
    const own = (member) => notices?.[strings.language]?.[member] ?? notice?.[member];
    const kept = ordered(presentation, strings) ?? own("kept") ?? ordered(lane, strings) ?? strings.text("notice.keptLater");
    return [
        ["notice.who", own("controller") ?? presentation?.brand?.name ?? lane?.brand?.name ?? strings.text("notice.shop")],
        ["notice.what", own("purpose") ?? strings.text(`notice.purpose.${purpose(lane, presentation)}`)],
        ["notice.kept", kept],
        ["notice.contact", own("contact") ?? strings.text("notice.staff")],
    ];
}

/// Returns what an order, or every order of a lane, keeps. Returns undefined if that is not known.
function ordered(order, strings) {
    const texts = typeof order?.retention === "string" ? keptTexts(order, strings) : [];
    return texts.length === 0 ? undefined : texts.join(" · ");
}

/// Returns the purpose that follows from the questions of a presentation, or of the lane's buttons: `age`,
/// `drive` or `other`.
function purpose(lane, presentation) {
    const asks = presentation?.asks ?? (lane?.buttons ?? []).flatMap((button) => button.asks);
    const further = presentation?.then?.asks ?? [];
    const kinds = [...asks, ...further].map((ask) => parse(String(ask))[0]);
    const isAll = (known) => kinds.length > 0 && kinds.every((kind) => known.includes(kind));
    // A second request, or a request for data, asks for more than its questions tell.
    if (isAll(agePurpose) && presentation?.kind !== "data" && !presentation?.then) {
        return "age";
    }
    return kinds.includes("drive") && isAll(drivePurpose) ? "drive" : "other";
}
