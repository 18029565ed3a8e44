// Writes the texts of a page that stand in its HTML by their keys.

import { element } from "./elements.js";

/// Writes the title, the texts of `data-words`, the names of `data-label`, and the languages of `menu`.
export function writeWords(strings, title, menu) {
    document.title = strings.text(title);
    for (const node of document.querySelectorAll("[data-words]")) {
        node.textContent = strings.text(node.dataset.words);
    }
    for (const node of document.querySelectorAll("[data-label]")) {
        node.setAttribute("aria-label", strings.text(node.dataset.label));
    }
    menu.replaceChildren(...strings.languages.map(([tag, name]) =>
        element("option", { value: tag, lang: tag, selected: tag === strings.language }, name)));
}
