// What both layouts share: the lane as the daemon tells of it, kept current, and wiped when it has to be.

import { takeCode } from "./capability.js";
import { Daemon } from "./daemon.js";
import { Feed } from "./feed.js";
import { persist } from "./pauses.js";
import { Scanner } from "./scanner.js";
import { awaitsComparison, isClosed } from "./screens.js";
import { Sounds } from "./sounds.js";
import { Strings } from "./strings.js";

/// How long a banner stays, in milliseconds.
const bannerStay = 8_000;

/// From a question that failed to the next, while the events keep coming, in milliseconds.
const retryPause = 2_000;

/// How long after its end a result is news to a page that has not shown its presentation, in milliseconds.
const newsStay = 10_000;

export class Page {
    /// What is known; the screens are made of it.
    known = { link: "connecting", lane: null, presentation: null, hint: null, wiped: false };
    strings;
    daemon = null;
    laneName = new URLSearchParams(location.search).get("lane") ?? "";
    sounds;
    banner = null;
    #feed = null;
    #ending = new AbortController();
    #isRefreshing = false;
    #isStale = false;
    #left = null;
    /// The presentation that is shown as the daemon has it.
    #drawn = null;
    #resetTimer = null;
    /// The result whose time runs.
    #staying = null;
    #bannerTimer = null;

    /// `view` has `name`, that of its page, `render(page)` and `screen(known)`; `keeps(presentation)` says what of a presentation it may hold, `scans`
    /// whether it takes QR codes.
    constructor(view) {
        this.view = view;
    }

    async start() {
        const parameters = new URLSearchParams(location.search);
        const code = takeCode();
        const { signal } = this.#ending;
        this.strings = await persist(() => Strings.load(parameters.get("lang"), ...navigator.languages), signal);
        this.home = parameters.has("lang") ? this.strings.language : null;
        this.sounds = new Sounds(this.view.soundsAtFirst, () => this.render());
        addEventListener("pagehide", () => this.#leave());
        addEventListener("pageshow", (event) => event.persisted && location.reload());
        addEventListener("hashchange", () => location.reload());
        addEventListener("online", () => this.retry());
        const daemon = this.daemon = new Daemon(this.view.name, this.laneName);
        this.render();
        if (code !== null) {
            // Where it is refused the cookie of an earlier code may still be there.
            await persist(() => daemon.enter(code), signal, ({ kind }) => !["unreachable", "faulty"].includes(kind));
        }
        if (this.view.scans) {
            new Scanner({ taken: (uri) => this.#engage(uri), refused: () => this.say("scanRefused") });
        }
        this.#feed = new Feed((id, signal) => daemon.events(this.laneName, id, signal), this);
        this.#feed.run(signal);
    }

    render() {
        this.view.render(this);
    }

    /// Speaks another language until the next customer.
    speak(language) {
        this.strings.choose(language);
        this.render();
    }

    retry() {
        this.#feed?.hurry();
    }

    /// Shows a short message on the clerk's page.
    say(name) {
        clearTimeout(this.#bannerTimer);
        this.banner = name;
        this.#bannerTimer = setTimeout(() => {
            this.banner = null;
            this.render();
        }, bannerStay);
        this.render();
    }

    // The feed's listener.

    live() {
        this.#know({ link: "live" });
        this.#refresh();
    }

    lost() {
        this.forget({ link: "lost", lane: null });
    }

    ended(error) {
        this.forget({ link: error.kind === "absent" ? "noLane" : "refused", lane: null });
    }

    event(type, value) {
        if (this.known.link === "noLane") {
            // The lane may be back.
            this.#know({ link: "live" });
        }
        if (type === "orderRefused") {
            this.say("laneBusy");
        } else if (value.presentation !== undefined) {
            this.#takeState(value);
        }
        this.#refresh();
    }

    /// Shows the state and the hint of an event at once. A result never comes from an event: `#refresh` fetches the presentation.
    #takeState({ presentation: id, state, outcome, hint = null }) {
        if (typeof id !== "string" || id === this.#left) {
            return;
        }
        const current = this.known.presentation;
        if (isClosed({ state, outcome })) {
            // It may be an earlier one. What stands comes with the lane.
            return;
        }
        if (current?.id !== id) {
            // Nothing of the last one stays.
            this.forget({ presentation: { id, state }, hint, wiped: false });
        } else if (!isClosed(current)) {
            this.#know({ presentation: { ...current, state }, hint: hint ?? (state === "armed" ? this.known.hint : null) });
        }
    }

    /// Drops what is shown, and continues with `changes`.
    forget(changes = {}) {
        clearTimeout(this.#resetTimer);
        this.#staying = this.#drawn = null;
        this.view.wipe();
        this.#know({ presentation: null, hint: null, ...changes });
    }

    /// The presentation has been seen: the page is ready for the next person.
    finish({ wiped }) {
        this.#left = this.known.presentation?.id ?? this.#left;
        if (this.home !== null) {
            this.strings.choose(this.home);
        }
        this.forget({ wiped });
    }

    #know(changes) {
        this.known = { ...this.known, ...changes };
        this.render();
    }

    /// Asks for lane and presentation; one question at a time, and once more if something happened meanwhile.
    async #refresh() {
        this.#isStale = true;
        if (this.#isRefreshing) {
            return;
        }
        this.#isRefreshing = true;
        try {
            while (this.#isStale && this.known.link === "live") {
                this.#isStale = false;
                await this.#ask();
            }
        } catch (error) {
            if (error.kind === "refused") {
                this.#ending.abort();
                this.ended(error);
            } else if (error.kind === "absent") {
                this.ended(error);
            } else {
                setTimeout(() => this.#refresh(), retryPause);
            }
        } finally {
            this.#isRefreshing = false;
        }
    }

    async #ask() {
        const lane = await this.daemon.lane(this.laneName);
        this.#feed.heartbeat = lane.kiosk?.heartbeatSeconds ?? this.#feed.heartbeat;
        this.strings.replace(lane.kiosk?.texts);
        this.#settle(lane.kiosk?.language);
        this.#know({ lane });
        const id = lane.presentation;
        if (id === undefined || id === this.#left) {
            // What is shown may have begun while the lane was asked for.
            return this.#isStale || this.known.presentation === null ? undefined : this.forget();
        }
        let presentation, now;
        try {
            [presentation, now] = await this.daemon.presentation(id);
        } catch (error) {
            if (error.kind !== "absent" && error.kind !== "wiped") {
                throw error;
            }
            // Another one may have begun while this one was asked for.
            return this.known.presentation?.id === id ? this.forget() : undefined;
        }
        // What has happened meanwhile is newer than the answer, which is asked for again.
        if (this.#isStale || this.#left === id) {
            return;
        }
        if (this.#isDue(presentation, now)) {
            this.#show(this.view.keeps(presentation));
        } else {
            this.finish({ wiped: false });
            this.#left = id;
        }
    }

