internal import ISO7816

/// The write of an NDEF message (NFC Forum Type 4 Tag 7.5.5).
///
/// A message that fits into one command is written together with NLEN in one UPDATE BINARY. A longer message
/// is written in three steps: NLEN as 0, the data, then NLEN as the length. A phone that refuses the single
/// UPDATE BINARY gets the three steps (Q23).
struct NFCMessageWrite: Sendable {
    private enum Stage {
        case merged
        case clearLength
        case data(written: Int)
        case setLength
        case done
    }

    private let message: [UInt8]
    private let chunk: Int
    private var stage: Stage
    /// Whether the phone refused NLEN and message in one write.
    private(set) var mergedRefused = false

    /// Creates a write of `message` with at most `chunk` bytes in each command.
    init(_ message: [UInt8], chunk: Int, merges: Bool) throws(NFCFault) {
        // One command must be able to write the two bytes of NLEN.
        guard chunk >= 2 else { throw .capabilityContainerInvalid }
        self.message = message
        self.chunk = chunk
        stage = merges && message.count + 2 <= chunk ? .merged : .clearLength
    }

    var isDone: Bool {
        if case .done = stage { true } else { false }
    }

    /// Returns the next command. Nil if the message is written.
    func command() throws(NFCFault) -> CommandAPDU? {
        let length = [
            UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count),
        ]
        switch stage {
        case .merged: return try update(0, (length + message)[...])
        case .clearLength: return try update(0, [0, 0])
        case .data(let written): return try update(2 + written, message.dropFirst(written).prefix(chunk))
        case .setLength: return try update(0, length[...])
        case .done: return nil
        }
    }

    /// Returns an UPDATE BINARY at this offset, which must be below 0x8000 (Q24).
    private func update(_ offset: Int, _ data: ArraySlice<UInt8>) throws(NFCFault) -> CommandAPDU {
        guard let offset = FileOffset(offset) else {
            // The limit leaves room for the two bytes of NLEN.
            throw .messageTooLong(announced: message.count, limit: 0x7ffe)
        }
        return .updateBinary(at: offset, data)
    }

    /// Receives the status of the last command.
    mutating func receive(_ status: StatusWord) throws(NFCFault) {
        if case .merged = stage, status != .success {
            // After the phone has refused NLEN and message in one write, the three separate steps follow in
            // the same tap (Q23).
            mergedRefused = true
            stage = .clearLength
            return
        }
        guard status == .success else { throw .status(status) }
        switch stage {
        case .merged, .setLength, .done: stage = .done
        case .clearLength: stage = .data(written: 0)
        case .data(let written):
            stage = written + chunk < message.count ? .data(written: written + chunk) : .setLength
        }
    }
}
