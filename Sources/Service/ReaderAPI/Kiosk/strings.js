// The words of the page: one table, one language at a time.

import { plain } from "./text.js";

export { plain };

const unitSeconds = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/// How long the table may take to come, in milliseconds.
const loadDeadline = 10_000;

export class Strings {
    #table;
    /// The lane's own words, by language and key.
    #own = {};
    language;

    constructor(table, language) {
        this.#table = table;
        this.choose(language);
    }

    /// The table from the daemon; throws where it does not come whole.
    static async load(...wishes) {
        const response = await fetch("/kiosk/strings.json", {
            credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(loadDeadline),
        });
        if (!response.ok) {
            throw new Error(`strings.json: ${response.status}`);
        }
        const table = await response.json();
        return new Strings(table, Strings.best(table, wishes) ?? "en");
    }

    /// The first wish that the table can fulfil; regions are left aside where it has none.
    static best(table, wishes) {
        return wishes.flatMap((wish) => [wish, String(wish).split("-")[0]]).find((wish) => Object.hasOwn(table, wish));
    }

    /// Takes the lane's own words in place of the table's.
    replace(texts) {
        this.#own = texts ?? {};
    }

    /// Speaks a language from now on, if it is there.
    choose(language) {
        this.language = Strings.best(this.#table, [language]) ?? this.language ?? "en";
        document.documentElement.lang = this.language;
        document.documentElement.dir = this.direction;
    }

    get direction() {
        return this.#table[this.language].direction;
    }

    /// `[tag, name]` of each language.
    get languages() {
        return Object.entries(this.#table).map(([tag, { name }]) => [tag, name]);
    }

    /// The words for `key`, with the values put in. Texts are set apart so that each keeps its own direction.
    text(key, values = {}) {
        const own = this.#own[this.language]?.[key];
        if (typeof own === "string") {
            return plain(own);
        }
        const words = this.#table[this.language].strings[key] ?? key;
        return words.replace(/\{(\w+)\}/g, (_, name) => {
            const value = values[name];
            return typeof value === "number" ? value.toLocaleString(this.language) : `\u2068${plain(value)}\u2069`;
        });
    }

    has(key) {
        return Object.hasOwn(this.#table[this.language].strings, key);
    }

    /// A duration in its largest unit, such as "3 hours".
    duration(seconds) {
        const [unit, size] = unitSeconds.find(([, size]) => seconds >= size) ?? ["second", 1];
        const format = new Intl.NumberFormat(this.language, { style: "unit", unit, unitDisplay: "long" });
        return format.format(Math.max(0, Math.floor(seconds / size)));
    }

    /// The name of a country by its ISO 3166-1 code.
    country(code) {
        try {
            return new Intl.DisplayNames(this.language, { type: "region" }).of(code) ?? code;
        } catch {
            return code;
        }
    }
}
