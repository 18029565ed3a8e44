// Keeps a stream of events open: resumes it after a loss, waits longer after each failed attempt, and notices
// silence.

import { EventParser } from "./event-stream.js";
import { Pauses } from "./pauses.js";

/// The number of heartbeats after which a silent stream counts as lost.
const missedHeartbeats = 2.5;

/// The milliseconds for which a lost stream is not reported: a daemon that reloads is back sooner.
const grace = 3_000;

/// The time limit from an attempt to the head of its answer, in milliseconds.
const openDeadline = 10_000;

export class Feed {
    /// The longest time in seconds between two messages of the daemon.
    heartbeat = 15;
    #open;
    #listener;
    #pauses = new Pauses();
    #lastEventID = "";
    #lossTimer = null;

    /// - open: `open(lastEventID, signal)` returns the response.
    /// - listener: has `live()` (called when the stream is open), `event(type, value)`, `lost()` (called when
    ///   the stream was lost for longer than `grace`) and `ended(error)` (called when no further attempt
    ///   follows).
    constructor(open, listener) {
        this.#open = open;
        this.#listener = listener;
    }

    /// Receives events until `signal` ends the feed, or the daemon refuses the page or does not know the
    /// lane.
    async run(signal) {
        while (!signal.aborted) {
            try {
                await this.#listen(signal);
            } catch (error) {
                // After any other failure, the loop makes another attempt.
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

    /// Ends a pause between attempts; the next pauses are short again.
    hurry() {
        this.#pauses.hurry();
    }

    /// Opens the stream and passes on its events until it ends. Silence ends the stream too.
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

    /// Passes an event to the listener. An event without a JSON object is ignored.
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

/// Yields the bytes of a body as they arrive. Not every browser can iterate over a body itself.
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
