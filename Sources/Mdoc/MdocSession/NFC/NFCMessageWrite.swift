internal import ISO7816

/// NFC Forum Type 4 Tag 7.5.5: writing an NDEF message, in one UPDATE BINARY where it fits, otherwise NLEN := 0,
/// the data, NLEN := length. A phone that refuses the one write gets the other form (Q23).
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
    /// Whether the phone refused the merged write.
    private(set) var mergedRefused = false

    /// A write of `message` with at most `chunk` bytes in a command.
    init(_ message: [UInt8], chunk: Int, merges: Bool) throws(NFCFault) {
        guard chunk >= 2 else { throw .capabilityContainerInvalid }
        self.message = message
        self.chunk = chunk
        stage = merges && message.count + 2 <= chunk ? .merged : .clearLength
    }

    var isDone: Bool {
        if case .done = stage { true } else { false }
    }

    /// The next command, or nil when the message is written.
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

    private func update(_ offset: Int, _ data: ArraySlice<UInt8>) throws(NFCFault) -> CommandAPDU {
        guard let offset = FileOffset(offset) else {
            throw .messageTooLong(announced: message.count, limit: 0x7ffe)
        }
        return .updateBinary(at: offset, data)
    }

    /// Takes the status of the last command.
    mutating func receive(_ status: StatusWord) throws(NFCFault) {
        if case .merged = stage, status != .success {
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
