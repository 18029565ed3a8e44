// The desk's page: asks for what the presets of the desk ask, shows the shared data with its retention, and
// exports and deletes it. The booking number and the data are in memory only.

import { takeCode } from "./capability.js";
import { Daemon } from "./daemon.js";
import { hasFields } from "./desk-fields.js";
import { needsConsent } from "./desk-screens.js";
import { DeskView } from "./desk-view.js";
import { Feed } from "./feed.js";
import { persist } from "./pauses.js";
import { Portrait } from "./portrait.js";
import { isClosed, unclosedStay } from "./presentation.js";
import { Strings } from "./strings.js";

/// The pause after a failed request while the event stream is open, in milliseconds.
const retryPause = 2_000;
/// The time for which a banner is shown, in milliseconds.
const bannerStay = 8_000;
/// The age in milliseconds up to which a result is shown that began before this page. An older result is shown
/// only if somebody looks up its booking.
const newsStay = 10_000;
/// The names of banners by the daemon's id of a problem, or by the kind of an error.
const bannersByID = { referenceTaken: "taken", nothingRetained: "nothingKept", presetUnknown: "notOffered" };
const bannersByKind = { conflict: "busy" };
const noBooking = { reference: "", holder: 1, presentations: [], isFound: false };

class Desk {
    /// The state from which the page is drawn. `wiped` names the screen for data that left the page; `earlier` is
    /// the id of a presentation that was over before it was opened here.
    known = { link: "connecting", lane: null, presentation: null, hint: null, wiped: null, earlier: null };
    /// The booking number, the number of its next driver, and its presentations as far as they are known. `isFound`
    /// says whether the daemon was asked for them: kept data may outlive them.
    booking = noBooking;
    laneName = new URLSearchParams(location.search).get("lane") ?? "";
    strings = null;
    daemon = null;
    portrait = new Portrait();
    banner = null;
    isActing = false;
    /// Whether the page asks if the kept data of the booking is to be deleted.
    isDeleting = false;
    /// The milliseconds by which the daemon's clock is ahead of this computer's clock.
    clockOffset = 0;
    #view = new DeskView(this);
    #feed = null;
    #ending = new AbortController();
    #isRefreshing = false;
    #isStale = false;
    /// The id of the presentation that this page does not show again by itself.
    #left = null;
    #bannerTimer = null;
    /// When somebody last pressed something, or a result came.
    #pressed = Date.now();

    async start() {
        const parameters = new URLSearchParams(location.search);
        const code = takeCode();
        const { signal } = this.#ending;
        this.strings = await persist(() => Strings.load(parameters.get("lang"), ...navigator.languages), signal);
        this.home = parameters.has("lang") ? this.strings.language : null;
        addEventListener("pagehide", () => this.#leave());
        // `#leave` has wiped a page that the browser kept and shows again.
        addEventListener("pageshow", (event) => event.persisted && location.reload());
        addEventListener("hashchange", () => location.reload());
        addEventListener("online", () => this.#feed?.hurry());
        const daemon = this.daemon = new Daemon("desk", this.laneName);
        this.render();
        if (code !== null) {
            // If the code is refused, the page may still have the cookie of an earlier code.
            await persist(() => daemon.enter(code), signal, ({ kind }) => !["unreachable", "faulty"].includes(kind));
        }
        this.#feed = new Feed((id, signal) => daemon.events(this.laneName, id, signal), this);
        this.#feed.run(signal);
        for (const name of ["pointerdown", "keydown"]) {
            addEventListener(name, () => { this.#pressed = Date.now(); }, { capture: true });
        }
        setInterval(() => {
            this.#view.showTime();
            this.#endResult();
        }, 1_000);
    }

    render() {
        this.#view.render();
    }

    speak(language) {
        this.home = language;
        this.strings.choose(language);
        this.render();
    }

    retry() {
        this.#feed?.hurry();
    }

    /// Shows a short message.
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
        this.#forget({ link: "lost", lane: null });
    }

    ended(error) {
        this.#book(noBooking);
        this.#view.clear();
        this.#forget({ link: error.kind === "absent" ? "noLane" : "refused", lane: null });
    }

    event() {
        if (this.known.link === "noLane") {
            this.#know({ link: "live" });
        }
        this.#refresh();
    }

    // The clerk's actions.

    /// Begins another booking: nothing of the earlier one stays.
    enter(reference) {
        const { presentation } = this.known;
        const isSame = reference === this.booking.reference && this.known.wiped === null;
        if (this.isActing || isSame || (presentation !== null && !isClosed(presentation))) {
            return;
        }
        this.#left = presentation?.id ?? this.#left;
        this.#book({ ...noBooking, reference });
        this.#forget({ wiped: null });
    }

    /// Finds the presentations of the booking.
    async lookUp() {
        await this.act(() => this.#find());
    }

    async #find() {
        const { reference } = this.booking;
        const presentations = await this.daemon.presentationsOf(reference);
        if (reference !== this.booking.reference) {
            return;
        }
        const last = Math.max(0, ...presentations.map(({ holder }) => holder ?? 1));
        const shown = this.known.presentation?.holder;
        // Only outcomes are kept for the list. The data comes with the presentation that is shown.
        this.#book({
            reference, holder: shown ?? last + 1, isFound: true,
            presentations: presentations.map(({ id, holder, state, outcome, test }) => ({ id, holder, state, outcome, test })),
        });
    }

    /// Replaces the booking. An agreement and a question whether to delete end with the booking or driver that
    /// they are about.
    #book(booking) {
        const isSame = booking.reference === this.booking.reference;
        if (!isSame || booking.holder !== this.booking.holder) {
            this.#view.disagree();
        }
        this.isDeleting &&= isSame;
        this.booking = booking;
    }

