internal import CBOR
internal import MdocModel

/// One rule of session encryption (ISO/IEC 18013-5 9.1.1) that the phone breaks, and no other. The raw value is
/// the rule's name, as in the corpus of presentations.
package enum SessionFault: String, CaseIterable, Sendable {
    case tagFlipped = "session.tag_flipped"
    case counterTwo = "session.counter_2"
    case emptyMap = "session.empty_map"
    case trailingBytes = "session.trailing_bytes"
    case dataTwice = "session.dup_data"
    case notAMap = "session.not_a_map"
    case encryptionError = "session.status_10"
    case decodingError = "session.status_11"
    case termination = "session.status_20"
    /// An answer beside a status that reports an error.
    case dataWithEncryptionError = "session.data_with_status_10"
    case dataWithDecodingError = "session.data_with_status_11"
    /// An answer beside a status that no standard defines.
    case dataWithUnknownStatus = "session.data_with_status_99"
}

extension SessionFault {
    /// What becomes of a SessionData message.
    func edit(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .tagFlipped: message.dropLast() + message.suffix(1).map { $0 ^ 1 }
        case .counterTwo: message
        case .emptyMap: CBORDraft.map([]).encode()
        case .trailingBytes: message + [0]
        case .dataTwice: (["data": Self.data(message), "data": .bytes([0, 1])] as CBORDraft).encode()
        case .notAMap: CBORDraft.array([Self.data(message)]).encode()
        case .encryptionError: SessionData.encode(data: nil, status: .encryptionError)
        case .decodingError: SessionData.encode(data: nil, status: .decodingError)
        case .termination: SessionData.encode(data: nil, status: .termination)
        case .dataWithEncryptionError: Self.answer(message, status: 10)
        case .dataWithDecodingError: Self.answer(message, status: 11)
        case .dataWithUnknownStatus: Self.answer(message, status: 99)
        }
    }

    private static func answer(_ message: [UInt8], status: UInt64) -> [UInt8] {
        let data = (try? SessionData(message[...]))?.data
        return SessionData.encode(data: data.map(Array.init), status: SessionStatus(rawValue: status))
    }

    private static func data(_ message: [UInt8]) -> CBORDraft {
        .bytes(((try? SessionData(message[...]))?.data).map(Array.init) ?? [])
    }
}
