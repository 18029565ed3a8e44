// The operator's page: it shows which kiosks of the chain are down, which documents they obey, and what needs attention. It contains
// nothing about a person.

import { element } from "./elements.js";
import { Strings } from "./strings.js";
import { table } from "./tables.js";
import { joined, listed, phrase, plain } from "./text.js";
import { writeWords } from "./words.js";

/// The time between two loads of the chain's state, in milliseconds.
const pause = 15_000;
/// The maximum number of kiosks in the table.
const mostRows = 200;
/// The pause before the texts are loaded again after a failure, in milliseconds.
const textPause = 2_000;
const levels = ["chain", "site", "group", "kiosk"];
const states = ["online", "down", "stopped", "revoked", "invited"];
const find = (name) => document.querySelector(`[data-${name}]`);
let strings = null;
let token = "";
let chain = { kiosks: [], documents: [] };
/// The name of the kiosk whose details are shown, or null.
let shown = null;
/// The time of the last successful load, or null before the first.
let seen = null;
/// The error of the last load, or null.
let failure = null;

/// The reason why the hub gave no answer. `id` is the hub's id of the problem, or null if the answer is not from the hub.
class HubError extends Error {
    constructor(id, detail) {
        super(detail);
        this.id = id;
    }
}

/// Returns the text of an id followed by the id, which the documentation lists. An unknown id comes from outside and is returned alone.
function said(id) {
    const key = `id.${id}`;
    return strings.has(key) ? `${strings.text(key)} (${plain(id)})` : plain(id);
}

/// Gets JSON from the hub with the operator's token. Throws a `HubError`.
async function ask(path) {
    const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" }).catch(() => null);
    const body = await answer?.json().catch(() => null) ?? null;
    if (answer?.ok && body !== null) { return body; }
    // An answer without a problem of the hub comes from a proxy or load balancer before it.
    throw new HubError(body?.id ?? null, body?.detail ?? "");
}

/// Loads all kiosks and the newest documents. The hub returns kiosks in pages; the next page begins after the last name, until a page is
/// empty.
async function load() {
    const kiosks = [];
    for (let after = "", page = null; page === null || page.length > 0; after = page.at(-1)?.kiosk ?? after) {
        page = (await ask(`/fleet/v1/operator/kiosks?after=${encodeURIComponent(after)}`)).kiosks;
        kiosks.push(...page);
    }
    return { kiosks, documents: (await ask("/fleet/v1/operator/documents")).documents };
}

function time(text) {
    return text === null ? strings.text("never") : strings.time(text);
}

function level(name) {
    return levels.includes(name) ? strings.text(`level.${name}`) : plain(name);
}

/// Returns the documents that a kiosk refuses.
function refusals({ report }) {
    return (report?.documents ?? []).filter(({ result }) => result !== "applied");
}

/// Returns the faults of a kiosk other than its state, each as the parts of a sentence.
function faults(kiosk) {
    const found = refusals(kiosk).map(({ level: of, version, result }) => phrase`${level(of)} ${version}: ${said(result)}`);
    for (const { name, state } of kiosk.report?.health?.lanes ?? []) {
        if (state !== "ready") { found.push(phrase`${name}: ${said(state)}`); }
    }
    found.push(...(kiosk.report?.health?.findings ?? []).map((finding) => phrase`${said(finding)}`));
    return kiosk.alert === null ? found : [...found, phrase`${strings.text("column.receipts")}: ${said(kiosk.alert)}`];
}

function isDown(kiosk) {
    return kiosk.state === "active" && !kiosk.online;
}

/// Returns a kiosk's state in one word, with the style of its cell.
function stateOf(kiosk) {
    const name = kiosk.state !== "active" ? kiosk.state : kiosk.stopped ? "stopped" : kiosk.online ? "online" : "down";
    const words = states.includes(name) ? strings.text(`state.kiosk.${name}`) : plain(name);
    return [words, name === "online" ? "yes" : name === "invited" ? null : "no"];
}

function lanesOf({ report }) {
    return joined((report?.health?.lanes ?? []).map(({ name, state }) => phrase`${name} (${state === "ready" ? strings.text("ready") : said(state)})`));
}

