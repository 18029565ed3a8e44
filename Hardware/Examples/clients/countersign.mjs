// @ts-check
/**
 * A client of countersignd in one file. It needs Node.js 18 or later and nothing else: copy it beside your program.
 *
 *     const client = new Client("http://127.0.0.1:8411", token);
 *     const ended = await client.check({ kind: "display", intent: "age over 21", reference: "till-7/2026-11-25/4711" });
 *     const maySell = ended.outcome === "allow";
 *
 * Every answer is checked: a member that is missing or has another type, and an outcome that is not in `OUTCOMES`, throw
 * `Malformed`, so that nothing unknown is ever taken for `allow`. `SHAPES` and the types are named as in the daemon's OpenAPI
 * document, and have the members of that document which this client uses.
 */

/** @typedef {"allow" | "deny" | "unclear" | "declined" | "cancelled" | "failed"} Outcome */
/**
 * @typedef {object} Order
 * @property {"display" | "data"} kind
 * @property {string} intent
 * @property {string} [lane]
 * @property {string} [reference]
 * @property {number} [holder]
 * @property {"check" | "checkMultiple" | "confirm"} [validation]
 * @property {string} [retention]
 * @property {"given" | "not-given"} [consent]
 * @property {{intent: string, retention?: string}} [then]
 * @property {string} [readerToken]
 * @property {string} [identity]
 * @property {string} [wallet]
 * @property {string} [webhook]
 */
/**
 * @typedef {object} Result
 * @property {string} verdict
 * @property {boolean} test
 * @property {Record<string, unknown>[]} answers
 * @property {Record<string, unknown>[]} missing
 * @property {string | null} receipt
 * @property {Record<string, unknown>[] | null} [documents]
 */
/**
 * @typedef {object} Presentation
 * @property {string} id
 * @property {string} lane
 * @property {string | null} reference
 * @property {string} state
 * @property {string | null} hint
 * @property {Outcome | null} outcome
 * @property {boolean | null} test
 * @property {string[]} reasons
 * @property {string | null} ended
 * @property {Result} [result]
 */
/**
 * @typedef {object} EndedEvent
 * @property {string} presentation
 * @property {string} lane
 * @property {string} state
 * @property {Outcome} outcome
 * @property {boolean | null} test
 * @property {string[]} [reasons]
 * @property {Result} [result]
 */
/**
 * @typedef {object} PresentationEvent
 * @property {string} presentation
 * @property {string} lane
 * @property {string} state
 * @property {string} [hint]
 */
/**
 * @typedef {object} Receipt
 * @property {string} id
 * @property {number} sequence
 * @property {string} digest
 * @property {string} previous
 * @property {Record<string, unknown> | null} statement
 */
/**
 * @typedef {object} Receipts
 * @property {Receipt[]} receipts
 * @property {number} count
 */
/**
 * @typedef {object} Problem
 * @property {string} id
 * @property {number} status
 * @property {string} detail
 * @property {string} [pointer]
 * @property {string} [presentation]
 */
/** @typedef {{id: string | undefined, name: string, data: PresentationEvent | EndedEvent, ended: Ended | undefined}} Event */
/**
 * The end of a presentation. Sell only if `outcome === "allow"`.
 * @typedef {{presentation: string, outcome: Outcome, test: boolean | null, reasons: string[], result: Result | undefined}} Ended
 */

/** @type {readonly string[]} */
export const OUTCOMES = ["allow", "deny", "unclear", "declined", "cancelled", "failed"];
/** The events of a presentation. Others, also those of later versions, are passed over. */
export const EVENTS = ["armed", "engaged", "awaitingConsent", "receiving", "awaitingDecision", "hintChanged", "ended", "wiped",
    "receiptWritten"];
/** The members of the answers and their types: `?` after a name is a member that may be absent, `|null` a type with null. */
export const SHAPES = {
    Result: { verdict: "string", test: "boolean", answers: "object[]", missing: "object[]", receipt: "string|null", "documents?": "object[]|null" },
    Presentation: {
        id: "string", lane: "string", reference: "string|null", state: "string", hint: "string|null", outcome: "Outcome|null",
        test: "boolean|null", reasons: "string[]", ended: "string|null", "result?": "Result",
    },
    EndedEvent: {
        presentation: "string", lane: "string", state: "string", outcome: "Outcome", test: "boolean|null", "reasons?": "string[]",
        "result?": "Result",
    },
    PresentationEvent: { presentation: "string", lane: "string", state: "string", "hint?": "string" },
    Receipt: { id: "string", sequence: "integer", digest: "string", previous: "string", statement: "object|null" },
    Receipts: { receipts: "Receipt[]", count: "integer" },
    Problem: { id: "string", status: "integer", detail: "string", "pointer?": "string", "presentation?": "string" },
};

