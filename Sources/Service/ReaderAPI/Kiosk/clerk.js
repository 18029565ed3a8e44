// The clerk's page: the progress of a presentation, the result of each check, and the picture to compare.

import { answerLines, refusedLines } from "./asks.js";
import { Countdown } from "./countdown.js";
import { element } from "./elements.js";
import { finalScreen } from "./ends.js";
import { canAskAgain, missingText } from "./missing.js";
import { Page } from "./page.js";
import { outcomes } from "./parts.js";
import { Pairing } from "./pairing.js";
import { picture } from "./pictures.js";
import { Presets, presetsOffered } from "./presets.js";
import { awaitsComparison, hasPicture, isClosed, isUnasked, unclosedStay } from "./presentation.js";
import { Portrait } from "./portrait.js";
import { clerkScreen, reasonKey } from "./screens.js";
import { plain } from "./text.js";
import { Announcer, Brand, find, paint, Picture, showTrial, SoundSwitch, write } from "./view.js";

/// The banners for an order that the daemon does not repeat, by the id of the problem.
const refusals = {
    askedAgain: "askedAgain", nothingToAskAgain: "nothingToAskAgain", retentionRefused: "consentOnce", laneBusy: "laneBusy",
    presetUnknown: "notOffered",
};

const steps = ["armed", "look", "receiving", "result"];
const stateShapes = { passed: "yes", failed: "no", unknown: "unknown", test: "test", open: "open", partly: "none", notChecked: "none", none: "none" };

class ClerkView {
    /// Sounds are off at first: the customer's page plays them, and both pages may be on one computer.
    soundsAtFirst = false;
    name = "clerk";
    scans = true;
    #brand = new Brand();
    #picture = new Picture();
    #announcer = new Announcer();
    #pairing = new Pairing(find("pairing"), () => page.daemon);
    #sound = new SoundSwitch(() => page.sounds.toggle());
    #portrait = new Portrait();
    #presets = new Presets(find("presets"), (name) => this.#startPreset(name));
    #countdown = new Countdown(find("time"));
    /// The action of the button that was pressed, until the daemon has answered.
    #pressed = null;
    #drawn = {};
    /// The id of the presentation whose details are open.
    #opened = null;

    constructor() {
        find("languages").addEventListener("change", (event) => page.speak(event.target.value));
    }

    /// Returns the part of a presentation that this page keeps: everything but the elements, which are for
    /// the till.
    keeps(presentation) {
        const { documents, ...result } = presentation.result ?? {};
        // A presentation without a result stays without one.
        return { ...presentation, result: presentation.result && result };
    }

    wipe() {
        this.#portrait.wipe();
    }

    shown(page, presentation) {
        const { hint, result } = presentation;
        if (typeof result?.portrait === "string") {
            this.#portrait.load(result.portrait, page.daemon, () => page.render());
        } else if (this.#portrait.state !== "none") {
            this.#portrait.wipe();
            page.render();
        }
        // A clerk has decided on this result or closed it, perhaps on another page.
        if (hint === "decided") {
            this.#finish(presentation);
        }
    }

    /// Returns the seconds for which a result is shown. A yes ends early, so that nobody takes it for the answer of
    /// the next customer.
    stay(page) {
        return page.known.presentation.outcome === "allow" ? page.resultStay : unclosedStay;
    }

    overstayed(page) {
        page.finish();
    }

    render({ known, strings, daemon, sounds, banner }) {
        const screen = clerkScreen(known);
        const { lane, presentation } = known;
        document.body.dataset.tone = screen.tone;
        document.body.toggleAttribute("data-final", screen.isFinal === true);
        document.body.toggleAttribute("data-tiles", screen.name === "idle" && presetsOffered(known).length > 0);
        document.body.dataset.screen = screen.name;
        this.#brand.show(presentation?.brand ?? lane?.brand, daemon);
        paint(lane?.kiosk?.colours);
        this.#showBar(known, strings, sounds);
        this.#showBanner(banner, lane, strings);
        showTrial(lane, strings);
        this.#showSteps(screen, presentation, strings);
        this.#picture.show(screen, lane);
        const words = this.#showVerdict(screen, presentation, strings);
        this.#pairing.show(screen.name === "refused", { page: this.name, lane: page.laneName }, strings);
        this.#countdown.show(known, strings);
        this.#showPerson(screen, presentation, strings);
        this.#showDetails(screen, presentation, strings);
        this.#showActions(screen, known, strings);
        this.#presets.show(known, this.#pressed, strings);
        const identity = presentation?.id ?? known.final?.id;
        const isNew = this.#announcer.tell(screen, identity, words, strings.text("title.clerk"), sounds);
        if (isNew && (screen.shows || screen.isFinal)) {
            find("head").focus();
        }
    }

