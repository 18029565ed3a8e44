// The words of a screen, spoken.

export class Speech {
    #synthesis = globalThis.speechSynthesis;

    /// Says `words` in a language, in place of what is being said. Silent where this computer has no voice for
    /// it: a voice of a service would hear what is asked here.
    say(words, language) {
        if (this.#synthesis === undefined) {
            return;
        }
        this.#synthesis.cancel();
        const voice = this.#synthesis.getVoices()
            .find(({ lang, localService }) => localService && lang.toLowerCase().split(/[-_]/)[0] === language);
        if (voice !== undefined) {
            const utterance = new SpeechSynthesisUtterance(words);
            Object.assign(utterance, { voice, lang: voice.lang });
            this.#synthesis.speak(utterance);
        }
    }
}
