// The needed elements that were not shared, as text.

/// The elements for which `strings.json` has a name.
const named = ["expiry_date", "birth_date", "portrait", "driving_privileges", "document_number", "family_name", "given_name",
    "issue_date", "issuing_authority", "issuing_country", "nationality", "resident_address", "age_in_years"];
/// The maximum number of names in a text; a longer list ends in "…".
const most = 4;
/// The maximum length of a name, in characters.
const longest = 48;

/// Returns the names of the missing elements, each once and without namespace. Returns nothing unless the
/// outcome is `unclear`.
export function missingElements(presentation) {
    if (presentation?.outcome !== "unclear") {
        return [];
    }
    const entries = [presentation.result, presentation.then?.result].map((result) => result?.missing)
        .flatMap((list) => (Array.isArray(list) ? list : []));
    const names = entries.map((entry) => entry?.element).filter((name) => typeof name === "string" && name !== "");
    return [...new Set(names.map((name) => name.slice(name.indexOf("/") + 1)))];
}

/// Whether the clerk can ask again. A holder's consent to retention is valid for one presentation: after an
/// order with such a consent, the till has to order again.
export function canAskAgain(presentation) {
    return ![presentation.retention, presentation.then?.retention].some((name) => /^consented\b/.test(name ?? ""));
}

/// Returns the text for the missing elements and what to do, for the page `customer` or `clerk`.
export function missingText(page, presentation, strings) {
    const texts = missingElements(presentation).map((name) => knownText(name, strings));
    const words = [...new Set(texts.filter((text) => text !== null))];
    // An identifier means nothing to a customer or a clerk.
    const unnamed = texts.filter((text) => text === null).length;
    if (unnamed > 0) {
        words.push(strings.text(unnamed === 1 ? "element.other" : "element.others"));
    }
    return words.length === 1 ? strings.text(`${page}.missing.one`, { element: words[0] })
        : strings.text(`${page}.missing.several`, { elements: list(words.slice(0, most), words.length > most, strings.language) });
}

/// Returns the translated name of an element, or its identifier in quotes.
export function elementText(name, strings) {
    return knownText(name, strings) ?? `“${shortened(name)}”`;
}

/// Returns the translated name of an element, or null if `strings.json` has none.
function knownText(name, strings) {
    const [, years] = /^age_over_(\d{2})$/.exec(name) ?? [];
    if (years !== undefined) {
        return strings.text("element.age_over", { years: Number(years) });
    }
    // The element of AAMVA has the same text as the element of ISO/IEC 18013-5.
    const known = name === "domestic_driving_privileges" ? "driving_privileges" : name;
    return named.includes(known) ? strings.text(`element.${known}`) : null;
}

function shortened(name) {
    const characters = Array.from(name);
    return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : name;
}

export function list(words, isLonger, language) {
    return isLonger ? `${words.join(", ")}, …` : new Intl.ListFormat(language, { style: "long", type: "conjunction" }).format(words);
}
