import Accessories
import Testing

@Suite("The strokes of a keyboard")
struct KeyStrokesTests {
    /// The keys of XKB's layouts (xkb-data 2.35, asked by libxkbcommon 1.5): a character, the number of its
    /// key, and `S` for Shift or `A` for AltGr. Characters that templates refuse are left out.
    private static let letters =
        "b48 c46 d32 e18 f33 g34 h35 i23 j36 k37 l38 n49 o24 p25 r19 s31 t20 u22 v47 x45 "
        + "B48S C46S D32S E18S F33S G34S H35S I23S J36S K37S L38S N49S O24S P25S R19S S31S T20S U22S V47S X45S"
    private static let us =
        "!2S \"40S #4S %6S '40 (10S )11S *9S +13S ,51 -12 .52 /53 011 12 23 34 45 56 67 78 89 910 :39S =13 "
        + "?53S @3S [26 ]27 ^7S _12S ~41S A30S M50S Q16S W17S Y21S Z44S a30 m50 q16 w17 y21 z44"
    private static let de =
        "!2S \"3S #43 %6S '43S (9S )10S *27S +27 ,51 -53 .52 /8S 011 12 23 34 45 56 67 78 89 910 :52S =11S "
        + "?12S @16A [9A ]10A _53S ~27A A30S M50S Q16S W17S Y44S Z21S a30 m50 q16 w17 y44 z21"
    private static let fr =
        "!53 \"4 #4A %40S '5 (6 )12 *43 +13S ,50 -7 .51S /52S 011S 12S 23S 34S 45S 56S 67S 78S 89S 910S :52 "
        + "=13 ?50S @11A [6A ]12A ^10A _9 A16S M39S Q30S W44S Y21S Z17S a16 m39 q30 w44 y21 z17"

    private static func strokes(_ table: String) -> [Unicode.Scalar: KeyStroke] {
        var strokes: [Unicode.Scalar: KeyStroke] = [" ": KeyStroke(code: 57)]
        for entry in (letters + " " + table).split(separator: " ") {
            let code = UInt16(entry.dropFirst().filter(\.isNumber)) ?? 0
            guard let scalar = entry.unicodeScalars.first else { continue }
            let mark = entry.count > 2 ? entry.last : nil
            strokes[scalar] = KeyStroke(code: code, shift: mark == "S", altGr: mark == "A")
        }
        return strokes
    }

    @Test(
        "Each layout has the keys that XKB has, and no other",
        arguments: zip([KeyboardLayout.us, .de, .fr], [us, de, fr]))
    func tables(layout: KeyboardLayout, table: String) {
        let expected = Self.strokes(table)
        for value in UInt8.min...UInt8.max {
            let scalar = Unicode.Scalar(value)
            #expect(KeyStrokes.stroke(for: scalar, layout: layout) == expected[scalar], "\(scalar)")
        }
        #expect(KeyStrokes.stroke(for: "•", layout: layout) == nil)
        #expect(KeyStrokes.stroke(for: "ß", layout: layout) == nil)
    }

    @Test("No layout can type what templates refuse", arguments: KeyboardLayout.allCases)
    func refused(layout: KeyboardLayout) {
        for scalar in "`$;|&<>\\\n\t\r\u{0}\u{1b}".unicodeScalars {
            #expect(KeyStrokes.stroke(for: scalar, layout: layout) == nil)
        }
    }

    @Test("A letter without a layout is on the same key in all layouts")
    func common() {
        for value in UInt8(0x20)...0x7e {
            let scalar = Unicode.Scalar(value)
            let strokes = Set(KeyboardLayout.allCases.map { KeyStrokes.stroke(for: scalar, layout: $0) })
            let stroke = KeyStrokes.stroke(for: scalar, layout: nil)
            let isCommon = KeyStrokes.commonLetters.unicodeScalars.contains {
                $0 == scalar || $0.value == scalar.value + 32
            }
            #expect((stroke != nil) == isCommon, "\(scalar)")
            #expect(stroke == nil || strokes == [stroke], "\(scalar)")
        }
    }

