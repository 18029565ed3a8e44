// The operator's page: which kiosks of the chain are down, what they obey, and what needs attention. Nothing of it is about a person.

/// From one look to the next, in milliseconds.
const pause = 15_000;
const mostRows = 200;
const find = (name) => document.querySelector(`[data-${name}]`);
let token = "";
let chain = { kiosks: [], documents: [] };
let shown = null;

function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null) { made.setAttribute(key, value); }
    }
    made.append(...children);
    return made;
}

async function ask(path) {
    const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
    if (!answer.ok) { throw new Error((await answer.json().catch(() => ({}))).detail ?? `The hub answers ${answer.status}.`); }
    return answer.json();
}

async function load() {
    const kiosks = [];
    for (let after = "", page = null; page === null || page.length > 0; after = page.at(-1)?.kiosk ?? after) {
        page = (await ask(`/fleet/v1/operator/kiosks?after=${encodeURIComponent(after)}`)).kiosks;
        kiosks.push(...page);
    }
    return { kiosks, documents: (await ask("/fleet/v1/operator/documents")).documents };
}

function time(text) {
    return text === null ? "never" : new Date(text).toLocaleString();
}

function refusals({ report }) {
    return (report?.documents ?? []).filter(({ result }) => result !== "applied");
}

/// What is wrong with a kiosk beside its state, in words; empty for nothing.
function faults(kiosk) {
    const found = refusals(kiosk).map(({ level, version, result }) => `${level} ${version}: ${result}`);
    for (const { name, state } of kiosk.report?.health?.lanes ?? []) {
        if (state !== "ready") { found.push(`${name}: ${state}`); }
    }
    found.push(...kiosk.report?.health?.findings ?? []);
    return kiosk.alert === null ? found : [...found, `receipts: ${kiosk.alert}`];
}

function isDown(kiosk) {
    return kiosk.state === "active" && !kiosk.online;
}

function stateOf(kiosk) {
    if (kiosk.state === "invited") { return ["invited"]; }
    if (kiosk.state !== "active") { return [kiosk.state, "no"]; }
    if (kiosk.stopped) { return ["stopped", "no"]; }
    return kiosk.online ? ["online", "yes"] : ["down", "no"];
}

function lanesOf({ report }) {
    return (report?.health?.lanes ?? []).map(({ name, state }) => `${name} (${state})`).join(", ") || "none";
}

function trustOf({ report }) {
    const hours = report?.health?.trustAgeHours;
    return hours === undefined ? "none" : hours < 48 ? `${hours} hours old` : `${Math.floor(hours / 24)} days old`;
}

function table(caption, headings, rows) {
    const cell = (content) => {
        const [text, kind = null] = Array.isArray(content) ? content : [content];
        return element("td", { class: kind }, text);
    };
    return element("table", {}, element("caption", { class: "announcement" }, caption),
        element("thead", {}, element("tr", {}, ...headings.map((words) => element("th", { scope: "col", class: ["Version", "Failures", "Receipts"].includes(words) ? "number" : null }, words)))),
        element("tbody", {}, ...rows.map(([first, ...rest]) =>
            element("tr", {}, element("th", { scope: "row" }, first), ...rest.map(cell)))));
}

const filters = {
    all: () => true,
    down: isDown,
    attention: (kiosk) => isDown(kiosk) || faults(kiosk).length > 0,
    revoked: (kiosk) => kiosk.state === "revoked" || kiosk.stopped,
};

function showKiosks() {
    const text = find("search").value.trim().toLowerCase();
    const matching = chain.kiosks.filter(filters[find("filter").value]).filter(({ kiosk, site, group }) =>
        [kiosk, site, group].some((name) => name?.includes(text)));
    find("count").textContent = `${matching.length} of ${chain.kiosks.length} kiosks`
        + (matching.length > mostRows ? `, of which ${mostRows} are shown` : "");
    // What has the focus keeps it when the table is made again.
    const focused = document.activeElement?.dataset.of;
    find("kiosks").replaceChildren(table("Kiosks by name", ["Kiosk", "Site", "Group", "State", "Seen", "Receipts", "What is wrong"],
        matching.slice(0, mostRows).map((kiosk) => {
            const button = element("button", { type: "button", "data-of": kiosk.kiosk, "aria-expanded": `${kiosk.kiosk === shown}` }, kiosk.kiosk);
            button.addEventListener("click", () => choose(kiosk.kiosk));
            return [button, kiosk.site ?? "", kiosk.group ?? "", stateOf(kiosk), time(kiosk.seen), [`${kiosk.receipts}`, "number"],
                [faults(kiosk).join(", "), "words"]];
        })));
    if (focused !== undefined) { buttonOf(focused)?.focus(); }
}

