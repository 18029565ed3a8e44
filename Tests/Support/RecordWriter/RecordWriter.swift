import Glibc
import MdocModel
import ReaderStore
import RecordBench
import VectorFiles

/// Writes what a reader keeps, one thing after the other, and says what is done, until it is killed.
///
///     RecordWriter STORE KEYS SEED TIME NAME
///
/// TIME, in seconds since 1970, is when it begins; a minute goes by with each step.
///
///     RecordWriter outputs STORE PULSES SEED
///
/// Gives one output after the other instead, each with a line in the file PULSES.
@main
enum RecordWriter {
    static func main() throws {
        let words = CommandLine.arguments
        if words.count == 5, words[1] == "outputs", let seed = UInt64(words[4]) {
            return try OutputWriter(store: words[2], pulses: words[3], seed: seed).run()
        }
        guard words.count == 6, let seed = UInt64(words[3]), let start = Int64(words[4]) else { exit(64) }
        let store = try ReaderStore(at: words[1], for: .changing)
        let retained = try RetainedRecords(in: store, keysIn: words[2])
        let rental = try RentalDocument(name: words[5])
        var numbers = SplitMix64(seed: seed)
        var writer = Steps(store: store, retained: retained, rental: rental, seed: seed)
        for step in 1...100_000 {
            let now = Timestamp(secondsSince1970: start + Int64(step) * 60)
            try writer.take(Int.random(in: 0..<8, using: &numbers), at: now, using: &numbers)
        }
    }
}

/// A document of which nothing was retained: every one in this program holds what its profile keeps.
private struct NothingRetained: Error {}

private struct Steps {
    let store: ReaderStore
    let retained: RetainedRecords
    let rental: RentalDocument
    let seed: UInt64
    private var references: [String] = []

    init(store: ReaderStore, retained: RetainedRecords, rental: RentalDocument, seed: UInt64) {
        self.store = store
        self.retained = retained
        self.rental = rental
        self.seed = seed
    }

    mutating func take(_ step: Int, at now: Timestamp, using numbers: inout SplitMix64) throws {
        switch step {
        case 0...2: try append(at: now)
        case 3...5: try retain(at: now, using: &numbers)
        case 6: try purge(at: now)
        default: try export(at: now, using: &numbers)
        }
    }

    private func append(at now: Timestamp) throws {
        let receipt = try store.append(.sample(at: now))
        say(.receipt(sequence: receipt.sequence, digest: hexadecimal(receipt.digest)))
    }

    private mutating func retain(at now: Timestamp, using numbers: inout SplitMix64) throws {
        // Several drivers to one reference, now and then.
        if references.isEmpty || Bool.random(using: &numbers) {
            references.append("\(seed)/\(references.count)")
        }
        guard let reference = references.last, let days = (1...3).randomElement(using: &numbers),
            let profile = RetentionProfile.days(days)
        else { return }
        let outcome = try retained.retain(
            rental.document, answering: rental.plan, under: profile, consent: .notGiven,
            for: RetainedReference(reference), at: now)
        guard case .retained(let id, let deadline) = outcome else { throw NothingRetained() }
        say(
            .retained(
                id: hexadecimal(id.bytes), deadline: deadline.secondsSince1970, reference: reference))
    }

    private func purge(at now: Timestamp) throws {
        say(.purging(time: now.secondsSince1970))
        try retained.purge(at: now)
        say(.purged(time: now.secondsSince1970))
    }

    private func export(at now: Timestamp, using numbers: inout SplitMix64) throws {
        guard let reference = references.randomElement(using: &numbers) else { return }
        // An export removes what is overdue as well.
        say(.purging(time: now.secondsSince1970))
        say(.exporting(reference: reference))
        let export = try retained.beginExport(of: RetainedReference(reference), at: now)
        try retained.finish(export.records.map(\.id))
        say(.exported(reference: reference))
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

}

/// Prints a line at once and whole: what is in a buffer is lost with the process.
func say(_ line: WriterLine) {
    let bytes = Array("\(line.text)\n".utf8)
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
}
