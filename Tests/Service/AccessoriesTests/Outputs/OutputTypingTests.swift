import Accessories
import Testing

@Suite("A template as keys and as bytes")
struct OutputTypingTests {
    private let standIn = OutputSamples.standIn

    private func fault(
        _ text: String, _ layout: KeyboardLayout?, standIn: StandInDate? = nil, asKeys: Bool = true
    ) throws -> OutputTemplateFault? {
        try OutputTemplate(parsing: text).fault(typedWith: layout, standIn: standIn, asKeys: asKeys)
    }

    private func pieces(
        _ text: String, _ output: DueOutput = OutputSamples.output(),
        standIn: StandInDate? = OutputSamples.standIn
    ) throws -> [TypedPiece]? {
        try OutputTemplate(parsing: text).text(for: output, standIn: standIn)
    }

    private func line(_ text: String, _ output: DueOutput = OutputSamples.output()) throws -> [LinePiece]? {
        try OutputTemplate(parsing: text).bytes(for: output, standIn: standIn)
    }

    // MARK: Checks

    @Test("Without a layout only common letters and keys are allowed")
    func noLayout() throws {
        #expect(try fault("bcdefghijklnoprstuvxBX{tab}{enter}{f1}{f24}{wait:100}", nil) == nil)
        for scalar in "amqwyzAMQWYZ0123456789 -_.:/@!".unicodeScalars {
            #expect(try fault("b\(scalar)", nil) == .layoutMissing(scalar))
        }
        #expect(try fault("b{age}", nil) == .layoutMissingForValue("age"))
        #expect(try fault("b{code}", nil) == .layoutMissingForValue("code"))
        #expect(try fault("b{lane}", nil) == .layoutMissingForValue("lane"))
        #expect(try fault("b{outcome}", nil) == .layoutMissingForValue("outcome"))
        #expect(
            try fault("b{standIn:MMDDYYYY}", nil, standIn: standIn)
                == .layoutMissingForValue("standIn:MMDDYYYY"))
    }

    @Test("With a layout the values are allowed", arguments: KeyboardLayout.allCases)
    func layout(layout: KeyboardLayout) throws {
        let text = "Over 21: {outcome}/{age} {lane}-{code} ({standIn:YYYY-MM.DD/})"
        #expect(try fault(text, layout, standIn: standIn) == nil)
    }

    @Test("A character that the layout lacks is refused")
    func missing() throws {
        #expect(try fault("b^", .us) == nil)
        #expect(try fault("b^", .fr) == nil)
        #expect(try fault("b^", .de) == .characterNotInLayout("^", .de))
        #expect(try fault("b~", .fr) == .characterNotInLayout("~", .fr))
        #expect(try fault("b~", .de) == nil)
    }

    @Test("A date is needed for {standIn:…}, and must exist")
    func dates() throws {
        #expect(try fault("{standIn:MMDDYYYY}", .us) == .standInMissing)
        #expect(try fault("{standIn:MMDDYYYY}", nil, asKeys: false) == .standInMissing)
        #expect(try fault("b", .us) == nil)
        for (year, month, day, exists) in [
            (1977, 7, 7, true), (2000, 2, 29, true), (1996, 2, 29, true), (1900, 2, 28, true),
            (1999, 4, 30, true),
            (1900, 2, 29, false), (1997, 2, 29, false), (1999, 4, 31, false), (1977, 13, 1, false),
            (1977, 0, 1, false), (1977, 1, 0, false), (1977, 1, 32, false), (77, 7, 7, false),
            (10_000, 1, 1, false), (-1, 1, 1, false),
        ] {
            let date = StandInDate(year: year, month: month, day: day)
            let expected: OutputTemplateFault? = exists ? nil : .standInImpossible
            #expect(
                try fault("{standIn:MMDDYYYY}", .us, standIn: date) == expected, "\(year)-\(month)-\(day)")
        }
    }

    @Test("A serial line needs no layout, and has no function keys")
    func lineFaults() throws {
        let text = "Over 21: {outcome}/{age} {lane}-{code} {standIn:MM/DD/YYYY}^~{tab}{enter}"
        #expect(try fault(text, nil, standIn: standIn, asKeys: false) == nil)
        #expect(try fault("b{f7}", nil, asKeys: false) == .functionKeyOnLine(7))
        #expect(try fault("b{f7}", nil, asKeys: true) == nil)
    }

    // MARK: Texts

    @Test("Values take their places, and neighbouring texts are one piece")
    func values() throws {
        #expect(
            try pieces("CS1:{outcome}/{age} {lane}-{code}{enter}")
                == [.text("CS1:allow/21 gate-042137"), .key(.enter)])
        #expect(
            try pieces("{f5}b{wait:200}c{tab}")
                == [.key(.function(5)), .text("b"), .wait(.milliseconds(200)), .text("c"), .key(.tab)])
        #expect(try pieces("{outcome}", OutputSamples.output(outcome: .declined)) == [.text("declined")])
    }

    @Test(
        "The owner's date is written with zeros in front",
        arguments: [
            ("MMDDYYYY", "07041977"), ("DD.MM.YY", "04.07.77"), ("YYYY-MM-DD", "1977-07-04"), ("YY", "77"),
            ("DD MM", "04 07"),
        ])
    func standInTexts(format: String, text: String) throws {
        #expect(try pieces("{standIn:\(format)}") == [.text(text)])
    }

    @Test("An age that was not asked is left out")
    func noAge() throws {
        #expect(try pieces("b{age}c", OutputSamples.output(age: nil)) == [.text("bc")])
        #expect(try pieces("{age}{enter}", OutputSamples.output(age: nil)) == [.key(.enter)])
    }

    @Test("Nothing is typed if a value is missing or not allowed")
    func refusals() throws {
        #expect(try pieces("{standIn:YY}", standIn: nil) == nil)
        #expect(try pieces("{standIn:YY}", standIn: StandInDate(year: 1977, month: 2, day: 30)) == nil)
        for lane in ["", "a b", "a;b", "gäte", "a\n", "a\u{301}", "a/b"] {
            #expect(try pieces("{lane}", OutputSamples.output(lane: lane)) == nil)
            #expect(try line("{lane}", OutputSamples.output(lane: lane)) == nil)
        }
        for code in ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "12345\n", "-12345"] {
            #expect(try pieces("{code}", OutputSamples.output(code: code)) == nil)
        }
        for age in [-1, 151, Int.max] {
            #expect(try pieces("{age}", OutputSamples.output(age: age)) == nil)
        }
        // A value that the template does not have is not looked at.
        #expect(try pieces("b", OutputSamples.output(lane: "a;b", code: "x")) == [.text("b")])
    }

    @Test("A literal that was not read from a text is checked as well")
    func unreadLiteral() {
        let template = OutputTemplate(parts: [.literal("b;reboot"), .enter])
        #expect(template.text(for: OutputSamples.output(), standIn: nil) == nil)
    }

    @Test("A lane's name cannot make a licence's data of a template")
    func licenceByLane() throws {
        #expect(try pieces("{lane} 6360", OutputSamples.output(lane: "ANSI")) == nil)
        #expect(try pieces("{lane}", OutputSamples.output(lane: "aamva")) == nil)
        #expect(try pieces("{enter}{lane}", OutputSamples.output(lane: "AAMVA1")) == nil)
        #expect(try pieces("{lane}6360", OutputSamples.output(lane: "ANSI")) == [.text("ANSI6360")])
        #expect(try pieces("b{lane}", OutputSamples.output(lane: "AAMVA")) == [.text("bAAMVA")])
    }

    @Test("A serial line gets bytes, with Tab as 09 and Enter as 0D")
    func lineBytes() throws {
        #expect(
            try line("b{tab}{age}{enter}{wait:50}c")
                == [
                    .bytes([0x62, 0x09, 0x32, 0x31, 0x0d]), .wait(.milliseconds(50)), .bytes([0x63]),
                ])
        #expect(try line("b{f1}") == nil)
        #expect(try line("{age}", OutputSamples.output(age: nil)) == [])
    }
}
