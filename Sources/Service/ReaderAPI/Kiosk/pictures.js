// The symbols: each state has its own shape, so that no state is recognised by its colour only. The symbols
// are part of the page, so that they can be shown without the daemon. Each symbol consists of lines in a
// square of 100 by 100; the rule `.shape` of the style sheet gives the lines their width and colour.

import { vector } from "./elements.js";

const circle = "M50 6a44 44 0 1 1 0 88a44 44 0 1 1 0-88z";
const triangle = "M50 8l44 80H6z";
const speaker = "M12 38h16l24-20v64L28 62H12z";

const shapes = {
    yes: [circle, "M29 52l15 15 28-33"],
    no: ["M32 6h36l26 26v36L68 94H32L6 68V32z", "M34 34l32 32M66 34L34 66"],
    unknown: [triangle, "M41 46c0-12 18-12 18 0 0 8-9 8-9 16M50 75v.5"],
    test: ["M36 8h28M42 8v28L16 84c-2 5 1 9 6 9h56c5 0 8-4 6-9L58 36V8", "M27 64h46"],
    open: [circle, "M50 26v26l16 12"],
    none: ["M22 8h56a14 14 0 0 1 14 14v56a14 14 0 0 1-14 14H22A14 14 0 0 1 8 78V22A14 14 0 0 1 22 8z", "M32 50h36"],
    hand: ["M30 56V26a7 7 0 0 1 14 0v22-32a7 7 0 0 1 14 0v32-26a7 7 0 0 1 14 0v36c0 20-10 32-24 32-12 0-19-5-25-16"
        + "L12 56c-4-8 6-14 11-7z"],
    stopped: [circle, "M34 34h32v32H34z"],
    failed: [triangle, "M50 36v26M50 75v.5"],
    reader: ["M21 34h44a9 9 0 0 1 9 9v24a9 9 0 0 1-9 9H21a9 9 0 0 1-9-9V43a9 9 0 0 1 9-9z",
        "M74 55h9c8 0 8 12 0 12M30 55h.5M40 46c5 5 5 13 0 18M50 41c9 9 9 19 0 28", "M8 10l84 82"],
    unplugged: ["M8 92l18-18M24 54l22 22-6 6c-8 8-18 6-24 0s-6-16 2-22z", "M76 46L54 24l6-6c8-8 18-6 24 0s6 16-2 22z",
        "M92 8l-8 8M40 48l8-8M52 60l8-8"],
    key: ["M32 40a22 22 0 1 1 0 44a22 22 0 1 1 0-44z", "M48 46l42-38M74 22l14 14M60 35l10 10"],
    idle: ["M37 6h26a10 10 0 0 1 10 10v68a10 10 0 0 1-10 10H37a10 10 0 0 1-10-10V16A10 10 0 0 1 37 6z",
        "M44 82h12M40 30h20M40 42h20M40 54h12"],
    wiped: ["M14 90h72M62 10l26 26-46 46H28L12 66z", "M36 36l26 26"],
    person: ["M50 10a20 20 0 1 1 0 40a20 20 0 1 1 0-40z", "M12 92c2-24 18-34 38-34s36 10 38 34z"],
    "sound-on": [speaker, "M66 38c7 7 7 17 0 24M78 26c14 14 14 34 0 48"],
    "sound-off": [speaker, "M68 38l22 24M90 38L68 62"],
};

/// Draws a symbol. The text beside the symbol says the same, so that the symbol is hidden from screen
/// readers.
export function picture(name) {
    return vector("svg", { class: "shape", viewBox: "0 0 100 100", "aria-hidden": "true", "data-shape": name },
        // The lines of a yes are drawn from their beginning to their end.
        ...shapes[name].map((d) => vector("path", { d, pathLength: name === "yes" ? 100 : null })));
}
