// The pauses between attempts after a failure.

/// The pauses in milliseconds: eight pauses that become longer. Every later pause is half a minute (`slow`).
const quick = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000];
const slow = 30_000;

export class Pauses {
    #failures = 0;
    #end = () => {};

    /// Begins again with the shortest pause.
    renew() {
        this.#failures = 0;
    }

    /// Ends the current pause, and begins again with the shortest pause.
    hurry() {
        this.renew();
        this.#end();
    }

    /// Waits before the next attempt, each time longer. `signal` ends the wait.
    async take(signal) {
        const pause = quick[this.#failures] ?? slow;
        this.#failures += 1;
        await new Promise((resolve) => {
            // Each pause is up to a quarter shorter or longer, so that several pages do not try all at once.
            const timer = setTimeout(resolve, pause * (0.75 + Math.random() / 2));
            this.#end = () => {
                clearTimeout(timer);
                resolve();
            };
            signal.addEventListener("abort", this.#end, { once: true });
        });
        signal.removeEventListener("abort", this.#end);
        this.#end = () => {};
    }
}

/// Repeats `attempt` until it succeeds, and returns its value. Returns undefined if `signal` ends the
/// attempts or `isFinal` says that the failure is final.
export async function persist(attempt, signal, isFinal = () => false) {
    const pauses = new Pauses();
    while (!signal.aborted) {
        try {
            return await attempt();
        } catch (error) {
            if (isFinal(error)) {
                return undefined;
            }
        }
        await pauses.take(signal);
    }
    return undefined;
}
