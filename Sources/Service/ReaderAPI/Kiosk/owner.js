// The owner's page: the state of the reader service, today's outcomes as numbers, receipts, and who may use
// the service. Nothing on it is about a person.

import { questionText } from "./asks.js";
import { takeCode } from "./capability.js";
import { Daemon } from "./daemon.js";
import { element, vector } from "./elements.js";
import { attention } from "./owner-attention.js";
import { outcomes, outcomeTable, outcomeText, receiptsOfDay, dayText, sheet } from "./owner-sheet.js";
import { Pairing } from "./pairing.js";
import { persist } from "./pauses.js";
import { Strings } from "./strings.js";
import { table } from "./tables.js";
import { listed, plain } from "./text.js";
import { writeWords } from "./words.js";

/// The time between two updates, in milliseconds.
const pause = 15_000;
const receiptsAtOnce = 500;
const mostRows = 100;
const answers = ["yes", "no", "unknown"];
const decisions = ["approved", "rejected", "dismissed"];
const readerStates = ["ready", "readerMissing", "readerInUse", "readerBlocked", "stopped"];
const radioStates = ["ready", "off", "unprepared", "missing", "notUsed", "unknown"];
const kinds = ["token", "user"];
const roles = ["in", "out"];
const accessoryStates = ["ready", "absent", "busy", "notPermitted", "notAnswering", "misconfigured", "trial"];

const daemon = new Daemon("owner");
const find = (name) => document.querySelector(`[data-${name}]`);
const pairing = new Pairing(find("pairing"), () => daemon);
let strings = null;
/// The last overview, or null before the first.
let overview = null;
/// The loaded receipts (`known`), the newest first; the number of the oldest loaded one (`first`); the
/// searched words.
const receipts = { known: [], first: null, words: "" };
/// The key of the page's state with its values, so that another language shows the same state.
let state = null;

function time(text) {
    return text === undefined ? strings.text("owner.never") : strings.time(text);
}

/// Returns the text of a word of the API, or the word itself if the page does not know it.
function word(part, known, name) {
    return known.includes(name) ? strings.text(`owner.${part}.${name}`) : plain(name);
}

function say(key, isReady) {
    state = [key, isReady];
    find("state").dataset.ready = isReady ? "yes" : "no";
    find("state").textContent = strings.text(key);
}

/// Creates the entry of one thing that needs attention.
function attentionEntry({ what, detail, action, command }) {
    return element("li", {}, element("p", { class: "what" }, what),
        // The daemon's own words are English in every language of the page.
        detail === null ? null : element("p", { class: "faint" }, element("bdi", { lang: "en" }, plain(detail, 1_000))),
        element("p", {}, strings.text("owner.todo"), " ", action),
        command === null ? null : element("p", { class: "faint" }, strings.text("owner.run")),
        command === null ? null : element("pre", { dir: "ltr", tabindex: "0" }, command.split("\n").map((line) => plain(line, 1_000)).join("\n")));
}

/// Returns the activity of a lane. The reason for a paused standing order is in `attention`.
function now({ isBusy, standing }) {
    if (standing !== undefined) {
        return strings.text(standing.isPaused ? "owner.now.paused" : "owner.now.standing");
    }
    return strings.text(isBusy ? "owner.now.busy" : "owner.now.waiting");
}

function readerCell({ state: reader, link }) {
    const isReady = reader === "ready";
    if (link === "benchLink") {
        return [strings.text(isReady ? "owner.reader.wallet" : "owner.reader.walletGone"), isReady ? "yes" : "no"];
    }
    return [word("reader", readerStates, reader), isReady ? "yes" : "no"];
}

function radioCell({ bluetooth }) {
    const style = { ready: "yes", notUsed: "faint", unknown: "faint" }[bluetooth] ?? "no";
    return [word("bluetooth", radioStates, bluetooth), style];
}

function laneTable(lanes) {
    const headings = ["lane", "reader", "bluetooth", "now"].map((column) => strings.text(`owner.column.${column}`));
    return table(strings.text("owner.lanes.caption"), headings,
        lanes.map((lane) => [lane.lane, readerCell(lane), radioCell(lane), now(lane)]));
}

