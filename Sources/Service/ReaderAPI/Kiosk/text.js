// Text from outside, fit to be shown. The hub's page has this file too.

/// The longest name, and the longest advice, that is shown, in characters.
const longest = 200;
const longestInPhrase = 1_000;
const mostLines = 100;
/// Controls, marks that steer the direction of text, and characters that hide text or cannot be seen.
const unseen = /[\p{Cc}\p{Co}\p{Cs}\p{Cn}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
/// Marks beyond those that a script puts on one letter: they would lie over other lines.
const heaped = /(\p{M}{4})\p{M}+/gu;

/// Text from outside: bounded, in one line, and without what steers the direction of text, hides it or covers its neighbours.
export function plain(text, limit = longest) {
    const characters = Array.from(String(text));
    const kept = characters.length > limit ? [...characters.slice(0, limit - 1), "…"].join("") : String(text);
    return kept.replace(unseen, "\ufffd").replace(heaped, "$1");
}

/// Text of several lines from outside, each as `plain` has it.
export function paragraphs(text) {
    return String(text).split(/\r\n|[\n\r\u0085\u2028\u2029]/).slice(0, mostLines).map((line) => plain(line, longestInPhrase)).join("\n");
}

/// The parts of a sentence, for `append`: each value from outside is set apart, so that it keeps its own direction.
export function phrase(words, ...values) {
    return words.flatMap((text, index) => index < values.length ? [text, apart(values[index])] : [text]).filter((part) => part !== "");
}

/// Values from outside with commas between them, for `append`.
export function listed(values) {
    return values.flatMap((value, index) => (index === 0 ? [apart(value)] : [", ", apart(value)]));
}

/// Sentences of `phrase` with commas between them.
export function joined(phrases) {
    return phrases.flatMap((parts, index) => (index === 0 ? parts : [", ", ...parts]));
}

function apart(value) {
    const node = document.createElement("bdi");
    node.textContent = plain(value, longestInPhrase);
    return node;
}