    #showBar({ link, lane }, strings, sounds) {
        write(find("lane"), strings.text("clerk.lane", { lane: page.laneName }));
        find("link").dataset.state = link;
        write(find("link"), strings.text(`clerk.link.${link === "live" || link === "connecting" ? link : "lost"}`));
        write(find("language-label"), strings.text("language"));
        const choice = find("languages");
        if (choice.childElementCount === 0) {
            choice.append(...strings.languages.map(([tag, name]) => element("option", { value: tag, lang: tag }, name)));
        }
        choice.value = strings.language;
        this.#sound.show(sounds.areOn, strings);
    }

    /// Shows a short message, or the lasting message that Bluetooth is off.
    #showBanner(banner, lane, strings) {
        const name = banner ?? { off: "bluetooth", missing: "bluetooth", unprepared: "bluetoothUnprepared" }[lane?.bluetooth] ?? null;
        write(find("banner"), name === null ? "" : strings.text(`banner.${name}`));
        find("banner").hidden = name === null;
        find("banner").toggleAttribute("data-lasting", banner === null);
    }

    #showSteps(screen, presentation, strings) {
        const node = find("steps");
        node.hidden = presentation === null || screen.tone === "fault" || screen.isFinal === true;
        node.setAttribute("aria-label", strings.text("clerk.steps"));
        // A screen without a step is that of a result.
        const step = screen.step ?? 3;
        this.#draw(node, [strings.language, step], () => steps.map((name, index) =>
            element("li", { "aria-current": index === step ? "step" : null, "data-done": index < step },
                strings.text(`clerk.step.${name}`))));
    }

    /// Shows heading, instruction, text and answers, and returns the text to be read aloud.
    #showVerdict(screen, presentation, strings) {
        const prefix = screen.prefix ?? "clerk";
        const head = strings.text(screen.head ?? `${prefix}.${screen.name}.head`, screen.values);
        const text = this.#verdictText(screen, presentation, strings);
        write(find("head"), head);
        write(find("text"), text);
        find("text").hidden = text === "";
        const instruction = screen.instruction === undefined ? "" : strings.text(screen.instruction, screen.values);
        write(find("instruction"), instruction);
        find("instruction").hidden = instruction === "";
        write(find("wiped"), screen.wiped === undefined ? "" : strings.text(screen.wiped));
        find("wiped").hidden = screen.wiped === undefined;
        const code = screen.reason?.id ?? screen.code ?? "";
        write(find("code"), code === "" ? "" : strings.text("clerk.code", { code }));
        find("code").hidden = code === "";
        const hint = hintKey(screen, presentation);
        write(find("hint"), hint === null ? "" : strings.text(hint));
        find("hint").hidden = hint === null;
        // Before the decision the answers stand beside the question without symbol and colour, which would
        // invite to skip the comparison. After it they are among the details.
        const isVerified = ["awaitingDecision", "verified"].includes(presentation?.state);
        const isShown = screen.shows && isVerified && (!screen.isFinal || this.#opened === presentation.id);
        const lines = isShown ? answerLines(presentation.result, strings) : [];
        find("answers").hidden = lines.length === 0;
        this.#draw(find("answers"), lines, () => lines.map(({ line }) => element("li", {}, line)));
        const told = [head, instruction, text, ...screen.isFinal ? [] : lines.map(({ line }) => line)];
        return told.filter((part) => part !== "").join("\n");
    }

    #verdictText(screen, presentation, strings) {
        if (screen.name === "missing") {
            return missingText("clerk", presentation, strings);
        }
        if (screen.wiped !== undefined || ["verified", "tooYoung"].includes(screen.name)) {
            // The heading stands alone.
            return "";
        }
        if (screen.reason !== undefined) {
            return strings.text(reasonKey(screen.reason));
        }
        if (screen.name === "answerNo") {
            return refusedLines(presentation.result, strings);
        }
        const isOffered = screen.name === "idle" && presetsOffered(page.known).length > 0;
        const prefix = screen.prefix ?? "clerk";
        return strings.text(isOffered ? "clerk.presets.text" : `${prefix}.${screen.name}.text`, screen.values);
    }

    /// Shows the portrait to compare, and the name.
    #showPerson(screen, presentation, strings) {
        const node = find("person");
        const { name } = presentation?.result ?? {};
        const isCompared = awaitsComparison(presentation) && hasPicture(presentation);
        const isThere = screen.shows === true && (isCompared || name !== undefined);
        node.hidden = !isThere;
        const key = isThere && [strings.language, this.#portrait.state, presentation.id, name, isCompared];
        this.#draw(node, key, () => isThere ? this.#person(name, isCompared, strings) : []);
    }

    #person(name, isCompared, strings) {
        const { state, image } = this.#portrait;
        const isShown = state === "shown";
        if (isShown) {
            image.alt = strings.text("clerk.portrait");
        }
        const missing = strings.text(`clerk.portrait.${state === "loading" ? "loading" : "failed"}`);
        const full = [name?.given, name?.family].filter((part) => typeof part === "string").map((text) => plain(text)).join(" ");
        return [
            isCompared ? element("figure", { class: "portrait", "data-state": state },
                isShown ? image : element("p", {}, missing)) : null,
            element("div", { class: "who" },
                full === "" ? null : element("p", { class: "full-name" }, element("bdi", {}, full))),
        ];
    }

    /// Shows the results of the single checks, and the facts that the clerk can open.
    #showDetails(screen, presentation, strings) {
        const node = find("details");
        node.hidden = screen.shows !== true;
        const isOpen = screen.shows === true && this.#opened === presentation.id;
        document.body.toggleAttribute("data-details-open", isOpen);
        const key = screen.shows === true && [strings.language, presentation, isOpen];
        this.#draw(node, key, () => screen.shows === true ? [
            element("div", { class: "top" },
                element("h2", {}, strings.text("clerk.outcomes")), this.#detailsButton(presentation, isOpen, strings)),
            element("ul", { class: "outcomes" }, ...outcomes(presentation).map((outcome) => row(outcome, strings))),
            element("dl", { class: "facts" }, ...facts(presentation, strings)),
        ] : []);
    }

    /// Creates the button that shows or hides the texts and facts that a decision does not need.
    #detailsButton(presentation, isOpen, strings) {
        const attributes = { type: "button", "data-opens": true, "aria-expanded": String(isOpen) };
        const button = element("button", attributes, strings.text("clerk.details"));
        button.addEventListener("click", () => {
            this.#opened = isOpen ? null : presentation.id;
            page.render();
            document.querySelector("[data-opens]").focus();
        });
        return button;
    }

    #showActions(screen, { presentation, final }, strings) {
        const choices = final === null || presentation !== null ? this.#choices(screen, presentation) : this.#lastChoices(final);
        const isMissing = presentation !== null && hasPicture(presentation) && this.#portrait.state !== "shown";
        const key = [strings.language, presentation?.id ?? final?.id, choices, this.#pressed, isMissing];
        this.#draw(find("actions"), key, () => choices.map(([name, shape, action, text = `clerk.${name}`]) => {
            const words = strings.text(text);
            // `Scanner` ignores a key press on this button soon after another key, so that a QR code cannot
            // confirm a match.
            const isDeliberate = ["matches", "wrongKey"].includes(name);
            const attributes = { type: "button", "data-action": name, "data-deliberate": isDeliberate, "data-pressed": action === this.#pressed };
            const button = element("button", attributes, shape && picture(shape),
                element("span", {}, words));
            // Nobody can confirm a match with a picture that is not shown.
            button.disabled = this.#pressed !== null || (name === "matches" && isMissing);
            button.addEventListener("click", () => this.#act(action));
            return button;
        }));
    }

    /// Returns the buttons of a screen, each as `[name, symbol, action, key of the text]`. Without a key, the
    /// text has the key `clerk.` and the name.
    #choices(screen, presentation) {
        if (screen.retries) {
            return [["retry", null, "retry", "fault.retry"]];
        }
        if (screen.cancels && !isUnasked(presentation)) {
            return [["cancel", "stopped", "cancel"]];
        }
        if (presentation === null || !isClosed(presentation)) {
            return [];
        }
        if (!awaitsComparison(presentation)) {
            const text = screen.name === "missing" ? "clerk.askAgain" : "clerk.tryAgain";
            const again = screen.asksAgain ? [["askAgain", null, "askAgain", text]] : [];
            return [...again, ["done", null, "dismissed"]];
        }
        const [matches, matchesNot] = hasPicture(presentation) ? [] : ["clerk.accept", "clerk.refuse"];
        return [["matches", "yes", "approved", matches], ["matchesNot", "no", "rejected", matchesNot], ["skip", null, "dismissed"]];
    }

    /// Returns the buttons of the screen after a decision.
    #lastChoices({ repeats }) {
        return [["done", null, "leave"], ...repeats ? [["wrongKey", null, "askAgain"]] : []];
    }

    /// Runs the action of a button. All buttons are disabled meanwhile, and the pressed button looks pressed.
    async #act(action) {
        this.#pressed = action;
        page.render();
        await this.#perform(action);
        this.#pressed = null;
        page.render();
    }

    async #perform(action) {
        const { presentation, final } = page.known;
        switch (action) {
        case "retry": return page.retry();
        case "leave": return page.leaveFinal();
        case "cancel": return page.act(() => page.daemon.cancel(presentation.id));
        case "askAgain": return page.act(() => page.daemon.askAgain(presentation?.id ?? final.id), { refusals });
        default: return this.#close(presentation, action);
        }
    }

    async #startPreset(name) {
        this.#pressed = name;
        page.render();
        await page.act(() => page.daemon.start(page.laneName, name), { refusals: { laneBusy: "laneBusy" } });
        this.#pressed = null;
        page.render();
    }

    /// Sends a decision to the daemon, which also wipes name and picture there. The last screen follows from
    /// the daemon's answer and never from the button.
    async #close(presentation, decision) {
        if (!isToDecide(presentation)) {
            // There is nothing to decide, so that only the display of the result ends.
            return page.finish();
        }
        const answer = await page.act(() => page.daemon.decide(presentation.id, decision));
        if (answer !== null) {
            this.#finish(answer.id === presentation.id ? answer : presentation);
        }
    }

    /// Ends the display of a result. After a person's decision its last screen follows.
    #finish(presentation) {
        // Another page of the lane may have been faster, or another presentation may have begun.
        if (page.known.presentation?.id !== presentation.id) {
            return;
        }
        const isDecided = typeof presentation.outcome === "string" && presentation.result?.decision !== undefined;
        page.finish(isDecided
            ? { id: presentation.id, screen: finalScreen(presentation), repeats: canAskAgain(presentation) } : null);
    }

    /// Redraws a part of the page only after a change, so that the part keeps the focus and a screen reader
    /// does not repeat it.
    #draw(node, key, parts) {
        const text = JSON.stringify(key);
        if (this.#drawn[node.className] !== text) {
            this.#drawn[node.className] = text;
            node.replaceChildren(...parts());
        }
    }
}

