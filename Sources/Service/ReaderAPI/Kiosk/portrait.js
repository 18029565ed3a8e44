// The portrait on the clerk's page, which is in memory only, until `wipe` is called.

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

    /// Fetches the picture at `path`, unless it is shown already. Calls `changed` after each change of
    /// `state`.
    async load(path, daemon, changed) {
        if (path === this.#path) {
            return;
        }
        this.wipe();
        this.#path = path;
        this.state = "loading";
        changed();
        const blob = await daemon.image(path).catch(() => null);
        // Meanwhile the picture was wiped, or another one is being loaded.
        if (path !== this.#path) {
            return;
        }
        const isDrawn = blob !== null && (await this.#draw(blob));
        if (path === this.#path) {
            this.state = isDrawn ? "shown" : "failed";
            changed();
        }
    }

    /// Decodes the picture before it is shown. Returns whether that is possible.
    async #draw(blob) {
        this.#address = URL.createObjectURL(blob);
        this.#image = element("img", { src: this.#address, draggable: "false" });
        return this.#image.decode().then(() => true, () => false);
    }

    /// Releases the picture's bytes, address and element.
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