function trustOf({ report }) {
    const hours = report?.health?.trustAgeHours;
    return hours === undefined ? strings.text("none") : strings.text("old", { duration: strings.duration(hours * 3_600) });
}

/// The conditions of the menu “Show”.
const filters = {
    all: () => true,
    down: isDown,
    attention: (kiosk) => isDown(kiosk) || faults(kiosk).length > 0,
    revoked: (kiosk) => kiosk.state === "revoked" || kiosk.stopped,
};

/// Shows the kiosks that match the search and the filter.
function showKiosks() {
    const text = find("search").value.trim().toLowerCase();
    const matching = chain.kiosks.filter(filters[find("filter").value]).filter(({ kiosk, site, group }) =>
        [kiosk, site, group].some((name) => name?.includes(text)));
    find("count").textContent = [strings.text("found", { shown: matching.length, count: chain.kiosks.length }),
        ...(matching.length > mostRows ? [strings.text("limited", { shown: mostRows })] : [])].join("; ");
    // The new table has new buttons, so the focus is given to the button of the same kiosk.
    const focused = document.activeElement?.dataset.of;
    const headings = ["kiosk", "site", "group", "state", "seen", "receipts", "wrong"].map((column) =>
        [strings.text(`column.${column}`), column === "receipts" ? "number" : null]);
    find("kiosks").replaceChildren(table(strings.text("table"), headings, matching.slice(0, mostRows).map((kiosk) => {
        const button = element("button", { type: "button", "data-of": kiosk.kiosk, "aria-expanded": `${kiosk.kiosk === shown}` }, plain(kiosk.kiosk));
        button.addEventListener("click", () => choose(kiosk.kiosk));
        return [button, kiosk.site ?? "", kiosk.group ?? "", stateOf(kiosk), time(kiosk.seen),
            [kiosk.receipts.toLocaleString(strings.locale), "number"], { parts: joined(faults(kiosk)), kind: "words" }];
    }), "announcement"));
    if (focused !== undefined) { buttonOf(focused)?.focus(); }
}

function buttonOf(name) {
    return [...find("kiosks").querySelectorAll("button")].find((button) => button.dataset.of === name);
}

/// Shows the details of one kiosk above the table. With null, hides them and returns the focus to the kiosk's row.
function choose(name) {
    const former = shown;
    shown = name;
    showKiosks();
    showOne();
    if (name === null) { return buttonOf(former)?.focus(); }
    find("one-name").focus({ preventScroll: true });
    find("one-card").scrollIntoView({ block: "nearest" });
}

/// Shows the details of the chosen kiosk, or hides them if the kiosk is not in the list.
function showOne() {
    const kiosk = chain.kiosks.find((one) => one.kiosk === shown);
    find("one-card").hidden = kiosk === undefined;
    if (kiosk === undefined) { return; }
    find("one-name").textContent = plain(kiosk.kiosk);
    const none = strings.text("none");
    const documents = (kiosk.report?.documents ?? []).map(({ level: of, version, result }) =>
        phrase`${level(of)} ${version} (${result === "applied" ? strings.text("applied") : said(result)})`);
    const facts = [["column.state", stateOf(kiosk)[0]], ["column.site", kiosk.site ?? none], ["column.group", kiosk.group ?? none],
        ["one.enrolled", time(kiosk.enrolled)], ["column.seen", time(kiosk.seen)], ["one.software", kiosk.software],
        ["one.lanes", lanesOf(kiosk), none], ["one.trust", [trustOf(kiosk)]],
        ["one.documents", joined(documents), none], ["column.receipts", kiosk.receipts.toLocaleString(strings.locale)],
        ["column.wrong", joined(faults(kiosk)), strings.text(isDown(kiosk) ? "isDown" : "nothing")]];
    // A fact is a text, or a list of sentence parts with the word to show if the list is empty.
    find("one").replaceChildren(...facts.flatMap(([key, content, other]) => {
        const parts = Array.isArray(content) ? content : listed([content]);
        return [element("dt", {}, strings.text(key)), element("dd", {}, ...(parts.length === 0 ? [other] : parts))];
    }));
}

