/// What a phone did at one tap, from its power to the next.
package struct TracedTap: Equatable, Sendable {
    package fileprivate(set) var exchanges: [ExchangeFacts] = []
    /// From its last exchange to the moment at which it left the reader; nil if it stayed.
    package fileprivate(set) var left: Duration?
    /// From its last exchange to the next tap; nil for the last.
    package fileprivate(set) var next: Duration?
    /// When the last exchange was over, in milliseconds of the file.
    fileprivate var ended: Double

    /// Whether the phone leaves in the middle of a command.
    package var breaksOff: Bool { exchanges.last?.failure?.word == .cardLost }
}

extension [TracedTap] {
    /// The taps of one presentation; a phone that got no command had none.
    package init(_ lines: some Sequence<FieldTraceLine>) {
        self = []
        for line in lines {
            switch line.event {
            case .powered: append(TracedTap(ended: line.milliseconds))
            case .exchange(let exchange) where !isEmpty:
                if self[count - 1].exchanges.isEmpty {
                    setNext(of: count - 2, line.milliseconds - exchange.took)
                }
                self[count - 1].exchanges.append(exchange)
                self[count - 1].ended = line.milliseconds
            case .presence(let presence) where presence.change.word == .removed && !isEmpty:
                self[count - 1].left = .milliseconds(line.milliseconds - self[count - 1].ended)
            default: break
            }
        }
        removeAll { $0.exchanges.isEmpty }
    }

    private mutating func setNext(of index: Int, _ milliseconds: Double) {
        guard indices.contains(index) else { return }
        self[index].next = .milliseconds(Swift.max(milliseconds - self[index].ended, 0))
    }
}
