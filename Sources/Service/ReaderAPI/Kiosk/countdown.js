// The time for which the daemon still waits for the holder or for the clerk.

import { element } from "./elements.js";
import { write } from "./view.js";

/// The milliseconds between two updates.
const tick = 250;
/// The number of seconds below which the time is shown in seconds.
const lastMinute = 60;

/// Returns the wait of a fetched presentation, or null if the daemon waits for nobody. Only the daemon's clock
/// counts: `now` is the daemon's time in milliseconds since 1970, and `earlier` the last known wait.
export function waitOf({ id, state, deadline }, now, earlier) {
    const milliseconds = Date.parse(deadline) - now;
    if (!Number.isFinite(milliseconds)) {
        return null;
    }
    const isSame = earlier?.id === id && earlier.state === state;
    const left = Math.max(0, milliseconds);
    return { id, state, until: performance.now() + left, whole: isSame ? Math.max(earlier.whole, left) : left };
}

/// A thin bar and the time in words. A screen reader reads the time only when its user asks for it, because
/// the role `timer` is not announced.
export class Countdown {
    #node;
    #bar = element("div", { class: "bar", "aria-hidden": "true" }, element("i"));
    #text = element("span");
    #timer = null;
    #wait = null;
    #strings = null;

    constructor(node) {
        this.#node = node;
        node.setAttribute("role", "timer");
        node.append(this.#bar, this.#text);
    }

    /// Shows the wait if it is for the presentation's current state.
    show({ presentation, wait }, strings) {
        const isAwaited = wait !== null && presentation?.id === wait.id && presentation.state === wait.state;
        this.#wait = isAwaited ? wait : null;
        this.#strings = strings;
        this.#node.hidden = !isAwaited;
        if (!isAwaited) {
            clearInterval(this.#timer);
            this.#timer = null;
            return;
        }
        this.#timer ??= setInterval(() => this.#draw(), tick);
        this.#draw();
    }

    #draw() {
        const left = Math.max(0, this.#wait.until - performance.now());
        const share = this.#wait.whole === 0 ? 0 : left / this.#wait.whole;
        this.#bar.firstChild.style.setProperty("inline-size", `${(100 * share).toFixed(1)}%`);
        write(this.#text, timeText(Math.ceil(left / 1_000), this.#strings));
    }
}

function timeText(seconds, strings) {
    if (seconds <= 0) {
        return strings.text("time.over");
    }
    return seconds < lastMinute ? strings.text("time.seconds", { duration: strings.duration(seconds) })
        : strings.text("time.minutes", { duration: strings.duration(Math.round(seconds / lastMinute) * lastMinute) });
}