/** Every error of this client. */
export class CountersignError extends Error {}
/** The address of the daemon is not one to which the token may be sent. */
export class AddressRefused extends CountersignError {}
/** The daemon did not answer in time, or the connection broke. The request may have been carried out. */
export class Unreachable extends CountersignError {}
/** An answer is not as the OpenAPI document has it, or is too long. */
export class Malformed extends CountersignError {}
/** A webhook is not from the daemon, or is too old. */
export class WebhookRefused extends CountersignError {}
/** The time of `check` is over and the daemon does not answer. The check may still be open. */
export class Overdue extends CountersignError {}
/** The daemon refused a request. Act on `id`; `detail` says what happened and what to do. */
export class Refused extends CountersignError {
    /**
     * @param {Problem} problem
     * @param {number | undefined} retryAfter in seconds
     */
    constructor(problem, retryAfter) {
        super(problem.detail);
        this.id = problem.id;
        this.status = problem.status;
        this.detail = problem.detail;
        this.problem = problem;
        this.retryAfter = retryAfter;
    }
    /** Whether the same request would be refused again: no lane has to become free first. */
    get isFinal() { return this.status < 500 && this.retryAfter === undefined; }
}

const LONGEST_ANSWER = 1 << 24; // bytes
const LONGEST_LINE = 1 << 20; // characters
const SILENCE = 40; // seconds; the daemon's streams are never silent for so long

/**
 * Returns a JSON value that has the shape of a name of `SHAPES`, or throws `Malformed`.
 * @param {unknown} value @param {string} shape @returns {any}
 */
export function shaped(value, shape, where = "the answer") {
    if (!hasShape(value, shape)) throw new Malformed(`${where} is not a ${shape} of the daemon's OpenAPI document`);
    return value;
}

/** @param {unknown} value @param {string} shape @returns {boolean} */
function hasShape(value, shape) {
    if (shape.endsWith("|null")) return value === null || hasShape(value, shape.slice(0, -5));
    if (shape.endsWith("[]")) return Array.isArray(value) && value.every((item) => hasShape(item, shape.slice(0, -2)));
    if (shape === "Outcome") return typeof value === "string" && OUTCOMES.includes(value);
    if (shape === "integer") return Number.isInteger(value);
    if (shape === "string" || shape === "boolean") return typeof value === shape;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const members = shape === "object" ? {} : /** @type {Record<string, Record<string, string>>} */ (SHAPES)[shape];
    return Object.entries(members).every(([name, inner]) => {
        const key = name.replace("?", "");
        return Object.hasOwn(value, key) ? hasShape(/** @type {Record<string, unknown>} */ (value)[key], inner) : name.endsWith("?");
    });
}

/**
 * The end of a presentation, or undefined while it is open.
 * @param {Presentation} presentation @returns {Ended | undefined}
 */
function endOf({ id, outcome, test, reasons, result }) {
    return outcome === null ? undefined : { presentation: id, outcome, test, reasons, result };
}

/** One daemon, with the token of one program. */
export class Client {
    #url; #timeout; #headers;

