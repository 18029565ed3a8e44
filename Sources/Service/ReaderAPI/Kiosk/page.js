// The common part of the customer's and the clerk's page: it keeps the state of the lane current, and wipes a
// result after its time.

import { takeCode } from "./capability.js";
import { waitOf } from "./countdown.js";
import { Daemon } from "./daemon.js";
import { Feed } from "./feed.js";
import { persist } from "./pauses.js";
import { Scanner } from "./scanner.js";
import { awaitsComparison, isClosed } from "./presentation.js";
import { Sounds } from "./sounds.js";
import { Strings } from "./strings.js";

/// The time for which a banner is shown, in milliseconds.
const bannerStay = 8_000;

/// The pause after a failed request while the event stream is open, in milliseconds.
const retryPause = 2_000;

/// The age in milliseconds up to which a result is shown on a page that has not shown its presentation
/// before. An older result belongs to an earlier customer.
const newsStay = 10_000;

/// The seconds for which a result is shown if the lane's settings do not say.
const usualResultStay = 12;

export class Page {
    /// The state from which the screens are drawn. `wait` is the time until which the daemon waits for a
    /// person, and `final` the screen that stays for a moment after a decision.
    known = { link: "connecting", lane: null, presentation: null, hint: null, wait: null, final: null };
    strings;
    daemon = null;
    laneName = new URLSearchParams(location.search).get("lane") ?? "";
    sounds;
    banner = null;
    #feed = null;
    #ending = new AbortController();
    #isRefreshing = false;
    /// Whether an event arrived since the last fetch began, so that another fetch is needed.
    #isStale = false;
    /// The id of the presentation whose display has ended on this page.
    #left = null;
    /// The id of the presentation that was fetched and is shown.
    #drawn = null;
    #resetTimer = null;
    /// The result whose display time is running.
    #staying = null;
    #bannerTimer = null;
    #finalTimer = null;

    /// - view: has `name` (the page's name), `render(page)`, `keeps(presentation)` (returns the part of a
    ///   presentation that the page may hold), `scans` (whether it reads QR codes), `soundsAtFirst`,
    ///   `shown(page, presentation)` (called with each fetched presentation), `stay(page)` (returns the
    ///   seconds for which a result is shown), `overstayed(page)` (called after that time) and `wipe()`
    ///   (removes the portrait that the view holds).
    constructor(view) {
        this.view = view;
    }

    async start() {
        const parameters = new URLSearchParams(location.search);
        const code = takeCode();
        const { signal } = this.#ending;
        this.strings = await persist(() => Strings.load(parameters.get("lang"), ...navigator.languages), signal);
        // The language to which the page returns after each customer. Null: the lane's settings decide.
        this.home = parameters.has("lang") ? this.strings.language : null;
        this.sounds = new Sounds(this.view.soundsAtFirst, () => this.render());
        addEventListener("pagehide", () => this.#leave());
        // `#leave` has wiped a page that the browser kept and shows again.
        addEventListener("pageshow", (event) => event.persisted && location.reload());
        // An address with a new code is read only when the page starts.
        addEventListener("hashchange", () => location.reload());
        addEventListener("online", () => this.retry());
        const daemon = this.daemon = new Daemon(this.view.name, this.laneName);
        this.render();
        if (code !== null) {
            // If the code is refused, the page may still have the cookie of an earlier code.
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

    /// Shows another language until the next customer.
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

    // The listener of the feed.

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
            // An event shows that the lane is back.
            this.#know({ link: "live" });
        }
        if (type === "orderRefused") {
            this.say("laneBusy");
        } else if (value.presentation !== undefined) {
            this.#takeState(value);
        }
        this.#refresh();
    }

    /// Shows the state and the hint of an event at once. A result is never taken from an event: `#refresh`
    /// fetches the presentation.
    #takeState({ presentation: id, state, outcome, hint = null }) {
        if (typeof id !== "string" || id === this.#left) {
            return;
        }
        const current = this.known.presentation;
        if (isClosed({ state, outcome })) {
            // The event may be about an earlier presentation. The lane names the latest one.
            return;
        }
        if (current?.id !== id) {
            // Nothing of the earlier presentation stays on the page.
            this.forget({ presentation: { id, state }, hint });
        } else if (!isClosed(current)) {
            // Without a hint in the event, the shown hint stays while the lane waits for a phone.
            this.#know({ presentation: { ...current, state }, hint: hint ?? (state === "armed" ? this.known.hint : null) });
        }
    }

