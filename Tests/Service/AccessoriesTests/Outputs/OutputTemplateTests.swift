import Accessories
import Testing

@Suite("The text of a template")
struct OutputTemplateTests {
    private func parts(_ text: String) throws -> [OutputTemplate.Part] {
        try OutputTemplate(parsing: text).parts
    }

    private func fault(_ text: String) -> OutputTemplateFault? {
        do throws(OutputTemplateFault) {
            _ = try OutputTemplate(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test("Literals, keys, waits and values are read in their order")
    func all() throws {
        #expect(try parts("ok") == [.literal("ok")])
        #expect(
            try parts("A{tab}B{enter}{f1}{f24}{wait:200}")
                == [
                    .literal("A"), .tab, .literal("B"), .enter, .function(1), .function(24),
                    .wait(.milliseconds(200)),
                ])
        #expect(
            try parts("CS1:{outcome}/{age} {lane}-{code}")
                == [
                    .literal("CS1:"), .outcome, .literal("/"), .age, .literal(" "), .lane, .literal("-"),
                    .code,
                ])
        #expect(try parts("{standIn:MM/DD/YYYY}") == [.standIn(format: "MM/DD/YYYY")])
    }

    @Test("An empty text is no template")
    func empty() {
        #expect(fault("") == .empty)
    }

    @Test("A template has at most 256 characters and 64 parts")
    func size() throws {
        #expect(try parts(String(repeating: "b", count: 256)).count == 1)
        #expect(fault(String(repeating: "b", count: 257)) == .tooLong)
        #expect(fault(String(repeating: "b", count: 1_000_000)) == .tooLong)
        #expect(try parts(String(repeating: "b{f1}", count: 32)).count == 64)
        #expect(fault(String(repeating: "b{f1}", count: 32) + "b") == .tooManyParts)
    }

    @Test("A sign of a shell is refused with its place", arguments: Array("`$;|&<>\\".unicodeScalars))
    func shell(sign: Unicode.Scalar) {
        #expect(fault("ok\(sign)") == .characterRefused(sign, at: 3))
        #expect(fault("{\(sign)}") == .characterRefused(sign, at: 2))
    }

    @Test(
        "A character that is not printable ASCII is refused",
        arguments: [
            "\n", "\r", "\t", "\u{0}", "\u{1b}", "\u{7f}", "é", "–", "\u{1f600}", "\u{85}", "\u{202e}",
        ])
    func unprintable(text: String) throws {
        let scalar = try #require(text.unicodeScalars.first)
        #expect(fault("ok \(text)") == .characterRefused(scalar, at: 4))
        #expect(fault("{enter\(text)}") == .characterRefused(scalar, at: 7))
    }

    @Test("All other characters of printable ASCII are allowed")
    func printable() throws {
        let refused = "`$;|&<>\\{}"
        for value in UInt8(0x20)...0x7e where !refused.utf8.contains(value) {
            let text = "b" + String(Unicode.Scalar(value))
            #expect(try parts(text) == [.literal(text)])
        }
    }

    @Test("A brace alone is refused with its place")
    func braces() {
        #expect(fault("b{enter") == .braceUnclosed(at: 2))
        #expect(fault("{") == .braceUnclosed(at: 1))
        #expect(fault("{enter{tab}") == .braceUnclosed(at: 1))
        #expect(fault("b}") == .braceUnopened(at: 2))
        #expect(fault("{enter}}") == .braceUnopened(at: 8))
    }

    @Test(
        "An unknown name is refused",
        arguments: [
            "{}", "{Enter}", "{ enter}", "{enter }", "{f0}", "{f25}", "{f01}", "{f}", "{f-1}", "{f+1}",
            "{portrait}", "{family_name}", "{age_over_21}", "{birth_date}", "{standIn}", "{wait}", "{age:2}",
        ])
    func unknown(text: String) {
        #expect(fault("bb\(text)") == .nameUnknown(at: 3))
    }

    @Test("A wait takes from 10 to 2000 ms, and all waits together at most 5 s")
    func waits() throws {
        #expect(try parts("{wait:10}{wait:2000}") == [.wait(.milliseconds(10)), .wait(.seconds(2))])
        for text in ["9", "2001", "0", "-10", "+10", "010", "", "1e2", "10 ", "99999999999999999999"] {
            #expect(fault("b{wait:\(text)}") == .waitOutOfRange(at: 2))
        }
        #expect(try parts("{wait:2000}{wait:2000}{wait:1000}").count == 3)
        #expect(fault("{wait:2000}{wait:2000}{wait:1000}{wait:10}") == .waitsTooLong)
    }

    @Test("The format of the date has each part once, and signs between them")
    func dateFormats() throws {
        for format in ["MMDDYYYY", "DD.MM.YY", "YYYY-MM-DD", "YYYY", "DD MM"] {
            #expect(try parts("{standIn:\(format)}") == [.standIn(format: format)])
        }
        for format in [
            "", "-", "MMMM", "DDMMDD", "YYYYYY", "YYYYMMYY", "mmddyyyy", "M", "YYY", "MM@DD", "MM:DD",
        ] {
            #expect(fault("{standIn:\(format)}") == .standInFormat(at: 1))
        }
    }

    @Test(
        "A text that begins as a licence's data is refused, also after a key and across waits and ages",
        arguments: [
            "@", "@ANSI 636000", " @", "ANSI 6360", "ansi 6", "AAMVA", "aamva6", "{enter}@", "b{tab}ANSI 63",
            "{f1}  @b", "@{wait:10}b", "A{wait:10}AM{wait:10}VA", "{age}@", "{wait:10}{age}ANSI 6",
        ])
    func licence(text: String) {
        #expect(fault(text) == .looksLikeLicence)
    }

    @Test(
        "The same letters elsewhere in a text are allowed",
        arguments: [
            "b@", "ANSI6", "AAMV", "ok ANSI 6", "{lane}@", "{code}AAMVA", "b{wait:10}@", "A{enter}AMVA",
        ])
    func noLicence(text: String) {
        #expect(fault(text) == nil)
    }

    @Test("Each fault says what to do")
    func explanations() {
        #expect(
            fault("b{agee}")?.explanation
                == "character 2: this name is unknown; use {tab}, {enter}, {f1} to {f24}, {wait:200}, {outcome}, "
                + "{age}, {lane}, {code} or {standIn:MMDDYYYY}")
        #expect(fault("b;")?.explanation.hasPrefix("character 2: \";\" is not allowed") == true)
        #expect(fault("b\u{1b}")?.explanation.hasPrefix("character 2: U+001B is not allowed") == true)
        #expect(fault("bé")?.explanation.hasPrefix("character 2: U+00E9 is not allowed") == true)
    }
}
