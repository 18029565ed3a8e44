package import ReaderStore

/// What the writer says of what it does, a line each, once it is done; of what may be half done, before.
package enum WriterLine: Equatable, Sendable {
    /// A receipt was acknowledged.
    case receipt(sequence: Int64, digest: String)
    /// A record was acknowledged; the deadline in seconds since 1970.
    case retained(id: String, deadline: Int64, reference: String)
    /// From here on everything that was due by then may be gone.
    case purging(time: Int64)
    case purged(time: Int64)
    /// From here on the records of the reference may be gone.
    case exporting(reference: String)
    case exported(reference: String)
    /// An output was changed.
    case output(number: Int64, state: OutputState)

    package var text: String {
        switch self {
        case .receipt(let sequence, let digest): "receipt \(sequence) \(digest)"
        case .retained(let id, let deadline, let reference): "retained \(id) \(deadline) \(reference)"
        case .purging(let time): "purging \(time)"
        case .purged(let time): "purged \(time)"
        case .exporting(let reference): "exporting \(reference)"
        case .exported(let reference): "exported \(reference)"
        case .output(let number, let state): "output \(number) \(state.rawValue)"
        }
    }

    /// Nil for another line, as one that was cut off.
    package init?(_ text: Substring) {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("receipt", 3): self = .receipt(sequence: Int64(words[1]) ?? 0, digest: words[2])
        case ("retained", 4):
            self = .retained(id: words[1], deadline: Int64(words[2]) ?? 0, reference: words[3])
        case ("purging", 2): self = .purging(time: Int64(words[1]) ?? 0)
        case ("purged", 2): self = .purged(time: Int64(words[1]) ?? 0)
        case ("exporting", 2): self = .exporting(reference: words[1])
        case ("exported", 2): self = .exported(reference: words[1])
        case ("output", 3):
            guard let number = Int64(words[1]), let state = OutputState(rawValue: words[2]) else {
                return nil
            }
            self = .output(number: number, state: state)
        default: return nil
        }
    }
}
