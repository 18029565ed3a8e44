internal import CommandLineInterface
internal import ErrorMapping
internal import Glibc
internal import JSON
internal import ReaderTokens

/// The questions of setup, answered at the terminal or from a file of answers.
///
/// From a file, each answer is checked and a fault names the file, line and column. At the terminal, a wrong
/// answer is explained and the question is asked again. The defaults at the terminal are the answers of an
/// earlier run. The answer `-` selects the default of a first run instead.
struct SetupDialog {
    /// The number of times a question is asked before the command gives up.
    private static let attempts = 5
    private static let longestFile = 1 << 16

    /// The answers of the file, or `nil` at the terminal.
    private let answers: JSONTextMembers?
    /// The answers of an earlier run, which are the defaults at the terminal.
    private let former: JSONTextMembers?
    private let path: String

    /// - Parameters:
    ///   - path: The file of answers, or `nil` to ask at the terminal.
    ///   - formerPath: The file with the answers of an earlier run, which may be absent.
    /// - Throws: Status 64 (usage) without a file and without a terminal, 65 (malformed) for a faulty file.
    init(answers path: String?, former formerPath: String) throws(CommandFailure) {
        // Only a fault in a file of answers names the path, so an empty path is never shown.
        self.path = path ?? ""
        former = path == nil ? Self.members(ofFile: formerPath) : nil
        guard let path else {
            guard isatty(STDIN_FILENO) == 1 else {
                throw .usage("there is no terminal to ask at: give --answers FILE")
            }
            answers = nil
            return
        }
        let bytes = try InputFile.read(path, limit: Self.longestFile)
        answers = try mapping(JSONText(bytes[...]).members(Set(SetupQuestion.allCases.map(\.rawValue)))) {
            (error: JSONFault) in Self.failure(error, in: path)
        }
    }

    /// Returns the answers of an earlier run, or `nil` if the file cannot be read. All questions then have
    /// their original defaults.
    private static func members(ofFile path: String) -> JSONTextMembers? {
        guard let bytes = try? InputFile.read(path, limit: longestFile) else { return nil }
        return try? JSONText(bytes[...]).members(Set(SetupQuestion.allCases.map(\.rawValue)))
    }

    var isAtTerminal: Bool { answers == nil }

    /// Returns whether the answer is yes. The default is the answer of an earlier run, otherwise no.
    func agrees(to question: SetupQuestion) throws(CommandFailure) -> Bool {
        if let answers {
            return try mapping(answers[question.rawValue]?.boolean() ?? false, failure)
        }
        // An earlier answer that is not a boolean is ignored.
        let standard = (try? former?[question.rawValue]?.boolean()) ?? false
        let word = try ask("\(question.text) \(standard ? "[Y/n]" : "[y/N]")") { answer in
            ["", "y", "yes", "n", "no"].contains(answer.lowercased()) ? nil : "answer yes or no"
        }
        return word.isEmpty ? standard : word.lowercased().hasPrefix("y")
    }

    /// Returns a number in `range`.
    ///
    /// - Parameter standard: The default.
    func number(
        of question: SetupQuestion, standard: Int, in range: ClosedRange<Int64>
    ) throws(CommandFailure) -> Int {
        if let answers {
            let number = try mapping(answers[question.rawValue]?.integer(in: range), failure)
            return number.map(Int.init) ?? standard
        }
        // An earlier answer out of this range is ignored.
        let before = (try? former?[question.rawValue]?.integer(in: range)) ?? Int64(standard)
        let text = try self.text(of: question, standard: "\(before)") { answer in
            Int64(answer).map(range.contains) == true
                ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
        return Int(text) ?? standard
    }

    /// Returns a text, or `nil` if the answer is empty.
    func optionalText(
        of question: SetupQuestion, _ fault: (String) -> String?
    ) throws(CommandFailure) -> String? {
        let text = try self.text(of: question, standard: "", fault)
        return text.isEmpty ? nil : text
    }

    /// Returns a text.
    ///
    /// - Parameters:
    ///   - standard: The default.
    ///   - fault: Returns why an answer is not accepted, or `nil` if it is.
    func text(
        of question: SetupQuestion, standard: String, _ fault: (String) -> String?
    ) throws(CommandFailure) -> String {
        if let answers {
            do throws(JSONFault) {
                guard let answer = answers[question.rawValue] else { return standard }
                let text = try answer.string()
                if let fault = fault(text) { throw answer.wrong(fault) }
                return text
            } catch {
                throw failure(error)
            }
        }
        // An earlier answer that the check refuses now is not offered.
        let before = (try? former?[question.rawValue]?.string()).flatMap { fault($0) == nil ? $0 : nil }
        let offered = before ?? standard
        // `-` is offered only if the earlier answer differs from the original default.
        let resetHint =
            before == nil || before == standard ? "" : "; - for \(standard.isEmpty ? "nothing" : standard)"
        let shown = offered.isEmpty ? "" : " [\(Terminal.safe(offered))\(Terminal.safe(resetHint))]"
        let text = try ask("\(question.text)\(shown)") { answer in
            if answer == "-", !resetHint.isEmpty { return nil }
            let text = answer.isEmpty ? offered : answer
            // The text is empty only if the default is empty, which means that no answer is needed.
            return text.isEmpty ? nil : fault(text)
        }
        if text == "-", !resetHint.isEmpty { return standard }
        return text.isEmpty ? offered : text
    }

    /// Returns one of the words. The first word is the default. At the terminal the user may give the number
    /// of the word.
    func choice(
        of question: SetupQuestion, among choices: [(word: String, meaning: String)]
    ) throws(CommandFailure) -> String {
        if isAtTerminal { Terminal.message("") }
        for (index, choice) in choices.enumerated() where isAtTerminal {
            let meaning = choice.meaning.isEmpty ? "" : ": \(choice.meaning)"
            Terminal.message("  \(index + 1)  \(Terminal.safe(choice.word))\(meaning)")
        }
        let words = choices.map(\.word)
        /// Returns the word that the answer means: its number at the terminal, or the word in any letter
        /// case.
        func word(_ answer: String) -> String {
            if isAtTerminal, let number = Int(answer), words.indices.contains(number - 1) {
                return words[number - 1]
            }
            return words.first { $0.lowercased() == answer.lowercased() } ?? answer
        }
        return word(
            try text(of: question, standard: words.first ?? "") { AnswerFault.word(word($0), of: words) })
    }

    /// Asks until `fault` accepts the answer, at most `attempts` times. Returns the answer.
    private func ask(_ text: String, _ fault: (String) -> String?) throws(CommandFailure) -> String {
        for _ in 0..<Self.attempts {
            Terminal.prompt("\(text): ")
            guard let line = readLine() else {
                throw .usage("the input ended before the last question; nothing was written")
            }
            let answer = line.trimmed
            guard let fault = fault(answer) else { return answer }
            Terminal.message("  \(fault)")
        }
        throw .usage("\(Self.attempts) answers to this question were not accepted; nothing was written")
    }

    private func failure(_ fault: JSONFault) -> CommandFailure { Self.failure(fault, in: path) }

    private static func failure(_ fault: JSONFault, in path: String) -> CommandFailure {
        .malformed("\(Terminal.safe(path)):\(fault.line):\(fault.column): \(fault.explanation)")
    }
}

extension String {
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character.isWhitespace }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// The questions of `countersign setup`. The raw value is the name of the member in a file of answers.
enum SetupQuestion: String, CaseIterable {
    case fix, replace, role, trial, reader, lane, shop, logo, ground, words, brand, contact, language,
        retention
    case days, purpose, kept, trust, identity, country

