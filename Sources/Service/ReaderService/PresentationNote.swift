internal import MdocSession
internal import Synchronization

/// A remark on the phone's messages. A note is reported and never changes the outcome, because otherwise
/// anybody in radio range could spoil an answer.
package enum PresentationNote: Equatable, Sendable {
    /// The medium that carries messages of an NFC v2 session (draft of the second edition).
    package enum Bearer: String, CaseIterable, Sendable {
        case nfc, bluetooth
    }

    package enum ID: String, CaseIterable, Sendable {
        case copiesDiffer = "session.copies_differ"
        case sequenceMissing = "session.sequence_missing"
        case sequenceUnexpected = "session.sequence_unexpected"
    }

    /// The second copy of an answer, which came over this bearer, differs from the first copy, which was
    /// judged.
    case copiesDiffer(second: Bearer)
    /// A message of the phone has no sequence number; `expected` is the number that it should have.
    case sequenceMissing(expected: UInt64)
    /// A message of the phone has another sequence number than `expected`.
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
            "a second copy of the answer came over \(second.text) and differs from the first copy; only the first copy was checked. If this happens again, record a field trace and report the wallet"
        case .sequenceMissing(let expected):
            "a message from the phone has no sequence number (seq); the expected number is \(expected)"
        case .sequenceUnexpected(let number, let expected):
            "a message from the phone has the sequence number (seq) \(number); the expected number is \(expected)"
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

/// The notes of one presentation. A note may be added after the outcome, because the second copy of an answer
/// may come late.
final class PresentationNotes: Sendable {
    /// The maximum number of notes, because a phone may send any number of unusual messages.
    private static let maximumCount = 16

    private let notes = Mutex<[PresentationNote]>([])

    var all: [PresentationNote] { notes.withLock { $0 } }

    /// Adds a note unless there are too many.
    ///
    /// - Returns: whether the note was added.
    func add(_ note: PresentationNote) -> Bool {
        notes.withLock { notes in
            guard notes.count < Self.maximumCount else { return false }
            notes.append(note)
            return true
        }
    }
}

extension ReaderTransaction {
    /// Adds a note to a presentation and reports it, unless there are too many notes.
    func record(_ note: PresentationNote, in notes: PresentationNotes) {
        if notes.add(note) { report(.noted(note)) }
    }
}
