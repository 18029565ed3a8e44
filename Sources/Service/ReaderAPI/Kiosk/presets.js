// The buttons that start the lane's presets.

import { parse } from "./asks.js";
import { element } from "./elements.js";
import { isUnasked } from "./presentation.js";
import { plain } from "./text.js";

/// Returns the presets that can be started now, each as `{ preset, names, asks }`. While a phone is being asked,
/// a person has to decide or the end of a check stands alone, no preset can be started.
export function presetsOffered({ link, lane, presentation, final = null }) {
    const isFree = final === null && (presentation === null || isUnasked(presentation));
    const offered = lane?.buttons ?? (lane?.presets ?? []).map((preset) => ({ preset, names: { en: preset } }));
    return link === "live" && lane?.state === "ready" && isFree ? offered : [];
}

/// Returns the text of a button: the owner's name in the page's language, or the page's own text for what is
/// asked. A preset that is called by its elements has no name of the owner's either.
export function buttonName({ preset, names, asks = [] }, strings) {
    const isUnnamed = names === undefined || preset === asks.join("+");
    const own = isUnnamed ? askedName(asks, strings) : "";
    return plain(names?.[strings.language] ?? (own || (names?.en ?? preset)));
}

/// Returns a short text for what is asked, without the picture. Several elements of data are one text.
function askedName(asks, strings) {
    const texts = asks.filter((ask) => ask !== "portrait").map((ask) => {
        const [kind, values] = parse(String(ask));
        const key = { ageOver: "preset.age", drive: "preset.drive", inDate: "preset.inDate" }[kind] ?? "preset.data";
        return strings.text(key, values);
    });
    return [...new Set(texts)].join(" · ").replace(/[\u2068\u2069]/g, "");
}

export class Presets {
    #node;
    #start;
    #drawn = "";

    /// - start: called with the name of the preset when its button is pressed.
    constructor(node, start) {
        this.#node = node;
        this.#start = start;
    }

    show(known, pressed, strings) {
        const offered = presetsOffered(known);
        this.#node.hidden = offered.length === 0;
        this.#node.setAttribute("aria-label", strings.text("clerk.presets"));
        // Buttons that did not change stay, so that they keep the focus.
        const key = JSON.stringify([strings.language, offered, pressed]);
        if (key === this.#drawn) {
            return;
        }
        this.#drawn = key;
        this.#node.replaceChildren(...offered.map((button) => this.#button(button, pressed, strings)));
    }

    #button(offered, pressed, strings) {
        const { preset } = offered;
        const attributes = { type: "button", "data-preset": preset, "data-pressed": preset === pressed };
        const button = element("button", attributes, element("bdi", {}, buttonName(offered, strings)));
        button.disabled = pressed !== null;
        button.addEventListener("click", () => this.#start(preset));
        return button;
    }
}
