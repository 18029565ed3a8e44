internal import CommandLineInterface
internal import Glibc
internal import JSON
internal import ReaderTokens
internal import Synchronization

/// The questions of setup, answered at the terminal or from a file of answers.
///
/// If the answers come from a file, a faulty answer is recorded in `faults` and its default is used instead,
/// so that one run finds all faults. At the terminal, a wrong answer is explained and the question is asked
/// again. The defaults at the terminal are the answers of an earlier run. The answer `-` selects the original
/// default instead.
struct SetupDialog {
    /// The number of times a question is asked before the command gives up.
    private static let attempts = 5
    private static let longestFile = 1 << 16

    /// The answers of the file, or `nil` at the terminal.
    private let answers: JSONTextMembers?
    /// The answers of an earlier run, which are the defaults at the terminal.
    private let former: JSONTextMembers?
    private let path: String
    private let faultBook = SetupFaultBook()

    /// - Parameters:
    ///   - path: The file of answers, `-` for the standard input, or `nil` to ask at the terminal.
    ///   - formerPath: The file with the answers of an earlier run, which may be absent.
    /// - Throws: Status 64 (usage) if there is neither a file nor a terminal, 65 (malformed) if the file is
    ///   not a JSON object.
    init(answers path: String?, former formerPath: String) throws(CommandFailure) {
        // The path is shown only with a fault in a file of answers, so an empty path is never shown.
        self.path = path ?? ""
        former = path == nil ? Self.members(ofFile: formerPath) : nil
        guard let path else {
            guard isatty(STDIN_FILENO) == 1 else {
                throw .usage("standard input is not a terminal: give --answers FILE")
            }
            answers = nil
            return
        }
        let bytes = try InputFile.read(path == "-" ? "/dev/stdin" : path, limit: Self.longestFile)
        do throws(JSONFault) {
            let text = try JSONText(bytes[...])
            let unknown = try text.unknownMembers(besides: Set(SetupQuestion.allCases.map(\.rawValue)))
            for fault in unknown { faultBook.add(fault) }
            answers = try text.members()
        } catch {
            throw Self.failure([error], in: path)
        }
    }

    /// The faults of the answers that were read so far, in the order of the file.
    var faults: [JSONFault] { faultBook.all }

    /// - Throws: Status 65 (malformed) with a line for each fault of the answers that were read so far.
    func refuseFaults() throws(CommandFailure) {
        if !faults.isEmpty { throw Self.failure(faults, in: path) }
    }

    /// Returns an answer of the file, or `standard` for an absent or faulty answer.
    private func answer<Value>(
        to question: SetupQuestion, in answers: JSONTextMembers, standard: Value,
        _ read: (JSONText) throws(JSONFault) -> Value
    ) -> Value {
        guard let answer = answers[question.rawValue] else { return standard }
        do throws(JSONFault) {
            return try read(answer)
        } catch {
            faultBook.add(error)
            return standard
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
            return answer(to: question, in: answers, standard: false) { text throws(JSONFault) in
                try text.boolean()
            }
        }
        // An earlier answer that is not a boolean is ignored.
        let standard = (try? former?[question.rawValue]?.boolean()) ?? false
        return try agrees(to: question.text, standard: standard)
    }

    /// Asks a question at the terminal that is not in a file of answers, and returns whether the answer is yes.
    func agrees(to text: String, standard: Bool) throws(CommandFailure) -> Bool {
        let word = try ask("\(text) \(standard ? "[Y/n]" : "[y/N]")") { answer in
            ["", "y", "yes", "n", "no"].contains(answer.lowercased()) ? nil : "answer yes or no"
        }
        return word.isEmpty ? standard : word.lowercased().hasPrefix("y")
    }

    /// Asks for a number at the terminal that is not in a file of answers.
    func number(
        to text: String, standard: Int, in range: ClosedRange<Int64>
    ) throws(CommandFailure) -> Int {
        let answer = try ask("\(text) [\(standard)]") { answer in
            answer.isEmpty ? nil : Self.fault(of: answer, in: range)
        }
        return Int(answer) ?? standard
    }

