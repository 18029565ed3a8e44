// The customer's page: what to do, and the outcome in one word. The page never holds a picture, a name or a
// reason.

import { askedTexts, keptTexts, questionText } from "./asks.js";
import { element } from "./elements.js";
import { missingText } from "./missing.js";
import { Page } from "./page.js";
import { customerScreen } from "./screens.js";
import { Speech } from "./speech.js";
import { paragraphs, plain } from "./text.js";
import { Announcer, antenna, Brand, find, paint, Picture, SoundSwitch, write } from "./view.js";

/// The screens that show what is asked.
const asking = ["armed", "phoneLocked", "notAnID", "tapAgain", "confirmThenTapAgain", "offerQR", "look",
    "keep"];
/// The screens that show which question was answered.
const answering = ["yes", "notConfirmed"];

class CustomerView {
    soundsAtFirst = true;
    name = "kiosk";
    scans = false;
    #brand = new Brand();
    /// The shop's name in large type, shown while nothing is asked.
    #welcome = new Brand(find("welcome"));
    #speech = new Speech();
    #picture = new Picture();
    #announcer = new Announcer();
    #sound = new SoundSwitch(() => page.sounds.toggle());

    constructor() {
        find("notice-open").addEventListener("click", () => find("notice").showModal());
        find("notice").addEventListener("click", (event) => {
            if (event.target === find("notice")) {
                find("notice").close();
            }
        });
    }

    /// Returns the part of a presentation that this page keeps: only what its screens need.
    keeps({ id, kind, state, outcome, reasons, hint, ended, asks, retention, brand, result, then }) {
        const { answers, issuer, missing } = result ?? {};
        const kept = { answers, missing, issuer: { test: issuer?.test } };
        const next = then && { asks: then.asks, retention: then.retention, result: then.result && { missing: then.result.missing } };
        return { id, kind, state, outcome, reasons, hint, ended, asks, retention, brand, result: result && kept, then: next };
    }

    /// Does nothing, since this page never holds a portrait.
    wipe() {}

    /// Does nothing, since this page has nothing to load for a presentation.
    shown() {}

    stay(known) {
        return known.lane.kiosk.resultSeconds;
    }

    overstayed(page) {
        page.finish({ wiped: false });
    }

    render({ known, strings, daemon, sounds }) {
        const screen = customerScreen(known);
        const { lane, presentation } = known;
        document.body.dataset.tone = screen.tone;
        document.body.dataset.screen = screen.name;
        document.body.dataset.layout = screen.drawing === undefined ? "block" : "guide";
        paint(lane?.kiosk?.colours);
        const head = this.#head(screen, lane, strings);
        const text = screen.name === "missing"
            ? missingText("customer", presentation, strings) : strings.text(`customer.${screen.name}.text`);
        write(find("head"), head);
        write(find("text"), text);
        this.#picture.show(screen, lane);
        this.#showTrial(lane, strings);
        this.#showQuestion(screen, presentation, strings);
        this.#showAsks(screen, known, strings);
        this.#showPointer(screen, lane);
        this.#showControls(strings, sounds);
        this.#showNotice(lane, presentation, strings);
        this.#brand.show(presentation?.brand ?? lane?.brand, daemon);
        this.#welcome.show(lane?.brand, daemon);
        find("welcome").hidden = screen.name !== "idle" || (lane?.brand ?? null) === null;
        const { place } = antenna(lane);
        const where = screen.isAtReader ? strings.text("drawing", { place: strings.text(`place.${place}`) }) : "";
        const words = [head, find("question").textContent, text, where].filter((part) => part !== "").join("\n");
        const isNew = this.#announcer.tell(screen, presentation?.id, words, strings.text("title.customer"), sounds);
        if (isNew && lane?.kiosk?.speaks === true && sounds.areOn) {
            this.#speech.say(`${head}. ${text}`, strings.language);
        }
    }