    /// A page shows what is going on, what waits for a decision, and what has ended just now or before its eyes.
    #isDue(presentation, now) {
        return this.#drawn === presentation.id || !isClosed(presentation) || awaitsComparison(presentation)
            || now - Date.parse(presentation.ended) < newsStay;
    }

    /// The lane's language holds until somebody chooses another.
    #settle(language) {
        if (this.home === null && language !== undefined) {
            this.strings.choose(language);
        }
        this.home ??= this.strings.language;
    }

    #show(presentation) {
        if (this.known.presentation !== null && this.known.presentation.id !== presentation.id) {
            this.forget();
        }
        this.#drawn = presentation.id;
        this.#know({ presentation, hint: presentation.hint ?? null });
        this.view.shown(this, presentation);
        const staying = JSON.stringify([presentation.id, presentation.state, presentation.outcome]);
        // How long a decision may take is the daemon's to say.
        if (isClosed(presentation) && !awaitsComparison(presentation) && staying !== this.#staying) {
            this.#staying = staying;
            clearTimeout(this.#resetTimer);
            this.#resetTimer = setTimeout(() => this.view.overstayed(this), this.view.stay(this.known) * 1_000);
        }
    }

    async #engage(uri) {
        const { presentation } = this.known;
        if (presentation?.state !== "armed") {
            return this.say("scanIdle");
        }
        await this.act(() => this.daemon.engage(presentation.id, uri), "scanned");
    }

    /// Does something at the daemon; where that fails it is said and nothing changes. Whether it was done.
    async act(action, done = null) {
        try {
            await action();
        } catch (error) {
            // What is wiped already needs no further word.
            if (error.kind !== "wiped") {
                this.say("actionFailed");
                return false;
            }
        }
        if (done !== null) {
            this.say(done);
        }
        return true;
    }

    /// Nothing stays behind in a page that has been left.
    #leave() {
        this.#ending.abort();
        this.daemon = null;
        this.forget({ link: "lost", lane: null });
    }
}
