internal import CBOR
internal import ISO7816
internal import JSON
internal import MdocModel
internal import MdocSession

/// A text trace with one APDU on each line: the mark `>` (to the card) or `<` (from the card), then the bytes
/// in hexadecimal.
///
/// A time may stand before the mark or after the bytes. Empty lines and lines that start with `#` are
/// ignored.
struct APDUTrace {
    enum Direction {
        case toCard, fromCard
    }

    /// An APDU of the trace.
    struct Entry {
        /// The number of the line in the file, from 1.
        let line: Int
        /// The time as it is written in the trace, or an empty text.
        let time: String
        let direction: Direction
        let bytes: [UInt8]
    }

    let entries: [Entry]

    /// Parses a trace. Returns `nil` if the first line with content is not an APDU, which means that the text
    /// is not a trace.
    ///
    /// - Throws: An error with the number of the line, if a later line is not an APDU.
    init?(_ text: String) throws(InspectionError) {
        var entries: [Entry] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, first.first != "#" else { continue }
            guard let entry = Self.entry(words, line: index + 1) else {
                if entries.isEmpty { return nil }
                throw InspectionError("line \(index + 1) of the APDU trace is not an APDU in hexadecimal")
            }
            entries.append(entry)
        }
        guard !entries.isEmpty else { return nil }
        self.entries = entries
    }

    /// Parses the words of a line. The words before the mark (`>` or `<`) and after the hexadecimal digits
    /// are the time. Returns `nil` if the line has no mark or fewer than 2 bytes, the size of a status word.
    private static func entry(_ words: [Substring], line: Int) -> Entry? {
        guard let mark = words.firstIndex(where: { $0.first == ">" || $0.first == "<" }) else { return nil }
        // The digits may follow the mark with or without a space.
        let inSameWord = words[mark].dropFirst()
        let after = (inSameWord.isEmpty ? [] : [inSameWord]) + words[(mark + 1)...]
        let digits = after.prefix { $0.utf8.allSatisfy { $0.isHexadecimalDigit } }
        guard let bytes = digits.joined().utf8.bytesOfHexadecimal, bytes.count >= 2 else {
            return nil
        }
        let time = (words[..<mark] + after.dropFirst(digits.count)).joined(separator: " ")
        return Entry(
            line: line, time: time, direction: words[mark].first == ">" ? .toCard : .fromCard, bytes: bytes)
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { self < 0x80 && Character(Unicode.Scalar(self)).isHexDigit }
}

extension APDUTrace {
    /// The kind of trace with its size. A trace of the bench link, the TCP connection to a software wallet,
    /// has whole session messages instead of APDUs.
    var kind: String {
        let isBenchLink = entries.contains { Self.sessionMessage($0.bytes) != nil }
        return isBenchLink
            ? "bench link trace, \(entries.count) frames" : "APDU trace, \(entries.count) APDUs"
    }

    /// Returns the lines of the trace. Each line has an APDU, the name of its command or status, and its
    /// data.
    func text(longestData: Int) -> String {
        entries.map { entry in
            let time = entry.time.isEmpty ? "" : Terminal.safe(entry.time, limit: 40) + "  "
            let mark = entry.direction == .toCard ? ">" : "<"
            return "  \(time)\(mark) \(Self.content(of: entry, longestData: longestData))"
        }.joined(separator: "\n")
    }

    private static func content(of entry: Entry, longestData: Int) -> String {
        if let message = sessionMessage(entry.bytes) { return message }
        switch entry.direction {
        case .toCard: return command(entry.bytes, longestData: longestData)
        case .fromCard: return response(entry.bytes, longestData: longestData)
        }
    }

    /// Describes a whole session message, as the bench link transfers it. Returns `nil` for an APDU.
    private static func sessionMessage(_ bytes: [UInt8]) -> String? {
        guard let item = try? CBORItem.parse(bytes[...]) else { return nil }
        let structure = CBORStructure(item)
        guard [.benchLinkGreeting, .sessionEstablishment, .sessionData].contains(structure) else {
            return nil
        }
        return "\(structure.title), \(bytes.count) bytes"
    }