    /// Returns the heading. While nothing is asked, the shop's own greeting replaces the usual heading.
    #head(screen, lane, strings) {
        const welcome = screen.name === "idle" ? lane?.kiosk?.welcome : undefined;
        return typeof welcome === "string" ? plain(welcome) : strings.text(`customer.${screen.name}.head`);
    }

    /// Shows on every screen that test documents are accepted.
    #showTrial(lane, strings) {
        const isTrial = lane?.acceptsTestDocuments === true;
        write(find("trial"), isTrial ? strings.text("banner.testDocuments") : "");
        find("trial").hidden = !isTrial;
    }

    /// Shows which question was answered, without the comparison of the portrait.
    #showQuestion(screen, presentation, strings) {
        const asks = answering.includes(screen.name)
            ? (presentation.result?.answers ?? []).filter(({ ask }) => ask !== "portrait") : [];
        write(find("question"), asks.map(({ ask }) => questionText(ask, strings)).join(" · "));
        find("question").hidden = asks.length === 0;
    }

    /// Shows what is asked and kept. While nothing is asked, shows which wallets are accepted and what may be
    /// asked.
    #showAsks(screen, { lane, presentation }, strings) {
        const node = find("asks");
        const asks = asking.includes(screen.name) ? askedTexts(presentation, strings) : [];
        const { accepts = [], asks: later = [] } = screen.name === "idle" ? lane?.kiosk ?? {} : {};
        const parts = [
            ["asks.head", asks], ["asks.kept", asks.length === 0 ? [] : keptTexts(presentation, strings)],
            ["idle.accepts", accepts.length === 0 ? [] : [accepts.map((text) => plain(text)).join(" · ")]],
            ["idle.asks", askedTexts({ asks: later }, strings)],
        ].filter(([, texts]) => texts.length > 0);
        const rows = parts.flatMap(([key, texts]) => [
            element("dt", {}, strings.text(key)), ...texts.map((text) => element("dd", {}, element("bdi", {}, text))),
        ]);
        node.hidden = rows.length === 0;
        // Unchanged rows stay, so that a screen reader does not read them again.
        if (node.textContent !== rows.map((row) => row.textContent).join("")) {
            node.replaceChildren(...rows);
        }
    }

    /// Shows the arrow from the screen to the reader.
    #showPointer(screen, lane) {
        const { place } = antenna(lane);
        const node = find("pointer");
        node.hidden = screen.isAtReader !== true || place === "here";
        node.dataset.place = place;
        if (node.childElementCount === 0) {
            node.append(element("i"), element("i"), element("i"));
        }
    }

    #showControls(strings, sounds) {
        write(find("notice-open"), strings.text("notice.open"));
        this.#sound.show(sounds.areOn, strings);
        const group = find("languages");
        group.setAttribute("aria-label", strings.text("language"));
        if (group.childElementCount === 0) {
            group.append(...strings.languages.map(([tag, name]) => {
                const button = element("button", { type: "button", lang: tag, value: tag }, name);
                button.addEventListener("click", () => page.speak(tag));
                return button;
            }));
        }
        for (const button of group.children) {
            button.setAttribute("aria-pressed", String(button.value === strings.language));
        }
    }

    /// Fills the privacy notice. The operator's texts come first, but the retention of a running order
    /// replaces the operator's.
    #showNotice(lane, presentation, strings) {
        const { controller, purpose, kept, contact } = lane?.kiosk?.notice ?? {};
        const asks = askedTexts(presentation, strings).join(" · ");
        const ordered = keptTexts(presentation, strings).join(" · ");
        const rows = [
            ["notice.who", controller ?? presentation?.brand?.name ?? lane?.brand?.name],
            ["notice.what", purpose ?? (asks === "" ? undefined : asks)],
            ["notice.kept", ordered === "" ? kept : ordered],
            ["notice.contact", contact],
        ].flatMap(([key, words]) => [
            element("dt", {}, strings.text(key)),
            element("dd", {}, element("bdi", {}, words === undefined ? strings.text("notice.staff") : paragraphs(words))),
        ]);
        const node = find("notice");
        const key = JSON.stringify([strings.language, ...rows.map((row) => row.textContent)]);
        if (node.dataset.key === key) {
            return;
        }
        node.dataset.key = key;
        const close = element("button", { type: "button", class: "close" }, strings.text("close"));
        close.addEventListener("click", () => node.close());
        node.replaceChildren(
            element("h2", { id: "notice-head" }, strings.text("notice.open")), element("dl", {}, ...rows),
            element("p", {}, strings.text("notice.rights")), close);
    }
}

const page = new Page(new CustomerView());
page.start();
