// The end of the setup page: the token, the next commands with their buttons, and the first check.

import { element } from "./elements.js";
import { ask, Refused } from "./setup-server.js";
import { plain } from "./text.js";

/// The commands that print the address of a page.
const pages = ["kiosk", "clerk", "desk"];
/// The commands whose output is for the user.
const telling = ["sources", "trust"];
/// The address of a page, as `countersign page-code` prints it.
const pageAddress = /^http:\/\/127\.0\.0\.1:\d+\/[a-z]/;

export class Ending {
    #strings;
    #made;
    #choices;
    #runs;
    #stop;
    /// The buttons that run commands, and the number of their actions that have not ended.
    #buttons = [];
    #running = 0;
    /// Runs the complete commands that open no page, in their order. Each returns whether it succeeded.
    #tasks = [];
    /// Says beside the first page's command that the pages come next.
    #openPages = element("p", { role: "status", "data-open-pages": "" });
    /// The button that makes the address of the first page.
    #firstPage = null;

    /// - made: the result of setup, with the members that `countersign setup --json` prints.
    /// - choices: `role`, `isTrial`, and at a kiosk `ages`.
    /// - runs: whether the commands can run here.
    /// - stop: called with the reason why a request failed.
    constructor(made, choices, runs, strings, stop) {
        this.#made = made;
        this.#choices = choices;
        this.#runs = runs;
        this.#strings = strings;
        this.#stop = stop;
    }

