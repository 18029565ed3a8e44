package import MdocTrust
internal import PKIX
internal import Synchronization

/// How long servers have, and how much they may send.
package struct FetchLimits: Sendable {
    /// For the host's address, the connection and the TLS handshake.
    package var connect: Duration = .seconds(5)
    /// From the request to the head of its answer, connection included.
    package var headers: Duration = .seconds(10)
    /// Between two pieces of what a server sends; the head of its answer has no longer either.
    package var progress: Duration = .seconds(10)
    /// For one list, with all redirects.
    package var whole: Duration = .seconds(60)
    /// For all lists of one call. What was not asked by then is not asked.
    package var batch: Duration = .seconds(300)
    /// How many lists are asked for at the same time.
    package var concurrent = 4
    /// How many bytes all lists of one call may have together.
    package var total = 1 << 28
    /// The longest body of each kind in bytes, where it is to be less than what can be read.
    package var sizes: [TrustSource.Kind: Int] = [:]

    /// How often one request may be sent on.
    static let redirects = 3

    package init() {}

    /// The longest body of a list of this kind, in bytes: what its reader takes at most.
    package func maximumSize(of kind: TrustSource.Kind) -> Int {
        if let size = sizes[kind] { return size }
        return switch kind {
        case .anchor, .provider: 1 << 16
        case .vical: UnverifiedVICAL.maximumSize
        case .revocationList: CertificateRevocationList.maximumSize
        case .statusList, .identifierList: StatusToken.maximumSize
        }
    }
}

/// The bytes that all lists of one call may still have. What a list that failed took is not given back.
final class FetchRoom: Sendable {
    private let left: Atomic<Int>

    init(bytes: Int) { left = Atomic(bytes) }

    /// Whether there was room for so many bytes more.
    func take(_ count: Int) -> Bool {
        left.subtract(count, ordering: .relaxed).newValue >= 0
    }
}
