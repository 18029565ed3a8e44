// Makes text from outside safe to show. The hub's page uses this file too.

/// The maximum lengths of a name and of a sentence, in characters.
const longest = 200;
const longestInPhrase = 1_000;
const mostLines = 100;
/// Control characters, marks that change the direction of text, and characters that hide text or are
/// invisible.
const unseen = /[\p{Cc}\p{Co}\p{Cs}\p{Cn}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
/// More than four combining marks on one letter, which would cover other lines.
const heaped = /(\p{M}{4})\p{M}+/gu;

/// Returns a text in one line, with a limited length, and without characters that change direction, hide text
/// or cover its neighbours.
export function plain(text, limit = longest) {
    const characters = Array.from(String(text));
    const kept = characters.length > limit ? [...characters.slice(0, limit - 1), "…"].join("") : String(text);
    return kept.replace(unseen, "\ufffd").replace(heaped, "$1");
}

/// Returns a text of several lines, each made safe by `plain`.
export function paragraphs(text) {
    return String(text).split(/\r\n|[\n\r\u0085\u2028\u2029]/).slice(0, mostLines).map((line) => plain(line, longestInPhrase)).join("\n");
}

/// A template tag that returns the parts of a sentence for `append`. Each value is isolated, so that it keeps
/// its own direction.
export function phrase(words, ...values) {
    return words.flatMap((text, index) => index < values.length ? [text, apart(values[index])] : [text]).filter((part) => part !== "");
}

/// Returns values with commas between them, for `append`.
export function listed(values) {
    return values.flatMap((value, index) => (index === 0 ? [apart(value)] : [", ", apart(value)]));
}

/// Returns sentences of `phrase` with commas between them.
export function joined(phrases) {
    return phrases.flatMap((parts, index) => (index === 0 ? parts : [", ", ...parts]));
}

function apart(value) {
    const node = document.createElement("bdi");
    node.textContent = plain(value, longestInPhrase);
    return node;
}
