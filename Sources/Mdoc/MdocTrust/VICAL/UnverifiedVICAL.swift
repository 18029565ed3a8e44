package import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel
package import PKIX

/// A list of issuers' roots, parsed but not verified (VICAL, ISO/IEC 18013-5 Annex C).
///
/// The entries of the list are available only in the `VerifiedVICAL` that `verify(by:at:_:)` returns (Q175).
package struct UnverifiedVICAL: Sendable {
    /// The maximum size of a list in bytes.
    package static let maximumSize = SignedList<VICALError>.maximumSize

    package let provider: String
    package let date: Timestamp
    /// The number of this edition of the list; `nil` if the list has none. A newer edition has a higher
    /// number.
    package let issueID: UInt64?
    package let nextUpdate: Timestamp?
    let infos: CBORArray
    let list: SignedList<VICALError>
    let contents = Once<Result<VICALContents, VICALError>>()

    /// Parses a list. Its signature is not verified, and its entries are not read.
    package init(_ bytes: ArraySlice<UInt8>) throws(VICALError) {
        list = try SignedList(bytes)
        let root = list.payload
        let members = try mapping(root.membersByFoldedName(), VICALError.malformed)
        func required(_ name: String) throws(VICALError) -> CBORItem {
            guard let item = members[name] else { throw .malformed(.missingMember(at: root.offset)) }
            return item
        }
        let version = try required("version")
        guard let text = try? version.text(), text == "1" || text.hasPrefix("1.") else {
            throw .versionUnknown
        }
        let provider = try required("vicalprovider")
        self.provider = try mapping(provider.text(), VICALError.malformed)
        date = try SignedList<VICALError>.instant(required("date"))
        let (number, next) = (members["vicalissueid"], members["nextupdate"])
        issueID = try mapping(number?.unsigned(), VICALError.malformed)
        nextUpdate = try next.map { item throws(VICALError) in try SignedList<VICALError>.instant(item) }
        let entries = try required("certificateinfos")
        infos = try mapping(entries.array(), VICALError.malformed)
    }
}

extension CBORItem {
    /// The name of a member in lower case; `nil` for a key that cannot be a member name of a VICAL.
    var foldedName: String? {
        guard let name = try? utf8(), name.count <= 64 else { return nil }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    /// Returns the members of a map by their names in lower case. Providers differ in the case of letters.
    func membersByFoldedName() throws(CBORError) -> [String: CBORItem] {
        var members: [String: CBORItem] = [:]
        for member in try map() {
            guard let folded = member.key.foldedName, !member.value.isNullOrUndefined else { continue }
            // If two names differ only in case, nothing says which of the two members counts.
            guard members.updateValue(member.value, forKey: folded) == nil else {
                throw .duplicateKey(at: member.key.offset)
            }
        }
        return members
    }
}

/// The reason that a VICAL is not trusted (ISO/IEC 18013-5 Annex C).
package enum VICALError: Error, SignedListError, Equatable, Sendable {
    case malformed(CBORError)
    case cose(COSEError)
    /// A date is malformed.
    case dateMalformed(MdocModelError)
    /// The major number of the version is not 1.
    case versionUnknown
    /// A certificate of the signer's chain cannot be read.
    case signerMalformed(PKIXError)
    /// No pinned provider's root issued the signer's certificate.
    case signerNotTrusted(CertificatePathError)
    /// The signer's certificate breaks these rules of its profile.
    case signerProfile([ProfileFinding])
    /// A CRL of the provider's root revokes the signer's certificate.
    case signerRevoked
    /// The date of the list lies in the future.
    case notYetValid
    /// The nextUpdate of the list has passed.
    case expired
}

extension VICALError {
    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .malformed(let error): "the bytes are not a VICAL: \(error.explanation)"
        case .cose(let error): "the VICAL's signature is not valid: \(error.explanation)"
        case .dateMalformed: "a date in the VICAL is malformed"
        case .versionUnknown: "the VICAL has an unknown version; only 1.x is supported"
        case .signerMalformed(let error):
            "the certificate of the VICAL's signer cannot be read: \(error.explanation)"
        case .signerNotTrusted(let error):
            "no imported provider (--as provider) issued the VICAL signer's certificate: \(error.explanation)"
        case .signerProfile(let findings):
            "the VICAL's signer does not meet its profile: \(findings.text)"
        case .signerRevoked: "a CRL of the signer's root revokes the VICAL's signer"
        case .notYetValid: "the VICAL is dated in the future: check this computer's clock"
        case .expired: "the VICAL is past its nextUpdate; get a newer one from its provider"
        }
    }
}
