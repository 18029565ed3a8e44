// Asks the visitor's wallet through the Digital Credentials API, and shows what the shop makes of the answer.

const protocolName = "org-iso-mdoc";

const told = {
    ready: "",
    asking: "One moment …",
    waiting: "Look at your wallet: it says what it would answer.",
    checking: "Checking the answer …",
    yes: "Confirmed: you are over 21.",
    no: "Your document says that you are not over 21. We cannot send you wine.",
    cannotTell: "Your document does not say whether you are over 21. Our shop on the corner can check another one.",
    mock: "That is a test document. It proves nothing here.",
    rejected: "The answer could not be verified. Please try again, or use another document.",
    malformed: "The answer could not be verified. Please try again, or use another document.",
    refused: "This took too long or was used before. Please try again.",
    declined: "You have not answered. Your order is still here.",
    unavailable: "We cannot check ages just now. Please try again in a minute.",
    unsupported: "This browser has no way to ask a wallet. Our shop on the corner can check your document.",
};

const ask = document.querySelector("[data-ask]");
const order = document.querySelector("[data-order]");
const status = document.querySelector("[data-told]");

function show(state) {
    const known = Object.hasOwn(told, state) ? state : "unavailable";
    document.body.dataset.state = known;
    status.textContent = told[known];
    ask.disabled = ["asking", "waiting", "checking", "yes", "unsupported"].includes(known);
    order.disabled = known !== "yes";
}

/// What the shop says to this.
async function post(path, body) {
    const answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
    });
    return answer.json();
}

/// The wallet's answer; undefined where its holder gives none.
async function present(request) {
    try {
        const credential = await navigator.credentials.get({ mediation: "required", digital: { requests: [request] } });
        return credential?.protocol === protocolName ? credential.data.response : undefined;
    } catch {
        // Browsers say the same of a holder who declines and of a phone that has no such document.
        return undefined;
    }
}

async function confirmAge() {
    show("asking");
    const asked = await post("/age/request", {});
    if (asked.outcome !== "asked") {
        return show(asked.outcome);
    }
    show("waiting");
    const response = await present(asked.request);
    if (response === undefined) {
        return show("declined");
    }
    show("checking");
    show((await post("/age/answer", { response })).outcome);
}

function isSupported() {
    if (typeof DigitalCredential === "undefined") {
        return false;
    }
    return DigitalCredential.userAgentAllowsProtocol?.(protocolName) ?? true;
}

// A wallet is only asked after a click.
ask.addEventListener("click", () => confirmAge().catch(() => show("unavailable")));
show(isSupported() ? "ready" : "unsupported");