/// Whether the daemon accepts a decision: for other presentations there is nothing to decide or to wipe.
function isToDecide(presentation) {
    return awaitsComparison(presentation) || (presentation?.outcome === "allow" && presentation.hint !== "decided");
}

/// Returns the key of the remark below the text, or null.
function hintKey(screen, presentation) {
    if (screen.name === "offerQR") {
        return "clerk.scanner";
    }
    if (screen.asksAgain === false) {
        return "banner.consentOnce";
    }
    return screen.name === "armed" && presentation?.repeats !== undefined ? "clerk.repeats" : null;
}

/// Creates the row of one check.
function row({ key, label = key, state, detail, seconds, isMinor }, strings) {
    const values = seconds === undefined || seconds === null ? {} : { duration: strings.duration(seconds) };
    return element("li", { "data-outcome": key, "data-state": state, "data-minor": isMinor === true },
        picture(stateShapes[state]),
        element("p", {}, element("span", { class: "label" }, strings.text(`outcome.${label}`)), " ",
            element("strong", { class: "state" }, strings.text(`state.${state}`))),
        element("p", { class: "detail" }, detail === undefined ? "" : strings.text(detail, values)));
}

/// Returns the rows with issuer, age of the trust, reference and receipt, as far as they are known.
function facts({ result, reference }, strings) {
    const { issuer, trustAgeSeconds, receipt } = result ?? {};
    const country = issuer?.country === undefined ? "" : plain(strings.country(issuer.country));
    const name = [plain(issuer?.name ?? ""), country].filter((part) => part !== "").join(" · ");
    const trust = Number.isFinite(trustAgeSeconds)
        ? strings.text("clerk.trust.age", { duration: strings.duration(trustAgeSeconds) }) : "";
    return [["clerk.issuer", name], ["clerk.trust", trust], ["clerk.reference", plain(reference ?? "")],
        ["clerk.receipt", plain(receipt ?? "")]]
        .filter(([, words]) => words !== "")
        .map(([key, words]) => element("div", {},
            element("dt", {}, strings.text(key)), element("dd", {}, element("bdi", {}, words))));
}

const page = new Page(new ClerkView());
page.start();
