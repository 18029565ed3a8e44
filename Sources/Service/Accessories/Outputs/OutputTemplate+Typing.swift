extension OutputTemplate {
    /// Checks the template against the output to which it belongs.
    ///
    /// - Parameters:
    ///   - layout: the layout of the computer's keyboard, or `nil` if the output names none.
    ///   - standIn: the owner's date, or `nil` if the output has none.
    ///   - asKeys: true for keys, which depend on the layout; false for a serial line, which has no function
    ///     keys.
    /// - Returns: the first fault, or `nil` if the output can give the template.
    package func fault(
        typedWith layout: KeyboardLayout?, standIn: StandInDate?, asKeys: Bool
    ) -> OutputTemplateFault? {
        for part in parts {
            if case .standIn = part {
                guard let standIn else { return .standInMissing }
                guard standIn.exists else { return .standInImpossible }
            }
            let fault = asKeys ? Self.fault(of: part, typedWith: layout) : Self.faultOnLine(of: part)
            if let fault { return fault }
        }
        return nil
    }

    private static func fault(of part: Part, typedWith layout: KeyboardLayout?) -> OutputTemplateFault? {
        switch part {
        case .tab, .enter, .function, .wait: return nil
        case .literal(let text):
            let missing = text.unicodeScalars.first { KeyStrokes.stroke(for: $0, layout: layout) == nil }
            guard let missing else { return nil }
            return layout.map { .characterNotInLayout(missing, $0) } ?? .layoutMissing(missing)
        // Each layout has all characters of the values, as a test holds; without a layout digits have no
        // place, and neither have some letters of each outcome's word.
        case .outcome: return layout == nil ? .layoutMissingForValue("outcome") : nil
        case .age: return layout == nil ? .layoutMissingForValue("age") : nil
        case .lane: return layout == nil ? .layoutMissingForValue("lane") : nil
        case .code: return layout == nil ? .layoutMissingForValue("code") : nil
        case .standIn(let format): return layout == nil ? .layoutMissingForValue("standIn:\(format)") : nil
        }
    }

    private static func faultOnLine(of part: Part) -> OutputTemplateFault? {
        if case .function(let number) = part { .functionKeyOnLine(number) } else { nil }
    }

    /// Returns the text, keys and waits for an output that is due.
    ///
    /// - Returns: the pieces in their order, or `nil` if a value of the output or the date is missing or is
    ///   not allowed. Then nothing may be typed. An age that was not asked is left out.
    package func text(for output: DueOutput, standIn: StandInDate?) -> [TypedPiece]? {
        var pieces: [TypedPiece] = []
        for part in parts {
            switch part {
            case .tab: pieces.append(.key(.tab))
            case .enter: pieces.append(.key(.enter))
            case .function(let number): pieces.append(.key(.function(number)))
            case .wait(let time): pieces.append(.wait(time))
            case .literal, .outcome, .age, .lane, .code, .standIn:
                guard let text = Self.text(of: part, for: output, standIn: standIn) else { return nil }
                Self.append(text, to: &pieces)
            }
        }
        // The template was checked when it was read, but the lane's name was not known then.
        return Self.looksLikeLicence(pieces) ? nil : pieces
    }

    /// Returns the bytes and waits for an output that is due, as a scanner would send them: Tab is 09, Enter
    /// is 0D.
    ///
    /// - Returns: the pieces in their order, or `nil` if `text(for:standIn:)` is `nil` or the template has a
    ///   function key. Then nothing may be sent.
    package func bytes(for output: DueOutput, standIn: StandInDate?) -> [LinePiece]? {
        guard let typed = text(for: output, standIn: standIn) else { return nil }
        var pieces: [LinePiece] = []
        for piece in typed {
            let next: [UInt8]
            switch piece {
            case .wait(let time):
                pieces.append(.wait(time))
                continue
            case .text(let text): next = Array(text.utf8)
            case .key(.tab): next = [0x09]
            case .key(.enter): next = [0x0d]
            case .key(.function): return nil
            }
            if case .bytes(let before) = pieces.last {
                pieces[pieces.count - 1] = .bytes(before + next)
            } else {
                pieces.append(.bytes(next))
            }
        }
        return pieces
    }

    /// Appends a text to the piece before it, so that a text is one piece.
    private static func append(_ text: String, to pieces: inout [TypedPiece]) {
        guard !text.isEmpty else { return }
        if case .text(let before) = pieces.last {
            pieces[pieces.count - 1] = .text(before + text)
        } else {
            pieces.append(.text(text))
        }
    }

    /// The text of a literal or value, or `nil` if the value is missing or not allowed.
    private static func text(of part: Part, for output: DueOutput, standIn: StandInDate?) -> String? {
        switch part {
        case .literal(let text): text.unicodeScalars.allSatisfy(isAllowed) ? text : nil
        case .outcome: output.outcome.rawValue
        case .age:
            switch output.age {
            case .none: ""
            case .some(let age): (0...150).contains(age) ? String(age) : nil
            }
        case .lane: isLaneName(output.lane) ? output.lane : nil
        case .code: output.code.utf8.count == 6 && output.code.utf8.allSatisfy(isDigit) ? output.code : nil
        case .standIn(let format):
            if let standIn, standIn.exists { DateFormat(format)?.text(standIn) } else { nil }
        case .tab, .enter, .function, .wait: nil
        }
    }

    /// Whether a text has the form of a lane's name: letters, digits, `-` and `_`.
    private static func isLaneName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Whether a text in the pieces begins as the data of an AAMVA licence. A key ends a text; a wait does
    /// not.
    private static func looksLikeLicence(_ pieces: [TypedPiece]) -> Bool {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let next): text += next
            case .key:
                if looksLikeLicence(text) { return true }
                text = ""
            case .wait: break
            }
        }
        return looksLikeLicence(text)
    }
}
