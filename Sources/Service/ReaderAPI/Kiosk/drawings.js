// The drawings that move. Each says the same when it stands still.

import { vector } from "./elements.js";
import {
    bankCard, bluetoothSwitch, closedWallet, group, openID, phone, phoneSize, placed, question, readerFace, step, tap, touchPoint,
} from "./figures.js";

const face = { x: 130, y: 150, size: 340 };
const middle = { x: 300, y: 320 };

/// By the name that a screen gives; `antenna` in percent of the reader's face.
const drawings = {
    hold: (antenna) => atReader("hold", antenna, phone(touchPoint(), openID())),
    open: (antenna) => atReader("open", antenna, phone(touchPoint(), closedWallet(), openID(), tap(105, 200))),
    again: (antenna) => atReader("again", antenna, phone(touchPoint(), openID())),
    card: (antenna) => atReader("card", antenna, phone(touchPoint(), openID())),
    lift: (antenna) => atReader("lift", antenna, phone(question())),
    connect, bluetooth, look, checking,
};

export function draw(name, antenna) {
    return drawings[name](antenna);
}

function scene(name, height, ...parts) {
    return vector("svg", { class: `scene ${name}`, viewBox: `0 0 600 ${height}`, "aria-hidden": "true" }, ...parts);
}

/// Which way a phone goes that stands still, from the mark: away, or away and back.
const stillArrows = {
    lift: "M96-80H236M196-120L236-80 196-40", again: "M96-120H236M200-152L236-120 200-88M236-36H96M132-68L96-36 132-4",
};

/// The reader's face as the customer sees it, with the mark over its antenna, and a phone that comes or goes.
function atReader(name, antenna, movingPhone) {
    const x = face.x + (face.size * antenna.x) / 100;
    const y = face.y + (face.size * antenna.y) / 100;
    const top = y - 62;
    return scene(`at-reader ${name}`, Math.max(face.y + face.size + 60, top + phoneSize.height + 110),
        vector("path", { class: "cable", d: "M300 150 V40" }),
        readerFace(face.x, face.y, face.size, x, y),
        ...(name === "card" ? [placed(x, y, bankCard())] : []),
        ...(name === "open" ? [step(2, x - 86, y - 56)] : []),
        ...(stillArrows[name] === undefined ? [] : [placed(x, y, vector("path", { class: "arrow", d: stillArrows[name] }))]),
        placed(x - phoneSize.width / 2, top, group("moving", movingPhone, ...(name === "open" ? [step(1, 196, 130)] : []))));
}

/// A phone and the reader, and what goes between them.
function connect() {
    const dots = [0, 1, 2].map((dot) => vector("circle", { class: `dot dot-${dot}`, cx: 268 + 38 * dot, cy: middle.y, r: 13 }));
    return scene("connect", 640,
        placed(24, middle.y - phoneSize.height / 2, phone(openID())), ...dots, readerFace(368, 216, 208, 472, 320));
}

/// A phone whose Bluetooth is switched on.
function bluetooth() {
    return scene("bluetooth", 640,
        placed(195, 110, vector("circle", { class: "halo", cx: phoneSize.width / 2, cy: phoneSize.height / 2, r: 250 }),
            phone(bluetoothSwitch(), tap(130, 288))));
}

/// A phone with a question on it.
function look() {
    return scene("look", 640,
        placed(195, 110, vector("circle", { class: "halo", cx: phoneSize.width / 2, cy: phoneSize.height / 2, r: 250 }),
            phone(question())));
}

/// A ring that fills while the answer is checked.
function checking() {
    return scene("checking", 640,
        vector("circle", { class: "track", cx: middle.x, cy: middle.y, r: 190 }),
        vector("circle", { class: "progress", cx: middle.x, cy: middle.y, r: 190, pathLength: 100 }),
        vector("path", { class: "shield", d: "M300 205l95 34v70c0 64-40 104-95 126-55-22-95-62-95-126v-70z" }));
}