    /// Starts a preset for the driver that the page shows. If the booking turns out to have other drivers, they
    /// are shown first.
    async ask(preset, hasConsent) {
        await this.act(async () => {
            const { reference, holder } = this.booking;
            await this.#find();
            if (this.known.presentation !== null || reference !== this.booking.reference || holder !== this.booking.holder) {
                return this.say("changed");
            }
            const consent = hasConsent ? { consent: "given" } : {};
            const [presentation, isNew] = await this.daemon.order(this.laneName, { preset, reference, holder, ...consent });
            this.#open(presentation, !isNew);
        });
    }

    async cancel() {
        await this.act(() => this.daemon.cancel(this.known.presentation.id));
    }

    async decide(decision) {
        await this.act(() => this.daemon.decide(this.known.presentation.id, decision));
    }

    async askAgain() {
        const { presentation } = this.known;
        const again = needsConsent(presentation) ? { consent: "given" } : {};
        await this.act(async () => this.#follow(await this.daemon.askAgain(presentation.id, again)));
    }

    /// Shows a presentation of the booking again, with its data while the daemon has it.
    async show(id) {
        await this.act(async () => {
            const [presentation, now] = await this.daemon.presentation(id);
            this.#open(presentation, !(now - Date.parse(presentation.ended) < newsStay));
        });
    }

    /// Shows a presentation. One that is over and `isOld` is shown as an earlier check, never as a fresh result.
    #open(presentation, isOld) {
        const isEarlier = isOld && typeof presentation.outcome === "string";
        this.known = { ...this.known, earlier: isEarlier ? presentation.id : null };
        this.#follow(presentation);
    }

    /// Makes room for the next driver. The data of this driver leaves the page.
    async addDriver() {
        this.#left = this.known.presentation?.id ?? this.#left;
        this.#forget({ wiped: null });
        await this.lookUp();
    }

    /// Saves the kept data of the booking as a file. It stays at the daemon until it is deleted.
    async export() {
        await this.act(async () => {
            const address = URL.createObjectURL(await this.daemon.export(this.booking.reference));
            this.#view.save(address);
            // The browser reads the file after this task.
            setTimeout(() => URL.revokeObjectURL(address), 10_000);
        }, "exported");
    }

    /// Asks whether the kept data is to be deleted, or withdraws the question.
    askDeletion(isAsked) {
        this.isDeleting = isAsked;
        this.render();
    }

    /// Deletes the kept data of the booking about which the clerk was asked, and removes its data from the page.
    async delete(reference) {
        this.isDeleting = false;
        await this.act(async () => {
            await this.daemon.deleteRetained(reference);
            if (reference !== this.booking.reference) {
                return;
            }
            this.#left = this.known.presentation?.id ?? this.#left;
            this.#forget({ wiped: "deleted" });
        });
    }