/// Returns everything that needs attention: the parts of a sentence, what to do, and the command.
function attention() {
    const down = chain.kiosks.filter(isDown).map(({ kiosk }) => kiosk);
    return [
        ...chain.documents.filter(({ isPaused }) => isPaused).map(({ level: of, name, version, percent, failures }) => ({
            parts: [strings.text("alert.paused", { version: String(version), level: level(of), name, failures })], action: "alert.paused.do",
            command: `countersign-hub document widen ${name} --level ${of} --percent ${percent}`,
        })),
        ...chain.kiosks.filter(({ alert }) => alert !== null).map(({ kiosk, alert }) => ({
            parts: phrase`${kiosk}: ${said(alert)}`, action: "alert.receipts.do", command: `countersign-hub alert clear ${kiosk}`,
        })),
        ...(down.length === 0 ? [] : [{
            parts: [strings.text("alert.down", { kiosks: down.join(", ") })], action: "alert.down.do", command: "systemctl status countersignd",
        }]),
    ];
}

function show() {
    const active = chain.kiosks.filter(({ state }) => state === "active");
    const down = active.filter(isDown).length;
    find("state").textContent = down === 0 ? strings.text("state.online") : strings.text("state.down", { down, count: active.length });
    find("state").dataset.ready = down === 0 ? "yes" : "no";
    find("facts").textContent = strings.text("asOf", { time: clock() });
    const found = attention();
    find("alerts-card").hidden = found.length === 0;
    find("alerts").replaceChildren(...found.map(({ parts, action, command }) => element("li", {}, element("p", { class: "what" }, ...parts),
        element("p", {}, strings.text(action)), element("pre", { dir: "ltr", tabindex: "0" }, plain(command, 1_000)))));
    const headings = ["level", "name", "version", "kiosks", "failures", "since"].map((column) =>
        [strings.text(`column.${column}`), ["version", "failures"].includes(column) ? "number" : null]);
    find("rollouts").replaceChildren(table(strings.text("rollouts.head"), headings,
        chain.documents.map(({ level: of, name, version, percent, failures, isPaused, put }) =>
            [level(of), name, [`${version}`, "number"], [isPaused ? strings.text("paused") : `${percent} %`, isPaused ? "no" : null],
                [`${failures}`, "number"], time(put)]), "announcement"));
    find("legend").replaceChildren(...states.flatMap((state) => [element("dt", {}, strings.text(`state.kiosk.${state}`)),
        element("dd", {}, strings.text(`legend.${state}`))]));
    showKiosks();
    showOne();
}

/// Returns the time of the last load.
function clock() {
    return seen.toLocaleTimeString(strings.locale).replace(/[\u200e\u200f]/g, "");
}

/// Shows the error of the last load. The page keeps the former state and says its time.
function showFailure() {
    const text = failure.id === "operatorUnknown" ? strings.text("state.wrongToken") : failure.message === ""
        ? strings.text("state.noAnswer") : failure.message;
    find("state").textContent = seen === null ? plain(text, 1_000) : strings.text("state.former", { text, time: clock() });
    find("state").dataset.ready = "no";
}

/// Loads and shows the chain's state.
async function refresh() {
    try {
        chain = await load();
        [seen, failure] = [new Date(), null];
        find("entry").hidden = true;
        find("chain").hidden = false;
        show();
    } catch (error) {
        failure = error instanceof HubError ? error : new HubError(null, "");
        showFailure();
    }
}

/// Shows everything in the present language.
function showWords() {
    writeWords(strings, "title", find("languages"));
    if (seen !== null) { show(); }
    if (failure !== null) { showFailure(); } else if (seen === null) { find("state").textContent = strings.text("state.token"); }
    document.body.dataset.screen = "operator";
}

/// Loads the texts, until that succeeds.
async function begin() {
    try {
        strings = await Strings.load(new URLSearchParams(location.search).get("lang"), ...navigator.languages);
    } catch {
        return setTimeout(begin, textPause);
    }
    showWords();
    find("form").addEventListener("submit", (event) => {
        event.preventDefault();
        token = find("token").value.trim();
        find("token").value = "";
        refresh();
    });
    find("search").addEventListener("input", showKiosks);
    find("filter").addEventListener("change", showKiosks);
    find("close").addEventListener("click", () => choose(null));
    find("languages").addEventListener("change", ({ target }) => {
        strings.choose(target.value);
        showWords();
    });
    setInterval(() => { if (!find("chain").hidden) { refresh(); } }, pause);
}

begin();
