// Tables of the pages for the people who look after readers.

import { element } from "./elements.js";
import { plain } from "./text.js";

/// Creates a table.
///
/// - headings: each a text, or `[text, class]`.
/// - rows: the cells of each row; the first cell is the row's heading. A cell is a text, an element,
///   `[text, class]` or `{ parts, kind }`, whose parts stand one after the other.
export function table(caption, headings, rows, captionKind = null) {
    return element("table", {}, element("caption", { class: captionKind }, caption),
        element("thead", {}, element("tr", {}, ...headings.map((heading) => {
            const [words, kind = null] = Array.isArray(heading) ? heading : [heading];
            return element("th", { scope: "col", class: kind }, words);
        }))),
        element("tbody", {}, ...rows.map(([first, ...rest]) =>
            element("tr", {}, element("th", { scope: "row" }, shown(first)), ...rest.map(cell)))));
}

function cell(content) {
    if (content.parts !== undefined) {
        return element("td", { class: content.kind }, ...content.parts);
    }
    const [text, kind = null] = Array.isArray(content) ? content : [content];
    return element("td", { class: kind }, shown(text));
}

function shown(content) {
    return content instanceof Node ? content : plain(content);
}