    /// Runs an action at the daemon with all buttons disabled, and says if it failed.
    async act(action, done = null) {
        this.isActing = true;
        // A message about the action before would contradict this one, as "The data stays here" after a deletion.
        clearTimeout(this.#bannerTimer);
        this.banner = null;
        this.render();
        try {
            await action();
            if (done !== null) {
                this.say(done);
            }
        } catch (error) {
            if (error.kind === "refused") {
                this.#ending.abort();
                this.ended(error);
            } else {
                this.say(bannersByID[error.id] ?? bannersByKind[error.kind] ?? "failed");
            }
        }
        this.isActing = false;
        this.render();
    }

    // What is known.

    #know(changes) {
        this.known = { ...this.known, ...changes };
        this.render();
    }

    /// Removes the presentation from the page, and applies `changes`.
    #forget(changes = {}) {
        this.portrait.wipe();
        this.#view.disagree();
        this.isDeleting = false;
        this.#know({ presentation: null, hint: null, earlier: null, ...changes });
    }

    /// Ends the display of a result that nobody needs any more. The list of drivers opens it again.
    #endResult() {
        const { presentation } = this.known;
        const isOver = typeof presentation?.outcome === "string" && isClosed(presentation);
        if (isOver && !this.isActing && Date.now() - this.#pressed >= unclosedStay * 1_000) {
            this.#left = presentation.id;
            this.#forget({ wiped: hasFields(presentation) ? "wiped" : null });
            this.lookUp();
        }
    }

    /// Shows a presentation, and nothing of an earlier one.
    #follow(presentation) {
        const before = this.known.presentation;
        if (before?.id !== presentation.id) {
            this.portrait.wipe();
            this.isDeleting = false;
        }
        if (before?.id !== presentation.id || before.outcome !== presentation.outcome) {
            this.#pressed = Date.now();
        }
        const reference = presentation.reference ?? this.booking.reference;
        const isSame = reference === this.booking.reference;
        this.#book({
            reference, holder: presentation.holder ?? 1, presentations: isSame ? this.booking.presentations : [],
            isFound: isSame && this.booking.isFound,
        });
        const hadFields = hasFields(this.known.presentation) && this.known.presentation.id === presentation.id;
        if (hadFields && !hasFields(presentation)) {
            // The daemon has deleted the data that the page shows.
            this.#left = presentation.id;
            return this.#forget({ wiped: "wiped" });
        }
        this.#know({ presentation, hint: presentation.hint ?? null, wiped: null });
        const { portrait } = presentation.result ?? {};
        if (presentation.state === "awaitingDecision" && typeof portrait === "string" && presentation.kind === "display") {
            this.portrait.load(portrait, this.daemon, () => this.render());
        } else {
            this.portrait.wipe();
        }
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
                await this.#fetch();
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

    async #fetch() {
        const lane = await this.daemon.lane(this.laneName);
        this.#feed.heartbeat = lane.kiosk?.heartbeatSeconds ?? this.#feed.heartbeat;
        if (this.home === null && lane.kiosk?.language !== undefined) {
            this.strings.choose(lane.kiosk.language);
        }
        this.home ??= this.strings.language;
        this.#know({ lane });
        const shown = this.known.presentation?.id;
        const id = shown ?? lane.presentation;
        if (id === undefined || (shown === undefined && id === this.#left)) {
            return;
        }
        let presentation, now;
        try {
            [presentation, now] = await this.daemon.presentation(id);
        } catch (error) {
            if (error.kind !== "absent" && error.kind !== "wiped") {
                throw error;
            }
            return this.known.presentation?.id === id ? this.#forget() : undefined;
        }
        this.clockOffset = now - Date.now();
        // The clerk may have begun another presentation, or left this one, while it was fetched.
        const isMine = this.known.presentation?.id === id || (shown === undefined && this.known.presentation === null && this.#left !== id);
        const isNews = !isClosed(presentation) || presentation.state === "awaitingDecision"
            || now - Date.parse(presentation.ended) < newsStay;
        if (isMine && (shown === id || isNews)) {
            const wasOver = shown === id && isClosed(this.known.presentation);
            this.#follow(presentation);
            if (isClosed(presentation) && !wasOver) {
                await this.#find().catch(() => undefined);
                this.render();
            }
        }
    }

    /// Removes everything when the browser leaves the page.
    #leave() {
        this.#ending.abort();
        this.daemon = null;
        this.#book(noBooking);
        this.#view.clear();
        this.#forget({ link: "lost", lane: null });
    }
}

new Desk().start();
