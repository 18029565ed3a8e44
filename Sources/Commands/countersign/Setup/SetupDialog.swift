internal import CommandLineInterface
internal import ErrorMapping
internal import Glibc
internal import JSON

/// Asks at the terminal, or takes the answers from a file.
struct SetupDialog {
    /// How often a question is asked before the command gives up.
    private static let attempts = 5
    private static let longestFile = 1 << 16

    /// Nil for the terminal.
    private let answers: JSONTextMembers?
    /// What was answered before, which is the default at the terminal.
    private let former: JSONTextMembers?
    private let path: String

    /// - Parameter formerPath: where the answers of an earlier run may be.
    init(answers path: String?, former formerPath: String) throws(CommandFailure) {
        self.path = path ?? ""
        former = path == nil ? Self.members(ofFile: formerPath) : nil
        guard let path else {
            guard isatty(STDIN_FILENO) == 1 else {
                throw .usage("there is no terminal for the questions: give --answers FILE")
            }
            answers = nil
            return
        }
        let bytes = try InputFile.read(path, limit: Self.longestFile)
        answers = try mapping(JSONText(bytes[...]).members(Set(SetupQuestion.allCases.map(\.rawValue)))) {
            (error: JSONFault) in Self.failure(error, in: path)
        }
    }

    /// What cannot be read is asked again.
    private static func members(ofFile path: String) -> JSONTextMembers? {
        guard let bytes = try? InputFile.read(path, limit: longestFile) else { return nil }
        return try? JSONText(bytes[...]).members(Set(SetupQuestion.allCases.map(\.rawValue)))
    }

    var isAtTerminal: Bool { answers == nil }

    /// Whether the answer is yes; where there is no answer that of the earlier run, or no.
    func agrees(to question: SetupQuestion) throws(CommandFailure) -> Bool {
        if let answers {
            return try mapping(answers[question.rawValue]?.boolean() ?? false, failure)
        }
        let standard = (try? former?[question.rawValue]?.boolean()) ?? false
        let word = try ask("\(question.text) \(standard ? "[Y/n]" : "[y/N]")") { answer in
            ["", "y", "yes", "n", "no"].contains(answer.lowercased()) ? nil : "answer yes or no"
        }
        return word.isEmpty ? standard : word.lowercased().hasPrefix("y")
    }

    func number(
        of question: SetupQuestion, standard: Int, in range: ClosedRange<Int64>
    ) throws(CommandFailure) -> Int {
        if let answers {
            let number = try mapping(answers[question.rawValue]?.integer(in: range), failure)
            return number.map(Int.init) ?? standard
        }
        let before = (try? former?[question.rawValue]?.integer(in: range)) ?? Int64(standard)
        let text = try self.text(of: question, standard: "\(before)") { answer in
            Int64(answer).map(range.contains) == true
                ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
        return Int(text) ?? standard
    }

    /// Nil if nothing is answered.
    func optionalText(
        of question: SetupQuestion, _ fault: (String) -> String?
    ) throws(CommandFailure) -> String? {
        let text = try self.text(of: question, standard: "", fault)
        return text.isEmpty ? nil : text
    }

    /// - Parameter fault: what is wrong with an answer; nil if nothing is.
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
        let before = (try? former?[question.rawValue]?.string()).flatMap { fault($0) == nil ? $0 : nil }
        let offered = before ?? standard
        let stroke =
            before == nil || before == standard ? "" : "; - for \(standard.isEmpty ? "nothing" : standard)"
        let shown = offered.isEmpty ? "" : " [\(Terminal.safe(offered))\(Terminal.safe(stroke))]"
        let text = try ask("\(question.text)\(shown)") { answer in
            if answer == "-", !stroke.isEmpty { return nil }
            let text = answer.isEmpty ? offered : answer
            return text.isEmpty ? nil : fault(text)
        }
        if text == "-", !stroke.isEmpty { return standard }
        return text.isEmpty ? offered : text
    }

    /// One of the words; the first where nothing is answered. At the terminal its number will do.
    func choice(
        of question: SetupQuestion, among choices: [(word: String, meaning: String)]
    ) throws(CommandFailure) -> String {
        if isAtTerminal { Terminal.note("") }
        for (index, choice) in choices.enumerated() where isAtTerminal {
            let meaning = choice.meaning.isEmpty ? "" : ": \(choice.meaning)"
            Terminal.note("  \(index + 1)  \(Terminal.safe(choice.word))\(meaning)")
        }
        let words = choices.map(\.word)
        func word(_ answer: String) -> String {
            if isAtTerminal, let number = Int(answer), words.indices.contains(number - 1) {
                return words[number - 1]
            }
            return words.first { $0.lowercased() == answer.lowercased() } ?? answer
        }
        return word(
            try text(of: question, standard: words.first ?? "") { AnswerFault.word(word($0), of: words) })
    }

    private func ask(_ text: String, _ fault: (String) -> String?) throws(CommandFailure) -> String {
        for _ in 0..<Self.attempts {
            Terminal.prompt("\(text): ")
            guard let line = readLine() else { throw .usage("the input ended; nothing was written") }
            let answer = line.trimmed
            guard let fault = fault(answer) else { return answer }
            Terminal.note("  \(fault)")
        }
        throw .usage("that was answered wrongly \(Self.attempts) times; nothing was written")
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
