// A 2D scanner that types a QR code as a keyboard would.

/// The longest pause between two keys of a scanner, with room for a busy computer, in milliseconds.
const keyGap = 400;
/// No person presses two keys so soon one after the other, in milliseconds.
const handGap = 50;

/// How long no key is pressed before one confirms by a control that is marked `data-deliberate`, in milliseconds.
const deliberation = 1_000;

/// Keys that press a control or go to another.
const pressing = ["Enter", " ", "Tab"];
const modifiers = ["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"];

const scheme = "mdoc:";

/// One letter more than the longest engagement.
const longestReading = scheme.length + 8193;

/// An engagement as a QR code has it (ISO/IEC 18013-5, 8.2.2.3).
const engagement = /^mdoc:[A-Za-z0-9_-]{16,8192}$/;

/// What a US keyboard types, by key: a scanner set to it is read whatever the layout of this computer.
const plainKeys = { Semicolon: ";", Minus: "-" };
const shiftedKeys = { Semicolon: ":", Minus: "_" };

function letterOnUSKeyboard(event) {
    const [, letter] = /^Key([A-Z])$/.exec(event.code) ?? [];
    if (letter !== undefined) {
        return event.shiftKey !== event.getModifierState("CapsLock") ? letter : letter.toLowerCase();
    }
    const [, digit] = /^Digit([0-9])$/.exec(event.code) ?? [];
    if (digit !== undefined && !event.shiftKey) {
        return digit;
    }
    return (event.shiftKey ? shiftedKeys : plainKeys)[event.code] ?? "\ufffd";
}

/// Watches for engagements, typed or pasted, and gives each to `taken`; what only began like one to `refused`. No code
/// presses a control, whatever is in it.
export class Scanner {
    #readings = ["", ""];
    #timer = null;
    /// When the last key came, and whether what it belongs to began like an engagement.
    #last = -Infinity;
    #hasRead = false;
    #taken;
    #refused;

    constructor({ taken, refused }) {
        this.#taken = taken;
        this.#refused = refused;
        document.addEventListener("keydown", (event) => this.#key(event), { capture: true });
        document.addEventListener("paste", (event) => this.#paste(event));
    }

    get #isScanning() {
        return this.#readings.some((reading) => reading.startsWith(scheme));
    }

    #key(event) {
        if (event.isComposing || modifiers.includes(event.key)) {
            return;
        }
        const isEnd = event.key === "Enter" || event.key === "Tab";
        if (this.#isTyped(event) || (this.#isScanning && (isEnd || event.key.length === 1))) {
            event.preventDefault();
            event.stopImmediatePropagation();
        }
        if (event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        if (isEnd) {
            this.#finish();
        } else if (event.key.length === 1) {
            this.#add(event.key, letterOnUSKeyboard(event));
        }
    }

    /// Whether a key that presses something comes as from a scanner, by the time at which it was pressed.
    #isTyped({ key, target, timeStamp }) {
        const pause = timeStamp - this.#last;
        this.#last = timeStamp;
        this.#hasRead = this.#isScanning || (this.#hasRead && pause < keyGap);
        if (!pressing.includes(key)) {
            return false;
        }
        const isDeliberate = key !== "Tab" && target.closest("[data-deliberate]") !== null;
        return pause < (isDeliberate ? deliberation : this.#hasRead ? keyGap : handGap);
    }

    #add(...letters) {
        this.#readings = this.#readings.map((reading, index) => {
            const longer = reading + letters[index];
            if (scheme.startsWith(longer) || longer.startsWith(scheme)) {
                return longer.slice(0, longestReading);
            }
            // Anything else that is typed is not kept.
            return scheme.startsWith(letters[index]) ? letters[index] : "";
        });
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#finish(), keyGap);
    }

    #finish() {
        clearTimeout(this.#timer);
        const readings = this.#readings.filter((reading) => reading.startsWith(scheme));
        this.#readings = ["", ""];
        this.#judge(readings);
    }

    #paste(event) {
        const text = event.clipboardData?.getData("text/plain").trim() ?? "";
        this.#judge(text.startsWith(scheme) ? [text] : []);
    }

    #judge(readings) {
        const found = readings.find((reading) => engagement.test(reading));
        if (found !== undefined) {
            this.#taken(found);
        } else if (readings.length > 0) {
            this.#refused();
        }
    }
}