    @Test("Enter, Tab and the function keys have their numbers")
    func keys() {
        #expect(KeyStrokes.stroke(for: TypedKey.enter) == KeyStroke(code: 28))
        #expect(KeyStrokes.stroke(for: TypedKey.tab) == KeyStroke(code: 15))
        for (number, code) in [(1, 59), (10, 68), (11, 87), (12, 88), (13, 183), (24, 194)] as [(Int, UInt16)]
        {
            #expect(KeyStrokes.stroke(for: .function(number)) == KeyStroke(code: code))
        }
        #expect(KeyStrokes.stroke(for: .function(0)) == nil)
        #expect(KeyStrokes.stroke(for: .function(25)) == nil)
        #expect(KeyStrokes.stroke(for: .function(Int.min)) == nil)
    }

    @Test("Pieces become strokes and waits")
    func steps() {
        #expect(
            KeyStrokes.steps(
                for: [.text("A1"), .key(.enter), .wait(.milliseconds(50)), .key(.function(2))], layout: .fr)
                == [
                    .stroke(KeyStroke(code: 16, shift: true)), .stroke(KeyStroke(code: 2, shift: true)),
                    .stroke(KeyStroke(code: 28)), .wait(.milliseconds(50)), .stroke(KeyStroke(code: 60)),
                ])
    }

    @Test("A text with a character that the layout lacks is not typed at all")
    func incomplete() {
        #expect(KeyStrokes.steps(for: [.text("ok"), .text("^")], layout: .de) == nil)
        #expect(KeyStrokes.steps(for: [.text("ok1")], layout: nil) == nil)
        #expect(KeyStrokes.steps(for: [.key(.function(99))], layout: .us) == nil)
        #expect(KeyStrokes.steps(for: [.text("bcd")], layout: nil)?.count == 3)
    }

    private func codes(
        _ templates: [AccessoryOutcome: String], _ layout: KeyboardLayout?, lane: String = "gate"
    ) throws -> Set<UInt16> {
        KeyStrokes.codes(usedBy: try output(templates, layout), lane: lane)
    }

    private func output(_ templates: [AccessoryOutcome: String], _ layout: KeyboardLayout?) throws
        -> KeysOutput
    {
        var output = KeysOutput()
        output.layout = layout
        output.templates = try templates.mapValues { try OutputTemplate(parsing: $0) }
        output.standIn = OutputSamples.standIn
        return output
    }

    @Test("The keyboard has the keys of the templates alone")
    func declaredKeys() throws {
        #expect(try codes([.allow: "b{enter}"], nil) == [48, 28])
        #expect(try codes([.allow: "b", .deny: "C{f1}"], .us) == [48, 46, 42, 59])
        // The letters of "deny", and not those of another outcome.
        #expect(try codes([.deny: "{outcome}"], .us) == [32, 18, 49, 21])
        #expect(try codes([.allow: "{lane}"], .us, lane: "ab") == [30, 48])
        #expect(try codes([.allow: "b@"], .de) == [48, 16, 100])
        let digits = Set<UInt16>(2...11)
        #expect(try codes([.allow: "{age}"], .us) == digits)
        #expect(try codes([.allow: "{standIn:MM/DD}"], .us) == digits.union([53]))
        #expect(try codes([.allow: "{code}"], .fr) == digits.union([42]))
        #expect(try codes([.allow: "{wait:100}{tab}"], .fr) == [15])
    }

    @Test("Whatever an output types, the keyboard has its keys", arguments: KeyboardLayout.allCases)
    func declared(layout: KeyboardLayout) throws {
        let text = "Over 21: {outcome}/{age} {lane}-{code} @{standIn:YYYY-MM.DD}{tab}{f13}{enter}"
        let output = try self.output(
            Dictionary(uniqueKeysWithValues: AccessoryOutcome.allCases.map { ($0, text) }), layout)
        let codes = KeyStrokes.codes(usedBy: output, lane: "Gate_2")
        for (outcome, template) in output.templates {
            for age in [nil, 16, 18, 21, 65] as [Int?] {
                let due = OutputSamples.output(lane: "Gate_2", outcome: outcome, age: age, code: "098765")
                let pieces = try #require(template.text(for: due, standIn: output.standIn))
                for step in try #require(KeyStrokes.steps(for: pieces, layout: layout)) {
                    guard case .stroke(let stroke) = step else { continue }
                    #expect(codes.contains(stroke.code))
                    #expect(!stroke.shift || codes.contains(KeyCode.leftShift))
                    #expect(!stroke.altGr || codes.contains(KeyCode.rightAlt))
                }
            }
        }
    }
}
