// Four short sounds, which are synthesised: no file is loaded.

/// The notes of each sound as `[frequency in Hz, start in s, length in s]`.
const cues = {
    engaged: [[880, 0, 0.09], [1319, 0.1, 0.16]],
    yes: [[659, 0, 0.12], [784, 0.12, 0.12], [1047, 0.24, 0.28]],
    unclear: [[523, 0, 0.14], [523, 0.18, 0.2]],
    no: [[392, 0, 0.2], [262, 0.22, 0.34]],
};

const loudness = 0.25;

/// The player. Browsers permit sounds only after a person has touched the page or pressed a key; until then
/// the switch shows that sounds are off.
export class Sounds {
    #context = null;
    #isWanted;
    #changed;

    constructor(isWanted, changed) {
        this.#isWanted = isWanted;
        this.#changed = changed;
        for (const type of ["pointerdown", "keydown"]) {
            addEventListener(type, (event) => this.#touched(event), { capture: true });
        }
        this.#awaken();
    }

    /// Whether a sound would be audible now.
    get areOn() {
        return this.#isWanted && this.#context?.state === "running";
    }

    toggle() {
        // While the browser still refuses sounds, they are off, and the switch turns them on.
        this.#isWanted = !this.areOn;
        this.#awaken();
        this.#changed();
    }

    play(name) {
        if (!this.areOn) {
            return;
        }
        for (const [frequency, start, length] of cues[name]) {
            this.#note(frequency, this.#context.currentTime + start, length);
        }
    }

    /// A touch of the sound switch is handled by the switch, not here.
    #touched(event) {
        if (event.target.closest?.("[data-sound]") === null) {
            this.#awaken();
        }
    }

    /// Starts the audio output, if sounds are wanted.
    #awaken() {
        if (!this.#isWanted) {
            return;
        }
        if (this.#context === null) {
            this.#context = new AudioContext();
            this.#context.addEventListener("statechange", () => this.#changed());
        }
        // Before the first touch the browser delays or refuses this, which is no error.
        this.#context.resume().catch(() => {});
    }

    #note(frequency, start, length) {
        const tone = new OscillatorNode(this.#context, { type: "triangle", frequency });
        const volume = new GainNode(this.#context, { gain: 0 });
        volume.gain.setValueAtTime(0, start);
        // A tone that begins at its full loudness would click.
        volume.gain.linearRampToValueAtTime(loudness, start + 0.015);
        // An exponential ramp cannot end at 0.
        volume.gain.exponentialRampToValueAtTime(0.001, start + length);
        tone.connect(volume).connect(this.#context.destination);
        tone.start(start);
        tone.stop(start + length);
    }
}
