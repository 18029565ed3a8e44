// Reads the text of a screen aloud.

export class Speech {
    #synthesis = globalThis.speechSynthesis;

    /// Reads `words` in a language, and stops an earlier text. Silent if this computer has no voice of its
    /// own for the language: the voice of an online service would learn what is asked here.
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