/// Shows the scanners and outputs. An accessory without the member `lane` serves all lanes.
function showAccessories(accessories) {
    const headings = ["name", "kind", "lane", "state"].map((column) => strings.text(`owner.column.${column}`));
    const usable = { ready: "yes", trial: "yes" };
    find("accessories-card").hidden = accessories.length === 0;
    const rows = accessories.map(({ name, kind, role, lane, state: reported }) => [
        // The kind is a word of the configuration file, and the same in every language.
        name, { parts: [element("bdi", {}, word("role", roles, role)), " ", element("bdi", { lang: "en" }, plain(kind))] },
        lane ?? strings.text("owner.all"), [word("accessory", accessoryStates, reported), usable[reported] ?? "no"],
    ]);
    find("accessories").replaceChildren(table(strings.text("owner.accessories.caption"), headings, rows));
}

function showTrust({ trust, identities }) {
    const list = trust?.obtained === undefined ? strings.text("owner.trust.noList") : strings.text("owner.trust.list", { time: time(trust.obtained) });
    const facts = trust === undefined ? [strings.text("owner.trust.none")] : [strings.text("owner.trust.issuers", { count: trust.anchors }), list];
    const headings = [strings.text("owner.column.name"), strings.text("owner.column.until")];
    find("trust").replaceChildren(...facts.map((text) => element("p", {}, text)),
        identities.length === 0 ? element("p", { class: "faint" }, strings.text("owner.identity.none"))
            : table(strings.text("owner.identity.caption"), headings, identities.map(({ name, expires }) =>
                [name, expires === undefined ? strings.text("owner.identity.bare") : time(expires)])));
}

