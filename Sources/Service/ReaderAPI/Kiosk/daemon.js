// The requests of a page to the daemon, with the cookie of the page.

/// The time limit of a request, in milliseconds.
const answerDeadline = 10_000;

/// The time limit of a request that reads all receipts, in milliseconds.
const receiptsDeadline = 120_000;

/// The reason why a request failed. `kind` is `refused` (the page has no access), `absent` (there is no such
/// thing), `wiped`, `conflict`, `unreachable` or `faulty`. `id` is the daemon's id of the problem, if it sent
/// one.
export class DaemonError extends Error {
    constructor(kind, id = null) {
        super(kind);
        this.kind = kind;
        this.id = id;
    }

    static async of(response) {
        const kinds = { 401: "refused", 403: "refused", 404: "absent", 409: "conflict", 410: "wiped" };
        const { id } = await response.json().catch(() => ({})) ?? {};
        return new DaemonError(kinds[response.status] ?? "faulty", typeof id === "string" ? id : null);
    }
}

/// Parses an answer, and leaves out members that are null.
async function values(response) {
    return JSON.parse(await response.text(), (_, value) => value ?? undefined);
}

export class Daemon {
    #place;

    /// - page: `kiosk`, `clerk`, `desk`, or `owner`, which has no lane.
    constructor(page, lane = null) {
        // The name comes from the page's address. No lane's name has other characters, and a header cannot
        // carry all of them.
        this.#place = lane === null ? page : `${page}-${lane.replace(/[^A-Za-z0-9_-]/g, "")}`;
    }

    /// Exchanges a code for the page's cookie, which scripts cannot read.
    async enter(code) {
        await this.#ask("POST", "/v1/page-sessions", { code });
    }

    /// Exchanges three words for the cookie of a page. Returns `page` and `lane` of that page.
    async pair(words) {
        return values(await this.#ask("POST", "/v1/page-sessions", { words }));
    }

    /// Returns `page` and `lane` of each page for which this browser has a cookie.
    async opened() {
        return (await values(await this.#ask("GET", "/v1/page-sessions"))).pages;
    }

    async lane(name) {
        return values(await this.#ask("GET", `/v1/lanes/${encodeURIComponent(name)}`));
    }

    /// Returns a presentation, and the daemon's time in milliseconds since 1970.
    async presentation(id) {
        const response = await this.#ask("GET", this.#address(id));
        return [await values(response), Date.parse(response.headers.get("Date"))];
    }

    /// Returns an image. Only paths of this origin under `/v1/` are fetched.
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

    /// Sends a decision. Returns the presentation as it is then.
    async decide(id, decision) {
        return values(await this.#ask("POST", `${this.#address(id)}/decision`, { decision }));
    }

    async engage(id, uri) {
        await this.#ask("POST", `${this.#address(id)}/engagement`, { uri });
    }

    /// Starts a preset of the lane.
    async start(lane, preset) {
        await this.#ask("POST", `/v1/lanes/${encodeURIComponent(lane)}/presentations`, { preset });
    }

    /// Starts a preset of the lane that asks for data. Returns its presentation, and whether it is new: the daemon
    /// answers the same order with the earlier presentation.
    ///
    /// - order: `preset`, `reference`, `holder` and, if the holder agreed to the retention, `consent`.
    async order(lane, order) {
        const response = await this.#ask("POST", `/v1/lanes/${encodeURIComponent(lane)}/presentations`, order);
        return [await values(response), response.status === 201];
    }

    /// Repeats the order of a presentation of the lane, and returns the new presentation.
    ///
    /// - again: `consent` if the holder agreed to the retention again; only the desk's page sends it.
    async askAgain(id, again = {}) {
        return values(await this.#ask("POST", `${this.#address(id)}/again`, again));
    }

    /// Returns the page's presentations with this reference.
    async presentationsOf(reference) {
        const { presentations } = await values(await this.#ask("GET", `/v1/presentations?reference=${encodeURIComponent(reference)}`));
        return presentations;
    }

    /// Returns the data that is retained for a reference, as a file. The data stays.
    async export(reference) {
        return (await this.#ask("POST", "/v1/exports", { reference })).blob();
    }

    /// Deletes the data that is retained for a reference.
    async deleteRetained(reference) {
        await this.#ask("POST", "/v1/deletions", { reference });
    }

    async owner() {
        return values(await this.#ask("GET", "/v1/owner"));
    }

    /// Returns receipts in their order, beginning after the number `after`.
    async receipts(after, limit) {
        return values(await this.#ask("GET", `/v1/receipts?after=${after}&limit=${limit}`));
    }

    async verifyReceipts() {
        return values(await this.#ask("GET", "/v1/receipt-verification", undefined, receiptsDeadline));
    }

    /// Returns all receipts as a CSV file.
    async receiptTable() {
        return (await this.#ask("GET", "/v1/receipts.csv", undefined, receiptsDeadline)).blob();
    }

    async cancel(id) {
        await this.#ask("DELETE", this.#address(id));
    }

    /// Opens the stream of the lane's events, from the event after `lastEventID` on. `signal` ends the
    /// stream.
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
                // With no-referrer, the policy of the page, Firefox sends the origin null, which the daemon refuses.
                referrerPolicy: "same-origin",
            });
        } catch {
            throw new DaemonError("unreachable");
        }
        if (!response.ok) {
            throw await DaemonError.of(response);
        }
        return response;
    }
}
