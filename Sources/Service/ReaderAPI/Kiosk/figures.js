// The parts of the drawings: a phone and the content of its screen, the reader's face, symbols.

import { vector } from "./elements.js";

export const phoneSize = { width: 210, height: 410 };
const middle = phoneSize.width / 2;

export function group(name, ...parts) {
    return vector("g", { class: name }, ...parts);
}

export function placed(x, y, ...parts) {
    return vector("g", { transform: `translate(${x} ${y})` }, ...parts);
}

export function phone(...screen) {
    const { width, height } = phoneSize;
    return group("phone",
        vector("rect", { class: "case", width, height, rx: 34 }),
        vector("rect", { class: "glass", x: 12, y: 12, width: width - 24, height: height - 24, rx: 24 }), ...screen);
}

function line(x, y, width, name = "line") {
    return vector("rect", { class: name, x, y, width, height: 16, rx: 8 });
}

/// The place of the phone's antenna.
export function touchPoint() {
    return vector("circle", { class: "touch", cx: middle, cy: 62, r: 30 });
}

/// A wallet with overlapping cards and the ID in front. No card is open.
export function closedWallet() {
    return group("closed",
        vector("rect", { class: "other-card", x: 34, y: 118, width: 142, height: 90, rx: 12 }),
        vector("rect", { class: "card", x: 34, y: 150, width: 142, height: 96, rx: 12 }),
        vector("circle", { class: "face", cx: 68, cy: 198, r: 18 }), line(98, 184, 60), line(98, 210, 42));
}

/// An ID that fills the screen.
export function openID() {
    return group("opened",
        vector("rect", { class: "card", x: 26, y: 112, width: 158, height: 262, rx: 16 }),
        vector("rect", { class: "portrait-frame", x: 62, y: 136, width: 86, height: 100, rx: 12 }),
        vector("circle", { class: "head", cx: middle, cy: 174, r: 19 }),
        vector("path", { class: "head", d: `M${middle - 32} 236c2-24 14-34 32-34s30 10 32 34z` }),
        line(48, 262, 114), line(48, 294, 84), line(48, 326, 100));
}

/// A finger's touch.
export function tap(x, y) {
    return placed(x, y, vector("circle", { class: "tap", r: 26 }));
}

/// The wallet's question with two buttons.
export function question() {
    return group("question-on-phone",
        vector("circle", { class: "face", cx: middle, cy: 84, r: 34 }),
        line(44, 146, 122), line(44, 178, 92), line(44, 210, 122), line(44, 242, 70),
        vector("rect", { class: "agree", x: 34, y: 292, width: 142, height: 40, rx: 20 }),
        vector("rect", { class: "refuse", x: 34, y: 342, width: 142, height: 40, rx: 20 }));
}

/// The Bluetooth symbol over a switch that is on.
export function bluetoothSwitch() {
    return group("bluetooth-switch",
        vector("circle", { class: "rune-ground", cx: middle, cy: 140, r: 66 }),
        placed(middle, 140, vector("path", { class: "rune", d: "M-24-22L24 22 0 44V-44L24-22-24 22" })),
        vector("rect", { class: "track-of-switch", x: 50, y: 258, width: 110, height: 60, rx: 30 }),
        vector("circle", { class: "knob", cx: 130, cy: 288, r: 23 }));
}

/// The number of a step.
export function step(number, x, y) {
    return placed(x, y, vector("circle", { class: "step-ground", r: 34 }),
        vector("text", { class: "step", y: 17, "text-anchor": "middle" }, String(number)));
}

/// A crossed-out bank card, centred on its position.
export function bankCard() {
    return group("bank-card",
        vector("rect", { class: "plastic", x: -130, y: -82, width: 260, height: 164, rx: 18 }),
        vector("rect", { class: "stripe", x: -130, y: -56, width: 260, height: 32 }),
        vector("rect", { class: "chip", x: -104, y: 2, width: 50, height: 40, rx: 8 }),
        placed(122, -78, vector("circle", { class: "cross-ground", r: 38 }),
            vector("path", { class: "cross", d: "M-15-15L15 15M15-15L-15 15" })));
}

/// The rows of a QR code in the drawing. No scanner can read it.
const codeRows = ["1110111", "1010101", "1110111", "0101100", "1110101", "1010011", "1110110"];

/// A QR code.
export function code() {
    const modules = codeRows.flatMap((row, y) => Array.from(row).flatMap((bit, x) => (bit === "0" ? []
        : [vector("rect", { class: "module", x: 28 + 22 * x, y: 118 + 22 * y, width: 22.5, height: 22.5 })])));
    return group("code-on-phone", ...modules, line(48, 312, 114), line(62, 344, 86));
}

/// A scanner with its light beam to the left.
export function scanner(x, y) {
    return placed(x, y,
        vector("path", { class: "beam", d: "M-44 0L-240 -96V96Z" }),
        vector("path", { class: "handle", d: "M-2 40h62l26 176q2 20-18 20H24q-18 0-18-18z" }),
        vector("rect", { class: "scanner", x: -48, y: -62, width: 160, height: 124, rx: 34 }),
        vector("rect", { class: "window", x: -48, y: -36, width: 22, height: 72, rx: 8 }));
}

/// The reader's face in a box, with the contactless mark at `x` and `y`.
export function readerFace(shape, { x: left, y: top, width, height }, x, y) {
    const waves = [14, 27, 40].map((r) =>
        vector("path", { class: "wave", d: `M${r * 0.72 - 20} ${-r} A${r * 1.25} ${r * 1.25} 0 0 1 ${r * 0.72 - 20} ${r}` }));
    const rings = [0, 1, 2].map((ring) => vector("circle", { class: `ring ring-${ring}`, r: 46 }));
    const box = { x: left, width, height, rx: width / 6 };
    const edge = vector("rect", { class: "edge-of-reader", ...box, y: top + 16 });
    return group(`face-of-reader ${shape}`,
        ...(shape === "builtIn" ? [] : [edge]), vector("rect", { class: "reader", ...box, y: top }),
        placed(x, y, ...rings, vector("circle", { class: "mark", r: 66 }), ...waves));
}