/// Draws the outcomes of an hour as a bar; the numbers are in the table beside it.
function bar(hour, most) {
    let start = 0;
    const parts = outcomes.map((outcome) => {
        const part = vector("rect", { class: outcome, x: start, y: 0, width: hour[outcome], height: 1 });
        start += hour[outcome];
        return part;
    });
    return vector("svg", { class: "bar", viewBox: `0 0 ${most} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...parts);
}

function showToday({ day, hours }) {
    const sum = (hour) => outcomes.reduce((all, outcome) => all + hour[outcome], 0);
    const most = Math.max(1, ...hours.map(sum));
    find("today").replaceChildren(hours.every((hour) => sum(hour) === 0)
        ? element("p", { class: "faint" }, strings.text("owner.today.none", { day: dayText(day, strings) }))
        // The whole day has no bar of an hour's scale.
        : outcomeTable(day, hours, strings, { heading: strings.text("owner.column.share"), more: (hour) => [bar(hour, Math.max(most, sum(hour)))] }));
    find("legend").replaceChildren(...outcomes.map((outcome) => element("div", { class: outcome },
        element("dt", {}, vector("svg", { class: "bar", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
            vector("rect", { class: outcome, x: 0, y: 0, width: 1, height: 1 })), outcomeText(outcome, strings)),
        element("dd", {}, strings.text(`owner.legend.${outcome}`)))));
}

/// Shows the callers. Without the member `lanes`, a caller is not limited to lanes.
function showTokens(tokens) {
    const headings = ["name", "kind", "scopes", "lanes", "used"].map((column) => strings.text(`owner.column.${column}`));
    find("tokens").replaceChildren(table(strings.text("owner.tokens.caption"), headings, tokens.map(({ name, kind, scopes, lanes, lastUsed }) =>
        [name, word("kind", kinds, kind), { parts: listed(scopes) }, lanes === undefined ? strings.text("owner.all") : { parts: listed(lanes) },
            time(lastUsed)])));
}

function show() {
    const found = attention(overview, strings);
    document.body.dataset.screen = "overview";
    find("overview").hidden = false;
    say(overview.ready ? "owner.state.ready" : "owner.state.notReady", overview.ready);
    const checked = overview.doctor === undefined ? strings.text("owner.notChecked") : strings.text("owner.checked", { time: time(overview.doctor.time) });
    find("facts").textContent = [strings.text("owner.facts", { version: overview.version, time: time(overview.started) }), checked].join(" · ");
    find("faults-card").hidden = found.length === 0;
    find("well").hidden = found.length > 0;
    find("faults").replaceChildren(...found.map(attentionEntry));
    find("lanes").replaceChildren(laneTable(overview.lanes));
    showAccessories(overview.accessories);
    showTrust(overview);
    showToday(overview.today);
    showTokens(overview.tokens);
    const { count: written = 0, last } = overview.receipts ?? {};
    find("receipt-facts").textContent = written === 0 ? strings.text("owner.receipts.none")
        : strings.text("owner.receipts.count", { count: written, time: time(last) });
    showReceipts();
}

/// Shows everything in the present language.
function showAll() {
    writeWords(strings, "title.owner", find("languages"));
    find("help").hidden = false;
    if (overview !== null) {
        show();
        showSheet();
    }
    if (state !== null) {
        say(...state);
    }
    showPairing();
}

// Receipts.

/// Returns the texts of the questions of a receipt with their answers.
function questionsOf({ statement }) {
    return (statement?.questions ?? []).map(({ ask, answer }) =>
        `${questionText(ask, strings)}: ${answers.includes(answer) ? strings.text(`answer.${answer}`) : plain(answer)}`);
}

function decisionOf({ statement }) {
    const { decision = "" } = statement ?? {};
    return decisions.includes(decision) ? strings.text(`owner.decision.${decision}`) : plain(decision);
}

/// Returns the words for support: the reasons of a receipt, and how each of the outputs ended, if the receipt is
/// about outputs.
function supportOf({ statement }) {
    const { reasons = [], outputs = [] } = statement ?? {};
    return [...reasons, ...outputs.map(({ accessory, state: end }) => `${accessory}=${end}`)];
}

/// Returns the cells of a receipt's row, in which each question and each reason keeps its own text direction.
function cells(receipt) {
    const { time: at, lane, outcome = "" } = receipt.statement ?? {};
    return [String(receipt.sequence), at === undefined ? "" : time(at), lane ?? "", outcomeText(outcome, strings),
        { parts: questionsOf(receipt).flatMap((text, index) => [index === 0 ? "" : ", ", element("bdi", {}, text)]) }, decisionOf(receipt), { parts: listed(supportOf(receipt)), kind: "ids" }];
}

/// Returns the text in which the search looks: what the page shows, and the API's words.
function searchable(receipt) {
    const { time: at, lane, outcome, questions = [], decision } = receipt.statement ?? {};
    return [receipt.sequence, at === undefined ? "" : time(at), lane, outcome, outcomeText(outcome ?? "", strings), ...questionsOf(receipt),
        ...questions.map(({ ask, answer }) => `${ask}: ${answer}`), decision, decisionOf(receipt), ...supportOf(receipt)].join(" ").toLowerCase();
}

/// Shows the loaded receipts that contain all searched words, at most `mostRows` of them.
function showReceipts() {
    const wanted = receipts.words.toLowerCase().split(/\s+/).filter((part) => part !== "");
    const found = receipts.known.filter((receipt) => {
        const text = searchable(receipt);
        return wanted.every((part) => text.includes(part));
    });
    const rows = found.slice(0, mostRows).map(cells);
    const headings = ["number", "time", "lane", "outcome", "questions", "decision", "reasons"].map((column) => strings.text(`owner.column.${column}`));
    find("receipts").replaceChildren(table(strings.text("owner.receipts.shown", { shown: rows.length, count: receipts.known.length }), headings, rows));
    find("earlier").hidden = receipts.first === null || receipts.first <= 1;
}

/// Loads the receipts after the newest loaded one, or at first the newest receipts.
async function loadNewer(written) {
    const last = receipts.known[0]?.sequence ?? Math.max(0, written - receiptsAtOnce);
    if (written > last) {
        const { receipts: found } = await daemon.receipts(last, receiptsAtOnce);
        receipts.known.unshift(...found.reverse());
        receipts.first ??= receipts.known.at(-1)?.sequence ?? null;
    }
}

/// Loads the receipts before the oldest loaded one.
async function loadEarlier() {
    const after = Math.max(0, receipts.first - 1 - receiptsAtOnce);
    const { receipts: found } = await daemon.receipts(after, receipts.first - 1 - after);
    receipts.known.push(...found.reverse());
    receipts.first = after + 1;
    showReceipts();
}

async function verify() {
    find("verdict").textContent = strings.text("owner.verifying");
    const { verdict, receipts: number, broken } = await daemon.verifyReceipts();
    find("verdict").dataset.holds = verdict === "intact" ? "yes" : "no";
    find("verdict").textContent = verdict === "intact" ? strings.text("owner.intact", { count: number })
        : strings.text("owner.broken", { number: broken.at, detail: broken.detail });
}

async function save() {
    const address = URL.createObjectURL(await daemon.receiptTable());
    element("a", { href: address, download: "receipts.csv" }).click();
    URL.revokeObjectURL(address);
}

// The daily sheet.

function showSheet() {
    find("sheet").replaceChildren(...sheet(overview, {
        lanes: laneTable(overview.lanes), attention: attention(overview, strings), known: receipts.known, strings,
    }));
}

/// Loads the day's receipts to the first one, and opens the browser's dialog for printing.
async function print() {
    await update();
    while (receipts.first > 1 && receiptsOfDay(receipts.known, overview.today.hours)?.first === receipts.first) {
        await loadEarlier();
    }
    showSheet();
    window.print();
}

/// Connects a button to an action, which runs once at a time, and shows a failure.
function on(name, action) {
    const button = find(name);
    button.addEventListener("click", async () => {
        button.disabled = true;
        try {
            await action();
        } catch {
            find("verdict").dataset.holds = "no";
            find("verdict").textContent = strings.text("owner.noAnswer");
        }
        button.disabled = false;
    });
}

// Sign-in and updates.

/// Shows the field for three words on a page without access.
function showPairing() {
    pairing.show(document.body.dataset.screen === "refused", { page: "owner" }, strings);
}

function refused() {
    document.body.dataset.screen = "refused";
    find("overview").hidden = true;
    for (const name of ["facts", "faults", "lanes", "accessories", "trust", "today", "receipt-facts", "verdict", "receipts", "tokens", "sheet"]) {
        find(name).replaceChildren();
    }
    find("search").value = "";
    Object.assign(receipts, { known: [], first: null, words: "" });
    find("help-code").open = true;
    overview = null;
    showPairing();
    say("owner.state.refused", false);
}

/// Loads and shows the overview and the newest receipts.
async function update() {
    const loaded = await daemon.owner();
    await loadNewer(loaded.receipts?.count ?? 0);
    overview = loaded;
    show();
    showSheet();
}

/// Updates the page, and again after each `pause`. A refused page stops, since it needs a new code.
async function look() {
    try {
        await update();
    } catch (error) {
        if (error.kind === "refused") {
            return refused();
        }
        document.body.dataset.screen = "lost";
        say("owner.state.lost", false);
    }
    setTimeout(look, pause);
}

/// Loads the texts, signs the page in with the code of its address, if there is one, and begins the updates.
async function enter() {
    const code = takeCode();
    const wish = new URLSearchParams(location.search).get("lang");
    strings = await persist(() => Strings.load(wish, ...navigator.languages), new AbortController().signal);
    showAll();
    if (code !== null) {
        // A used code does no harm: the page may have its cookie already.
        await daemon.enter(code).catch(() => {});
    }
    await look();
}

find("search").addEventListener("input", ({ target }) => {
    receipts.words = target.value;
    showReceipts();
});
find("languages").addEventListener("change", ({ target }) => {
    strings.choose(target.value);
    showAll();
});
on("verify", verify);
on("csv", save);
on("earlier", loadEarlier);
on("print", print);
enter();
