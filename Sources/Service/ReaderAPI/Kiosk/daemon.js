// The daemon over HTTP, by the cookie of this page and lane, or of the owner's page.

/// How long one question to the daemon may take, in milliseconds.
const answerDeadline = 10_000;

/// How long it may take to verify or to write out all receipts, in milliseconds.
const receiptsDeadline = 120_000;

/// Why the daemon did not do what was asked. `kind`: `refused` (no capability for it), `absent` (no such thing),
/// `wiped`, `conflict`, `unreachable`, `faulty`.
export class DaemonError extends Error {
    constructor(kind) {
        super(kind);
        this.kind = kind;
    }

    static of(status) {
        const kinds = { 401: "refused", 403: "refused", 404: "absent", 409: "conflict", 410: "wiped" };
        return new DaemonError(kinds[status] ?? "faulty");
    }
}

/// The members of an answer; one that is null is not there.
async function values(response) {
    return JSON.parse(await response.text(), (_, value) => value ?? undefined);
}

export class Daemon {
    #place;

    /// - page: `kiosk` or `clerk`, or `owner`, which has no lane.
    constructor(page, lane = null) {
        this.#place = lane === null ? page : `${page}-${lane.replace(/[^A-Za-z0-9_-]/g, "")}`;
    }

    /// Changes a code into the cookie, which no script reads.
    async enter(code) {
        await this.#ask("POST", "/v1/page-sessions", { code });
    }

    async lane(name) {
        return values(await this.#ask("GET", `/v1/lanes/${encodeURIComponent(name)}`));
    }

    /// The presentation, and the daemon's time in milliseconds since 1970.
    async presentation(id) {
        const response = await this.#ask("GET", this.#address(id));
        return [await values(response), Date.parse(response.headers.get("Date"))];
    }

    /// An image; only what this origin serves under `/v1/` is fetched.
    async image(path) {
        const address = new URL(path, location.origin);
        if (address.origin !== location.origin || !address.pathname.startsWith("/v1/")) {
            throw new DaemonError("absent");
        }
        const blob = await (await this.#ask("GET", address.pathname + address.search)).blob();
        if (!/^image\/(png|jpeg|svg\+xml)$/.test(blob.type)) {
            throw new DaemonError("faulty");
        }
        return blob;
    }

    async decide(id, decision) {
        await this.#ask("POST", `${this.#address(id)}/decision`, { decision });
    }

    async engage(id, uri) {
        await this.#ask("POST", `${this.#address(id)}/engagement`, { uri });
    }

    /// Starts a preset of the lane.
    async start(lane, preset) {
        await this.#ask("POST", `/v1/lanes/${encodeURIComponent(lane)}/presentations`, { preset });
    }

    /// Orders once more what a presentation of the lane asked.
    async askAgain(id) {
        await this.#ask("POST", `${this.#address(id)}/again`, {});
    }

    async owner() {
        return values(await this.#ask("GET", "/v1/owner"));
    }

    /// Receipts in their order, from the one after this number on.
    async receipts(after, limit) {
        return values(await this.#ask("GET", `/v1/receipts?after=${after}&limit=${limit}`));
    }

    async verifyReceipts() {
        return values(await this.#ask("GET", "/v1/receipt-verification", undefined, receiptsDeadline));
    }

    /// All receipts as a file in CSV.
    async receiptTable() {
        return (await this.#ask("GET", "/v1/receipts.csv", undefined, receiptsDeadline)).blob();
    }

    async cancel(id) {
        await this.#ask("DELETE", this.#address(id));
    }

    /// The lane's events from the one after `lastEventID` on, as a stream that stays open until `signal` ends it.
    async events(lane, lastEventID, signal) {
        const resume = lastEventID === "" ? {} : { "Last-Event-ID": lastEventID };
        return this.#send("GET", `/v1/lanes/${encodeURIComponent(lane)}/events`, {
            headers: { Accept: "text/event-stream", ...resume },
            signal,
        });
    }

    #address(id) {
        return `/v1/presentations/${encodeURIComponent(id)}`;
    }

    #ask(method, path, body, deadline = answerDeadline) {
        const content = body === undefined ? {} : {
            headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        };
        return this.#send(method, path, { ...content, signal: AbortSignal.timeout(deadline) });
    }

    async #send(method, path, { headers = {}, ...rest }) {
        let response;
        try {
            response = await fetch(path, {
                ...rest, method, headers: { ...headers, "Countersign-Page": this.#place },
                mode: "same-origin", credentials: "same-origin", cache: "no-store", redirect: "error",
                referrerPolicy: "no-referrer",
            });
        } catch {
            throw new DaemonError("unreachable");
        }
        if (!response.ok) {
            throw DaemonError.of(response.status);
        }
        return response;
    }
}
