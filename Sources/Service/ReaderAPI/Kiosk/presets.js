// The buttons that start the lane's presets.

import { element } from "./elements.js";
import { isUnasked } from "./screens.js";
import { plain } from "./text.js";

/// Returns the presets that can be started now. While a phone is being asked or a person has to decide, no
/// preset can be started.
export function presetsOffered({ link, lane, presentation }) {
    const isFree = presentation === null || isUnasked(presentation);
    return link === "live" && lane?.state === "ready" && isFree ? lane.presets ?? [] : [];
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

    show(known, isActing, strings) {
        const names = presetsOffered(known);
        this.#node.hidden = names.length === 0;
        this.#node.setAttribute("aria-label", strings.text("clerk.presets"));
        // Buttons that did not change stay, so that they keep the focus.
        const key = JSON.stringify([names, isActing]);
        if (key === this.#drawn) {
            return;
        }
        this.#drawn = key;
        this.#node.replaceChildren(...names.map((name) => this.#button(name, isActing)));
    }

    #button(name, isActing) {
        const button = element("button", { type: "button", "data-preset": name }, element("bdi", {}, plain(name)));
        button.disabled = isActing;
        button.addEventListener("click", () => this.#start(name));
        return button;
    }
}
