// The clerk's page: the progress of a presentation, the result of each check, and the picture to compare.

import { questionText } from "./asks.js";
import { element } from "./elements.js";
import { missingText } from "./missing.js";
import { Page } from "./page.js";
import { picture } from "./pictures.js";
import { Presets, presetsOffered } from "./presets.js";
import { Portrait } from "./portrait.js";
import { awaitsComparison, clerkScreen, hasPicture, isClosed, isUnasked, outcomes, reasonKey } from "./screens.js";
import { plain } from "./text.js";
import { Announcer, Brand, find, paint, Picture, SoundSwitch, write } from "./view.js";

/// The seconds after which a result is wiped if nobody closes it.
const resultStay = 120;
/// The milliseconds for which the message "wiped" is shown.
const wipedStay = 4_000;

const steps = ["armed", "look", "receiving", "result"];
const answerShapes = { yes: "yes", no: "no" };
const stateShapes = { passed: "yes", failed: "no", unknown: "unknown", test: "test", open: "open", none: "none" };

class ClerkView {
    /// Sounds are off at first: the customer's page plays them, and both pages may be on one computer.
    soundsAtFirst = false;
    name = "clerk";
    scans = true;
    #brand = new Brand();
    #picture = new Picture();
    #announcer = new Announcer();
    #sound = new SoundSwitch(() => page.sounds.toggle());
    #portrait = new Portrait();
    #presets = new Presets(find("presets"), (name) => this.#startPreset(name));
    #isActing = false;
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

    shown(page, { hint, result }) {
        if (typeof result?.portrait === "string") {
            this.#portrait.load(result.portrait, page.daemon, () => page.render());
        } else if (this.#portrait.state !== "none") {
            this.#portrait.wipe();
            page.render();
        }
        // A clerk has decided on this result or closed it, perhaps on another page.
        if (hint === "decided") {
            this.#finish(page);
        }
    }

    stay() {
        return resultStay;
    }

    overstayed(page) {
        this.#finish(page);
    }

