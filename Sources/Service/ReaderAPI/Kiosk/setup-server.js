// The requests of the setup page to its server.

import { plain } from "./text.js";

/// The time limit of a request, in milliseconds. Writing makes keys and imports issuers.
const deadline = 120_000;

/// The page has ended, or its code was not given.
export class Ended extends Error {}

/// The server refused a request, or a command failed. The message is the reason in English.
export class Refused extends Error {
    /// The text for the user, or `undefined` for the text of the place where the error is shown.
    key;

    constructor(reason, key) {
        super(reason);
        this.key = key;
    }
}

/// The secret of this page. It is only in the memory: a cookie would go to all ports of this computer.
let secret = "";

/// Uses up the code of the page's address. Throws `Ended` without a valid code.
export async function enter(code) {
    if (code === null) {
        throw new Ended();
    }
    ({ secret } = await ask("session", { code }));
}

/// Sends a request. Throws `Ended` if the page has ended, and `Refused` if the server refuses the request or
/// does not answer in time.
export async function ask(name, body = {}) {
    let response;
    try {
        response = await fetch(`/setup/${name}`, {
            method: "POST", headers: { "Content-Type": "application/json", "Countersign-Setup": secret }, body: JSON.stringify(body),
            mode: "same-origin", credentials: "omit", cache: "no-store", redirect: "error",
            // With no-referrer, the policy of the page, Firefox sends the origin null, which the server refuses.
            referrerPolicy: "same-origin",
            signal: AbortSignal.timeout(deadline),
        });
    } catch (error) {
        // After a time-out the page goes on: its token is shown only once.
        throw error.name === "TimeoutError" ? new Refused(`no answer to ${name} within ${deadline / 1_000} s`, "setup.slow") : new Ended();
    }
    if (response.status === 401) {
        throw new Ended();
    }
    const answer = await response.json();
    if (!response.ok) {
        throw new Refused(plain(answer.detail ?? response.status));
    }
    return answer;
}

/// Returns the content of a file in Base64URL, as a request carries it.
export async function contents(file) {
    const bytes = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join("");
    return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
