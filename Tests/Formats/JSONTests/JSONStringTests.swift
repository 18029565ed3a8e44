import JSON
import Testing

@Suite("Text between quotes")
struct JSONStringTests {
    @Test("What does not print is escaped: controls, direction marks, line separators")
    func escapes() {
        let text = "\u{1b}[2J\u{9b}\u{202e}\u{2028}\u{7f}\u{e0001}ü水"
        #expect(
            JSONString.quoted(text)
                == "\"\\u001b[2J\\u009b\\u202e\\u2028\\u007f\\udb40\\udc01ü水\"")
    }
}
