// A parser of server-sent events (HTML, "Server-sent events") for a fetched body. `EventSource` cannot be
// used, because it sends no header that names the page.

/// The maximum length of a line and of an event's data, in characters.
const longest = 65_536;

/// A parser of one stream.
export class EventParser {
    #decoder = new TextDecoder();
    #rest = "";
    #data = [];
    #size = 0;
    #type = "";
    #id = "";
    #isFirst = true;

    /// Returns the events that these bytes complete, each `{ type, data, id }`. Throws if a line or an event
    /// is too long.
    take(bytes) {
        let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
        // The specification ignores a byte order mark at the beginning.
        if (this.#isFirst && text !== "") {
            this.#isFirst = false;
            text = text.replace(/^\ufeff/, "");
        }
        // A CR at the end may be the first half of a CRLF.
        const lines = text.split(/\r\n|\n|\r(?!$)/);
        this.#rest = lines.pop();
        if (this.#rest.length > longest) {
            throw new RangeError("line");
        }
        return lines.map((line) => this.#takeLine(line)).filter((event) => event !== null);
    }

    /// Reads a line. Returns the event that an empty line completes, otherwise null.
    #takeLine(line) {
        if (line === "") {
            return this.#complete();
        }
        const [, field, value] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line);
        if (field === "data") {
            this.#size += value.length;
            if (this.#size > longest) {
                throw new RangeError("event");
            }
            this.#data.push(value);
        } else if (field === "event") {
            this.#type = value;
        } else if (field === "id" && !value.includes("\0")) {
            // The specification ignores an id with NUL.
            this.#id = value;
        }
        return null;
    }

    /// Ends an event. An event without data is not returned, as the specification demands.
    #complete() {
        const event = { type: this.#type || "message", data: this.#data.join("\n"), id: this.#id };
        const isEmpty = this.#data.length === 0;
        this.#data = [];
        this.#size = 0;
        this.#type = "";
        return isEmpty ? null : event;
    }
}
