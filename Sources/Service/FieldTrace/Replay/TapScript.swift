/// Says for each command of a reader what the traced phone did with it.
///
/// A reader may ask otherwise than the one that was traced: commands that it leaves out are skipped, and one that
/// the phone never got has no entry.
package struct TapScript: Equatable, Sendable {
    private let exchanges: [ExchangeFacts]
    private var place = 0
    /// How many commands there were that the traced phone did not get there.
    package private(set) var divergences = 0

    package init(_ tap: TracedTap) {
        exchanges = tap.exchanges
    }

    package var isOver: Bool { place >= exchanges.count }

    /// The next exchange with this command; nil if the trace has none.
    package mutating func next(_ command: ExchangeFacts.Command) -> ExchangeFacts? {
        guard let index = exchanges[place...].firstIndex(where: { $0.command.word == command }) else {
            divergences += 1
            return nil
        }
        divergences += index - place
        place = index + 1
        return exchanges[index]
    }
}