    /// Removes the presentation from the page, and applies `changes`.
    forget(changes = {}) {
        clearTimeout(this.#resetTimer);
        this.#staying = this.#drawn = null;
        this.view.wipe();
        clearTimeout(this.#finalTimer);
        this.#know({ presentation: null, hint: null, wait: null, final: null, ...changes });
    }

    /// The seconds for which a result is shown.
    get resultStay() {
        return this.known.lane?.kiosk?.resultSeconds ?? usualResultStay;
    }

    /// Ends the display of a presentation, so that the page is ready for the next customer. `final` is shown
    /// for the time of a result, unless another presentation begins earlier.
    finish(final = null) {
        this.#left = this.known.presentation?.id ?? this.#left;
        if (this.home !== null) {
            this.strings.choose(this.home);
        }
        this.forget({ final });
        if (final !== null) {
            this.#finalTimer = setTimeout(() => this.leaveFinal(), this.resultStay * 1_000);
        }
    }

    /// Removes the screen that `finish` left.
    leaveFinal() {
        clearTimeout(this.#finalTimer);
        this.#know({ final: null });
    }

    /// Changes what is known, and draws the page again.
    #know(changes) {
        this.known = { ...this.known, ...changes };
        this.render();
    }

    /// Fetches lane and presentation. Only one fetch runs at a time, and it is repeated if an event arrived
    /// meanwhile.
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

    /// Fetches the lane and its latest presentation, and shows the presentation if it belongs on the page.
    async #ask() {
        const lane = await this.daemon.lane(this.laneName);
        this.#feed.heartbeat = lane.kiosk?.heartbeatSeconds ?? this.#feed.heartbeat;
        this.strings.replace(lane.kiosk?.texts);
        this.#settle(lane.kiosk?.language);
        this.#know({ lane });
        const id = lane.presentation;
        if (id === undefined || id === this.#left) {
            // The shown presentation may have begun after the daemon answered for the lane.
            const isShown = this.known.presentation !== null || (id === undefined && this.known.final !== null);
            return this.#isStale || !isShown ? undefined : this.forget();
        }
        let presentation, now;
        try {
            [presentation, now] = await this.daemon.presentation(id);
        } catch (error) {
            if (error.kind !== "absent" && error.kind !== "wiped") {
                throw error;
            }
            // Another presentation may have begun meanwhile.
            return this.known.presentation?.id === id ? this.forget() : undefined;
        }
        // An event that arrived meanwhile is newer than this answer, which is fetched again.
        if (this.#isStale || this.#left === id) {
            return;
        }
        if (this.#isDue(presentation, now)) {
            const wait = waitOf(presentation, now, this.known.wait);
            this.#show(this.view.keeps(presentation), wait);
        } else {
            this.finish();
            this.#left = id;
        }
    }

    /// Whether the page shows this presentation. The page does so if the presentation is running, waits for a
    /// decision, has just ended, or was on this page before its end.
    #isDue(presentation, now) {
        return this.#drawn === presentation.id || !isClosed(presentation) || awaitsComparison(presentation)
            || now - Date.parse(presentation.ended) < newsStay;
    }

    /// Uses the lane's language until somebody chooses another.
    #settle(language) {
        if (this.home === null && language !== undefined) {
            this.strings.choose(language);
        }
        this.home ??= this.strings.language;
    }

    /// Shows a fetched presentation, and starts the timer for a result.
    #show(presentation, wait) {
        if (this.known.presentation !== null && this.known.presentation.id !== presentation.id) {
            this.forget();
        }
        clearTimeout(this.#finalTimer);
        this.#drawn = presentation.id;
        this.#know({ presentation, hint: presentation.hint ?? null, wait, final: null });
        this.view.shown(this, presentation);
        const staying = JSON.stringify([presentation.id, presentation.state, presentation.outcome]);
        // The daemon ends the wait for a decision, so that no timer runs here for it.
        if (isClosed(presentation) && !awaitsComparison(presentation) && staying !== this.#staying) {
            this.#staying = staying;
            clearTimeout(this.#resetTimer);
            this.#resetTimer = setTimeout(() => this.view.overstayed(this), this.view.stay(this) * 1_000);
        }
    }

    /// Passes a scanned engagement to the daemon, if a presentation waits for a phone.
    async #engage(uri) {
        const { presentation } = this.known;
        if (presentation?.state !== "armed") {
            return this.say("scanIdle");
        }
        await this.act(() => this.daemon.engage(presentation.id, uri), { done: "scanned" });
    }

    /// Runs an action at the daemon. Shows a banner if the action fails. `refusals` has the names of the
    /// banners for some ids of problems.
    ///
    /// Returns what the daemon answered, or null if the action failed.
    async act(action, { done = null, refusals = {} } = {}) {
        let answer;
        try {
            answer = await action();
        } catch (error) {
            // A presentation that is wiped already needs no message.
            if (error.kind === "wiped") {
                return {};
            }
            this.say(refusals[error.id] ?? "actionFailed");
            return null;
        }
        if (done !== null) {
            this.say(done);
        }
        return answer ?? {};
    }

    /// Removes everything when the browser leaves the page.
    #leave() {
        this.#ending.abort();
        this.daemon = null;
        this.forget({ link: "lost", lane: null });
    }
}