    #text(key, values) {
        return this.#strings.text(key, values);
    }

    /// Returns the elements of the end. `finish` is called when the user ends the page.
    nodes(finish) {
        const { next, incomplete, purposes = [] } = this.#made;
        const steps = next.map((command, step) => this.#step({
            command, step, purpose: purposes[step], runs: this.#runs && !incomplete.includes(step), isIncomplete: incomplete.includes(step),
        }));
        const end = element("button", { type: "button", class: "main", "data-end": "" }, this.#text("setup.end"));
        end.addEventListener("click", finish);
        return [
            element("h2", {}, this.#text("setup.written")),
            element("p", {}, this.#text(this.#choices.role === "rental" ? "setup.token.rental" : "setup.token")),
            element("p", {}, this.#text("setup.token.now")), this.#token(),
            element("h2", {}, this.#text("setup.steps")),
            this.#runs ? this.#all() : element("p", {}, this.#text("setup.commands")),
            element("ol", {}, ...steps), ...this.#firstCheck(), ...this.leaving(), end,
        ];
    }

    #token() {
        const { token } = this.#made.tokens[0];
        const secret = element("code", {}, token);
        const copy = element("button", { type: "button" }, this.#text("setup.copy"));
        copy.addEventListener("click", () => navigator.clipboard.writeText(token).catch(() => getSelection().selectAllChildren(secret)));
        return element("div", { class: "row" }, secret, copy);
    }

    /// Returns the button that runs the commands one after the other, up to the first that fails.
    #all() {
        const button = element("button", { type: "button", class: "main", "data-all": "" }, this.#text("setup.runAll"));
        button.addEventListener("click", async () => {
            if (await this.#alone(() => this.#runTasks())) {
                this.#openPages.replaceChildren(this.#text("setup.openPages"));
                this.#firstPage?.focus();
            }
        });
        this.#buttons.push(button);
        return button;
    }

    /// Runs the tasks up to the first that fails. Returns whether all succeeded.
    async #runTasks() {
        for (const task of this.#tasks) {
            if (!await task()) {
                return false;
            }
        }
        return true;
    }

    /// Performs an action while no button can begin another one, because the server runs one command at a time.
    async #alone(action) {
        const enable = (change) => {
            this.#running += change;
            this.#buttons.forEach((button) => { button.disabled = this.#running > 0; });
        };
        enable(1);
        try {
            return await action();
        } finally {
            enable(-1);
        }
    }

    /// Returns a next command: with a button that runs it, or only its text.
    #step({ command, step, purpose, runs, isIncomplete }) {
        const code = element("code", { dir: "ltr" }, command);
        const line = element("li", {}, purpose === undefined ? null : element("strong", {}, this.#text(`setup.step.${purpose}`)));
        if (!runs) {
            line.append(code, ...(isIncomplete ? [element("p", { class: "hint" }, this.#text("setup.complete"))] : []));
            return line;
        }
        const isPage = pages.includes(purpose);
        const button = element("button", { type: "button" }, this.#text(isPage ? "setup.makeAddress" : "setup.run"));
        const result = element("div", { role: "status" });
        const task = () => this.#alone(() => this.#run(step, purpose, result));
        button.addEventListener("click", task);
        this.#buttons.push(button);
        if (!isPage) {
            this.#tasks.push(task);
        } else if (this.#firstPage === null) {
            this.#firstPage = button;
            line.append(this.#openPages);
        }
        line.append(...(isPage ? [element("p", { class: "hint" }, this.#text("setup.address"))] : []), button, result,
            element("details", {}, element("summary", {}, this.#text("setup.command")), code));
        return line;
    }

    /// Runs a command and shows its result. Returns whether it succeeded.
    async #run(step, purpose, result) {
        result.replaceChildren();
        try {
            const { status, output, error } = await ask("step", { step });
            result.replaceChildren(...(status === 0 ? this.#success(purpose, output.trim()) : this.#failure(error)));
            result.querySelector("a")?.focus();
            return status === 0;
        } catch (error) {
            if (error instanceof Refused) {
                result.replaceChildren(...this.#failure(error.message, error.key));
            } else {
                this.#stop(error);
            }
            return false;
        }
    }

    #success(purpose, output) {
        if (pageAddress.test(output)) {
            return [element("a", { class: "main", href: output, target: "_blank", rel: "noreferrer" }, this.#text("setup.open"))];
        }
        const told = telling.includes(purpose) && output !== "" ? [element("pre", { lang: "en", dir: "ltr" }, output)] : [];
        return [element("p", {}, `✓ ${this.#text("setup.done")}`), ...told];
    }

    #failure(reason, key = "setup.wrong") {
        return [
            element("p", { class: "fault" }, this.#text(key)),
            element("p", { class: "hint", lang: "en", dir: "ltr" }, plain(reason)),
        ];
    }

    /// Returns how to leave a trial, or nothing without a trial. This part has no token.
    leaving() {
        const { leaveTrial = [] } = this.#made;
        return leaveTrial.length === 0 ? [] : [
            element("h2", {}, this.#text("setup.leave")), element("p", {}, this.#text("setup.leave.text")),
            element("ol", { "data-leave": "" }, ...leaveTrial.map((command) => element("li", {}, element("code", { dir: "ltr" }, command)))),
        ];
    }

    /// Returns how to do a first check, with a phone or with the software wallet.
    #firstCheck() {
        const { role, isTrial, ages } = this.#choices;
        const button = role === "kiosk" ? { button: this.#text("preset.age", { years: ages[0] }) } : {};
        const item = (key, values, ...further) => element("li", {}, this.#text(key, values), ...further);
        const { order = [], tokens, hasIssuer } = this.#made;
        // The program of a till orders checks. Its first order is made of these commands.
        const commands = role === "till" ? [`TOKEN=${tokens[0].token}`, ...order] : [];
        return [
            element("h2", {}, this.#text("setup.first")),
            element("ol", { "data-first": "" },
                hasIssuer === false && !isTrial ? item("setup.first.trust") : null,
                item("setup.first.pages"),
                item(`setup.first.${role}`, button, ...commands.map((command) => element("code", { dir: "ltr" }, command))),
                item(isTrial ? "setup.first.wallet" : "setup.first.phone"),
                role === "kiosk" ? item("setup.first.decide") : null),
        ];
    }
}
