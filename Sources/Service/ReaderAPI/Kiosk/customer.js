// The customer's page: what to do, and the outcome in one word. The page never holds a picture, a name or a
// reason.

import { askedTexts, keptTexts, questionText, refusedLines } from "./asks.js";
import { Countdown } from "./countdown.js";
import { element } from "./elements.js";
import { missingText } from "./missing.js";
import { noticeTexts } from "./notice.js";
import { Page } from "./page.js";
import { Pairing } from "./pairing.js";
import { customerLayout, customerScreen } from "./screens.js";
import { Speech } from "./speech.js";
import { paragraphs, plain } from "./text.js";
import { Announcer, antenna, Brand, find, paint, Picture, showTrial, SoundSwitch, write } from "./view.js";

/// The screens that show what is asked: those on which the holder decides.
const asking = ["look", "keep"];
/// The screens with a button for each language. Others have one button for all.
const greeting = ["idle", "armed"];

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
    #pairing = new Pairing(find("pairing"), () => page.daemon);
    #sound = new SoundSwitch(() => page.sounds.toggle());
    #countdown = new Countdown(find("time"));
    /// The screen on which somebody opened the list of languages.
    #choosing = null;

    constructor() {
        find("languages-open").addEventListener("click", () => {
            this.#choosing = this.#choosing === null ? document.body.dataset.screen : null;
            page.render();
        });
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

    stay(page) {
        return page.resultStay;
    }

    overstayed(page) {
        page.finish();
    }

    render({ known, strings, daemon, sounds }) {
        const screen = customerScreen(known);
        const { lane, presentation } = known;
        document.body.dataset.tone = screen.tone;
        document.body.dataset.screen = screen.name;
        document.body.dataset.layout = customerLayout(screen);
        paint(lane?.kiosk?.colours);
        const head = this.#head(screen, lane, strings);
        const text = screen.name === "missing"
            ? missingText("customer", presentation, strings) : strings.text(`customer.${screen.name}.text`);
        write(find("head"), head);
        write(find("text"), text);
        find("text").hidden = screen.isInSteps === true;
        this.#picture.show(screen, lane, screen.isInSteps ? [strings.text("tap.open"), strings.text("tap.hold")] : null);
        this.#countdown.show(known, strings);
        showTrial(lane, strings);
        this.#showQuestion(screen, presentation, strings);
        this.#showAsks(screen, known, strings);
        this.#showPointer(screen, lane);
        this.#pairing.show(screen.name === "refused", { page: this.name, lane: page.laneName }, strings);
        this.#showControls(screen, strings, sounds);
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

    /// Shows which question was answered, without the comparison of the portrait. The answer stands beside the
    /// question only if it is not yes.
    #showQuestion(screen, presentation, strings) {
        const text = {
            yes: () => (presentation.result?.answers ?? []).filter(({ ask }) => ask !== "portrait")
                .map(({ ask }) => questionText(ask, strings)).join(" · "),
            notConfirmed: () => refusedLines(presentation.result, strings),
        }[screen.name]?.() ?? "";
        write(find("question"), text);
        find("question").hidden = text === "";
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

    #showControls(screen, strings, sounds) {
        write(find("notice-open"), strings.text("notice.open"));
        this.#sound.show(sounds.areOn, strings);
        if (this.#choosing !== screen.name) {
            this.#choosing = null;
        }
        const isOpen = greeting.includes(screen.name) || this.#choosing !== null;
        const opener = find("languages-open");
        opener.hidden = greeting.includes(screen.name);
        opener.setAttribute("aria-expanded", String(isOpen));
        opener.setAttribute("aria-label", strings.text("language"));
        write(opener, strings.name);
        const group = find("languages");
        group.hidden = !isOpen;
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

    /// Fills the privacy notice.
    #showNotice(lane, presentation, strings) {
        const rows = noticeTexts(lane, presentation, strings).flatMap(([key, words]) => [
            element("dt", {}, strings.text(key)), element("dd", {}, element("bdi", {}, paragraphs(words))),
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