    /// The question as it is asked at the terminal.
    var text: String {
        switch self {
        case .fix: "Write the missing settings files that were shown?"
        case .replace: "Replace the present configuration? It is kept under another name"
        case .role: "What is this computer for?"
        case .trial: "Use the software wallet, a program that answers like a phone, for a trial?"
        case .reader: "Which reader?"
        case .lane: "A name for this lane (one reader and its pages): letters, digits, - and _"
        case .shop: "The shop's name, as customers read it"
        case .logo: "File of the shop's logo, a PNG, or nothing"
        case .ground:
            "Background colour of the pages, such as #10243e, or nothing for the standard colours"
        case .words: "Colour of the words on this background"
        case .brand: "Identifier of the brand, the business that requests the data"
        case .contact: "Whom customers ask about their data: a name or an address"
        case .language:
            "Language of the pages: \(Self.languages.joined(separator: ", ")), or nothing for the browser's"
        case .retention: "What is kept of a check?"
        case .days: "For how many days is data kept?"
        case .purpose: "Purpose of the checks, as customers read it"
        case .kept: "What is kept, as customers read it"
        case .trust:
            "File or folder with the certificates (IACA) or lists (VICAL) of the authorities that issue documents, or nothing to import them later"
        case .identity:
            "Make a reader identity, a key that signs requests? Many wallets answer only readers that they know"
        case .country: "Country of the shop, two letters"
        }
    }

    /// The languages of the pages, as codes of ISO 639-1.
    static let languages = ["ar", "de", "en", "es", "fr", "it", "pt", "zh"]

    /// The type and default of the member in a file of answers, for `--help`.
    var kind: String {
        switch self {
        case .fix, .replace, .trial, .identity: "true or false, default false"
        case .days: "a number from 1 to 3650, default 2"
        case .role: SetupRole.allCases.map(\.rawValue).joined(separator: ", ")
        case .retention: SetupRetention.allCases.map(\.rawValue).joined(separator: ", ")
        default: "text"
        }
    }
}

/// The checks of answers. Each returns a text that says what an answer must be, or `nil` if the answer is
/// accepted.
enum AnswerFault {
    static func length(_ text: String, upTo limit: Int) -> String? {
        // The text is never empty here. An empty answer at the terminal selects the default, and a file of
        // answers may not have an empty text.
        text.utf8.count <= limit ? nil : "must be a text of 1 to \(limit) bytes"
    }

    static func lane(_ name: String, upTo limit: Int) -> String? {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-"
                    || scalar == "_")
        }
        return isPlain && name.utf8.count <= limit
            ? nil : "must consist of letters, digits, - and _, at most \(limit) of them"
    }

    static func brand(_ text: String) -> String? {
        TokenText(text) == nil
            ? "must consist of letters, digits, -, _, . and :, and begin with a letter or digit" : nil
    }

    static func language(_ text: String) -> String? { word(text.lowercased(), of: SetupQuestion.languages) }

    static func word(_ text: String, of words: [String]) -> String? {
        words.contains(text)
            ? nil : "must be one of \(words.map { "\"\(Terminal.safe($0))\"" }.joined(separator: ", "))"
    }

    static func country(_ text: String) -> String? {
        text.utf8.count == 2 && text.uppercased().utf8.allSatisfy { (0x41...0x5a).contains($0) }
            ? nil : "must be two letters, such as US"
    }

    static func path(_ text: String) -> String? {
        unsafe access(text, R_OK) == 0 ? nil : "it does not exist or cannot be read"
    }
}
