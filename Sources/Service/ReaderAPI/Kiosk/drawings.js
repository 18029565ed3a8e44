// The animated drawings. Each can be understood without its motion, for people who have switched motion off.

import { vector } from "./elements.js";
import {
    bankCard, bluetoothSwitch, closedWallet, code, group, openID, phone, phoneSize, placed, question, readerFace, scanner, step, tap,
    touchPoint,
} from "./figures.js";

/// The reader's face, by its shape.
const faces = {
    square: { x: 130, y: 150, width: 340, height: 340 },
    upright: { x: 170, y: 130, width: 260, height: 390 },
    builtIn: { x: 110, y: 110, width: 380, height: 380 },
};
const middle = { x: 300, y: 320 };

/// The drawings by the names that `screens.js` uses. `antenna` is in percent of the reader's face.
const drawings = {
    open: (antenna, shape) => atReader("open", antenna, shape, phone(touchPoint(), closedWallet(), openID(), tap(105, 200))),
    again: (antenna, shape) => atReader("again", antenna, shape, phone(touchPoint(), openID())),
    card: (antenna, shape) => atReader("card", antenna, shape, phone(touchPoint(), openID())),
    hold: (antenna, shape) => atReader("hold", antenna, shape, phone(touchPoint(), openID())),
    lift: (antenna, shape) => atReader("lift", antenna, shape, phone(question())),
    keep: (antenna, shape) => atReader("keep", antenna, shape, phone(question())),
    keepOn: (antenna, shape) => atReader("keep", antenna, shape, phone(openID())),
    opening, qr, connect, bluetooth, look, checking,
};

/// Draws the drawing with this name. `shape` is the shape of the reader: `square`, `upright` or `builtIn`.
export function draw(name, antenna, shape) {
    return drawings[name](antenna, shape);
}

function scene(name, height, ...parts) {
    return vector("svg", { class: `scene ${name}`, viewBox: `0 0 600 ${height}`, "aria-hidden": "true" }, ...parts);
}

/// The arrows that replace the motion of a phone: away from the mark, or away and back.
const stillArrows = {
    lift: "M96-80H236M196-120L236-80 196-40", again: "M96-120H236M200-152L236-120 200-88M236-36H96M132-68L96-36 132-4",
};

/// Draws the reader's face, the mark over its antenna, and a phone that moves to or from it, or lies on it.
function atReader(name, antenna, shape, movingPhone) {
    const face = faces[shape];
    const x = face.x + (face.width * antenna.x) / 100;
    const y = face.y + (face.height * antenna.y) / 100;
    // The phone's antenna is 62 below its upper edge (`touchPoint`), and comes to lie on the mark.
    const top = y - 62;
    // The phone moves in from the side with more room.
    const side = x > middle.x ? "from-left" : "from-right";
    return scene(`at-reader ${name} ${side}`, Math.max(face.y + face.height + 60, top + phoneSize.height + 170),
        ...(shape === "builtIn" ? [] : [vector("path", { class: "cable", d: `M300 ${face.y} V${face.y - 110}` })]),
        readerFace(shape, face, x, y),
        ...(name === "card" ? [placed(x, y, bankCard())] : []),
        ...(["open", "hold"].includes(name) ? [step(2, x - 86, y - 56)] : []),
        ...(stillArrows[name] === undefined ? [] : [placed(x, y, vector("path", { class: "arrow", d: stillArrows[name] }))]),
        placed(x - phoneSize.width / 2, top, group("moving", movingPhone, ...(name === "open" ? [step(1, 196, 130)] : []))));
}

/// Draws a phone on which the ID is being opened.
function opening() {
    return scene("opening open", 640, placed(195, 110, phone(closedWallet(), openID(), tap(105, 200)), step(1, 0, 0)));
}

/// Draws a phone that shows its QR code to a scanner.
function qr() {
    return scene("qr", 640, scanner(452, 320), placed(40, middle.y - phoneSize.height / 2, group("moving", phone(code()))));
}

/// Draws a phone and the reader, with dots that move between them.
function connect() {
    const dots = [0, 1, 2].map((dot) => vector("circle", { class: `dot dot-${dot}`, cx: 268 + 38 * dot, cy: middle.y, r: 13 }));
    return scene("connect", 640,
        placed(24, middle.y - phoneSize.height / 2, phone(openID())), ...dots,
        readerFace("square", { x: 368, y: 216, width: 208, height: 208 }, 472, 320));
}

/// Draws a phone on which Bluetooth is being switched on.
function bluetooth() {
    return scene("bluetooth", 640,
        placed(195, 110, vector("circle", { class: "halo", cx: phoneSize.width / 2, cy: phoneSize.height / 2, r: 250 }),
            phone(bluetoothSwitch(), tap(130, 288))));
}

/// Draws a phone that shows the wallet's question.
function look() {
    return scene("look", 640,
        placed(195, 110, vector("circle", { class: "halo", cx: phoneSize.width / 2, cy: phoneSize.height / 2, r: 250 }),
            phone(question())));
}

/// Draws a ring that fills while the response is verified.
function checking() {
    return vector("svg", { class: "scene checking", viewBox: "94 114 412 412", "aria-hidden": "true" },
        vector("circle", { class: "track", cx: middle.x, cy: middle.y, r: 190 }),
        vector("circle", { class: "progress", cx: middle.x, cy: middle.y, r: 190, pathLength: 100 }),
        vector("path", { class: "shield", d: "M300 205l95 34v70c0 64-40 104-95 126-55-22-95-62-95-126v-70z" }));
}
