// The pauses between attempts at something that failed.

/// In milliseconds: eight quick ones are the budget, then two a minute.
const quick = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000];
const slow = 30_000;

export class Pauses {
    #failures = 0;
    #end = () => {};

    /// The budget is whole again.
    renew() {
        this.#failures = 0;
    }

    /// Ends the pause that is being taken, with a new budget.
    hurry() {
        this.renew();
        this.#end();
    }

    /// Waits before the next attempt, each time longer, unless `signal` ends it.
    async take(signal) {
        const pause = quick[this.#failures] ?? slow;
        this.#failures += 1;
        await new Promise((resolve) => {
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

/// What `attempt` gives once it succeeds; undefined where `signal` ends it, or it fails as `isFinal` says.
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
