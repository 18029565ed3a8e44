package import MdocModel
package import OpenSSLCrypto
package import ReaderIdentityStore

/// In whose name a reader asks: what a page shows of it, the keys of its token server, and the identity to sign requests
/// with.
package struct Brand: Hashable, Sendable {
    /// `iss` of its tokens.
    package let identifier: TokenText
    package let name: BrandName
    /// The file of its logo in the folder of brands.
    package var logo: LogoName?
    /// Nil if the rules of `identity choose` decide.
    package var identity: IdentityName?
    package internal(set) var keys: [BrandKey]

    package init(
        identifier: TokenText, name: BrandName, logo: LogoName? = nil, identity: IdentityName? = nil,
        keys: [BrandKey] = []
    ) {
        self.identifier = identifier
        self.name = name
        self.logo = logo
        self.identity = identity
        self.keys = keys
    }
}

/// What a brand is called where people read it: 1 to 64 characters in one line, none of which hides or turns another.
package struct BrandName: Hashable, Sendable {
    package let text: String

    package init?(_ text: String) {
        guard (1...64).contains(text.unicodeScalars.count), text.first != " ", text.last != " ",
            text.unicodeScalars.allSatisfy(\.isShown)
        else { return nil }
        self.text = text
    }
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}

package struct BrandKey: Hashable, Sendable {
    /// `kid`.
    package let identifier: TokenText
    /// The coordinates of a point that is on P-256, 32 bytes each.
    package let x: [UInt8]
    package let y: [UInt8]
    /// The last instant at which a reader is prepared with it.
    package let notAfter: Timestamp?
    package internal(set) var isRevoked: Bool

    /// Throws `keyNotP256`.
    package init(
        _ identifier: TokenText, _ key: borrowing PublicKey, notAfter: Timestamp? = nil,
        isRevoked: Bool = false
    ) throws(BrandFault) {
        guard key.curve == .p256 else { throw .keyNotP256 }
        self.identifier = identifier
        (x, y) = (key.x, key.y)
        self.notAfter = notAfter
        self.isRevoked = isRevoked
    }
}