    render({ known, strings, daemon, sounds, banner }) {
        const screen = clerkScreen(known);
        const { lane, presentation } = known;
        document.body.dataset.tone = screen.tone;
        document.body.dataset.screen = screen.name;
        this.#brand.show(presentation?.brand ?? lane?.brand, daemon);
        paint(lane?.kiosk?.colours);
        this.#showBar(known, strings, sounds);
        this.#showBanner(banner, lane, presentation, strings);
        this.#showSteps(screen, presentation, strings);
        this.#picture.show(screen, lane);
        const words = this.#showVerdict(screen, presentation, strings);
        this.#showPerson(screen, presentation, strings);
        this.#showDetails(screen, presentation, strings);
        this.#showActions(screen, presentation, strings);
        this.#presets.show(known, this.#isActing, strings);
        const isNew = this.#announcer.tell(screen, presentation?.id, words, strings.text("title.clerk"), sounds);
        if (isNew && screen.shows) {
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

    /// Shows a short message, or the lasting message that test documents are accepted or Bluetooth is off.
    #showBanner(banner, lane, presentation, strings) {
        const bluetooth = { off: "bluetooth", missing: "bluetooth", unprepared: "bluetoothUnprepared" }[lane?.bluetooth] ?? null;
        const lasting = lane?.acceptsTestDocuments === true ? "testDocuments" : bluetooth;
        const name = banner ?? lasting;
        write(find("banner"), name === null ? "" : strings.text(`banner.${name}`));
        find("banner").hidden = name === null;
    }

    #showSteps(screen, presentation, strings) {
        const node = find("steps");
        node.hidden = presentation === null || screen.tone === "fault";
        node.setAttribute("aria-label", strings.text("clerk.steps"));
        // A screen without a step is that of a result.
        const step = screen.step ?? 3;
        this.#draw(node, [strings.language, step], () => steps.map((name, index) =>
            element("li", { "aria-current": index === step ? "step" : null, "data-done": index < step },
                strings.text(`clerk.step.${name}`))));
    }

    /// Shows heading, text and answers, and returns the text to be read aloud.
    #showVerdict(screen, presentation, strings) {
        const prefix = screen.prefix ?? "clerk";
        const head = strings.text(`${prefix}.${screen.name}.head`, screen.values);
        const text = this.#verdictText(screen, presentation, strings);
        write(find("head"), head);
        write(find("text"), text);
        const code = screen.reason?.id ?? screen.code ?? "";
        write(find("code"), code === "" ? "" : strings.text("clerk.code", { code }));
        find("code").hidden = code === "";
        const isScanned = screen.name === "offerQR";
        write(find("hint"), isScanned ? strings.text("clerk.scanner") : "");
        find("hint").hidden = !isScanned;
        const isVerified = ["awaitingDecision", "verified"].includes(presentation?.state);
        const answers = screen.shows && isVerified ? presentation.result?.answers ?? [] : [];
        const lines = answers.filter(({ ask }) => ask !== "portrait")
            .map(({ ask, answer }) => ({ question: questionText(ask, strings), answer }));
        find("answers").hidden = lines.length === 0;
        this.#draw(find("answers"), [screen.tone, lines], () => lines.map(({ question, answer }) => element("li", { "data-answer": answer },
            element("span", { class: "asked" }, question), picture(screen.tone === "test" ? "test" : answerShapes[answer] ?? "unknown"),
            element("strong", {}, answerText(answer, strings)))));
        const spoken = lines.map(({ question, answer }) => `${question} ${answerText(answer, strings)}`);
        return [head, ...spoken, text].join("\n");
    }

    #verdictText(screen, presentation, strings) {
        if (screen.name === "missing") {
            return missingText("clerk", presentation, strings);
        }
        if (screen.reason !== undefined) {
            return strings.text(reasonKey(screen.reason));
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

    #showActions(screen, presentation, strings) {
        const choices = this.#choices(screen, presentation);
        const isMissing = presentation !== null && hasPicture(presentation) && this.#portrait.state !== "shown";
        const key = [strings.language, presentation?.id, choices, this.#isActing, isMissing];
        this.#draw(find("actions"), key, () => choices.map(([name, shape, action, text = `clerk.${name}`]) => {
            const words = strings.text(text);
            // `Scanner` ignores a key press on this button soon after another key, so that a QR code cannot
            // confirm a match.
            const attributes = { type: "button", "data-action": name, "data-deliberate": name === "matches" };
            const button = element("button", attributes, shape && picture(shape),
                element("span", {}, words));
            // Nobody can confirm a match with a picture that is not shown.
            button.disabled = this.#isActing || (name === "matches" && isMissing);
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
            const again = screen.asksAgain ? [["askAgain", null, "askAgain"]] : [];
            return [...again, ["done", null, "dismissed"]];
        }
        const [matches, matchesNot] = hasPicture(presentation) ? [] : ["clerk.accept", "clerk.refuse"];
        return [["matches", "yes", "approved", matches], ["matchesNot", "no", "rejected", matchesNot], ["skip", null, "dismissed"]];
    }

    /// Runs the action of a button. All buttons are disabled meanwhile.
    async #act(action) {
        this.#isActing = true;
        page.render();
        if (action === "retry") {
            page.retry();
        } else if (action === "cancel") {
            await page.act(() => page.daemon.cancel(page.known.presentation.id));
        } else if (action === "askAgain") {
            await page.act(() => page.daemon.askAgain(page.known.presentation.id));
        } else {
            await this.#close(page, action);
        }
        this.#isActing = false;
        page.render();
    }

    async #startPreset(name) {
        this.#isActing = true;
        page.render();
        await page.act(() => page.daemon.start(page.laneName, name));
        this.#isActing = false;
        page.render();
    }

    /// Sends a decision to the daemon, which also wipes name and picture there.
    async #close(page, decision) {
        const { presentation } = page.known;
        // If there is nothing to decide, only the display of the result ends.
        if (!isToDecide(presentation) || await page.act(() => page.daemon.decide(presentation.id, decision))) {
            this.#finish(page);
        }
    }

    /// Ends the display of a result. After a verified response a message says for a moment that the
    /// result was wiped.
    #finish(page) {
        const hadPerson = ["awaitingDecision", "verified"].includes(page.known.presentation?.state);
        page.finish({ wiped: hadPerson });
        // A presentation that began meanwhile stays on the page.
        setTimeout(() => page.known.wiped && page.forget({ wiped: false, presentation: page.known.presentation }), wipedStay);
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

function answerText(answer, strings) {
    return strings.text(`answer.${answer in answerShapes ? answer : "unknown"}`);
}

/// Creates the row of one check.
function row({ key, label = key, state, detail, seconds }, strings) {
    const values = seconds === undefined || seconds === null ? {} : { duration: strings.duration(seconds) };
    return element("li", { "data-outcome": key, "data-state": state },
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
