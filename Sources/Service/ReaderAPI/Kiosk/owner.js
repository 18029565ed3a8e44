// The owner's page: the state of the daemon, today's outcomes as numbers, receipts and tokens. Nothing on it
// is about a person.

import { takeCode } from "./capability.js";
import { Daemon } from "./daemon.js";
import { element, vector } from "./elements.js";
import { listed, phrase, plain } from "./text.js";

/// The time between two updates, in milliseconds.
const pause = 15_000;
const dayMilliseconds = 86_400_000;
const receiptsAtOnce = 500;
const mostRows = 100;
const outcomes = ["allow", "deny", "unclear", "declined", "cancelled", "failed"];

const daemon = new Daemon("owner");
const find = (name) => document.querySelector(`[data-${name}]`);
/// The loaded receipts (`known`), the newest first; the number of the oldest loaded one (`first`); the
/// searched words.
const receipts = { known: [], first: null, words: "" };

function time(text) {
    return text === undefined ? "never" : new Date(text).toLocaleString();
}

function days(milliseconds) {
    return count(Math.floor(milliseconds / dayMilliseconds), "day");
}

/// Turns a state such as `readerMissing` into words.
function words(state) {
    return state.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function count(number, thing) {
    return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

/// Creates a table.
///
/// - rows: the cells of each row; the first cell is the row's heading. A cell is a text, an element,
///   `[text, class]` or `{ parts }`.
function table(caption, headings, rows) {
    const cell = (content) => {
        if (content.parts !== undefined) {
            return element("td", {}, ...content.parts);
        }
        const [text, kind = null] = Array.isArray(content) ? content : [content];
        return element("td", { class: kind }, text instanceof Node ? text : plain(text));
    };
    return element("table", {}, element("caption", {}, caption),
        element("thead", {}, element("tr", {}, ...headings.map((words) => element("th", { scope: "col", class: outcomes.includes(words) ? "number" : null }, words)))),
        element("tbody", {}, ...rows.map(([first, ...rest]) =>
            element("tr", {}, element("th", { scope: "row" }, plain(first)), ...rest.map(cell)))));
}

/// Returns everything that needs attention, each as the parts of a sentence.
function faultsOf({ faults, lanes, trust, identities, doctor, time: now, acceptsTestDocuments, attention }) {
    const found = faults.map(({ lane, text }) => lane === undefined ? phrase`${text}` : phrase`${lane}: ${text}`);
    // Findings on trust and identities are left out: the daemon's own facts below report the same.
    for (const { id, text, fix } of doctor?.findings.filter(({ id }) => !id.startsWith("trust.") && !id.startsWith("identity.")) ?? []) {
        const remedy = fix === undefined ? [] : phrase`. Run: ${fix}`;
        found.push([...phrase`This computer, ${id}: ${text}`, ...remedy]);
    }
    for (const { lane, standing } of lanes) {
        if (standing?.isPaused && !faults.some((fault) => fault.lane === lane)) {
            found.push(phrase`${lane}: ${standing.reason?.text ?? "The lane does not ask phones by itself at present."}`);
        }
    }
    // Without trust or a list there is no age, and the comparison with NaN is false.
    if (Math.floor(trust?.ageSeconds / 86_400) > attention.listDays) {
        found.push(phrase`The newest list of the trust store is ${days(trust.ageSeconds * 1_000)} old: run countersign trust update.`);
    }
    for (const { name, expires, fault } of identities) {
        const left = Date.parse(expires) - Date.parse(now);
        if (fault !== undefined) {
            found.push(phrase`The identity “${name}” cannot be used: ${fault}`);
        } else if (left < 0) {
            found.push(phrase`The identity “${name}” has expired: import new certificates.`);
        } else if (left < attention.identityDays * dayMilliseconds) {
            found.push(phrase`The identity “${name}” expires in ${days(left)}: import new certificates.`);
        }
    }
    if (acceptsTestDocuments) {
        found.push(phrase`Test documents are accepted, and anybody can make one.`);
    }
    return found;
}

/// Returns the activity of a lane. The reason for a paused standing order is in `faultsOf`.
function now({ isBusy, standing }) {
    if (standing !== undefined) {
        return standing.isPaused ? "is paused" : "asks by itself";
    }
    return isBusy ? "in use" : "waits for an order";
}

function showLanes(lanes) {
    find("lanes").replaceChildren(table("Whether phones can be asked", ["Lane", "Reader", "Bluetooth", "Now"], lanes.map((lane) => [
        lane.lane, [words(lane.state), lane.state === "ready" ? "yes" : "no"], [words(lane.bluetooth), lane.bluetooth === "ready" ? "yes" : "no"],
        now(lane),
    ])));
}

function showTrust({ trust, identities }) {
    const facts = trust === undefined ? "No issuer is trusted yet."
        : `${count(trust.anchors, "trusted issuer")}, ${trust.obtained === null ? "no list" : `newest list: ${time(trust.obtained)}`}`;
    find("trust").replaceChildren(element("p", {}, facts),
        identities.length === 0 ? element("p", { class: "faint" }, "No reader identity: requests are unsigned, and some wallets refuse unsigned requests.")
            : table("Reader identities", ["Name", "Valid until"], identities.map(({ name, expires }) => [name, expires === undefined ? "no certificate" : time(expires)])));
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
    const total = (hour) => outcomes.reduce((sum, outcome) => sum + hour[outcome], 0);
    const busy = hours.filter((hour) => total(hour) > 0);
    const most = Math.max(1, ...busy.map(total));
    const clock = { hour: "2-digit", minute: "2-digit" };
    find("today").replaceChildren(busy.length === 0
        ? element("p", { class: "faint" }, `No presentation has ended on ${plain(day)} yet.`)
        : table(`Presentations that ended on ${plain(day)}, by hour and outcome`, ["From", ...outcomes, "Share"], busy.map((hour) => [
            new Date(hour.from).toLocaleTimeString([], clock),
            ...outcomes.map((outcome) => [String(hour[outcome]), "number"]), bar(hour, most),
        ])));
}

/// Shows the callers. Without the member `lanes`, a caller is not limited to lanes.
function showTokens(tokens) {
    find("tokens").replaceChildren(table("Scopes and lanes of each, and its last use since the daemon started",
        ["Name", "Kind", "Scopes", "Lanes", "Last used"], tokens.map(({ name, kind, scopes, lanes, lastUsed }) =>
            [name, kind, { parts: listed(scopes) }, { parts: lanes === undefined ? ["all"] : listed(lanes) }, time(lastUsed)])));
}

function show(overview) {
    const faults = faultsOf(overview);
    document.body.dataset.screen = "overview";
    find("main").hidden = false;
    find("state").dataset.ready = overview.ready ? "yes" : "no";
    find("state").textContent = overview.ready ? "Ready" : "Not ready";
    const checked = overview.doctor === undefined ? "computer not checked by countersign doctor" : `computer checked ${time(overview.doctor.time)}`;
    find("facts").replaceChildren(...phrase`Version ${overview.version}, running since ${time(overview.started)}, ${checked}`);
    find("faults-card").hidden = faults.length === 0;
    find("faults").replaceChildren(...faults.map((parts) => element("li", {}, ...parts)));
    showLanes(overview.lanes);
    showTrust(overview);
    showToday(overview.today);
    showTokens(overview.tokens);
    const { count: written = 0, last } = overview.receipts ?? {};
    find("receipt-facts").textContent = written === 0 ? "No receipt yet."
        : `${count(written, "receipt")}${last === undefined ? "" : `, the last of ${time(last)}`}`;
    return written;
}

// Receipts.

/// Returns the texts of a receipt's row.
function cells({ sequence, statement }) {
    const { time: at, lane, outcome = "", questions = [], reasons = [], decision = "" } = statement ?? {};
    return [String(sequence), at === undefined ? "" : time(at), lane ?? "", outcome,
        questions.map(({ ask, answer }) => `${ask}: ${answer}`).join(", "), decision, reasons.join(", ")];
}

/// Returns the cells of a receipt's row, in which each question and each reason keeps its own text direction.
function shownCells(receipt) {
    const { questions = [], reasons = [] } = receipt.statement ?? {};
    const row = cells(receipt);
    // The columns 4 and 6, counted from 0, are those of the questions and the reasons.
    row[4] = { parts: listed(questions.map(({ ask, answer }) => `${ask}: ${answer}`)) };
    row[6] = { parts: listed(reasons) };
    return row;
}

/// Shows the loaded receipts that contain all searched words, at most `mostRows` of them.
function showReceipts() {
    const wanted = receipts.words.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = receipts.known.filter((receipt) => {
        const text = cells(receipt).join(" ").toLowerCase();
        return wanted.every((word) => text.includes(word));
    });
    const shown = found.slice(0, mostRows).map(shownCells);
    find("receipts").replaceChildren(table(`${shown.length} of ${receipts.known.length} receipts, the newest first`,
        ["Number", "Time", "Lane", "Outcome", "Questions", "Decision", "Reasons"], shown));
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
    showReceipts();
}

/// Loads the receipts before the oldest loaded one.
async function loadEarlier() {
    const after = Math.max(0, receipts.first - 1 - receiptsAtOnce);
    const { receipts: found } = await daemon.receipts(after, receipts.first - 1 - after);
    receipts.known.push(...found.reverse());
    receipts.first = receipts.known.at(-1).sequence;
    showReceipts();
}

/// Has the daemon verify the chain of receipts, and shows the verdict.
async function verify() {
    const node = find("verdict");
    node.dataset.holds = "";
    node.textContent = "Verifying";
    const { verdict, receipts: links, broken } = await daemon.verifyReceipts();
    node.dataset.holds = verdict === "intact" ? "yes" : "no";
    node.replaceChildren(...(verdict === "intact" ? [`${count(links, "receipt")} verified: no fault was found.`]
        : phrase`Receipt ${broken.at} is not valid: ${broken.detail}`));
}

/// Saves all receipts as a file of the browser.
async function save() {
    const address = URL.createObjectURL(await daemon.receiptTable());
    element("a", { href: address, download: "receipts.csv" }).click();
    URL.revokeObjectURL(address);
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
            find("verdict").textContent = "The daemon did not answer. Try again.";
        }
        button.disabled = false;
    });
}

// Sign-in and updates.

function refused() {
    document.body.dataset.screen = "refused";
    find("main").hidden = true;
    find("state").dataset.ready = "no";
    find("state").textContent = "This page has no access: run countersign page-code --page owner, and open the address that it prints.";
}

/// Updates the page, and again after each `pause`. A refused page stops, since it needs a new code.
async function look() {
    try {
        await loadNewer(show(await daemon.owner()));
    } catch (error) {
        if (error.kind === "refused") {
            return refused();
        }
        document.body.dataset.screen = "lost";
        find("state").dataset.ready = "no";
        find("state").textContent = "No contact with the daemon. The page shows the last known state.";
    }
    setTimeout(look, pause);
}

/// Signs the page in with the code of its address, if there is one, and begins the updates.
async function enter() {
    const code = takeCode();
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
on("verify", verify);
on("csv", save);
on("earlier", loadEarlier);
enter();
