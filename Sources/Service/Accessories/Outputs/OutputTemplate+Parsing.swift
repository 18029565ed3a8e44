extension OutputTemplate {
    /// The maximum number of characters of a template's text.
    package static let mostCharacters = 256
    /// The maximum number of parts of a template.
    package static let mostParts = 64
    /// The length of one wait, in milliseconds.
    package static let waits = 10...2000
    /// The maximum length of all waits together.
    package static let longestWaits = Duration.seconds(5)

    /// Reads a template from its text in the configuration file.
    ///
    /// - Throws: the first fault in the text, or a fault of the whole template.
    package init(parsing text: String) throws(OutputTemplateFault) {
        // The text is cut before it is copied, so that a text of any length costs the same.
        let scalars = Array(text.unicodeScalars.prefix(Self.mostCharacters + 1))
        guard !scalars.isEmpty else { throw .empty }
        guard scalars.count <= Self.mostCharacters else { throw .tooLong }
        var reader = TemplateReader(scalars)
        self.init(parts: try reader.parts())
        guard parts.count <= Self.mostParts else { throw .tooManyParts }
        guard waitingTime <= Self.longestWaits else { throw .waitsTooLong }
        guard !looksLikeLicence else { throw .looksLikeLicence }
    }

    /// The length of all waits together.
    private var waitingTime: Duration {
        parts.reduce(.zero) { time, part in if case .wait(let wait) = part { time + wait } else { time } }
    }

    /// Whether one of the texts that are typed begins as the data of an AAMVA licence. A key ends a text; a
    /// wait does not.
    private var looksLikeLicence: Bool {
        var texts = [""]
        for part in parts {
            switch part {
            case .literal(let text): texts[texts.count - 1] += text
            case .tab, .enter, .function: texts.append("")
            // No age may have been asked. Then `{age}` is empty, and the next literal begins the text.
            case .wait, .age: break
            // A digit stands for a value: no value is empty, and the first character is never a sign.
            case .outcome, .lane, .code, .standIn: texts[texts.count - 1] += "0"
            }
        }
        return texts.contains(where: Self.looksLikeLicence)
    }

    /// Whether a text begins as the data of an AAMVA licence: with the compliance indicator `@`, or with the
    /// file type `ANSI ` or `AAMVA` (AAMVA DL/ID Card Design Standard, D.12.3). Spaces before are ignored.
    static func looksLikeLicence(_ text: String) -> Bool {
        let beginning = text.drop { $0 == " " }.prefix(5).uppercased()
        return beginning.hasPrefix("@") || beginning == "ANSI " || beginning == "AAMVA"
    }

    /// Whether a character is in printable ASCII.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool { (0x20...0x7e).contains(scalar.value) }

    /// Whether a character may be typed: it is in printable ASCII and has no meaning for a shell. The keys go
    /// to whichever program is in front, which may be a terminal.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        isPrintable(scalar) && !"`$;|&<>\\".unicodeScalars.contains(scalar)
    }
}

/// A reader of a template's text, from its first character to its last.
private struct TemplateReader {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var result: [OutputTemplate.Part] = []
    private var literal = ""

    init(_ scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    mutating func parts() throws(OutputTemplateFault) -> [OutputTemplate.Part] {
        while index < scalars.count {
            let scalar = scalars[index]
            guard OutputTemplate.isAllowed(scalar) else { throw .characterRefused(scalar, at: index + 1) }
            switch scalar {
            case "{":
                endLiteral()
                result.append(try braces())
            case "}": throw .braceUnopened(at: index + 1)
            default:
                literal.unicodeScalars.append(scalar)
                index += 1
            }
        }
        endLiteral()
        return result
    }

    private mutating func endLiteral() {
        guard !literal.isEmpty else { return }
        result.append(.literal(literal))
        literal = ""
    }

    /// Reads the braces at `index` and what is in them.
    private mutating func braces() throws(OutputTemplateFault) -> OutputTemplate.Part {
        let place = index + 1
        var content = ""
        index += 1
        while index < scalars.count, scalars[index] != "}" {
            let scalar = scalars[index]
            guard OutputTemplate.isAllowed(scalar) else { throw .characterRefused(scalar, at: index + 1) }
            guard scalar != "{" else { throw .braceUnclosed(at: place) }
            content.unicodeScalars.append(scalar)
            index += 1
        }
        guard index < scalars.count else { throw .braceUnclosed(at: place) }
        index += 1
        return try part(content, at: place)
    }

    private func part(_ content: String, at place: Int) throws(OutputTemplateFault) -> OutputTemplate.Part {
        switch content {
        case "tab": return .tab
        case "enter": return .enter
        case "outcome": return .outcome
        case "age": return .age
        case "lane": return .lane
        case "code": return .code
        default: break
        }
        if content.hasPrefix("wait:") {
            guard let time = number(content.dropFirst(5)), OutputTemplate.waits.contains(time) else {
                throw .waitOutOfRange(at: place)
            }
            return .wait(.milliseconds(time))
        }
        if content.hasPrefix("standIn:") {
            let format = String(content.dropFirst(8))
            guard DateFormat(format) != nil else { throw .standInFormat(at: place) }
            return .standIn(format: format)
        }
        guard content.hasPrefix("f"), let key = number(content.dropFirst()), (1...24).contains(key) else {
            throw .nameUnknown(at: place)
        }
        return .function(key)
    }

    /// The number that `text` writes with digits alone, without a zero in front.
    private func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.utf8.first != 0x30 else {
            return nil
        }
        return Int(text)
    }
}
