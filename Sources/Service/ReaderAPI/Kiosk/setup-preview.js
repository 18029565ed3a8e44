// The preview of the customer's page while nothing is asked: the page itself, as large as this window and then
// made smaller.

import { element } from "./elements.js";
import { customerLayout, customerScreen } from "./screens.js";
import { Brand, paint, Picture, showTrial, SoundSwitch, write } from "./view.js";

/// The time limit for loading the customer's page, in milliseconds.
const loadDeadline = 10_000;

/// Loads the customer's page as a document, in which no script runs. Frames, and markup from text, are against
/// the policy of the pages.
function loadPage() {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        const fail = () => reject(new Error(`customer.html: ${request.status}`));
        request.open("GET", new URL("customer.html", import.meta.url));
        request.responseType = "document";
        request.timeout = loadDeadline;
        request.onload = () => (request.status === 200 && request.response !== null ? resolve(request.response) : fail());
        request.onerror = fail;
        request.ontimeout = fail;
        request.send();
    });
}

export class Preview {
    /// The element with the preview. Its shadow root keeps the styles of the customer's page apart.
    node = element("div", { class: "preview", "data-preview": "", "aria-hidden": "true", inert: true });
    #body = null;
    #parts = null;

    /// Loads the customer's page. Without it the preview stays empty.
    async load() {
        const page = await loadPage();
        this.#body = document.adoptNode(page.body);
        for (const button of this.#body.querySelectorAll("button")) {
            button.tabIndex = -1;
        }
        const styles = [...page.querySelectorAll("link[rel=stylesheet]")].map((link) => document.adoptNode(link));
        this.node.attachShadow({ mode: "open" }).append(...styles, this.#body);
        this.#parts = {
            brand: new Brand(this.#find("brand")), welcome: new Brand(this.#find("welcome")),
            picture: new Picture(this.#find("picture")), sound: new SoundSwitch(() => {}, this.#find("sound")),
        };
        new ResizeObserver(() => this.#fit()).observe(this.node);
        addEventListener("resize", () => this.#fit());
    }

    #find(name) {
        return this.#body.querySelector(`[data-${name}]`);
    }

    /// Gives the page the size of this window, as on the customer's screen, and scales it to the preview.
    #fit() {
        this.node.style.aspectRatio = `${innerWidth} / ${innerHeight}`;
        Object.assign(this.#body.style, {
            position: "absolute", left: "0", top: "0", width: `${innerWidth}px`, height: `${innerHeight}px`,
            transformOrigin: "0 0", transform: `scale(${this.node.clientWidth / innerWidth})`,
        });
    }

    /// Shows the look of the shop.
    ///
    /// - look: `name`, `logo` (a file), `colours` and `isTrial`.
    show({ name, logo, colours, isTrial }, strings) {
        if (this.#body === null) {
            return;
        }
        const lane = { state: "ready", acceptsTestDocuments: isTrial };
        const screen = customerScreen({ link: "live", lane, presentation: null });
        Object.assign(this.#body.dataset, { tone: screen.tone, screen: screen.name, layout: customerLayout(screen) });
        paint(colours, this.#body);
        write(this.#find("head"), strings.text(`customer.${screen.name}.head`));
        write(this.#find("text"), strings.text(`customer.${screen.name}.text`));
        write(this.#find("notice-open"), strings.text("notice.open"));
        this.#parts.picture.show(screen, lane);
        this.#parts.sound.show(true, strings);
        showTrial(lane, strings, this.#find("trial"));
        this.#showBrand(name, logo);
        this.#showLanguages(strings);
    }

    #showBrand(name, logo) {
        // A brand asks a daemon for its logo. Here the file is at hand.
        const daemon = { image: async () => logo };
        const brand = { name, logo: logo && `${logo.name} ${logo.size} ${logo.lastModified}` };
        this.#parts.brand.show(brand, daemon);
        this.#parts.welcome.show(brand, daemon);
        this.#find("welcome").hidden = false;
    }

    #showLanguages(strings) {
        this.#find("languages").replaceChildren(...strings.languages.map(([tag, name]) => element("button", {
            type: "button", lang: tag, tabindex: -1, "aria-pressed": String(tag === strings.language),
        }, name)));
    }
}
