package import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// A certificate or list on which trust is based, with its bytes, its origin and the time at which it was
/// obtained.
package struct TrustSource: Sendable, Equatable {
    /// The kinds of source. Snapshots and listings sort their sources in this order.
    package enum Kind: String, CaseIterable, Sendable {
        /// An IACA root that the operator named: one certificate in DER.
        case anchor
        /// The root of a VICAL provider: one certificate in DER.
        case provider
        /// A list of issuers' roots with the signature of its provider.
        case vical
        /// A CRL in DER.
        case revocationList = "revocation_list"
        case statusList = "status_list"
        case identifierList = "identifier_list"

        /// Whether the source is a list that its publisher renews, and so has an age.
        package var isList: Bool { self != .anchor && self != .provider }
    }

    /// The origin of the bytes.
    package enum Provenance: Hashable, Sendable {
        case file(path: String)
        case fetched(url: String)
        /// A bundle that was made at this time.
        case bundle(created: Timestamp)
    }

    package let kind: Kind
    /// The name of the source among the sources of its kind. A renewed list keeps its name.
    ///
    /// - A certificate is named by its SHA-256.
    /// - A list that is fetched is named by its URL, or keeps its earlier name.
    /// - A list from a file is named by its contents: a VICAL by its provider, a CRL by its first
    ///   distribution point or its issuer, a status or identifier list by the URI with which documents refer
    ///   to it.
    /// - Contents without a name are named by their SHA-256. The file's name or path is never used.
    package let name: String
    package let provenance: Provenance
    package let obtained: Timestamp
    package let sha256: [UInt8]
    /// The bytes as they were read, shared by all copies of the source.
    package let content: SourceContent

    package var bytes: ArraySlice<UInt8> { content.bytes }

    package init(
        _ kind: Kind, name: String, provenance: Provenance, obtained: Timestamp, bytes: ArraySlice<UInt8>
    ) {
        self.init(
            kind, name: name, provenance: provenance, obtained: obtained,
            reading: SourceContent(kind, bytes))
    }

    /// Makes a source of content that may have been parsed before.
    package init(
        _ kind: Kind, name: String, provenance: Provenance, obtained: Timestamp,
        reading content: SourceContent
    ) {
        self.kind = kind
        self.name = name
        self.provenance = provenance
        self.obtained = obtained
        // If the content was recognised as another kind, the bytes are wrapped again for this kind.
        self.content = content.isForm(of: kind) ? content : SourceContent(kind, content.bytes)
        sha256 = Digest(.sha256, of: content.bytes).bytes
    }

    // `sha256` follows from the bytes and is not compared again.
    package static func == (one: TrustSource, other: TrustSource) -> Bool {
        one.kind == other.kind && one.name == other.name && one.provenance == other.provenance
            && one.obtained == other.obtained && one.bytes == other.bytes
    }

    /// Whether the list is not complete: it leaves certificates or documents out, or parts of it cannot be
    /// read.
    ///
    /// A certificate or document in such a list is revoked, but absence from the list proves nothing.
    package var isIncomplete: Bool {
        switch content {
        case .certificate, .vical: false
        case .revocationList(let held): held.isIncomplete
        // The statuses are decompressed when a document first refers to them. Therefore only the claims are
        // checked here.
        case .statusToken(let held): kind == .statusList ? held.lacksClaims : held.isIncomplete
        }
    }

    private var issuer: [UInt8]? {
        switch content {
        case .certificate, .vical: nil
        case .revocationList(let held): held.issuerDigest
        case .statusToken(let held): held.issuerDigest
        }
    }

    private var issuerKey: [UInt8]? {
        if case .revocationList(let held) = content { held.issuerKeyIdentifier } else { nil }
    }

    /// The facts that identify a source. A new source replaces the old source of the same identity.
    ///
    /// - A list is identified by its name and its issuer. Any signer under a trusted root can write any URI
    ///   into a status list or CRL. A snapshot may therefore have lists of one URI by several issuers, and
    ///   none of them replaces another (Q234).
    /// - A snapshot may have several incomplete lists of one name and issuer beside the complete list. So no
    ///   list hides a revocation in another list (Q240).
    /// - A root that got a new key under its old name signs CRLs with two keys. A snapshot may have the CRLs
    ///   of both keys.
    package struct Identity: Hashable, Sendable {
        package let kind: Kind
        package let name: String
        /// A digest that identifies the issuer of a CRL, or the authorities above the signer of a status or
        /// identifier list; `nil` for other kinds.
        package let issuer: [UInt8]?
        /// The authority key identifier of a CRL; `nil` if the CRL has none that can be read, and for other
        /// kinds.
        package let issuerKey: [UInt8]?
        /// The SHA-256 of an incomplete list; `nil` for other sources.
        package let incomplete: [UInt8]?

        package init(
            kind: Kind, name: String, issuer: [UInt8]? = nil, issuerKey: [UInt8]? = nil,
            incomplete: [UInt8]? = nil
        ) {
            self.kind = kind
            self.name = name
            self.issuer = issuer
            self.issuerKey = issuerKey
            self.incomplete = incomplete
        }

        /// The identity of the complete list of the same name and issuer.
        package var complete: Identity {
            Identity(kind: kind, name: name, issuer: issuer, issuerKey: issuerKey)
        }

        /// Whether both sources may be editions of the same list, complete or not. A CRL without a key
        /// identifier may belong to any key.
        func isLike(_ other: Identity) -> Bool {
            kind == other.kind && name == other.name && issuer == other.issuer
                && (issuerKey == nil || other.issuerKey == nil || issuerKey == other.issuerKey)
        }
    }

    package var identity: Identity {
        Identity(
            kind: kind, name: name, issuer: issuer, issuerKey: issuerKey,
            incomplete: isIncomplete ? sha256 : nil)
    }
}

extension TrustSource.Identity: Comparable {
    /// Orders identities by kind, name, issuer, the SHA-256 of an incomplete list, and key. The ids of
    /// snapshots depend on this order.
    package static func < (one: Self, other: Self) -> Bool {
        let kinds = TrustSource.Kind.allCases
        let (left, right) = (kinds.firstIndex(of: one.kind) ?? 0, kinds.firstIndex(of: other.kind) ?? 0)
        guard left == right else { return left < right }
        guard one.name.utf8.elementsEqual(other.name.utf8) else {
            return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
        guard one.issuer == other.issuer else {
            return (one.issuer ?? []).lexicographicallyPrecedes(other.issuer ?? [])
        }
        // The digest is compared before the key, because the ids of stored snapshots depend on this order,
        // and some of these snapshots were made before `issuerKey` existed.
        guard one.incomplete == other.incomplete else {
            return (one.incomplete ?? []).lexicographicallyPrecedes(other.incomplete ?? [])
        }
        return (one.issuerKey ?? []).lexicographicallyPrecedes(other.issuerKey ?? [])
    }
}
