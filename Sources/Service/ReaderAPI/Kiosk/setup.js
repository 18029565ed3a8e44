// The setup page: the questions of `countersign setup`, which also judges and writes the answers.

import { takeCode } from "./capability.js";
import { element } from "./elements.js";
import { Ending } from "./setup-ending.js";
import { Preview } from "./setup-preview.js";
import { ask, contents, Ended, enter, Refused } from "./setup-server.js";
import { Strings } from "./strings.js";
import { plain } from "./text.js";
import { find, write } from "./view.js";

/// The largest file that is sent, in bytes. The server ends the connection of a longer request.
const largestFile = 256 << 10;
/// The milliseconds without typing after which the answers are checked.
const pause = 400;
/// The texts of faults, by question. A fault of another question is shown with its English reason.
const faultTexts = {
    lane: "setup.fault.lane", words: "setup.fault.contrast", logo: "setup.fault.logo", trust: "setup.fault.trust", days: "setup.fault.days",
    ages: "setup.fault.ages", country: "setup.fault.country", shop: "setup.fault.text", contact: "setup.fault.text", purpose: "setup.fault.text",
    kept: "setup.fault.text", reader: "setup.fault.text",
};
/// The checks of the doctor that do no harm in a trial with the software wallet, by the beginning of their id.
const harmlessInTrial = ["pcsc.", "reader.", "usb.", "bluetooth."];
/// The ages of the clerk's buttons, by the pages' language. Setup has the same defaults.
const standardAges = { de: [16, 18] };
const otherAges = [18, 21];

/// Returns the ages of a text such as "16, 18". A word that is no number becomes null, which setup refuses.
function agesOf(text) {
    const words = text.split(/[\s,;،，、]+/).filter((word) => word !== "");
    return words.map((word) => (/^\d{1,3}$/.test(word) ? Number(word) : null));
}

function isHarmlessInTrial({ id }) {
    return harmlessInTrial.some((start) => String(id).startsWith(start));
}

class SetupPage {
    #strings;
    #facts = {};
    #logo;
    /// The file of the uploaded logo, for the preview.
    #logoFile;
    #preview = new Preview();
    /// The folder of the uploaded certificates of issuers, and the names of the accepted files.
    #trust;
    #certificates = [];
    /// Settles after all chosen files were sent.
    #uploads = Promise.resolve();
    /// The questions whose file was refused.
    #refused = new Set();
    /// Whether the user has typed ages. Until then the default of the pages' language is shown.
    #hasTypedAges = false;
    /// The end of the page, after the configuration was written.
    #ending = null;
    #checks = 0;
    #timer;

    async start() {
        const code = takeCode();
        this.#strings = await Strings.load(...navigator.languages);
        this.#showLanguages();
        try {
            await enter(code);
        } catch {
            this.#stop(new Ended(), "setup.code");
            return;
        }
        try {
            this.#facts = await ask("facts");
        } catch (error) {
            this.#stop(error, "setup.code");
            return;
        }
        this.#drawForm();
        find("form").hidden = false;
        document.body.dataset.screen = "form";
        // Without the preview the questions can be answered all the same.
        this.#preview.load().then(() => this.#showState(), () => {});
        await this.#check();
    }

