// Draws the desk's page, and passes what the clerk presses to `Desk`.

import { questionText } from "./asks.js";
import { element } from "./elements.js";
import { fields, hasFields, keptUntil, notShared } from "./desk-fields.js";
import { deskScreen, isRepeatable, needsConsent } from "./desk-screens.js";
import { list } from "./missing.js";
import { Pairing } from "./pairing.js";
import { picture } from "./pictures.js";
import { awaitsComparison, hasPicture, isClosed } from "./presentation.js";
import { buttonName } from "./presets.js";
import { plain } from "./text.js";
import { Brand, find, paint, Picture, showTrial, write } from "./view.js";

/// The maximum number of names of elements that were not shared; a longer list ends in "…".
const mostNames = 6;
/// The time for which a button says that its text was copied, in milliseconds.
const copiedStay = 3_000;
/// The time for which a button that deletes data stays disabled, in milliseconds: a double press on the button
/// before does not reach it.
const deletionPause = 1_000;
const answerShapes = { yes: "yes", no: "no" };

export class DeskView {
    #desk;
    #brand = new Brand();
    #picture = new Picture();
    #pairing;
    #drawn = new Map();
    /// The button that says that its text was copied, with its name and its timer; null if there is none.
    #copied = null;
    /// The timer of the disabled button that deletes data.
    #deletion = null;
    #lastScreen = "";

    constructor(desk) {
        this.#desk = desk;
        this.#pairing = new Pairing(find("pairing"), () => desk.daemon);
        find("languages").addEventListener("change", (event) => desk.speak(event.target.value));
        find("reference").addEventListener("input", (event) => desk.enter(event.target.value.trim()));
        find("agreed").addEventListener("change", () => desk.render());
        find("booking").addEventListener("submit", (event) => {
            event.preventDefault();
            if (this.#hasReference()) {
                desk.enter(find("reference").value.trim());
                desk.lookUp();
            }
        });
    }

    render() {
        const { known, strings, booking } = this.#desk;
        const screen = deskScreen({ ...known, isFurtherDriver: booking.reference !== "" && booking.holder > 1 });
        const { lane, presentation } = known;
        document.body.dataset.tone = screen.tone;
        document.body.dataset.screen = screen.name;
        this.#brand.show(presentation?.brand ?? lane?.brand, this.#desk.daemon);
        paint(lane?.kiosk?.colours);
        this.#showBar();
        this.#showBanner();
        showTrial(lane, strings);
        this.#showBooking();
        this.#picture.show(screen, lane);
        const words = this.#showStatus(screen);
        this.#pairing.show(screen.name === "refused", { page: "desk", lane: this.#desk.laneName }, strings);
        this.#showPerson();
        this.#showShared(screen);
        this.#showActions(screen);
        this.#showDrivers();
        this.showTime();
        this.#announce(screen, words, `${strings.text("title.desk")} · ${booking.holder}`);
    }

    /// Offers a file to be saved. Its name has nothing of the booking.
    save(address) {
        element("a", { href: address, download: "export.json" }).click();
    }

    /// Takes back the customer's agreement, which is for one driver of one booking.
    disagree() {
        find("agreed").checked = false;
    }

    /// Removes the booking number, also while somebody types it.
    clear() {
        find("reference").value = "";
    }

    /// Shows the time that is left for the customer or for a decision.
    showTime() {
        const { known: { presentation }, strings, clockOffset } = this.#desk;
        const node = find("left");
        const isOpen = presentation !== null && (!isClosed(presentation) || awaitsComparison(presentation));
        const seconds = isOpen ? Math.ceil((Date.parse(presentation.deadline ?? "") - Date.now() - clockOffset) / 1_000) : 0;
        node.hidden = !(seconds > 0);
        const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
        write(node, seconds > 0 ? strings.text("desk.left", { duration: clock }) : "");
    }

