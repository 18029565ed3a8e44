// The buttons that start what the configuration has for this lane, where no till orders it.

import { element } from "./elements.js";
import { isUnasked } from "./screens.js";
import { plain } from "./text.js";

/// The presets that can be started now. None while a phone is asked, or a person is to decide.
export function presetsOffered({ link, lane, presentation }) {
    const isFree = presentation === null || isUnasked(presentation);
    return link === "live" && lane?.state === "ready" && isFree ? lane.presets ?? [] : [];
}

export class Presets {
    #node;
    #start;
    #drawn = "";

    /// - start: called with the name of the preset whose button was pressed.
    constructor(node, start) {
        this.#node = node;
        this.#start = start;
    }

    show(known, isActing, strings) {
        const names = presetsOffered(known);
        this.#node.hidden = names.length === 0;
        this.#node.setAttribute("aria-label", strings.text("clerk.presets"));
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