    #text(key, values) {
        return this.#strings.text(key, values);
    }

    /// Says in the page's language what is wrong, with details in English in a second line.
    #say(text, details = "") {
        write(find("message"), text);
        write(find("details"), details);
        find("details").hidden = details === "";
    }

    /// Shows why a request failed. `key` is the text for a page that has ended, `wrong` the text otherwise.
    #stop(error, key = "setup.ended", wrong = "setup.wrong") {
        if (!(error instanceof Ended)) {
            this.#say(this.#text(error.key ?? wrong), error.message);
            return;
        }
        for (const name of ["form", "review", "ending"]) {
            find(name).hidden = true;
        }
        // The token is shown once, and not after the end. How to leave a trial stays.
        const leaving = this.#ending?.leaving() ?? [];
        this.#ending = null;
        find("ending").replaceChildren(...leaving);
        find("ending").hidden = leaving.length === 0;
        document.body.dataset.screen = "ended";
        this.#say(this.#text(key));
    }

    #showLanguages() {
        write(find("language-label"), this.#text("language"));
        write(find("title"), this.#text("setup.title"));
        document.title = this.#text("setup.title");
        const choice = find("languages");
        choice.replaceChildren(...this.#strings.languages.map(([tag, name]) => element("option", { value: tag, lang: tag }, name)));
        choice.value = this.#strings.language;
        choice.onchange = () => {
            this.#strings.choose(choice.value);
            this.#showLanguages();
            if (["form", "review"].includes(document.body.dataset.screen)) {
                this.#redraw();
            }
        };
    }

    // The questions.

    /// Draws the form again in the page's language, with the same answers, and the review if it is shown.
    #redraw() {
        const fields = () => [...find("form").querySelectorAll("input:not([type=file]), select")];
        const kept = fields().map(({ value, checked }) => ({ value, checked }));
        this.#drawForm();
        fields().forEach((field, index) => Object.assign(field, kept[index]));
        this.#showState();
        this.#check().catch((error) => this.#stop(error));
        if (document.body.dataset.screen === "review") {
            this.#drawReview();
        }
    }

    #drawForm() {
        const radio = (value) => this.#field("radio", "role", `setup.role.${value}`, { value, checked: value === "kiosk" });
        const option = (value, text, isChosen = false) => element("option", { value, selected: isChosen }, text);
        const select = (name, key, options) => element("label", {}, this.#text(key),
            element("select", { name }, ...options), this.#place(name));
        const readers = (this.#facts.readers?.readers ?? []).map(({ name }) => option(name, plain(name)));
        const group = (key, ...fields) => element("fieldset", {}, element("legend", {}, this.#text(key)), ...fields);
        const file = element("input", { type: "file", accept: "image/png" });
        file.addEventListener("change", () => this.#upload("logo", file.files));
        const issuers = element("input", { type: "file", name: "trust", accept: ".pem,.der,.crt,.cer", multiple: true });
        issuers.addEventListener("change", () => this.#upload("trust", issuers.files));
        const review = element("button", { type: "submit", class: "main" }, this.#text("setup.review"));
        const form = find("form");
        form.replaceChildren(
            element("p", { class: "hint" }, this.#text("setup.reload")), ...this.#findings(),
            group("setup.group.purpose", ...["kiosk", "till", "rental"].map(radio), this.#field("text", "ages", "setup.ages", { maxlength: 40 }),
                this.#field("checkbox", "trial", "setup.trial"),
                this.#facts.hasWallet === false ? element("p", { class: "hint" }, this.#text("setup.trial.missing")) : null),
            group("setup.group.shop", this.#field("text", "shop", "setup.shop", { maxlength: 80 }),
                element("label", {}, this.#text("setup.logo"), file, this.#place("logo")),
                this.#field("checkbox", "colours", "setup.colours"),
                element("div", { class: "row" }, this.#field("color", "ground", "setup.ground", { value: "#10243e" }),
                    this.#field("color", "words", "setup.words", { value: "#ffffff" })),
                element("p", { class: "hint" }, this.#text("setup.preview")), this.#preview.node),
            group("setup.group.lane", this.#field("text", "lane", "setup.lane", { maxlength: 64 }),
                select("reader", "setup.reader", [option("", this.#text("setup.anyReader")), ...readers])),
            group("setup.group.trust", element("label", {}, this.#text("setup.trust"), issuers, this.#place("trust")),
                element("p", { role: "status", "data-certificates": "" }), element("p", { class: "hint" }, this.#text("setup.trust.later"))),
            group("setup.group.kept", select("retention", "setup.group.kept", ["none", "receipt", "days"].map((value) =>
                option(value, this.#text(`setup.retention.${value}`)))),
            this.#field("number", "days", "setup.days", { value: 2, min: 1, max: 3650 })),
            group("setup.group.notice", element("p", { class: "hint" }, this.#text("setup.ownTexts")),
                this.#field("text", "contact", "setup.contact"), this.#field("text", "purpose", "setup.purpose"),
                this.#field("text", "kept", "setup.kept")),
            group("language", select("language", "language", [option("", this.#text("setup.anyLanguage")),
                ...this.#strings.languages.map(([tag, name]) => option(tag, name, tag === this.#strings.language))])),
            group("setup.group.identity", this.#field("checkbox", "identity", "setup.identity"),
                this.#field("text", "country", "setup.country", { maxlength: 2 })),
            review);
        form.oninput = ({ target }) => {
            this.#hasTypedAges ||= target.name === "ages";
            this.#typed();
        };
        form.onsubmit = (event) => {
            event.preventDefault();
            this.#review();
        };
        this.#showState();
    }

    #field(type, name, key, attributes = {}) {
        const input = element("input", { type, name, ...attributes });
        const words = element("span", {}, this.#text(key));
        const isChoice = ["radio", "checkbox"].includes(type);
        return isChoice ? element("label", {}, input, words) : element("label", {}, words, input, this.#place(name));
    }

    /// Returns the place for the fault of an answer.
    #place(name) {
        return element("span", { class: "fault", id: `fault-${name}`, hidden: true });
    }

    /// Returns what the doctor found, if anything. The doctor's own words are English, for a technician.
    #findings() {
        const wrong = this.#wrong();
        const items = wrong.map(({ id, detail, fix }) => element("li", {}, element("strong", {}, plain(id)), " ",
            element("bdi", {}, plain(detail)), fix ? element("p", { class: "hint" }, plain(fix)) : null));
        const trial = wrong.some(isHarmlessInTrial) ? element("p", {}, this.#text("setup.findings.trial")) : null;
        return items.length === 0 ? [] : [element("details", { "data-findings": "" }, element("summary", {}, this.#text("setup.findings")),
            element("p", {}, this.#text("setup.findings.who")), trial, element("ul", { lang: "en", dir: "ltr" }, ...items))];
    }

    /// Returns the doctor's failed checks and warnings.
    #wrong() {
        return (this.#facts.doctor?.checks ?? []).filter(({ outcome }) => ["failed", "warning"].includes(outcome));
    }

    /// Returns the ages of the clerk's buttons. An empty field has the default of the pages' language.
    #ages() {
        const { ages, language } = find("form").elements;
        const typed = agesOf(ages.value);
        return this.#hasTypedAges && typed.length > 0 ? typed : standardAges[language.value] ?? otherAges;
    }

    /// Returns the answers as `countersign setup` reads them. An empty answer is left out, so that its default is used.
    #answers() {
        const form = find("form");
        const given = (name) => form.elements[name]?.value.trim() ?? "";
        const isOn = (name) => form.elements[name]?.checked === true;
        const texts = ["role", "shop", "lane", "retention", "contact", "purpose", "kept", "language"];
        const answers = Object.fromEntries(texts.map((name) => [name, given(name)]).filter(([, text]) => text !== ""));
        if (isOn("trial")) {
            answers.trial = true;
        } else if (given("reader") !== "") {
            answers.reader = given("reader");
        }
        if (answers.role === "kiosk") {
            answers.ages = this.#ages();
        }
        if (this.#logo !== undefined) {
            answers.logo = this.#logo;
        }
        if (this.#trust !== undefined && !isOn("trial")) {
            answers.trust = this.#trust;
        }
        if (isOn("colours")) {
            Object.assign(answers, { ground: given("ground"), words: given("words") });
        }
        if (answers.retention === "days") {
            answers.days = Number(given("days"));
        }
        if (isOn("identity")) {
            Object.assign(answers, { identity: true, country: given("country") || "-" });
        }
        return answers;
    }

    #typed() {
        this.#showState();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#check().catch((error) => this.#stop(error)), pause);
    }

    /// Has the answers judged, and marks the faults.
    async #check() {
        const number = this.#checks += 1;
        const { faults, replaces } = await ask("check", this.#answers());
        // The answers were changed meanwhile, and a later check judges them.
        if (number !== this.#checks) {
            return false;
        }
        this.replaces = replaces;
        // A refused file is not among the answers, so that setup finds no fault of it.
        const refused = [...this.#refused].map((question) => ({ question, reason: "" }));
        const places = [...find("form").querySelectorAll(".fault")];
        for (const place of places) {
            this.#mark(place, [...faults, ...refused].find(({ question }) => `fault-${question}` === place.id));
        }
        const elsewhere = faults.filter(({ question }) => !places.some((place) => place.id === `fault-${question}`));
        this.#say(faults.length === 0 ? "" : this.#text("setup.faults"),
            elsewhere.map(({ question, reason }) => plain(`${question}: ${reason}`)).join("; "));
        document.body.dataset.checked = String(number);
        return faults.length === 0;
    }

    /// Shows or removes a fault beside its field.
    #mark(place, fault) {
        const key = faultTexts[fault?.question];
        const text = fault === undefined ? "" : this.#text(key ?? "setup.fault.other");
        const reason = fault === undefined || key !== undefined ? null : element("small", { lang: "en", dir: "ltr" }, plain(fault.reason));
        place.hidden = fault === undefined;
        if (place.textContent !== `${text}${reason?.textContent ?? ""}`) {
            place.replaceChildren(...[text, reason].filter((part) => part !== null));
        }
        const field = place.parentElement.querySelector("input, select");
        field.setAttribute("aria-invalid", String(fault !== undefined));
        field.setAttribute("aria-describedby", place.id);
    }

    /// Shows the fields that the answers so far need, and the preview of the shop's look.
    #showState() {
        const form = find("form");
        const isOn = (name) => form.elements[name].checked;
        const show = (name, isShown) => { form.elements[name].closest("label").hidden = !isShown; };
        const days = form.elements.retention.querySelector("[value=days]");
        days.disabled = form.elements.role.value !== "rental";
        if (days.disabled && form.elements.retention.value === "days") {
            form.elements.retention.value = "none";
        }
        const findings = form.querySelector("[data-findings]");
        if (findings !== null) {
            findings.hidden = isOn("trial") && this.#wrong().every(isHarmlessInTrial);
        }
        if (!this.#hasTypedAges) {
            form.elements.ages.value = this.#ages().join(", ");
        }
        show("ages", form.elements.role.value === "kiosk");
        show("days", form.elements.retention.value === "days");
        show("ground", isOn("colours"));
        show("words", isOn("colours"));
        show("country", isOn("identity"));
        show("reader", !isOn("trial"));
        form.elements.trust.closest("fieldset").hidden = isOn("trial");
        write(find("certificates"), this.#certificates.length === 0 ? "" : this.#text("setup.trust.accepted", { count: this.#certificates.length }));
        const colours = isOn("colours") ? { ground: form.elements.ground.value, words: form.elements.words.value } : null;
        this.#preview.show({
            name: form.elements.shop.value.trim() || this.#text("setup.shop"), logo: this.#logoFile, colours, isTrial: isOn("trial"),
        }, this.#strings);
    }

    /// Sends the chosen files of a question after all files that were chosen before. A refused file is said beside
    /// its field.
    #upload(question, files) {
        const chosen = [...files];
        this.#uploads = this.#uploads.then(() => this.#sendAll(question, chosen));
    }

    async #sendAll(question, files) {
        this.#refused.delete(question);
        if (question === "trust") {
            // A new selection replaces the earlier one.
            this.#trust = undefined;
            this.#certificates = [];
        }
        for (const file of files) {
            try {
                if (file.size > largestFile) {
                    throw new Refused("the file is too large");
                }
                await this.#send(question, file);
            } catch (error) {
                if (!(error instanceof Refused)) {
                    this.#stop(error);
                    return;
                }
                this.#refused.add(question);
            }
        }
        this.#typed();
    }

    async #send(question, file) {
        const content = await contents(file);
        if (question === "logo") {
            this.#logo = (await ask("logo", { png: content })).logo;
            this.#logoFile = file;
        } else {
            // Until a file was accepted, each file begins the selection on the server anew.
            this.#trust = (await ask("trust", { file: content, reset: this.#certificates.length === 0 })).trust;
            this.#certificates.push(file.name);
        }
    }

    // Review and writing.

    async #review() {
        await this.#uploads;
        clearTimeout(this.#timer);
        try {
            if (!await this.#check()) {
                find("form").querySelector("[aria-invalid=true]")?.focus();
                return;
            }
        } catch (error) {
            this.#stop(error);
            return;
        }
        this.#drawReview();
        this.#show("review");
    }

    #drawReview() {
        const shown = (name, value) => name === "logo" ? "PNG" : value === true ? "✓" : [value].flat().join(", ");
        const label = (name) => find("form").elements[name]?.closest?.("label")?.querySelector("span:not(.fault)")?.textContent
            ?? this.#text({ role: "setup.group.purpose", logo: "setup.logo", trust: "setup.group.trust", retention: "setup.group.kept", language: "language", reader: "setup.reader" }[name]);
        const chosen = (name, value) => {
            const key = { role: `setup.role.${value}`, retention: `setup.retention.${value}` }[name];
            return key === undefined ? plain(shown(name, value)) : this.#text(key);
        };
        const isolated = (texts) => texts.map((text) => element("div", {}, element("bdi", {}, text)));
        const rows = Object.entries(this.#answers()).flatMap(([name, value]) => [
            element("dt", {}, label(name)), element("dd", {}, ...isolated(name === "trust" ? this.#certificates.map((file) => plain(file)) : [chosen(name, value)]))]);
        const back = element("button", { type: "button" }, this.#text("setup.back"));
        const go = element("button", { type: "button", class: "main", "data-write": "" }, this.#text("setup.write"));
        back.addEventListener("click", () => this.#show("form"));
        go.addEventListener("click", () => this.#write(go));
        find("review").replaceChildren(element("h2", {}, this.#text("setup.answers")), element("dl", {}, ...rows),
            this.replaces ? element("p", {}, this.#text("setup.replaces")) : null ?? "", element("div", { class: "row" }, back, go));
    }

    #show(name) {
        for (const other of ["form", "review", "ending"]) {
            find(other).hidden = other !== name;
        }
        document.body.dataset.screen = name;
        find("title").focus();
    }

    async #write(button) {
        // A change of the page's language would draw this button anew.
        button.disabled = find("languages").disabled = true;
        try {
            const made = await ask("write", { ...this.#answers(), replace: true });
            if (made.error !== undefined) {
                throw new Refused(plain(made.error));
            }
            this.#say("");
            this.#drawEnding(made);
        } catch (error) {
            button.disabled = false;
            this.#stop(error, "setup.ended", "setup.notWritten");
        } finally {
            find("languages").disabled = false;
        }
    }

    #drawEnding(made) {
        const { role, trial = false, ages } = this.#answers();
        this.#ending = new Ending(made, { role, isTrial: trial, ages }, this.#facts.runsCommands === true, this.#strings, (error) => this.#stop(error));
        find("ending").replaceChildren(...this.#ending.nodes(async () => {
            await ask("end").catch(() => {});
            this.#stop(new Ended());
        }));
        this.#show("ending");
    }
}

new SetupPage().start();
