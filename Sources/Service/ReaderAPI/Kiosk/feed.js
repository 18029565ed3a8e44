// Keeps a stream of events open: resumes it, waits longer between failing attempts, and notices silence.

import { EventParser } from "./event-stream.js";
import { Pauses } from "./pauses.js";

/// So many heartbeats may fail to come before a stream counts as dead.
const missedHeartbeats = 2.5;

/// How long a stream may be away before that is said: a daemon that reloads is back sooner.
const grace = 3_000;

/// From the attempt to the first byte of an answer.
const openDeadline = 10_000;

export class Feed {
    /// Seconds between two signs of life that the daemon promises.
    heartbeat = 15;
    #open;
    #listener;
    #pauses = new Pauses();
    #lastEventID = "";
    #lossTimer = null;

    /// `open(lastEventID, signal)` gives the response; `listener` has `live()`, `event(type, value)`, `lost()` and
    /// `ended(error)`.
    constructor(open, listener) {
        this.#open = open;
        this.#listener = listener;
    }

    /// Returns once `signal` ends it, or the daemon refuses for good.
    async run(signal) {
        while (!signal.aborted) {
            try {
                await this.#listen(signal);
            } catch (error) {
                if (error.kind === "refused" || error.kind === "absent") {
                    clearTimeout(this.#lossTimer);
                    this.#listener.ended(error);
                    return;
                }
            }
            if (signal.aborted) {
                return;
            }
            this.#lossTimer ??= setTimeout(() => this.#listener.lost(), grace);
            await this.#pauses.take(signal);
        }
    }

    /// Ends a pause between attempts, with a new budget of quick ones.
    hurry() {
        this.#pauses.hurry();
    }

    async #listen(signal) {
        const attempt = new AbortController();
        const ends = () => attempt.abort();
        signal.addEventListener("abort", ends);
        let watch = setTimeout(ends, openDeadline);
        const rearm = () => {
            clearTimeout(watch);
            watch = setTimeout(ends, this.heartbeat * missedHeartbeats * 1_000);
        };
        try {
            const response = await this.#open(this.#lastEventID, attempt.signal);
            rearm();
            this.#arrived();
            const parser = new EventParser();
            for await (const bytes of chunks(response.body)) {
                rearm();
                this.#pauses.renew();
                parser.take(bytes).forEach((event) => this.#pass(event));
            }
        } finally {
            clearTimeout(watch);
            signal.removeEventListener("abort", ends);
            attempt.abort();
        }
    }

    #arrived() {
        clearTimeout(this.#lossTimer);
        this.#lossTimer = null;
        this.#listener.live();
    }

    #pass({ type, data, id }) {
        this.#lastEventID = id;
        let value;
        try {
            value = JSON.parse(data);
        } catch {
            return;
        }
        if (value !== null && typeof value === "object") {
            this.#listener.event(type, value);
        }
    }
}

async function* chunks(body) {
    const reader = body.getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) {
                return;
            }
            yield value;
        }
    } finally {
        reader.releaseLock();
    }
}
