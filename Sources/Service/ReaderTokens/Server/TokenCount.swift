package import MdocModel

/// How many tokens one caller gets for one reader.
///
/// A reader can use a token for 48 hours. A caller who asks more than a few times an hour has a fault, or is not the reader.
package enum TokenLimit {
    package static let most = 12
    /// For how many seconds a token counts.
    package static let window: Int64 = 3600

    /// In plain words, for a caller who asked too often.
    package static func explanation(retryAfter seconds: Int64) -> String {
        "this reader got as many tokens as are allowed in an hour: ask again in \(seconds) s"
    }
}

/// Where a token server counts what it is asked for.
package protocol TokenCount: Sendable {
    /// Why it cannot be counted: no token is made then.
    associatedtype Failure: Error

    /// Notes that a token is asked for. If there were `TokenLimit.most` within the window, it notes nothing.
    ///
    /// - Returns: how many seconds to wait; nil if the token may be made.
    func note(_ request: TokenRequest, at now: Timestamp) async throws(Failure) -> Int64?

    /// Forgets the latest time of a request: no token was made, and the caller is not at fault.
    func takeBack(_ request: TokenRequest) async throws(Failure)
}

/// Counts in memory, for a server that is the only one of its brands.
package actor TokenCountInMemory: TokenCount {
    package typealias Failure = Never

    private struct Place: Hashable {
        let caller: String
        let brand: TokenText
        let instance: ReaderInstance

        init(_ request: TokenRequest) {
            (caller, brand, instance) = (request.caller, request.brand, request.instance)
        }
    }

    /// When tokens were asked for lately.
    private var asked: [Place: [Timestamp]] = [:]
    /// When places that nobody has asked for within the window were last forgotten.
    private var cleared = Timestamp(secondsSince1970: 0)

    package init() {}

    package func note(_ request: TokenRequest, at now: Timestamp) -> Int64? {
        let start = now.advanced(bySeconds: -TokenLimit.window)
        // Times ahead of now were noted before the clock was set back, and would count for too long.
        if cleared <= start || cleared > now {
            asked = asked.filter { $0.value.contains { $0 > start && $0 <= now } }
            cleared = now
        }
        let place = Place(request)
        var recent = asked[place, default: []].filter { $0 > start && $0 <= now }
        guard recent.count < TokenLimit.most else {
            asked[place] = recent
            return recent[0].secondsSince1970 - start.secondsSince1970
        }
        recent.append(now)
        asked[place] = recent
        return nil
    }

    package func takeBack(_ request: TokenRequest) { _ = asked[Place(request)]?.popLast() }
}
