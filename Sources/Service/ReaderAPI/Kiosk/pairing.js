// The form with which a page without access gets it: three words, which a command on the reader's computer
// prints.

import { element } from "./elements.js";

/// The most characters that the daemon reads.
const longestWords = 64;

/// Returns the command that prints words for a page, as the parts of an element. Only characters that a lane's
/// name can have come from the page's address: somebody may copy the command into a terminal.
function pairingCommand({ page, lane }) {
    const name = String(lane ?? "").replace(/[^A-Za-z0-9_-]/g, "").slice(0, 64);
    const place = page === "owner" ? [] : [`--lane ${name === "" || name.startsWith("-") ? "LANE" : name}`];
    // A line breaks between two options only, never after a hyphen.
    return ["countersign", "page-code", `--page ${page}`, ...place, "--words"]
        .flatMap((part, index) => [index === 0 ? null : " ", element("span", {}, part)]);
}

/// Returns the element for the command of a page.
export function commandElement(place) {
    return element("code", { dir: "ltr" }, ...pairingCommand(place));
}

/// Returns the address of a page on this daemon.
export function pageAddress({ page, lane }) {
    return `/${encodeURIComponent(page)}${lane === undefined ? "" : `?lane=${encodeURIComponent(lane)}`}`;
}

export class Pairing {
    #node;
    #input = element("input", {
        type: "text", id: "pairing-words", name: "words", lang: "en", dir: "ltr", maxlength: longestWords,
        autocomplete: "off", autocapitalize: "none", autocorrect: "off", spellcheck: "false", enterkeyhint: "go",
        "aria-describedby": "pairing-how",
    });
    #label = element("label", { for: "pairing-words" });
    #button = element("button", { type: "submit" });
    #message = element("p", { class: "pairing-message", role: "alert" });
    #how = element("p", { id: "pairing-how" });
    #command = element("p");
    /// The key of the message, so that it follows a change of the language.
    #said = null;
    #daemon;

    /// - daemon: returns the page's `Daemon`, or null once the browser has left the page.
    constructor(node, daemon) {
        this.#node = node;
        this.#daemon = daemon;
        const form = element("form", {}, this.#label, element("div", { class: "pairing-row" }, this.#input, this.#button),
            this.#message, this.#how, this.#command);
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#open();
        });
        node.append(form);
    }

    /// Shows the form for a page in the language of `strings`, or hides it. What was typed stays.
    ///
    /// - place: `page` and `lane` of the page that has no access; null if the commands of the pages are below.
    show(isShown, place, strings) {
        this.#node.hidden = !isShown;
        if (!isShown) {
            return;
        }
        this.strings = strings;
        const texts = [
            [this.#label, strings.text("pairing.words")], [this.#button, strings.text("pairing.open")],
            [this.#how, strings.text(place === null ? "pairing.howBelow" : "pairing.how")],
        ];
        // Unchanged texts stay, so that a screen reader does not read them again.
        for (const [node, text] of texts) {
            if (node.textContent !== text) {
                node.textContent = text;
            }
        }
        if (place !== null && this.#command.childElementCount === 0) {
            this.#command.append(commandElement(place));
        }
        this.#say(this.#said);
    }

    #say(key) {
        this.#said = key;
        const text = key === null ? "" : this.strings.text(key);
        if (this.#message.textContent !== text) {
            this.#message.textContent = text;
        }
    }

    /// Sends the words, and opens the page that they are for.
    async #open() {
        const words = this.#input.value.trim();
        if (words === "" || this.#button.disabled) {
            return this.#input.focus();
        }
        this.#say(null);
        this.#button.disabled = true;
        try {
            const address = pageAddress(await this.#daemon().pair(words));
            if (location.pathname + location.search === address) {
                return location.reload();
            }
            return location.assign(address);
        } catch (error) {
            this.#say(error.kind === "refused" ? "pairing.refused" : "pairing.failed");
        }
        this.#button.disabled = false;
        this.#input.focus();
        this.#input.select();
    }
}
