// The landing page: the pages that there are, the pages that this browser may open, and the form for three
// words. The page names no lane unless the browser has access to it.

import { Daemon } from "./daemon.js";
import { element } from "./elements.js";
import { commandElement, Pairing, pageAddress } from "./pairing.js";
import { persist } from "./pauses.js";
import { Strings } from "./strings.js";
import { plain } from "./text.js";

const find = (name) => document.querySelector(`[data-${name}]`);
const daemon = new Daemon("landing");
const pairing = new Pairing(find("pairing"), () => daemon);
/// The pages in their order. A page of a lane has no address here.
const pages = [["kiosk"], ["clerk"], ["desk"], ["owner", "/owner"], ["docs", "/docs"]];
/// The page that everybody may read.
const open = "docs";

/// - further: what follows the sentence about the page.
function card(page, strings, { address, lane, further = null }) {
    const name = strings.text(`page.${page}`);
    const place = lane === undefined ? [] : [element("bdi", { class: "faint" }, strings.text("clerk.lane", { lane: plain(lane) }))];
    return element("li", {},
        address === undefined ? element("p", { class: "name" }, name) : element("a", { class: "name", href: address }, name),
        ...place, element("p", {}, strings.text(`page.${page}.text`)), further);
}

function section(head, cards) {
    return [element("h2", {}, head), element("ul", {}, ...cards)];
}

async function start() {
    const { signal } = new AbortController();
    const strings = await persist(() => Strings.load(new URLSearchParams(location.search).get("lang"), ...navigator.languages), signal);
    document.title = `${strings.text("landing.title")} · Countersign`;
    find("head").textContent = strings.text("landing.head");
    find("text").textContent = strings.text("landing.text");
    find("pages").replaceChildren(...section(strings.text("landing.pages"),
        pages.map(([page, address]) => card(page, strings, { address, further: page === open ? null : commandElement({ page }) }))),
    element("p", { class: "faint" }, strings.text("landing.lane")));
    pairing.show(true, null, strings);
    // Without an answer the list is left out: the field for words still works.
    const opened = await daemon.opened().catch(() => []);
    const known = opened.filter(({ page }) => pages.some(([name]) => name === page));
    find("opened").hidden = known.length === 0;
    find("opened").replaceChildren(...section(strings.text("landing.opened"),
        known.map((place) => card(place.page, strings, { address: pageAddress(place), lane: place.lane }))));
    document.body.dataset.screen = "landing";
}

// A page that the browser kept may show pages to which it has no access any more.
addEventListener("pageshow", (event) => event.persisted && location.reload());
start();
