/// A key that is pressed and released, with Shift or AltGr held meanwhile.
package struct KeyStroke: Hashable, Sendable {
    /// The key, as a `KeyCode`.
    package let code: UInt16
    package let shift: Bool
    package let altGr: Bool

    package init(code: UInt16, shift: Bool = false, altGr: Bool = false) {
        self.code = code
        self.shift = shift
        self.altGr = altGr
    }
}

/// A step of typing.
package enum KeyStep: Equatable, Sendable {
    case stroke(KeyStroke)
    /// A pause before the next step.
    case wait(Duration)
}

/// The strokes with which a keyboard types an output.
///
/// A character belongs to a key only through the layout that the computer uses. Without a layout only those
/// letters can be typed that stand alike on US, German and French keyboards. Each layout has the characters
/// that one stroke gives in all its variants: the German `^` is left out, because it is a dead key in some of
/// them and waits for the next letter. Characters that no template may contain are in no layout, so that they
/// cannot be typed at all.
package enum KeyStrokes {
    /// The letters that stand alike on US, German and French keyboards.
    package static let commonLetters = "bcdefghijklnoprstuvx"

    /// Returns the stroke for a character, or `nil` if it has none in the layout.
    package static func stroke(for scalar: Unicode.Scalar, layout: KeyboardLayout?) -> KeyStroke? {
        guard let layout else { return common[scalar] }
        return tables[layout]?[scalar]
    }

    /// Returns the stroke for a key.
    package static func stroke(for key: TypedKey) -> KeyStroke? {
        switch key {
        case .tab: KeyStroke(code: KeyCode.tab)
        case .enter: KeyStroke(code: KeyCode.enter)
        case .function(let number): KeyCode.function(number).map { KeyStroke(code: $0) }
        }
    }

    /// Returns the steps that type the pieces.
    ///
    /// - Returns: the steps in their order, or `nil` if the layout lacks a character. Then nothing may be
    ///   typed: a text with a gap is another text.
    package static func steps(for pieces: [TypedPiece], layout: KeyboardLayout?) -> [KeyStep]? {
        var steps: [KeyStep] = []
        for piece in pieces {
            switch piece {
            case .wait(let time): steps.append(.wait(time))
            case .key(let key):
                guard let stroke = stroke(for: key) else { return nil }
                steps.append(.stroke(stroke))
            case .text(let text):
                guard let strokes = strokes(for: text, layout: layout) else { return nil }
                steps += strokes.map(KeyStep.stroke)
            }
        }
        return steps
    }

    /// Returns the strokes for a text, or `nil` if the layout lacks a character.
    package static func strokes(for text: String, layout: KeyboardLayout?) -> [KeyStroke]? {
        var strokes: [KeyStroke] = []
        for scalar in text.unicodeScalars {
            guard let stroke = stroke(for: scalar, layout: layout) else { return nil }
            strokes.append(stroke)
        }
        return strokes
    }

    /// Returns the keys that the templates of an output can press, with Shift and AltGr if they need them.
    ///
    /// The virtual keyboard declares these keys alone, so that it can press no other.
    ///
    /// - Parameter lane: the name of the output's lane, for `{lane}`.
    package static func codes(usedBy output: KeysOutput, lane: String) -> Set<UInt16> {
        var strokes: [KeyStroke] = []
        for (outcome, template) in output.templates {
            for part in template.parts {
                switch part {
                case .tab: strokes += pressed(.tab)
                case .enter: strokes += pressed(.enter)
                case .function(let number): strokes += pressed(.function(number))
                case .literal, .outcome, .age, .lane, .code, .standIn, .wait:
                    let text = characters(of: part, outcome: outcome, lane: lane)
                    strokes += text.unicodeScalars.compactMap { stroke(for: $0, layout: output.layout) }
                }
            }
        }
        var codes = Set(strokes.map(\.code))
        if strokes.contains(where: \.shift) { codes.insert(KeyCode.leftShift) }
        if strokes.contains(where: \.altGr) { codes.insert(KeyCode.rightAlt) }
        return codes
    }

    private static func pressed(_ key: TypedKey) -> [KeyStroke] { stroke(for: key).map { [$0] } ?? [] }

    /// All characters that a part of a template can give.
    private static func characters(
        of part: OutputTemplate.Part, outcome: AccessoryOutcome, lane: String
    ) -> String {
        switch part {
        case .literal(let text): text
        case .outcome: outcome.rawValue
        case .lane: lane
        case .age, .code: "0123456789"
        // Digits replace the letters of the format; its signs stay.
        case .standIn(let format): "0123456789" + format.filter { !$0.isLetter }
        case .tab, .enter, .function, .wait: ""
        }
    }

    /// The common letters, small and capital.
    private static let common: [Unicode.Scalar: KeyStroke] = {
        let letters = commonLetters.unicodeScalars
        return tables[.us, default: [:]].filter { scalar, _ in
            letters.contains(scalar) || letters.contains { $0.properties.uppercaseMapping == String(scalar) }
        }
    }()

    private static let tables: [KeyboardLayout: [Unicode.Scalar: KeyStroke]] =
        Dictionary(uniqueKeysWithValues: KeyboardLayout.allCases.map { ($0, KeyRow.table(of: $0)) })
}
