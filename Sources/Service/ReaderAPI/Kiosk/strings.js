// The texts of the pages in one language at a time, from `strings.json`.

import { plain } from "./text.js";

export { plain };

const unitSeconds = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/// The time limit for loading the table, in milliseconds.
const loadDeadline = 10_000;

export class Strings {
    #table;
    /// The lane's own texts, by language and key.
    #own = {};
    language;

    constructor(table, language) {
        this.#table = table;
        this.choose(language);
    }

    /// Loads the table from the daemon. `wishes` are the wished languages, the best first. Throws if the
    /// table cannot be loaded completely.
    static async load(...wishes) {
        const response = await fetch(new URL("strings.json", import.meta.url), {
            credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(loadDeadline),
        });
        if (!response.ok) {
            throw new Error(`strings.json: ${response.status}`);
        }
        const table = await response.json();
        return new Strings(table, Strings.best(table, wishes) ?? "en");
    }

    /// Returns the first wished language that the table has, with or without its region.
    static best(table, wishes) {
        return wishes.flatMap((wish) => [wish, String(wish).split("-")[0]]).find((wish) => Object.hasOwn(table, wish));
    }

    /// Uses the lane's own texts instead of the table's.
    replace(texts) {
        this.#own = texts ?? {};
    }

    /// Uses a language from now on, if the table has it.
    choose(language) {
        this.language = Strings.best(this.#table, [language]) ?? this.language ?? "en";
        document.documentElement.lang = this.language;
        document.documentElement.dir = this.direction;
    }

    /// The browser's form of the language, such as en-GB, for dates and times.
    get locale() {
        return navigator.languages.find((tag) => tag.split("-")[0] === this.language) ?? this.language;
    }

    get direction() {
        return this.#table[this.language].direction;
    }

    /// The name of the current language, in that language.
    get name() {
        return this.#table[this.language].name;
    }

    /// `[tag, name]` of each language.
    get languages() {
        return Object.entries(this.#table).map(([tag, { name }]) => [tag, name]);
    }

    /// Returns the text for `key` with its values. Each inserted text is isolated (Unicode FSI and PDI), so
    /// that it keeps its own direction.
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

    /// Returns a duration in its largest unit, such as "3 hours".
    duration(seconds) {
        const [unit, size] = unitSeconds.find(([, size]) => seconds >= size) ?? ["second", 1];
        const format = new Intl.NumberFormat(this.language, { style: "unit", unit, unitDisplay: "long" });
        return format.format(Math.max(0, Math.floor(seconds / size)));
    }

    /// Returns a point in time, without the marks that browsers put between its parts in Arabic.
    time(text) {
        return new Date(text).toLocaleString(this.locale).replace(/[\u200e\u200f]/g, "");
    }

    /// Returns the name of a country by its ISO 3166-1 code.
    country(code) {
        try {
            return new Intl.DisplayNames(this.language, { type: "region" }).of(code) ?? code;
        } catch {
            return code;
        }
    }
}
