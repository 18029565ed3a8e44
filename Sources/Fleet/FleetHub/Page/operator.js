// The operator's page: it shows which kiosks of the chain are down, which documents they obey, and what needs attention. It contains
// nothing about a person.

import { joined, listed, phrase, plain } from "./text.js";

/// The time between two loads of the chain's state, in milliseconds.
const pause = 15_000;
/// The maximum number of kiosks in the table.
const mostRows = 200;
const find = (name) => document.querySelector(`[data-${name}]`);
let token = "";
let chain = { kiosks: [], documents: [] };
/// The name of the kiosk whose details are shown, or null.
let shown = null;
/// The time of the last successful load, or null before the first.
let seen = null;

/// The ids that kiosks and hubs report, with their English text.
const words = {
    "document.malformed": "it is not a document",
    "document.too_long": "it is too long",
    "document.changed": "it was changed after it was signed",
    "document.key_unknown": "none of the kiosk's keys signed it",
    "document.key_withdrawn": "its key was withdrawn",
    "document.other_chain": "it is for another chain",
    "document.other_name": "it is for another site, group or kiosk",
    "document.older": "the kiosk has already used a later version",
    "document.version_taken": "another document has this version",
    "document.not_yet_valid": "it is dated ahead of the kiosk's clock",
    "document.withdrawal_not_allowed": "it withdraws a key that its signer may not withdraw",
    "document.member_fixed": "it changes a member that only the kiosk's own file may set",
    "document.configuration_refused": "the configuration has a fault",
    "document.trust_refused": "the trust bundle is refused",
    "document.brands_refused": "the brands are refused",
    "document.failed_before": "the lanes did not become ready with it",
    receiptsDiffer: "the hub has other receipts",
    receiptBroken: "a receipt is not valid",
    receiptKeyTaken: "a receipt key belongs to another kiosk",
    receiptsWaiting: "more than 100 000 receipts wait for the hub",
    readerMissing: "the reader is not connected",
    readerInUse: "another program uses the reader",
    readerBlocked: "the reader does not respond",
    stopped: "it cannot be used",
    trustNotSetUp: "no issuer is trusted",
    recordsUnavailable: "its store cannot be read or written",
};

/// Returns the text of an id followed by the id, which the documentation lists. An unknown id comes from outside and is returned alone.
function said(id) {
    return Object.hasOwn(words, id) ? `${words[id]} (${id})` : String(id);
}

/// Creates an HTML element. An attribute whose value is null is left out.
function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null) { made.setAttribute(key, value); }
    }
    made.append(...children);
    return made;
}

