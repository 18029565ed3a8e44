import Glibc
import ReaderStore
import RecordBench
import VectorFiles

/// Ends presentations with an output each, and gives the outputs: a pulse is a line in a file.
struct OutputWriter {
    private struct Unwritable: Error {}

    private let store: ReaderStore
    private let pulses: String
    private let seed: UInt64

    init(store: String, pulses: String, seed: UInt64) throws {
        self.store = try ReaderStore(at: store, for: .changing)
        self.pulses = pulses
        self.seed = seed
    }

    func run() throws {
        var numbers = SplitMix64(seed: seed)
        guard let lock = ReceiptLabel("lock"), let lamp = ReceiptLabel("lamp") else { throw Unwritable() }
        for step in 1...100_000 {
            // A lamp that refuses the outcome is beside the lock now and then, so that one statement has two.
            let further = Bool.random(using: &numbers) ? [NewOutput(accessory: lamp, isRefused: true)] : []
            let outputs = try store.end(
                .sample("\(seed)-\(step)"), first: .sample(), further: nil,
                outputs: [NewOutput(accessory: lock)] + further
            ).outputs
            let isLate = Int.random(in: 0..<8, using: &numbers) == 0
            for output in outputs where output.state == .due { try give(output.number, isLate: isLate) }
        }
    }

    private func give(_ number: Int64, isLate: Bool) throws {
        if isLate, try store.finishOutput(number, as: .notGiven) {
            say(.output(number: number, state: .notGiven))
        }
        // The end is announced twice, as by an event and its replay, and also after it is too late.
        for _ in 0..<2 where try store.giveOutput(number) {
            try pulse(number)
            say(.output(number: number, state: .given))
            if try store.finishOutput(number, as: .done) { say(.output(number: number, state: .done)) }
        }
    }

    private func pulse(_ number: Int64) throws {
        let file = unsafe open(pulses, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard file >= 0 else { throw Unwritable() }
        defer { close(file) }
        let bytes = Array("\(number)\n".utf8)
        guard unsafe write(file, bytes, bytes.count) == bytes.count else { throw Unwritable() }
    }
}
