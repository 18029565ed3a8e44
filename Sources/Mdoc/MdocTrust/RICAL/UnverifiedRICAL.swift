package import CBOR
package import COSE
package import MdocModel
package import PKIX

/// A list of the authorities that certify readers (RICAL; ISO/IEC 18013-5, second edition, draft, Annex F) that nobody has
/// verified yet. Wallets use it; its authorities can be had only from a `VerifiedRICAL`.
package struct UnverifiedRICAL: Sendable {
    /// The longest list that is read, in bytes.
    package static let maximumSize = 1 << 23
    /// The type of a list for reader authentication of every kind.
    package static let readerAuthentication = "org.iso.18013.5.1.reader_authentication"

    package let provider: String
    package let date: Timestamp
    package let type: String
    /// When there will be a newer list. It may be used after that.
    package let nextUpdate: Timestamp?
    /// After that the list must not be used.
    package let notAfter: Timestamp?
    /// A number that grows from list to list.
    package let number: UInt64?
    let infos: CBORArray
    private let signature: COSESign1

    private static let limits = CBORLimits(bytes: maximumSize)

    package init(_ bytes: ArraySlice<UInt8>) throws(RICALError) {
        let item = try RICALError.mapping { () throws(CBORError) in
            try CBORItem.parse(bytes, limits: Self.limits)
        }
        signature = try RICALError.mapping { () throws(COSEError) in
            try COSESign1(item, limits: Self.limits)
        }
        guard let payload = signature.payload else { throw .cose(.payloadMisplaced) }
        let version: String
        let dates: (date: CBORItem, next: CBORItem?, last: CBORItem?)
        (version, provider, type, number, infos, dates) = try RICALError.mapping { () throws(CBORError) in
            let list = try CBORItem.parse(payload, limits: Self.limits)
            let members = try list.map()
            return (
                try members.required("version", in: list).name(),
                try members.required("provider", in: list).name(),
                try members.required("type", in: list).name(), try members.optional("id")?.unsigned(),
                try members.required("certificateInfos", in: list).array(),
                (
                    try members.required("date", in: list), members.optional("nextUpdate"),
                    members.optional("notAfter")
                )
            )
        }
        guard version.hasPrefix("1.") else { throw .versionUnknown }
        date = try Self.instant(dates.date)
        nextUpdate = try dates.next.map { item throws(RICALError) in try Self.instant(item) }
        notAfter = try dates.last.map { item throws(RICALError) in try Self.instant(item) }
    }

    private static func instant(_ item: CBORItem) throws(RICALError) -> Timestamp {
        do throws(MdocModelError) { return try DateText(item).instant } catch { throw .dateMalformed(error) }
    }

    /// The signer's certificates, leaf first, which the signature must cover.
    func signerChain() throws(RICALError) -> [Certificate] {
        guard signature.headers.hasProtectedX5Chain else { throw .signerNotProtected }
        let chain = try RICALError.mapping { () throws(COSEError) in
            try signature.headers.x5chain(maximum: 4)
        }
        do throws(PKIXError) {
            return try chain.map { der throws(PKIXError) in try Certificate(der: der) }
        } catch {
            throw .signerMalformed(error)
        }
    }

    func verifySignature(with signer: Certificate) throws(RICALError) {
        try RICALError.mapping { () throws(COSEError) in
            guard let key = try? signer.publicKey() else { throw .keyNotUsable }
            try signature.verify(with: key)
        }
    }
}

/// Why a RICAL is not believed (ISO/IEC 18013-5, second edition, draft, Annex F).
package enum RICALError: Error, Equatable, Sendable {
    case malformed(CBORError)
    case cose(COSEError)
    case dateMalformed(MdocModelError)
    /// A version whose major number is not 1.
    case versionUnknown
    /// The signer's certificates are not in the protected header.
    case signerNotProtected
    case signerMalformed(PKIXError)
    /// The signer does not lead to a pinned provider.
    case signerNotTrusted(CertificatePathError)
    /// It is a list for something else.
    case typeUnknown(String)
    /// Its date lies ahead.
    case notYetValid
    /// It is past its notAfter.
    case expired
    /// It lists no authority.
    case empty

    static func mapping<Value>(_ body: () throws(CBORError) -> Value) throws(RICALError) -> Value {
        do throws(CBORError) { return try body() } catch { throw .malformed(error) }
    }

    static func mapping<Value>(_ body: () throws(COSEError) -> Value) throws(RICALError) -> Value {
        do throws(COSEError) { return try body() } catch { throw .cose(error) }
    }
}
