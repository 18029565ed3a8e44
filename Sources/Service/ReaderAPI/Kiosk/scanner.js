// Reads QR codes from a 2D scanner, which types them like a keyboard.

/// The longest pause between two keys of a scanner on a busy computer, in milliseconds.
const keyGap = 400;
/// The shortest pause between two keys of a person, in milliseconds.
const handGap = 50;

/// The time after a key in which no further key presses a control with `data-deliberate`, in milliseconds.
const deliberation = 1_000;

/// The keys that press a control or move to another control.
const pressing = ["Enter", " ", "Tab"];
const modifiers = ["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"];

const scheme = "mdoc:";

/// One character more than the longest engagement, so that a longer text is not valid.
const longestReading = scheme.length + 8193;

/// A device engagement in a QR code (ISO/IEC 18013-5, 8.2.2.3).
const engagement = /^mdoc:[A-Za-z0-9_-]{16,8192}$/;

/// The characters of a US keyboard by key. A scanner that is set to a US keyboard is read correctly with any
/// keyboard layout of this computer.
const plainKeys = { Semicolon: ";", Minus: "-" };
const shiftedKeys = { Semicolon: ":", Minus: "_" };

/// Returns the character that the key has on a US keyboard, or U+FFFD for a key that no engagement needs.
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

/// Watches for engagements that are typed or pasted. Calls `taken` with each engagement, and `refused` for a
/// text that begins like an engagement and is not valid.
///
/// A scanned code can contain Enter, Tab or blanks, which would press buttons. Keys that arrive as fast as a
/// scanner types are therefore ignored.
export class Scanner {
    /// The text that was typed so far: in this computer's keyboard layout, and as on a US keyboard.
    #readings = ["", ""];
    #timer = null;
    /// The time of the last key, and whether its text began like an engagement.
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

    /// Reads a key, and keeps it from pressing a control if a scanner probably typed it.
    #key(event) {
        if (event.isComposing || modifiers.includes(event.key)) {
            return;
        }
        // `event.key` is one character for a key that types it, and a name such as `F5` for any other key.
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

    /// Whether a key that could press a control was probably typed by a scanner, judged by the time since the
    /// last key.
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

    /// Adds a character to each of the two readings.
    #add(...letters) {
        this.#readings = this.#readings.map((reading, index) => {
            const longer = reading + letters[index];
            if (scheme.startsWith(longer) || longer.startsWith(scheme)) {
                return longer.slice(0, longestReading);
            }
            // Other typed text is not kept, but its last letter may be the first letter of `mdoc:`.
            return scheme.startsWith(letters[index]) ? letters[index] : "";
        });
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#finish(), keyGap);
    }

    /// Ends the readings, after Enter or Tab or when no key has followed.
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

    /// Passes on the first engagement among texts that begin like one.
    #judge(readings) {
        const found = readings.find((reading) => engagement.test(reading));
        if (found !== undefined) {
            this.#taken(found);
        } else if (readings.length > 0) {
            this.#refused();
        }
    }
}
