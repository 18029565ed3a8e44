internal import MdocSession
internal import Synchronization

/// What is remarkable in the messages of a presentation. It changes nothing of the outcome: whoever is in the radio's reach
/// could spoil every answer otherwise. But it is always reported.
package enum PresentationNote: Equatable, Sendable {
    /// What carries the messages of an NFC v2 session (draft of the second edition).
    package enum Bearer: String, CaseIterable, Sendable {
        case nfc, bluetooth
    }

    package enum ID: String, CaseIterable, Sendable {
        case copiesDiffer = "session.copies_differ"
        case sequenceMissing = "session.sequence_missing"
        case sequenceUnexpected = "session.sequence_unexpected"
    }

    /// The copy of an answer that came second, over this bearer, is not equal to the first, which was judged.
    case copiesDiffer(second: Bearer)
    case sequenceMissing(expected: UInt64)
    case sequenceUnexpected(UInt64, expected: UInt64)

    init(_ note: SequenceNote) {
        self =
            switch note {
            case .missing(let expected): .sequenceMissing(expected: expected)
            case .other(let number, let expected): .sequenceUnexpected(number, expected: expected)
            }
    }

    package var id: ID {
        switch self {
        case .copiesDiffer: .copiesDiffer
        case .sequenceMissing: .sequenceMissing
        case .sequenceUnexpected: .sequenceUnexpected
        }
    }

    package var explanation: String {
        switch self {
        case .copiesDiffer(let second):
            "a second copy of the answer came over \(second.text) and differs from the first; only the first was judged: if it repeats, record a field trace and report the wallet"
        case .sequenceMissing(let expected):
            "a message of the phone has no number (seq); it should be \(expected)"
        case .sequenceUnexpected(let number, let expected):
            "a message of the phone has the number (seq) \(number); it should be \(expected)"
        }
    }
}

extension PresentationNote.Bearer {
    fileprivate var text: String {
        switch self {
        case .nfc: "NFC"
        case .bluetooth: "Bluetooth"
        }
    }
}

/// The notes of one presentation. A second copy may come after its outcome.
final class PresentationNotes: Sendable {
    /// A phone may send many messages; the first notes say enough.
    private static let most = 16

    private let notes = Mutex<[PresentationNote]>([])

    var all: [PresentationNote] { notes.withLock { $0 } }

    /// - Returns: whether it was kept.
    func add(_ note: PresentationNote) -> Bool {
        notes.withLock { notes in
            guard notes.count < Self.most else { return false }
            notes.append(note)
            return true
        }
    }
}

extension ReaderTransaction {
    func note(_ note: PresentationNote, in notes: PresentationNotes) {
        if notes.add(note) { report(.noted(note)) }
    }
}