    #showBar() {
        const { known: { link }, strings, laneName } = this.#desk;
        write(find("lane"), strings.text("clerk.lane", { lane: laneName }));
        find("link").dataset.state = link;
        write(find("link"), strings.text(`clerk.link.${link === "live" || link === "connecting" ? link : "lost"}`));
        write(find("language-label"), strings.text("language"));
        const choice = find("languages");
        if (choice.childElementCount === 0) {
            choice.append(...strings.languages.map(([tag, name]) => element("option", { value: tag, lang: tag }, name)));
        }
        choice.value = strings.language;
    }

    #showBanner() {
        const { banner, strings } = this.#desk;
        write(find("banner"), banner === null ? "" : strings.text(`desk.banner.${banner}`));
        find("banner").hidden = banner === null;
    }

    #showBooking() {
        const { known, strings, booking, isActing } = this.#desk;
        const isRunning = known.presentation !== null && (!isClosed(known.presentation) || awaitsComparison(known.presentation));
        find("booking").hidden = known.lane === null;
        write(find("reference-label"), strings.text("desk.booking"));
        const input = find("reference");
        // What the clerk is typing is not replaced.
        if (document.activeElement !== input || booking.reference === "") {
            input.value = document.activeElement === input ? input.value : booking.reference;
        }
        input.disabled = isRunning;
        // The booking stays the same during an action. Unlike a disabled field, this one keeps the focus.
        input.readOnly = isActing;
        write(find("look-up"), strings.text("desk.lookUp"));
        find("look-up").disabled = isActing || isRunning;
        write(find("driver"), strings.text("desk.driver", { number: booking.holder }));
        const presets = known.lane?.dataPresets ?? [];
        find("consent").hidden = !presets.some((preset) => preset.needsConsent);
        write(find("consent-label"), strings.text("desk.consent"));
        // After a result the next step is another driver, another attempt or another booking.
        const isFree = known.link === "live" && known.lane?.state === "ready" && known.presentation === null && !isActing;
        this.#draw(find("tiles"), [presets, isFree], () => presets.map((preset) => this.#tile(preset, isFree)));
    }

    #tile({ preset, names, needsConsent }, isFree) {
        const name = buttonName({ preset, names }, this.#desk.strings);
        const button = element("button", { type: "button", "data-preset": preset }, element("bdi", {}, name));
        button.disabled = !isFree;
        button.addEventListener("click", () => {
            const hasConsent = find("agreed").checked;
            if (!this.#hasReference()) {
                return;
            }
            if (needsConsent && !hasConsent) {
                find("agreed").focus();
                return this.#desk.say("consentNeeded");
            }
            this.disagree();
            this.#desk.enter(find("reference").value.trim());
            this.#desk.ask(preset, needsConsent);
        });
        return button;
    }

    /// Whether there is a booking number. Says so if there is none.
    #hasReference() {
        const input = find("reference");
        if (input.value.trim() !== "") {
            return true;
        }
        input.focus();
        this.#desk.say("bookingNeeded");
        return false;
    }

    /// Shows heading, text and answers, and returns the text to be read aloud.
    #showStatus(screen) {
        const { known: { presentation }, strings, booking } = this.#desk;
        const values = screen.name === "earlier"
            ? { word: this.#word(presentation), time: this.#time(presentation.ended) }
            : screen.name === "startDriver" ? { booking: booking.reference, number: booking.holder } : screen.values;
        const head = strings.text(`${screen.prefix}.${screen.name}.head`, values);
        const text = strings.text(screen.reason ?? `${screen.prefix}.${screen.name}.text`, values);
        write(find("head"), head);
        write(find("text"), text);
        write(find("code"), screen.code === undefined ? "" : strings.text("clerk.code", { code: screen.code }));
        find("code").hidden = screen.code === undefined;
        const results = [presentation?.result, presentation?.then?.result];
        const answers = screen.prefix === "fault" ? [] : results.flatMap((result) => result?.answers ?? [])
            .filter(({ ask }) => ask !== "portrait");
        find("answers").hidden = answers.length === 0;
        const words = ({ answer }) => strings.text(`answer.${answer in answerShapes ? answer : "unknown"}`);
        // Beside anything but a fresh yes the answers are no yes of their own: they have neither symbol nor colour.
        const isYes = screen.tone === "yes";
        this.#draw(find("answers"), [isYes, answers], () => answers.map((entry) => element("li", { "data-answer": entry.answer },
            element("span", { class: "asked" }, questionText(entry.ask, strings)),
            isYes ? picture(answerShapes[entry.answer] ?? "unknown") : null, element("strong", {}, words(entry)))));
        return [head, ...answers.map((entry) => `${questionText(entry.ask, strings)} ${words(entry)}`), text].join("\n");
    }

    /// Shows the portrait of a display request, which a person compares.
    #showPerson() {
        const { known: { presentation }, portrait: { state, image }, strings } = this.#desk;
        const isThere = awaitsComparison(presentation) && hasPicture(presentation);
        find("person").hidden = !isThere;
        if (state === "shown") {
            image.alt = strings.text("clerk.portrait");
        }
        this.#draw(find("person"), isThere && [state, presentation.id], () => isThere
            ? [element("figure", { class: "portrait" }, state === "shown" ? image
                : element("p", {}, strings.text(`clerk.portrait.${state === "loading" ? "loading" : "failed"}`)))]
            : []);
    }

    /// Shows the shared data, what was not shared, and what is kept.
    #showShared(screen) {
        const { known: { presentation }, booking, isActing, isDeleting } = this.#desk;
        const isThere = screen.isResult === true;
        find("shared").hidden = !isThere;
        const key = isThere && [presentation, booking, isActing, isDeleting];
        this.#draw(find("shared"), key, () => isThere ? this.#shared(presentation) : []);
    }

    #shared(presentation) {
        const { strings, booking } = this.#desk;
        const lines = fields(presentation, strings);
        const missing = notShared(presentation, strings);
        const until = keptUntil(presentation);
        const title = strings.text("desk.shared", { booking: booking.reference, number: booking.holder });
        return [
            element("div", { class: "top" }, element("h2", {}, title),
                lines.length > 1 ? this.#copyButton("desk.copyAll", lines.map(({ label, value }) => `${label}: ${value}`).join("\n")) : null),
            lines.length === 0 ? element("p", { class: "empty" }, strings.text(hasFields(presentation) ? "desk.noFields" : "desk.noData"))
                : element("dl", { class: "fields" }, ...lines.map(({ label, value }) => element("div", {},
                    element("dt", {}, label), element("dd", {}, element("bdi", {}, value), this.#copyButton("desk.copy", value, label))))),
            missing.length === 0 ? null : element("p", { class: "missing" },
                strings.text("desk.notShared", { elements: list(missing.slice(0, mostNames), missing.length > mostNames, strings.language) })),
            element("p", { class: "kept" }, until === null ? strings.text("desk.keptNot")
                : strings.text("desk.kept", { time: this.#time(until) })),
        ];
    }

    #time(text) {
        const words = new Date(text).toLocaleString(this.#desk.strings.language, { dateStyle: "medium", timeStyle: "short" });
        // Dates in Arabic have marks of direction, which no text of the page needs: each value is isolated.
        return words.replace(/[\u200e\u200f]/g, "");
    }

    #copyButton(key, text, label = null) {
        const { strings } = this.#desk;
        const name = label === null ? null : `${strings.text(key)}: ${label}`;
        // Both words have their place, so that the button keeps its width.
        const button = element("button", { type: "button", class: "copy", "aria-label": name },
            element("span", {}, strings.text(key)), element("span", {}, strings.text("desk.copied")));
        button.addEventListener("click", async () => {
            if (!await copy(text, button)) {
                return this.#desk.say("copyFailed");
            }
            this.#endCopied();
            // The button says it, so that nothing moves under the next press.
            const words = label === null ? strings.text("desk.copied") : `${strings.text("desk.copied")}: ${label}`;
            button.toggleAttribute("data-copied", true);
            button.setAttribute("aria-label", words);
            write(find("copied-status"), words);
            this.#copied = { button, name: name ?? strings.text(key), timer: setTimeout(() => this.#endCopied(), copiedStay) };
        });
        return button;
    }

    /// Ends the message of a button that its text was copied. No timer keeps data that has left the page.
    #endCopied() {
        if (this.#copied === null) {
            return;
        }
        const { button, name, timer } = this.#copied;
        clearTimeout(timer);
        button.toggleAttribute("data-copied", false);
        button.setAttribute("aria-label", name);
        write(find("copied-status"), "");
        this.#copied = null;
    }

    #showActions(screen) {
        const { known: { presentation }, portrait, isActing, isDeleting, booking } = this.#desk;
        const choices = this.#choices(screen, presentation, isDeleting, booking);
        const isUnseen = presentation !== null && hasPicture(presentation) && portrait.state !== "shown";
        this.#draw(find("actions"), [choices.map(([key]) => key), presentation?.id, isActing, isUnseen, booking.reference],
            () => choices.map((choice) => this.#button(choice, isActing, isUnseen)));
    }

    #button([key, shape, action], isActing, isUnseen) {
        const { strings, booking } = this.#desk;
        const name = key.split(".").at(-1);
        const button = element("button", { type: "button", "data-action": name }, shape && picture(shape),
            element("span", {}, strings.text(key, { booking: booking.reference })));
        // Nobody can confirm a match with a picture that is not shown.
        button.disabled = isActing || (name === "matches" && isUnseen);
        if (name === "deleteNow" && !isActing) {
            button.disabled = true;
            this.#deletion = setTimeout(() => { button.disabled = false; }, deletionPause);
        }
        button.addEventListener("click", action);
        return button;
    }

    /// Returns the buttons of a screen, each as `[key of the text, symbol, action]`.
    #choices(screen, presentation, isDeleting, booking) {
        const desk = this.#desk;
        if (screen.retries) {
            return [["fault.retry", null, () => desk.retry()]];
        }
        if (isDeleting) {
            return [["desk.keep", null, () => desk.askDeletion(false)], ["desk.deleteNow", "no", () => desk.delete(booking.reference)]];
        }
        const records = booking.reference === "" ? [] : [
            ["desk.export", null, () => desk.export()], ["desk.delete", "wiped", () => desk.askDeletion(true)],
        ];
        if (presentation === null) {
            const isKept = screen.prefix === "desk" && booking.isFound && screen.name !== "deleted";
            const isOver = ["deleted", "wiped"].includes(screen.name);
            return [...isKept ? records : [], ...isOver ? [["desk.new", null, () => this.#begin()]] : []];
        }
        if (!isClosed(presentation)) {
            return [["clerk.cancel", "stopped", () => desk.cancel()]];
        }
        if (awaitsComparison(presentation)) {
            const [yes, no] = hasPicture(presentation) ? ["clerk.matches", "clerk.matchesNot"] : ["clerk.accept", "clerk.refuse"];
            return [[yes, "yes", () => desk.decide("approved")], [no, "no", () => desk.decide("rejected")],
                ["clerk.skip", null, () => desk.decide("dismissed")]];
        }
        const again = isRepeatable(presentation) ? [["desk.again", null, () => this.#again(presentation)]] : [];
        return [...again, ["desk.addDriver", "person", () => desk.addDriver()], ...records,
            ["desk.print", null, () => print()], ["desk.new", null, () => this.#begin()]];
    }

    /// Repeats the order, if the customer agreed again to the retention that needs it.
    #again(presentation) {
        if (needsConsent(presentation) && !find("agreed").checked) {
            find("agreed").focus();
            return this.#desk.say("consentNeeded");
        }
        this.disagree();
        this.#desk.askAgain();
    }

    #begin() {
        this.#desk.enter("");
        find("reference").value = "";
        find("reference").focus();
    }

    /// Lists the presentations of the booking, each with its outcome in words.
    #showDrivers() {
        const { booking: { presentations, reference }, known: { presentation }, strings, isActing } = this.#desk;
        find("drivers").hidden = presentations.length === 0;
        this.#draw(find("drivers"), [presentations, reference, presentation?.id, isActing], () => presentations.length === 0 ? [] : [
            element("h2", {}, strings.text("desk.drivers", { booking: reference })),
            element("ol", {}, ...presentations.map((entry) => {
                const isShown = entry.id === presentation?.id;
                const button = element("button", { type: "button", "aria-current": isShown ? "true" : null },
                    element("span", {}, strings.text("desk.driver", { number: entry.holder ?? 1 })),
                    element("strong", {}, this.#word(entry)));
                button.disabled = isActing || isShown;
                button.addEventListener("click", () => this.#desk.show(entry.id));
                return element("li", {}, button);
            })),
        ]);
    }

    /// Returns the word for the outcome of a presentation.
    #word({ test, outcome }) {
        return this.#desk.strings.text(`desk.word.${test === true && outcome === "allow" ? "test" : outcome ?? "running"}`);
    }

    /// Tells screen readers about a new screen, and moves the focus to a result.
    #announce(screen, words, title) {
        const key = `${screen.name} ${this.#desk.known.presentation?.id}`;
        write(find("announcement"), words);
        document.title = `${words.split("\n")[0]} · ${title}`;
        if (key !== this.#lastScreen && screen.isResult) {
            find("head").focus();
        }
        this.#lastScreen = key;
    }

    /// Redraws a part of the page only after a change, so that the part keeps the focus. The compared text
    /// leaves memory with the part.
    #draw(node, key, parts) {
        const text = JSON.stringify([this.#desk.strings.language, key]);
        if (this.#drawn.get(node) !== text) {
            this.#drawn.set(node, text);
            if (node === find("shared")) {
                this.#endCopied();
            }
            if (node === find("actions")) {
                clearTimeout(this.#deletion);
            }
            node.replaceChildren(...parts().filter((part) => part !== null));
        }
    }
}

/// Copies a text to the clipboard. Returns whether that is possible.
async function copy(text, button) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // Without HTTPS the browser has no clipboard for scripts, but copies what is selected.
        const node = element("textarea", { readonly: true, class: "announcement" });
        node.value = text;
        document.body.append(node);
        node.select();
        const isCopied = document.execCommand("copy");
        node.remove();
        button.focus();
        return isCopied;
    }
}
