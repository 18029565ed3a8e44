// The parts that the customer's and the clerk's page draw in the same way.

import { draw } from "./drawings.js";
import { element } from "./elements.js";
import { picture } from "./pictures.js";
import { plain } from "./text.js";

const places = ["left", "right", "above", "below", "here"];
const readers = ["square", "upright", "builtIn"];

export function find(name) {
    return document.querySelector(`[data-${name}]`);
}

/// Returns the position of the reader and of its antenna, from the lane's settings.
export function antenna(lane) {
    const { x, y, place } = lane?.kiosk?.antenna ?? {};
    // Near the edge, half of the mark would be outside the drawn reader.
    const percent = (value) => (Number.isFinite(value) ? Math.min(85, Math.max(15, value)) : 50);
    return { x: percent(x), y: percent(y), place: places.includes(place) ? place : "here" };
}

/// Returns the shape of the lane's reader.
function readerShape(lane) {
    const { reader } = lane?.kiosk ?? {};
    return readers.includes(reader) ? reader : "square";
}

/// Sets the style sheet's variables for the shop's own colours, or removes them. `body` is the page's own, or
/// that of the preview.
export function paint(colours, body = document.body) {
    const { ground, words } = colours ?? {};
    const areColours = [ground, words].every((colour) => /^#[0-9a-f]{6}$/i.test(colour));
    body.toggleAttribute("data-branded", areColours);
    for (const [name, colour] of [["--brand-ground", ground], ["--brand-words", words]]) {
        if (areColours) {
            body.style.setProperty(name, colour);
        } else {
            body.style.removeProperty(name);
        }
    }
}

/// Sets the text of an element only if it differs, so that a screen reader does not read it twice.
export function write(node, text) {
    if (node.textContent !== text) {
        node.textContent = text;
    }
}

/// Shows at the bottom of every screen that test documents are accepted.
export function showTrial(lane, strings, node = find("trial")) {
    const isTrial = lane?.acceptsTestDocuments === true;
    // A change of a hidden element is not announced, so the band is shown before its text changes.
    node.hidden = !isTrial;
    write(node, isTrial ? strings.text("banner.testDocuments") : "");
}

/// The symbol or drawing of the current screen, which is redrawn only after a change.
export class Picture {
    #node;
    #shown = "";

    constructor(node = find("picture")) {
        this.#node = node;
    }

    /// Shows the symbol or drawing of a screen; with `captions`, instead of the drawing, one drawing for each of
    /// the two steps of a tap.
    show(screen, lane, captions = null) {
        const spot = antenna(lane);
        const shape = readerShape(lane);
        const key = JSON.stringify([screen.drawing ?? screen.shape, spot.x, spot.y, shape, captions]);
        if (key === this.#shown) {
            return;
        }
        this.#shown = key;
        if (captions !== null) {
            this.#node.replaceChildren(...["opening", "hold"].map((name, index) =>
                element("div", { class: "step-of-tap" }, draw(name, spot, shape), element("p", { "aria-hidden": "true" }, captions[index]))));
        } else {
            this.#node.replaceChildren(screen.drawing === undefined ? picture(screen.shape) : draw(screen.drawing, spot, shape));
        }
    }
}

/// The brand's name and logo, or its first letter without a logo. A logo is fetched once for each path.
export class Brand {
    #node;
    #shown = null;
    #address = null;

    constructor(node = find("brand")) {
        this.#node = node;
    }

    async show(brand, daemon) {
        const key = JSON.stringify([brand?.name ?? "", brand?.logo ?? ""]);
        if (key === this.#shown || daemon === null) {
            return;
        }
        this.#shown = key;
        const name = plain(brand?.name ?? "");
        const sign = element("span", { class: "sign", "aria-hidden": "true" }, Array.from(name)[0]?.toUpperCase() ?? "");
        this.#node.replaceChildren(...(name === "" ? [] : [sign, element("bdi", { class: "name" }, name)]));
        if (typeof brand?.logo === "string") {
            await this.#load(brand.logo, key, daemon, sign);
        }
    }

    /// Loads the logo. If that fails, the name stays, since nobody at the page could do anything about it.
    async #load(path, key, daemon, sign) {
        const blob = await daemon.image(path).catch(() => null);
        if (blob === null || key !== this.#shown) {
            return;
        }
        if (this.#address !== null) {
            URL.revokeObjectURL(this.#address);
        }
        this.#address = URL.createObjectURL(blob);
        sign.replaceWith(element("img", { class: "logo", src: this.#address, alt: "" }));
    }
}

/// The switch for sounds.
export class SoundSwitch {
    #node;

    constructor(toggle, node = find("sound")) {
        this.#node = node;
        this.#node.addEventListener("click", toggle);
    }

    show(areOn, strings) {
        const text = strings.text(areOn ? "sound.on" : "sound.off");
        if (this.#node.textContent !== text) {
            this.#node.replaceChildren(picture(areOn ? "sound-on" : "sound-off"), element("span", {}, text));
            this.#node.setAttribute("aria-pressed", String(areOn));
        }
    }
}

/// Announces a new screen to screen readers, in the page's title, and by a sound.
export class Announcer {
    #node = find("announcement");
    #last = "";
    /// The sound of the last screen. A following screen with the same sound does not play it again.
    #lastCue = null;

    /// Announces a screen. Returns whether it is another screen than the last one. `identity` is the id of the
    /// presentation: the same screen of another presentation is a new one.
    tell(screen, identity, words, title, sounds) {
        const key = `${screen.name} ${identity}`;
        write(this.#node, words);
        document.title = `${words.split("\n")[0]} · ${title}`;
        const cue = screen.cue === undefined ? null : `${screen.cue} ${identity}`;
        if (cue !== null && cue !== this.#lastCue) {
            sounds.play(screen.cue);
        }
        this.#lastCue = cue;
        const isNew = key !== this.#last;
        this.#last = key;
        return isNew;
    }
}