/// Gets JSON from the hub with the operator's token. Throws an error with a message for the operator.
async function ask(path) {
    const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" }).catch(() => null);
    const body = await answer?.json().catch(() => null) ?? null;
    if (answer?.ok && body !== null) { return body; }
    // An answer without a problem of the hub comes from a proxy or load balancer before it.
    throw new Error(body?.detail ?? "The hub does not answer");
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

/// Returns a time of the hub in the browser's time zone and format.
function time(text) {
    return text === null ? "never" : new Date(text).toLocaleString();
}

/// Returns the documents that a kiosk refuses.
function refusals({ report }) {
    return (report?.documents ?? []).filter(({ result }) => result !== "applied");
}

/// Returns the faults of a kiosk other than its state, each as the parts of a sentence.
function faults(kiosk) {
    const found = refusals(kiosk).map(({ level, version, result }) => phrase`${level} ${version}: ${said(result)}`);
    for (const { name, state } of kiosk.report?.health?.lanes ?? []) {
        if (state !== "ready") { found.push(phrase`${name}: ${said(state)}`); }
    }
    found.push(...(kiosk.report?.health?.findings ?? []).map((finding) => phrase`${said(finding)}`));
    return kiosk.alert === null ? found : [...found, phrase`receipts: ${said(kiosk.alert)}`];
}

function isDown(kiosk) {
    return kiosk.state === "active" && !kiosk.online;
}

/// Returns a kiosk's state in one word, with the style of its cell.
function stateOf(kiosk) {
    if (kiosk.state === "invited") { return ["invited"]; }
    if (kiosk.state !== "active") { return [kiosk.state, "no"]; }
    if (kiosk.stopped) { return ["stopped", "no"]; }
    return kiosk.online ? ["online", "yes"] : ["down", "no"];
}

function lanesOf({ report }) {
    return joined((report?.health?.lanes ?? []).map(({ name, state }) => phrase`${name} (${state})`));
}

function trustOf({ report }) {
    const hours = report?.health?.trustAgeHours;
    return hours === undefined ? "none" : hours < 48 ? `${hours} hours old` : `${Math.floor(hours / 24)} days old`;
}

/// Makes a table. The first cell of a row is its heading. A cell is a text, a text with its style, or the parts of a sentence.
function table(caption, headings, rows) {
    const cell = (content) => {
        if (content.parts !== undefined) { return element("td", { class: content.kind }, ...content.parts); }
        const [text, kind = null] = Array.isArray(content) ? content : [content];
        return element("td", { class: kind }, plain(text));
    };
    return element("table", {}, element("caption", { class: "announcement" }, caption),
        element("thead", {}, element("tr", {}, ...headings.map((words) => element("th", { scope: "col", class: ["Version", "Failures", "Receipts"].includes(words) ? "number" : null }, words)))),
        element("tbody", {}, ...rows.map(([first, ...rest]) =>
            element("tr", {}, element("th", { scope: "row" }, first instanceof Node ? first : plain(first)), ...rest.map(cell)))));
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
    find("count").textContent = `${matching.length} of ${chain.kiosks.length} kiosks`
        + (matching.length > mostRows ? `; ${mostRows} are shown` : "");
    // The new table has new buttons, so the focus is given to the button of the same kiosk.
    const focused = document.activeElement?.dataset.of;
    find("kiosks").replaceChildren(table("Kiosks by name", ["Kiosk", "Site", "Group", "State", "Seen", "Receipts", "What is wrong"],
        matching.slice(0, mostRows).map((kiosk) => {
            const button = element("button", { type: "button", "data-of": kiosk.kiosk, "aria-expanded": `${kiosk.kiosk === shown}` }, plain(kiosk.kiosk));
            button.addEventListener("click", () => choose(kiosk.kiosk));
            return [button, kiosk.site ?? "", kiosk.group ?? "", stateOf(kiosk), time(kiosk.seen), [`${kiosk.receipts}`, "number"],
                { parts: joined(faults(kiosk)), kind: "words" }];
        })));
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
    const documents = (kiosk.report?.documents ?? []).map(({ level, version, result }) => phrase`${level} ${version} (${result})`);
    const facts = [["State", stateOf(kiosk)[0]], ["Site", kiosk.site ?? "none"], ["Group", kiosk.group ?? "none"],
        ["Enrolled", time(kiosk.enrolled)], ["Seen", time(kiosk.seen)], ["Software", kiosk.software],
        ["Lanes", lanesOf(kiosk), "none"], ["Trust lists", trustOf(kiosk)],
        ["Documents", joined(documents), "none"], ["Receipts", `${kiosk.receipts}`],
        ["What is wrong", joined(faults(kiosk)), isDown(kiosk) ? "it is down" : "nothing"]];
    // A fact is a text, or a list of sentence parts with the word to show if the list is empty.
    find("one").replaceChildren(...facts.flatMap(([name, content, none]) => {
        const parts = Array.isArray(content) ? content : listed([content]);
        return [element("dt", {}, name), element("dd", {}, ...(parts.length === 0 ? [none] : parts))];
    }));
}

function show() {
    const active = chain.kiosks.filter(({ state }) => state === "active");
    const down = active.filter(isDown).length;
    find("state").textContent = down === 0 ? "All kiosks are online" : `${down} of ${active.length} kiosks are down`;
    find("state").dataset.ready = down === 0 ? "yes" : "no";
    seen = new Date().toLocaleTimeString();
    find("facts").textContent = `As of ${seen}`;
    const alerts = chain.documents.filter(({ isPaused }) => isPaused).map(({ level, name, version, percent, failures }) =>
        phrase`Version ${version} for ${level} ${name} is paused: ${failures} kiosks refused it or returned to the former version. See “What is wrong” below. Then run countersign-hub document widen ${name} --level ${level} --percent ${percent}.`);
    const differing = chain.kiosks.filter(({ alert }) => alert !== null).map(({ kiosk, alert }) =>
        phrase`${kiosk}: ${said(alert)}. Check the kiosk and its receipts, then run countersign-hub alert clear ${kiosk}.`);
    const all = [...alerts, ...differing];
    find("alerts-card").hidden = all.length === 0;
    find("alerts").replaceChildren(...all.map((parts) => element("li", {}, ...parts)));
    find("rollouts").replaceChildren(table("The newest document of each level", ["Level", "Name", "Version", "Kiosks", "Failures", "Since"],
        chain.documents.map(({ level, name, version, percent, failures, isPaused, put }) =>
            [level, name, [`${version}`, "number"], [isPaused ? "paused" : `${percent} %`, isPaused ? "no" : null], [`${failures}`, "number"], time(put)])));
    showKiosks();
    showOne();
}

/// Loads and shows the chain's state. After a failure, the page keeps the former state and says its time.
async function refresh() {
    try {
        chain = await load();
        find("entry").hidden = true;
        find("chain").hidden = false;
        show();
    } catch (error) {
        find("state").replaceChildren(...(seen === null ? phrase`${error.message}` : phrase`${error.message}; this page shows the state of ${seen}`));
        find("state").dataset.ready = "no";
    }
}

find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    token = find("token").value.trim();
    find("token").value = "";
    refresh();
});
find("search").addEventListener("input", showKiosks);
find("filter").addEventListener("change", showKiosks);
find("close").addEventListener("click", () => choose(null));
setInterval(() => { if (!find("chain").hidden) { refresh(); } }, pause);
