// Turns the questions of a presentation, and the data that is kept, into texts for the pages.

const names = ["given_name", "family_name"];

/// Splits a question into its kind and values: `["ageOver", { years: 21 }]`.
export function parse(ask) {
    const [, years] = /^age_over_(\d{2})$/.exec(ask) ?? [];
    if (years !== undefined) {
        return ["ageOver", { years: Number(years) }];
    }
    const [, category] = /^drive:(.{1,40})$/.exec(ask) ?? [];
    if (category !== undefined) {
        return ["drive", { category }];
    }
    if (ask === "portrait") {
        return ["portrait", {}];
    }
    if (ask === "in date") {
        return ["inDate", {}];
    }
    if (names.includes(ask)) {
        return ["name", {}];
    }
    return ["age_in_years", "age"].includes(ask) ? ["age", {}] : ["other", { element: ask }];
}

/// Returns the texts of all questions of both requests, each once, for the customer.
export function askedTexts(presentation, strings) {
    const asks = [...presentation?.asks ?? [], ...presentation?.then?.asks ?? []];
    return [...new Set(asks.map((ask) => {
        const [kind, values] = parse(String(ask));
        return strings.text(`ask.${kind}`, values);
    }))];
}

/// Returns the text of a question beside its answer.
export function questionText(ask, strings) {
    const [kind, values] = parse(String(ask));
    const key = `question.${kind}`;
    return strings.has(key) ? strings.text(key, values) : strings.text("question.other", { element: ask });
}

/// Returns the answers but that of the portrait, each with its line of text.
export function answerLines(result, strings) {
    return (result?.answers ?? []).filter(({ ask }) => ask !== "portrait").map(({ ask, answer }) => {
        const word = strings.text(`answer.${["yes", "no"].includes(answer) ? answer : "unknown"}`);
        return { answer, line: strings.text("answer.line", { question: bare(questionText(ask, strings)), answer: word }) };
    });
}

/// Returns the lines of the answers that are not yes, as one text.
export function refusedLines(result, strings) {
    return answerLines(result, strings).filter(({ answer }) => answer !== "yes").map(({ line }) => line).join(" · ");
}

/// Returns a text of the table as a value for another text, which isolates it as a whole.
function bare(text) {
    return text.replace(/[\u2068\u2069]/g, "");
}

/// Returns the texts of what is kept after both requests, each once. Every profile but `none` keeps a receipt
/// too. Returns nothing while the order is not known.
export function keptTexts(presentation, strings) {
    const { retention, then } = presentation ?? {};
    if (retention === undefined) {
        return [];
    }
    const kept = [retention, then?.retention ?? "none"].filter((profile) => profile !== "none");
    const profiles = kept.length === 0 ? ["none"] : [...kept.filter((profile) => profile !== "receipt"), "receipt"];
    return [...new Set(profiles.map((profile) => keptText(profile, strings)))];
}

/// Returns the text of one retention profile.
function keptText(retention, strings) {
    const [, days] = /^days\((\d{1,4})\)$/.exec(retention) ?? [];
    if (days !== undefined) {
        return strings.text("kept.days", { duration: strings.duration(Number(days) * 86_400) });
    }
    const key = { none: "none", receipt: "receipt", "age+id-number": "ageAndNumber" }[retention] ?? "other";
    return strings.text(`kept.${key}`);
}
