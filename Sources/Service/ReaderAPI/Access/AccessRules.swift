internal import OpenSSLCrypto

/// Who may do what: tokens by their digests on TCP, users by their numbers on the socket.
package struct AccessRules: Equatable, Sendable {
    /// A bearer token, of which only its SHA-256 is known here.
    package struct Token: Equatable, Sendable {
        package let name: String
        package let sha256: [UInt8]
        package let scopes: Set<Scope>

        package init(name: String, sha256: [UInt8], scopes: Set<Scope>) {
            self.name = name
            self.sha256 = sha256
            self.scopes = scopes
        }
    }

    package var tokens: [Token] = []
    package var users: [UInt32: Set<Scope>] = [:]

    package init() {}

    /// The entry of a token; nil if it is unknown. The time does not depend on how much of the token is right.
    func known(byToken token: String) -> Token? {
        let digest = Digest(.sha256, of: Array(token.utf8)[...])
        var found: Token?
        for known in tokens where digest.equals(known.sha256[...]) { found = known }
        return found
    }

    /// Under which name a user of this computer is known, which no token has.
    package static func name(ofUser user: UInt32) -> String { "uid:\(user)" }
}