    /// Returns the reason why an answer is no number in `range`, or `nil` if it is.
    private static func fault(of answer: String, in range: ClosedRange<Int64>) -> String? {
        Int64(answer).map(range.contains) == true
            ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Returns a value of a file of answers, or `standard` at the terminal and for an absent or faulty answer.
    func value<Value>(
        of question: SetupQuestion, standard: Value, _ read: (JSONText) throws(JSONFault) -> Value
    ) -> Value {
        answers.map { answer(to: question, in: $0, standard: standard, read) } ?? standard
    }

    /// Returns a value of an earlier run; `nil` if there is none, or if it is not accepted any more.
    func formerValue<Value>(
        of question: SetupQuestion, _ read: (JSONText) throws(JSONFault) -> Value
    ) -> Value? {
        former?[question.rawValue].flatMap { try? read($0) }
    }

    /// Returns a number in `range`.
    ///
    /// - Parameter standard: The default.
    func number(
        of question: SetupQuestion, standard: Int, in range: ClosedRange<Int64>
    ) throws(CommandFailure) -> Int {
        if let answers {
            return answer(to: question, in: answers, standard: standard) { text throws(JSONFault) in
                Int(try text.integer(in: range))
            }
        }
        // An earlier answer out of this range is ignored.
        let before = (try? former?[question.rawValue]?.integer(in: range)) ?? Int64(standard)
        let text = try self.text(of: question, standard: "\(before)") { Self.fault(of: $0, in: range) }
        return Int(text) ?? standard
    }

    /// Returns the ages of the buttons on a kiosk's page.
    ///
    /// - Parameter standard: The default.
    func ages(of question: SetupQuestion, standard: SetupAges) throws(CommandFailure) -> SetupAges {
        if let answers {
            return answer(to: question, in: answers, standard: standard) { text throws(JSONFault) in
                try SetupAges(text)
            }
        }
        // Earlier ages that are not accepted any more are ignored.
        let before = former?[question.rawValue].flatMap { try? SetupAges($0) } ?? standard
        let text = try self.text(of: question, standard: before.text) { answer in
            SetupAges(answer) == nil ? "\(SetupAges.requirement), such as \(standard.text)" : nil
        }
        return SetupAges(text) ?? standard
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
    ///   - fault: Returns the reason why an answer is not accepted, or `nil` if it is.
    func text(
        of question: SetupQuestion, standard: String, _ fault: (String) -> String?
    ) throws(CommandFailure) -> String {
        if let answers {
            return answer(to: question, in: answers, standard: standard) { answer throws(JSONFault) in
                let text = try answer.string()
                if let fault = fault(text) { throw answer.wrong(fault) }
                return text
            }
        }
        // An earlier answer that `fault` refuses is not offered as the default.
        let before = (try? former?[question.rawValue]?.string()).flatMap { answer in
            Self.isOffered(answer, to: question) && fault(answer) == nil ? answer : nil
        }
        let offered = before ?? standard
        // `-` is offered only if the earlier answer differs from the original default.
        let resetHint =
            before == nil || before == standard
            ? "" : "; type - for \(standard.isEmpty ? "nothing" : standard)"
        let shown = offered.isEmpty ? "" : " [\(Terminal.safe(offered))\(Terminal.safe(resetHint))]"
        let text = try ask("\(question.text)\(shown)") { answer in
            if answer == "-", !resetHint.isEmpty { return nil }
            let text = answer.isEmpty ? offered : answer
            // An empty text here means that the default is empty, so the question may stay unanswered.
            return text.isEmpty ? nil : fault(text)
        }
        if text == "-", !resetHint.isEmpty { return standard }
        return text.isEmpty ? offered : text
    }

    /// Returns whether an earlier answer may be the default. A path of issuers' files is not offered if
    /// another user can replace the files.
    private static func isOffered(_ answer: String, to question: SetupQuestion) -> Bool {
        question != .trust || !SetupIssuers.canBeReplaced(answer)
    }

    /// Returns the chosen word of `choices`. The first word is the default. At the terminal the user may give
    /// the number of the word.
    func choice(
        of question: SetupQuestion, among choices: [(word: String, meaning: String)]
    ) throws(CommandFailure) -> String {
        if isAtTerminal { Terminal.message("") }
        for (index, choice) in choices.enumerated() where isAtTerminal {
            let meaning = choice.meaning.isEmpty ? "" : ": \(choice.meaning)"
            Terminal.message("  \(index + 1)  \(Terminal.safe(choice.word))\(meaning)")
        }
        let words = choices.map(\.word)
        /// Returns the chosen word. At the terminal an answer may also be the number of a word. Upper and
        /// lower case do not matter.
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
                throw .usage("the input ended before the last question; the configuration was not written")
            }
            let answer = line.trimmed
            guard let fault = fault(answer) else { return answer }
            Terminal.message("  \(fault)")
        }
        throw .usage(
            "\(Self.attempts) answers to this question were not accepted; the configuration was not written")
    }

