// What is asked of the customer and what is kept of it, in words.

const names = ["given_name", "family_name"];

/// A question as its parts: `["ageOver", { years: 21 }]`.
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
    if (names.includes(ask)) {
        return ["name", {}];
    }
    return ["age_in_years", "age"].includes(ask) ? ["age", {}] : ["other", { element: ask }];
}

/// What is asked, for the customer, each thing once.
export function askTexts(asks, strings) {
    return [...new Set((asks ?? []).map((ask) => {
        const [kind, values] = parse(String(ask));
        return strings.text(`ask.${kind}`, values);
    }))];
}

/// A question as the clerk reads it beside its answer.
export function questionText(ask, strings) {
    const [kind, values] = parse(String(ask));
    const key = `question.${kind}`;
    return strings.has(key) ? strings.text(key, values) : strings.text("question.other", { element: ask });
}

/// How long what is shared stays, by the retention profile.
export function keptText(retention, strings) {
    const [, days] = /^days\((\d{1,4})\)$/.exec(retention) ?? [];
    if (days !== undefined) {
        return strings.text("kept.days", { duration: strings.duration(Number(days) * 86_400) });
    }
    const key = { none: "none", receipt: "receipt", "age+id-number": "ageAndNumber" }[retention] ?? "other";
    return strings.text(`kept.${key}`);
}
