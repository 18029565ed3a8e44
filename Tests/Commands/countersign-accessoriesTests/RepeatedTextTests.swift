import Testing

@testable import countersign_accessories

@Suite("Texts of the journal that repeat")
struct RepeatedTextTests {
    @Test("A text is written once, and then at its 10th, 100th and 1000th repetition")
    func repetitions() {
        var texts = RepeatedText()
        #expect(texts.record("a") == ["a"])
        let written = (1...1500).flatMap { _ in texts.record("a") }
        #expect(
            written == ["a (repetitions: 10)", "a (repetitions: 100)", "a (repetitions: 1000)"])
    }

    @Test("Another text follows the number of repetitions, and a text that came once has none")
    func others() {
        var texts = RepeatedText()
        #expect(texts.record("a") == ["a"])
        #expect(texts.record("b") == ["b"])
        #expect(texts.record("b") == [])
        #expect(texts.record("b") == [])
        #expect(texts.record("a") == ["b (repetitions: 2)", "a"])
        for _ in 1..<10 { #expect(texts.record("a") == []) }
        #expect(texts.record("a") == ["a (repetitions: 10)"])
        #expect(texts.record("b") == ["b"], "the number was written already")
    }

    @Test("After the end the same text is written again, and the end says only what was not written")
    func end() {
        var texts = RepeatedText()
        #expect(texts.end() == [])
        #expect(texts.record("a") == ["a"])
        #expect(texts.end() == [])
        #expect(texts.record("a") == ["a"])
        #expect(texts.record("a") == [])
        #expect(texts.end() == ["a (repetitions: 1)"])
        #expect(texts.end() == [])
    }
}
