// The three drawings that move: hold here, look at your phone, checking.

import { vector } from "./elements.js";

const phoneWidth = 210;
const phoneHeight = 410;
const face = { x: 130, y: 150, width: 340, height: 340 };

function phone(...screen) {
    return vector("g", { class: "phone" },
        vector("rect", { class: "case", width: phoneWidth, height: phoneHeight, rx: 34 }),
        vector("rect", { class: "glass", x: 12, y: 12, width: phoneWidth - 24, height: phoneHeight - 24, rx: 24 }),
        ...screen);
}

function line(x, y, width, name = "line") {
    return vector("rect", { class: name, x, y, width, height: 16, rx: 8 });
}

function scene(name, height, ...parts) {
    return vector("svg", { class: `scene ${name}`, viewBox: `0 0 600 ${height}`, "aria-hidden": "true" }, ...parts);
}

/// The reader's face as the customer sees it, with the mark over its antenna; `antenna` in percent of that face.
export function holdHere(antenna) {
    const x = face.x + (face.width * antenna.x) / 100;
    const y = face.y + (face.height * antenna.y) / 100;
    const rings = [0, 1, 2].map((ring) => vector("circle", { class: `ring ring-${ring}`, r: 46 }));
    const waves = [14, 27, 40].map((r) =>
        vector("path", { class: "wave", d: `M${r * 0.72 - 20} ${-r} A${r * 1.25} ${r * 1.25} 0 0 1 ${r * 0.72 - 20} ${r}` }));
    const top = y - 62;
    return scene("hold", Math.max(face.y + face.height + 60, top + phoneHeight + 40),
        vector("path", { class: "cable", d: "M300 150 V40" }),
        vector("rect", { class: "edge-of-reader", x: face.x, y: face.y + 16, width: face.width, height: face.height, rx: 56 }),
        vector("rect", { class: "reader", ...face, rx: 56 }),
        vector("g", { transform: `translate(${x} ${y})` },
            ...rings, vector("circle", { class: "mark", r: 66 }), ...waves),
        vector("g", { transform: `translate(${x - phoneWidth / 2} ${top})` },
            vector("g", { class: "coming" },
                phone(
                    vector("circle", { class: "touch", cx: phoneWidth / 2, cy: 62, r: 30 }),
                    vector("rect", { class: "card", x: 34, y: 150, width: 142, height: 96, rx: 12 }),
                    vector("circle", { class: "face", cx: 68, cy: 188, r: 18 }),
                    line(98, 174, 60), line(98, 204, 42)))));
}

/// A phone with a question on it.
export function lookAtPhone() {
    return scene("look", 640,
        vector("g", { transform: "translate(195 110)" },
            vector("circle", { class: "halo", cx: phoneWidth / 2, cy: phoneHeight / 2, r: 250 }),
            phone(
                vector("circle", { class: "face", cx: phoneWidth / 2, cy: 84, r: 34 }),
                line(44, 146, 122), line(44, 178, 92), line(44, 210, 122), line(44, 242, 70),
                vector("rect", { class: "agree", x: 34, y: 292, width: 142, height: 40, rx: 20 }),
                vector("rect", { class: "refuse", x: 34, y: 342, width: 142, height: 40, rx: 20 }))));
}

/// A ring that fills while the answer is checked.
export function checking() {
    return scene("checking", 640,
        vector("circle", { class: "track", cx: 300, cy: 320, r: 190 }),
        vector("circle", { class: "progress", cx: 300, cy: 320, r: 190, pathLength: 100 }),
        vector("path", { class: "shield", d: "M300 205l95 34v70c0 64-40 104-95 126-55-22-95-62-95-126v-70z" }));
}