    /**
     * Over plain HTTP only a daemon of this computer is asked: anybody between would read the token.
     * @param {string} url @param {string} token @param {number} timeout in seconds
     */
    constructor(url, token, timeout = SILENCE) {
        if (!/^(https:\/\/[^/]|http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]+)?(\/|$))/i.test(url)) {
            throw new AddressRefused(`${url}: give an address with https://, or http:// with 127.0.0.1, ::1 or localhost`);
        }
        this.#url = url.replace(/\/+$/, "");
        this.#timeout = timeout;
        this.#headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    }

    /**
     * Orders a check, or returns the existing presentation of the same `reference`.
     * @param {Order} order @returns {Promise<Presentation>}
     */
    order(order) { return this.#call("POST", "/v1/presentations", "Presentation", order); }

    /** @param {string} presentation @returns {Promise<Presentation>} */
    presentation(presentation) { return this.#call("GET", `/v1/presentations/${encodeURIComponent(presentation)}`, "Presentation"); }

    /**
     * Ends a check: the customer is no longer asked. The answer has the outcome, even one that came just now.
     * @param {string} presentation @returns {Promise<Presentation>}
     */
    cancel(presentation) { return this.#call("DELETE", `/v1/presentations/${encodeURIComponent(presentation)}`, "Presentation"); }

    /**
     * The receipts after this sequence number, in their order (scope admin).
     * @returns {AsyncGenerator<Receipt, void>}
     */
    async *receipts(after = 0) {
        for (;;) {
            /** @type {Receipts} */
            const { receipts } = await this.#call("GET", `/v1/receipts?after=${after}&limit=100`, "Receipts");
            if (receipts.length === 0) return;
            yield* receipts;
            after = receipts[receipts.length - 1].sequence;
        }
    }

    /**
     * The events of one connection, for at most these seconds. `after`: the id of the last event that you have.
     * @param {string} presentation @param {string | undefined} after @returns {AsyncGenerator<Event, void>}
     */
    async *events(presentation, seconds = SILENCE, after = undefined) {
        /** @type {Record<string, string>} */
        const headers = after === undefined ? {} : { "Last-Event-ID": after };
        const answer = await this.#open("GET", `/v1/presentations/${encodeURIComponent(presentation)}/events`, undefined,
            Math.min(seconds, this.#timeout), headers);
        let text = "", /** @type {Record<string, string>} */ fields = {};
        const decoder = new TextDecoder();
        for await (const chunk of chunks(answer)) {
            const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
            text = lines.pop() ?? "";
            if (text.length > LONGEST_LINE) throw new Malformed(`an event of ${presentation} is longer than ${LONGEST_LINE} characters`);
            for (const line of lines) {
                const colon = line.indexOf(":");
                if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "").replace(/\r$/, "");
                if (line.trim() !== "") continue;
                const { id, event: name } = fields;
                if (EVENTS.includes(name)) {
                    const data = shaped(parsed(fields.data ?? ""), name === "ended" ? "EndedEvent" : "PresentationEvent", `the event ${name}`);
                    const ended = name === "ended" ? endOf({ ...data, id: data.presentation, reasons: data.reasons ?? [] }) : undefined;
                    yield { id, name, data, ended };
                }
                fields = {};
            }
        }
    }

    /**
     * Shows each event until the end, through broken connections and restarts of the daemon. undefined: the time is over.
     * @param {string} presentation @param {number} seconds @param {(event: Event) => void} show @returns {Promise<Ended | undefined>}
     */
    async follow(presentation, seconds, show = () => {}) {
        const end = Date.now() + 1000 * seconds;
        let /** @type {string | undefined} */ last;
        for (let left = seconds; left > 0; left = (end - Date.now()) / 1000) {
            try {
                for await (const event of this.events(presentation, Math.min(left, SILENCE), last)) {
                    if (event.ended) return event.ended;
                    last = event.id ?? last;
                    show(event);
                }
            } catch (error) {
                // It has no events since the daemon's restart.
                if (error instanceof Refused && error.id === "presentationOver") return endOf(await this.presentation(presentation));
                await pauseAfter(error);
            }
        }
        return undefined;
    }

    /**
     * Orders a check and follows it to its end. After these seconds the check is cancelled.
     *
     * The order needs a `reference`: with it the daemon continues the same check after a lost answer, a restart or a crash of
     * your program. `wait` hears once why the daemon cannot take the order yet, such as a busy lane. Throws `Refused` for an
     * order that the daemon will never take, and `Overdue` if the daemon does not answer until 30 s after the end.
     * @param {Order} order @param {number} seconds @param {(event: Event) => void} show @param {(refusal: Refused) => void} wait
     * @returns {Promise<Ended>}
     */
    async check(order, seconds = 600, show = () => {}, wait = () => {}) {
        if (order.reference === undefined) throw new TypeError("an order for check needs a reference");
        const end = Date.now() + 1000 * seconds;
        let /** @type {string | undefined} */ said;
        for (let left = seconds; left > -30; left = (end - Date.now()) / 1000) {
            let isOrdered = false;
            try {
                const presentation = await this.order(order);
                isOrdered = true;
                const ended = endOf(presentation)
                    ?? (left > 0 ? await this.follow(presentation.id, left, show) : endOf(await this.cancel(presentation.id)));
                if (ended) return ended;
            } catch (error) {
                // A check that ended meanwhile is ordered again, for its outcome.
                if (error instanceof Refused && error.isFinal && !isOrdered) throw error;
                if (error instanceof Refused && error.detail !== said) wait(error);
                if (error instanceof Refused) said = error.detail;
                await pauseAfter(error, isOrdered);
            }
        }
        throw new Overdue("The daemon did not answer in time. The check may still be open: order again with the same reference.");
    }

    /** @param {string} method @param {string} path @param {string} shape @param {unknown} [body] */
    async #call(method, path, shape, body) {
        return shaped(parsed(await whole(await this.#open(method, path, body))), shape, `the answer to ${method} ${path}`);
    }

    /** @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} headers */
    async #open(method, path, body, seconds = this.#timeout, headers = {}) {
        /** @type {Response} */
        let answer;
        try {
            answer = await fetch(this.#url + path, {
                method, headers: { ...this.#headers, ...headers }, body: body === undefined ? undefined : JSON.stringify(body),
                signal: timeout(seconds), redirect: "manual", // The token goes to the named daemon only.
            });
        } catch (error) {
            throw new Unreachable(`${this.#url} does not answer: ${/** @type {any} */ (error).cause?.message ?? error}`);
        }
        if (answer.ok) return answer;
        const wait = answer.headers.get("Retry-After") ?? "";
        const retryAfter = /^[0-9]+$/.test(wait) ? Math.min(Number(wait), 60) : undefined;
        try {
            throw new Refused(shaped(parsed(await whole(answer)), "Problem"), retryAfter);
        } catch (error) {
            if (!(error instanceof Malformed)) throw error;
            // A server between, such as a proxy, answered.
            const { status } = answer;
            throw new Refused({ id: `http.${status}`, status, detail: `the server answered ${status}, not the daemon` }, retryAfter);
        }
    }
}

/**
 * The end of a presentation, from a webhook whose signature and time are right. Throws `WebhookRefused` otherwise.
 *
 * `secret` is the content of the file `webhooks.secretFile`, to the last byte; `headers` have names in lower case, as Node.js
 * gives them. The daemon may send a webhook again: do nothing if you already have this `presentation`.
 * @param {Uint8Array} secret @param {Record<string, string | string[] | undefined>} headers @param {Uint8Array} body
 * @returns {Promise<Ended>}
 */
export async function webhook(secret, headers, body, now = Date.now() / 1000) {
    const timestamp = String(headers["countersign-timestamp"] ?? "");
    const [, hexadecimal = ""] = /^v1=((?:[0-9a-f]{2})+)$/.exec(String(headers["countersign-signature"] ?? "")) ?? [];
    if (body.length > LONGEST_ANSWER) throw new WebhookRefused("the webhook is too long");
    // @ts-ignore: the types of Node.js are not needed for anything else.
    const { subtle } = globalThis.crypto ?? (await import("node:crypto")).webcrypto; // Node.js 18 has no global one.
    const key = await subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    const head = new TextEncoder().encode(`${timestamp}.`), signed = new Uint8Array(head.length + body.length);
    signed.set(head);
    signed.set(body, head.length);
    const signature = Uint8Array.from(hexadecimal.match(/../g) ?? [], (byte) => parseInt(byte, 16));
    if (!(await subtle.verify("HMAC", key, signature, signed))) {
        throw new WebhookRefused("the signature is not the daemon's: compare the secret with the file webhooks.secretFile");
    }
    if (!/^[0-9]+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) {
        throw new WebhookRefused("the webhook is older than five minutes, or a clock is wrong");
    }
    const ended = endOf(shaped(parsed(new TextDecoder().decode(body)), "Presentation", "the webhook"));
    if (!ended) throw new Malformed("the webhook has no outcome");
    return ended;
}

/** @param {Response} answer @returns {AsyncGenerator<Uint8Array, void>} */
async function* chunks(answer) {
    const reader = answer.body?.getReader();
    try {
        for (let read; reader && !(read = await reader.read()).done;) yield read.value;
    } catch (error) {
        throw new Unreachable(`the connection broke: ${error}`);
    } finally {
        reader?.cancel().catch(() => {});
    }
}

/**
 * A body within the limit of size; the signal of its request limits the time.
 * @param {Response} answer
 */
async function whole(answer) {
    let text = "", size = 0;
    const decoder = new TextDecoder();
    for await (const chunk of chunks(answer)) {
        if ((size += chunk.length) > LONGEST_ANSWER) throw new Malformed(`an answer is longer than ${LONGEST_ANSWER} bytes`);
        text += decoder.decode(chunk, { stream: true });
    }
    return text;
}

/**
 * @param {number} seconds
 * @returns {AbortSignal}
 */
function timeout(seconds) {
    return /** @type {any} */ (AbortSignal).timeout(Math.ceil(1000 * seconds)); // Older types lack it, Node.js 18 does not.
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        throw new Malformed("an answer is not JSON: is this address the daemon's?");
    }
}

/**
 * Waits after an error that may pass, and throws every other one.
 * @param {unknown} error
 */
async function pauseAfter(error, mayAnyRefusalPass = false) {
    const mayPass = error instanceof Unreachable || error instanceof Refused && (mayAnyRefusalPass || !error.isFinal);
    if (!mayPass) throw error;
    const seconds = error instanceof Refused ? error.retryAfter ?? 1 : 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}