function buttonOf(name) {
    return [...find("kiosks").querySelectorAll("button")].find((button) => button.dataset.of === name);
}

/// Shows one kiosk above the table, or none, from where the focus goes back to its row.
function choose(name) {
    const former = shown;
    shown = name;
    showKiosks();
    showOne();
    if (name === null) { return buttonOf(former)?.focus(); }
    find("one-name").focus({ preventScroll: true });
    find("one-card").scrollIntoView({ block: "nearest" });
}

function showOne() {
    const kiosk = chain.kiosks.find((one) => one.kiosk === shown);
    find("one-card").hidden = kiosk === undefined;
    if (kiosk === undefined) { return; }
    find("one-name").textContent = kiosk.kiosk;
    const documents = (kiosk.report?.documents ?? []).map(({ level, version, result }) => `${level} ${version} (${result})`);
    const facts = [["State", stateOf(kiosk)[0]], ["Site", kiosk.site ?? "none"], ["Group", kiosk.group ?? "none"],
        ["Enrolled", time(kiosk.enrolled)], ["Seen", time(kiosk.seen)], ["Software", kiosk.software],
        ["Lanes", lanesOf(kiosk)], ["Trust lists", trustOf(kiosk)],
        ["Documents", documents.join(", ") || "none"], ["Receipts", `${kiosk.receipts}`], ["What is wrong", faults(kiosk).join(", ") || (isDown(kiosk) ? "it is down" : "nothing")]];
    find("one").replaceChildren(...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
}

function show() {
    const active = chain.kiosks.filter(({ state }) => state === "active");
    const down = active.filter(isDown).length;
    find("state").textContent = down === 0 ? "All kiosks are online" : `${down} of ${active.length} kiosks are down`;
    find("state").dataset.ready = down === 0 ? "yes" : "no";
    find("facts").textContent = `As of ${new Date().toLocaleTimeString()}`;
    const alerts = chain.documents.filter(({ isPaused }) => isPaused).map(({ level, name, version, failures }) =>
        `The roll-out of ${level} ${name} ${version} pauses after ${failures} failures: look at them, then run countersign-hub document widen.`);
    const differing = chain.kiosks.filter(({ alert }) => alert !== null).map(({ kiosk, alert }) =>
        `${kiosk}: ${alert}. Look at the kiosk and its receipts, then run countersign-hub alert clear ${kiosk}.`);
    const all = [...alerts, ...differing];
    find("alerts-card").hidden = all.length === 0;
    find("alerts").replaceChildren(...all.map((text) => element("li", {}, text)));
    find("rollouts").replaceChildren(table("The newest document of each level", ["Level", "Name", "Version", "Kiosks", "Failures", "Since"],
        chain.documents.map(({ level, name, version, percent, failures, isPaused, put }) =>
            [level, name, [`${version}`, "number"], [isPaused ? "paused" : `${percent} %`, isPaused ? "no" : null], [`${failures}`, "number"], time(put)])));
    showKiosks();
    showOne();
}

async function look() {
    try {
        chain = await load();
        find("entry").hidden = true;
        find("chain").hidden = false;
        show();
    } catch (error) {
        find("state").textContent = error.message;
        find("state").dataset.ready = "no";
    }
}

find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    token = find("token").value.trim();
    find("token").value = "";
    look();
});
find("search").addEventListener("input", showKiosks);
find("filter").addEventListener("change", showKiosks);
find("close").addEventListener("click", () => choose(null));
setInterval(() => { if (!find("chain").hidden) { look(); } }, pause);