    private static func command(_ bytes: [UInt8], longestData: Int) -> String {
        guard let command = try? CommandAPDU.parse(bytes[...]) else {
            return "not a command APDU: \(data(bytes[...], longest: longestData))"
        }
        var parts = [command.name]
        if !command.data.isEmpty { parts.append(data(command.data, longest: longestData)) }
        if let length = command.expectedLength { parts.append("Le \(length.maximum)") }
        if command.isChained { parts.append("more follows") }
        return parts.joined(separator: ", ")
    }

    private static func response(_ bytes: [UInt8], longestData: Int) -> String {
        guard let response = try? ResponseAPDU.parse(bytes[...]) else { return "not a response APDU" }
        let content = response.data.isEmpty ? "" : data(response.data, longest: longestData) + ", "
        return
            "\(content)\([UInt8](response.status.rawValue.bigEndianBytes).hexadecimal) \(response.status.meaning)"
    }

    /// Returns the first `longest` bytes in hexadecimal. If there are more bytes, appends their total number.
    private static func data(_ bytes: ArraySlice<UInt8>, longest: Int) -> String {
        let shown = bytes.prefix(longest)
        return shown.hexadecimal + (shown.count < bytes.count ? "… (\(bytes.count) bytes)" : "")
    }
}

extension UInt16 {
    fileprivate var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(truncatingIfNeeded: self)] }
}

extension CommandAPDU {
    fileprivate var name: String {
        let parameters = [p1, p2].hexadecimal
        switch ins {
        // P1 04 selects an application by its name (ISO/IEC 7816-4).
        case Instruction.select where p1 == 0x04: return "SELECT application\(applicationName)"
        case Instruction.select: return "SELECT file"
        case Instruction.readBinary: return "READ BINARY at \(parameters)"
        case Instruction.updateBinary: return "UPDATE BINARY at \(parameters)"
        case Instruction.envelope: return "ENVELOPE"
        case Instruction.getResponse: return "GET RESPONSE"
        default: return "instruction \([cla, ins, p1, p2].hexadecimal)"
        }
    }

    private var applicationName: String {
        if data.elementsEqual(ApplicationIdentifier.ndefTag.bytes) { return " of the NFC Forum Type 4 Tag" }
        if data.elementsEqual(ApplicationIdentifier.mdocDataTransfer.bytes) {
            return " of mdoc data transfer"
        }
        if data.elementsEqual(ApplicationIdentifier.mdocNFCVersion2.bytes) { return " of NFC v2" }
        return ""
    }
}

extension StatusWord {
    fileprivate var meaning: String {
        switch self {
        case .success: "success"
        case .endOfFile: "the file ended early"
        case .wrongLength: "wrong length"
        case .channelNotSupported: "logical channel not supported"
        case .chainingNotSupported: "command chaining not supported"
        case .securityStatusNotSatisfied: "security status not satisfied"
        case .conditionsNotSatisfied: "conditions of use not satisfied"
        case .commandNotAllowed: "command not allowed"
        case .incorrectData: "incorrect data"
        case .notFound: "file or application not found"
        case .notEnoughRoom: "not enough room"
        case .incorrectParameters: "incorrect P1 or P2"
        case .wrongParameters: "offset outside the file"
        case .instructionNotSupported: "instruction not supported"
        case .classNotSupported: "class not supported"
        case .unknownError: "no precise diagnosis"
        default: bytesText
        }
    }

    private var bytesText: String {
        if let more = bytesAvailable {
            // The status 6100 means that at least 256 bytes remain.
            return more == 256 ? "256 or more bytes remain" : "\(more) more bytes remain"
        }
        if let length = acceptedLength { return "wrong Le, the correct Le is \(length)" }
        return "unknown status"
    }
}
