// The picture of a person: in memory, on the clerk's page, and not there any more when it is wiped.

import { element } from "./elements.js";

export class Portrait {
    /// `none`, `loading`, `shown` or `failed`.
    state = "none";
    #path = null;
    #address = null;
    #image = null;

    /// The element to show, if there is one.
    get image() {
        return this.#image;
    }

    /// Fetches what `path` names, unless that is here already; `changed` is called when the state has changed.
    async load(path, daemon, changed) {
        if (path === this.#path) {
            return;
        }
        this.wipe();
        this.#path = path;
        this.state = "loading";
        changed();
        const blob = await daemon.image(path).catch(() => null);
        if (path !== this.#path) {
            return;
        }
        const isDrawn = blob !== null && (await this.#draw(blob));
        if (path === this.#path) {
            this.state = isDrawn ? "shown" : "failed";
            changed();
        }
    }

    async #draw(blob) {
        this.#address = URL.createObjectURL(blob);
        this.#image = element("img", { src: this.#address, draggable: "false" });
        return this.#image.decode().then(() => true, () => false);
    }

    /// Lets go of bytes, address and element.
    wipe() {
        if (this.#address !== null) {
            URL.revokeObjectURL(this.#address);
        }
        this.#image?.removeAttribute("src");
        this.#image?.remove();
        this.#image = null;
        this.#address = null;
        this.#path = null;
        this.state = "none";
    }
}