    private static func failure(_ faults: [JSONFault], in path: String) -> CommandFailure {
        .malformed(
            faults.map { "\(Terminal.safe(path)):\($0.line):\($0.column): \($0.explanation)" }
                .joined(separator: "\n"))
    }
}

/// The faults of a file of answers. Each answer has at most one.
private final class SetupFaultBook: Sendable {
    private let faults = Mutex<[JSONFault]>([])

    var all: [JSONFault] {
        faults.withLock { $0.sorted { ($0.line, $0.column) < ($1.line, $1.column) } }
    }

    func add(_ fault: JSONFault) {
        // An answer may be read twice. Its fault is recorded only once.
        faults.withLock { if !$0.contains(fault) { $0.append(fault) } }
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
    case fix, replace, role, trial, reader, lane, shop, logo, ground, words, brand, contact, language
    case ages, retention, days, purpose, kept, trust, identity, country, accessories

    /// The question as it is asked at the terminal.
    var text: String {
        switch self {
        case .fix: "Write the missing settings files that were shown?"
        case .replace: "Replace the present configuration? The old file is kept under another name"
        case .role: "What is this computer for?"
        case .trial: "Use the software wallet, a program that answers like a phone, for a trial?"
        case .reader: "Which reader?"
        case .lane:
            "A name for this lane (one reader and its pages): letters (a to z, A to Z), digits, - and _, no spaces"
        case .shop: "The shop's name, as customers read it"
        case .logo: "File of the shop's logo, a PNG, or nothing"
        case .ground:
            "Background colour of the pages, such as #10243e, or nothing for the standard colours"
        case .words: "Colour of the words on this background"
        case .brand: "Identifier of the brand, the business that requests the data"
        case .contact:
            "Whom customers ask about their data: a name or an address. If you give nothing, the pages name the staff of the shop, in the customer's language"
        case .language:
            "Language of the pages: \(Self.languages.joined(separator: ", ")), or nothing for the browser's language"
        case .ages: "Ages that the clerk's buttons ask, one to three, such as 16, 18"
        case .retention: "What is kept of a check?"
        case .days: "For how many days is data kept?"
        case .purpose:
            "Purpose of the checks, as customers read it, or nothing for the pages' own text in each language"
        case .kept:
            "What is kept, as customers read it, or nothing for the pages' own text in each language"
        case .trust:
            "File or folder with the certificates (IACA) or lists (VICAL) of the authorities that issue documents, or nothing to import them later"
        case .identity:
            "Make a reader identity, a key that signs requests? Many wallets answer only readers that they know"
        case .country: "Country of the shop, two letters"
        case .accessories:
            "Scanners and outputs at this lane, in the form of the daemon's configuration. At the terminal, setup asks about each plugged-in scanner and relay board instead"
        }
    }

    /// The languages of the pages, as codes of ISO 639-1.
    static let languages = ["ar", "de", "en", "es", "fr", "it", "pt", "zh"]

    /// The type and default of the member in a file of answers, for `--help`.
    var kind: String {
        switch self {
        case .fix, .replace, .trial, .identity: "true or false, default false"
        case .ages:
            "a list of one to three numbers from 12 to 99, default [16, 18] for pages in German, otherwise [18, 21]"
        case .days: "a number from 1 to 3650, default 2"
        case .accessories: "a list of objects, default []"
        case .role: SetupRole.allCases.map(\.rawValue).joined(separator: ", ")
        case .retention: SetupRetention.allCases.map(\.rawValue).joined(separator: ", ")
        default: "text"
        }
    }
}

/// The checks of answers. Each returns a requirement that the answer does not meet, or `nil` if the answer is
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
            ? nil
            : "must consist of letters (a to z, A to Z), digits, - and _, without spaces, at most \(limit) of them"
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
        unsafe access(text, R_OK) == 0 ? nil : "the file or folder does not exist, or cannot be read"
    }
}
