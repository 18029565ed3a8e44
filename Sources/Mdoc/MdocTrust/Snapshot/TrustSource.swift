package import MdocModel
internal import OpenSSLCrypto

/// One thing that trust comes from, as it was obtained: its bytes, and where and when they came.
package struct TrustSource: Sendable, Equatable {
    /// In the order that lists show them.
    package enum Kind: String, CaseIterable, Sendable {
        /// An IACA root that the operator named: one certificate in DER.
        case anchor
        /// The root of a VICAL provider: one certificate in DER.
        case provider
        case vical
        /// A CRL in DER.
        case revocationList = "revocation_list"
        case statusList = "status_list"
        case identifierList = "identifier_list"

        /// Whether somebody renews it, so that it has an age.
        package var isList: Bool { self != .anchor && self != .provider }
    }

    /// How the bytes came.
    package enum Provenance: Hashable, Sendable {
        case file(path: String)
        case fetched(url: String)
        /// From a bundle that was made at this time.
        case bundle(created: Timestamp)
    }

    package let kind: Kind
    /// What the source is known by, the same when it is renewed: a URL it is fetched from or a file's name; for a status or
    /// identifier list the URI that documents know it by.
    package let name: String
    package let provenance: Provenance
    package let obtained: Timestamp
    package let bytes: ArraySlice<UInt8>
    package let sha256: [UInt8]

    package init(
        _ kind: Kind, name: String, provenance: Provenance, obtained: Timestamp, bytes: ArraySlice<UInt8>
    ) {
        self.kind = kind
        self.name = name
        self.provenance = provenance
        self.obtained = obtained
        self.bytes = bytes
        sha256 = Digest(.sha256, of: bytes).bytes
    }

    /// What makes two sources one that was renewed.
    package struct Identity: Hashable, Sendable {
        package let kind: Kind
        package let name: String

        package init(kind: Kind, name: String) {
            self.kind = kind
            self.name = name
        }
    }

    package var identity: Identity { Identity(kind: kind, name: name) }
}

extension TrustSource.Identity: Comparable {
    package static func < (one: Self, other: Self) -> Bool {
        let kinds = TrustSource.Kind.allCases
        let (left, right) = (kinds.firstIndex(of: one.kind) ?? 0, kinds.firstIndex(of: other.kind) ?? 0)
        return left == right ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : left < right
    }
}
