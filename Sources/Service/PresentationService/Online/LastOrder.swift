internal import ErrorMapping
internal import JSON
internal import Synchronization

/// What was asked for over one channel, as it is kept beside a nonce.
protocol KeptOrder: Sendable {
    static var members: Set<String> { get }
    init(_ members: JSONTextMembers) throws(PresentationServiceError)
}

extension AppOrder: KeptOrder {}
extension WebOrder: KeptOrder {}

/// Reads orders as they are kept, and remembers the last: a shop asks for the same again and again.
final class LastOrder<Order: KeptOrder>: Sendable {
    private let last = Mutex<(kept: [UInt8], order: Order)?>(nil)

    func order(kept: [UInt8]) throws(PresentationServiceError) -> Order {
        if let last = last.withLock({ $0 }), last.kept == kept { return last.order }
        let members = try mapping(JSONText(kept[...]).members(Order.members)) { (_: JSONFault) in
            PresentationServiceError.failed
        }
        let order = try Order(members)
        last.withLock { $0 = (kept, order) }
        return order
    }
}
