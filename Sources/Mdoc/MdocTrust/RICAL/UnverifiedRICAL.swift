package import CBOR
package import COSE
internal import JSON
package import MdocModel
package import PKIX

/// A list of the authorities that certify readers, before its signature is verified (RICAL; ISO/IEC 18013-5
/// second edition, draft, Annex F).
///
/// Wallets use such a list to decide which readers they trust. The authorities of the list are available only
/// in a `VerifiedRICAL`.
package struct UnverifiedRICAL: Sendable {
    /// The maximum size of a list in bytes.
    package static let maximumSize = SignedList<RICALError>.maximumSize
    /// The type of a list whose authorities serve every kind of reader authentication.
    package static let readerAuthentication = "org.iso.18013.5.1.reader_authentication"

    package let provider: String
    package let date: Timestamp
    package let type: String
    /// The time by which the provider publishes a newer list. This list may still be used afterwards.
    package let nextUpdate: Timestamp?
    /// The time after which the list must not be used.
    package let notAfter: Timestamp?
    /// The number of this edition of the list. A newer edition has a higher number.
    package let number: UInt64?
    let infos: CBORArray
    let list: SignedList<RICALError>

    /// Parses a list. Its signature is not verified.
    package init(_ bytes: ArraySlice<UInt8>) throws(RICALError) {
        list = try SignedList(bytes)
        let payload = list.payload
        let version: String
        let (date, next, last): (CBORItem, CBORItem?, CBORItem?)
        do throws(CBORError) {
            let members = try payload.map()
            version = try members.required("version", in: payload).name()
            provider = try members.required("provider", in: payload).name()
            type = try members.required("type", in: payload).name()
            number = try members.optional("id")?.unsigned()
            infos = try members.required("certificateInfos", in: payload).array()
            date = try members.required("date", in: payload)
            (next, last) = (members.optional("nextUpdate"), members.optional("notAfter"))
        } catch {
            throw .malformed(error)
        }
        guard version.hasPrefix("1.") else { throw .versionUnknown }
        // The dates are read here, because the block above throws only `CBORError`.
        self.date = try SignedList<RICALError>.instant(date)
        nextUpdate = try next.map { item throws(RICALError) in try SignedList<RICALError>.instant(item)
        }
        notAfter = try last.map { item throws(RICALError) in try SignedList<RICALError>.instant(item) }
    }
}

/// The reason that a RICAL is not trusted (ISO/IEC 18013-5 second edition, draft, Annex F).
package enum RICALError: Error, SignedListError, Equatable, Sendable {
    case malformed(CBORError)
    case cose(COSEError)
    case dateMalformed(MdocModelError)
    /// The major number of the version is not 1.
    case versionUnknown
    /// The signer's certificates are not in the protected header.
    case signerNotProtected
    case signerMalformed(PKIXError)
    /// No pinned provider's root issued the signer's certificate.
    case signerNotTrusted(CertificatePathError)
    /// The list has another type than `readerAuthentication`.
    case typeUnknown(String)
    /// The date of the list lies in the future.
    case notYetValid
    /// The notAfter of the list has passed.
    case expired
    /// The list has no usable authority.
    case empty
}

extension RICALError {
    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .malformed(let error): "the bytes are not a RICAL: \(error.explanation)"
        case .cose(let error): "the RICAL's signature is not valid: \(error.explanation)"
        case .dateMalformed: "a date in the RICAL is malformed"
        case .versionUnknown: "the RICAL has an unknown version; only 1.x is supported"
        case .signerNotProtected:
            "the certificates of the RICAL's signer (x5chain) are not in the protected header"
        case .signerMalformed(let error):
            "the certificate of the RICAL's signer cannot be read: \(error.explanation)"
        case .signerNotTrusted(let error):
            "the provider's root did not issue the RICAL signer's certificate: \(error.explanation)"
        case .typeUnknown(let type):
            "the RICAL is of type \(Terminal.safe(type)); only \(UnverifiedRICAL.readerAuthentication) is supported"
        case .notYetValid: "the RICAL is dated in the future: check this computer's clock"
        case .expired: "the RICAL is past its notAfter; get a newer one from its provider"
        case .empty: "the RICAL lists no authority that can be used"
        }
    }
}
