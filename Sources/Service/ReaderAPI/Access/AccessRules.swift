internal import OpenSSLCrypto
package import PresentationService
internal import MdocModel
internal import Synchronization

/// The callers in the configuration, with their rights: tokens on TCP, and users of this computer on the Unix
/// socket.
package struct AccessRules: Equatable, Sendable {
    /// A bearer token, of which the daemon knows only the SHA-256.
    package struct Token: Equatable, Sendable {
        package let name: String
        package let sha256: [UInt8]
        package let scopes: Set<Scope>
        /// The lanes to which the scopes `app`, `screen`, `clerk`, `order`, `desk` and `accessory` are limited;
        /// `nil` for all lanes.
        package let lanes: Set<String>?

        package init(name: String, sha256: [UInt8], scopes: Set<Scope>, lanes: Set<String>? = nil) {
            self.name = name
            self.sha256 = sha256
            self.scopes = scopes
            self.lanes = lanes
        }
    }

    /// The rights of a user of this computer.
    package struct User: Equatable, Sendable {
        package let scopes: Set<Scope>
        /// The lanes to which the scopes `app`, `screen`, `clerk`, `order`, `desk` and `accessory` are limited;
        /// `nil` for all lanes.
        package let lanes: Set<String>?

        package init(scopes: Set<Scope>, lanes: Set<String>? = nil) {
            self.scopes = scopes
            self.lanes = lanes
        }
    }

    package var tokens: [Token] = []
    /// The users of this computer who have rights, by user number.
    package var users: [UInt32: User] = [:]
    /// Whether every caller is refused because the operator of the chain of shops has stopped or revoked
    /// this kiosk.
    private(set) var isStopped = false

    package init() {}

    /// The rules of a kiosk that the operator of its chain of shops has stopped or revoked. They accept no
    /// caller.
    package static let stopped: AccessRules = {
        var rules = AccessRules()
        rules.isStopped = true
        return rules
    }()

    /// The entry of a token, or `nil` if the token is unknown. The running time does not depend on the number
    /// of correct characters in the token.
    func known(byToken token: String) -> Token? {
        let digest = Digest(.sha256, of: Array(token.utf8)[...])
        var found: Token?
        // The loop does not end at a match, so that its time is always the same.
        for known in tokens where digest.equals(known.sha256[...]) { found = known }
        return found
    }

    /// Whether a caller who was recognised under earlier rules may continue: the configuration still has the
    /// caller's token or user, with at least the same rights.
    func allow(_ caller: KnownCaller) -> Bool {
        let now: KnownCaller? =
            switch caller.credential {
            // If several entries have the same digest, the last one counts, as in `known(byToken:)`.
            case .token(let digest): tokens.last { $0.sha256 == digest }?.caller
            case .user(let number): self.caller(ofUser: number)
            }
        guard let now, now.name == caller.name, now.scopes.isSuperset(of: caller.scopes) else { return false }
        // `nil` stands for all lanes: a caller for all lanes may not continue once the lanes are limited.
        return now.lanes.map { caller.lanes?.isSubset(of: $0) ?? false } ?? true
    }

    /// The callers who may open this page.
    func callers(for place: PagePlace) -> [KnownCaller] {
        callers.filter { $0.opens(place) }
    }

    /// All known callers: tokens in their order, then users by number.
    var callers: [KnownCaller] {
        tokens.map(\.caller) + users.keys.sorted().compactMap { self.caller(ofUser: $0) }
    }

    /// The caller for a user of this computer, or `nil` if the user has no rights.
    func caller(ofUser number: UInt32) -> KnownCaller? {
        users[number].map { user in
            KnownCaller(
                name: Self.name(ofUser: number), scopes: user.scopes, lanes: user.lanes,
                credential: .user(number))
        }
    }

    /// The caller's name for a user of this computer. Tokens cannot have such a name.
    package static func name(ofUser user: UInt32) -> String { "uid:\(user)" }
}

extension AccessRules.Token {
    var caller: KnownCaller {
        KnownCaller(name: name, scopes: scopes, lanes: lanes, credential: .token(sha256))
    }
}

/// The current access rules, which a reload replaces, and the time of each caller's last request.
package final class AccessBook: Sendable {
    private let rules: Mutex<AccessRules>
    private let uses = Mutex<[KnownCaller.Credential: Timestamp]>([:])

    package init(_ rules: AccessRules) {
        self.rules = Mutex(rules)
    }

    package var current: AccessRules { rules.withLock { $0 } }

    package func replace(with rules: AccessRules) {
        self.rules.withLock { $0 = rules }
        let known = Set(rules.callers.map(\.credential))
        uses.withLock { $0 = $0.filter { known.contains($0.key) } }
    }

    /// Records a request that the caller made, or that a page made with the caller's rights.
    func recordUse(of caller: KnownCaller, at now: Timestamp) {
        uses.withLock { $0[caller.credential] = now }
    }

    /// The time of the caller's last request, or `nil` if there was none since the daemon started.
    func lastUse(of caller: KnownCaller) -> Timestamp? { uses.withLock { $0[caller.credential] } }
}

extension PresentationCoordinator {
    /// Ends the event streams of callers who are unknown under these rules or have fewer rights.
    package func endStreams(under rules: AccessRules) {
        endStreams { rules.allow($0) }
    }
}
