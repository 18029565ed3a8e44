internal import CBOR
internal import COSE
package import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// A verified issuer certificate authority list (ISO/IEC 18013-5 Annex C) that nobody has verified yet: what it lists
/// can be had only from a `VerifiedVICAL` (Q175).
package struct UnverifiedVICAL: Sendable {
    /// The longest list that is read, in bytes.
    package static let maximumSize = 1 << 23

    package let provider: String
    package let date: Timestamp
    /// A number that grows from issue to issue.
    package let issueID: UInt64?
    package let nextUpdate: Timestamp?
    let infos: CBORArray
    private let signature: COSESign1

    private static let limits = CBORLimits(bytes: maximumSize)

    package init(_ bytes: ArraySlice<UInt8>) throws(VICALError) {
        let item = try VICALError.mapping { () throws(CBORError) in
            try CBORItem.parse(bytes, limits: Self.limits)
        }
        signature = try VICALError.mapping { () throws(COSEError) in
            try COSESign1(item, limits: Self.limits)
        }
        guard let payload = signature.payload else { throw .cose(.payloadMisplaced) }
        let root = try VICALError.mapping { () throws(CBORError) in
            try CBORItem.parse(payload, limits: Self.limits)
        }
        let members = try VICALError.mapping { () throws(CBORError) in try root.membersByFoldedName() }
        func required(_ name: String) throws(VICALError) -> CBORItem {
            guard let item = members[name] else { throw .malformed(.missingMember(at: root.offset)) }
            return item
        }
        let version = try required("version")
        guard let text = try? version.text(), text == "1" || text.hasPrefix("1.") else {
            throw .versionUnknown
        }
        let provider = try required("vicalprovider")
        self.provider = try VICALError.mapping { () throws(CBORError) in try provider.text() }
        date = try Self.instant(required("date"))
        let (number, next) = (members["vicalissueid"], members["nextupdate"])
        issueID = try VICALError.mapping { () throws(CBORError) in try number?.unsigned() }
        nextUpdate = try next.map { item throws(VICALError) in try Self.instant(item) }
        let list = try required("certificateinfos")
        infos = try VICALError.mapping { () throws(CBORError) in try list.array() }
    }

    private static func instant(_ item: CBORItem) throws(VICALError) -> Timestamp {
        do throws(MdocModelError) {
            return try DateText(item).instant
        } catch {
            throw .dateMalformed(error)
        }
    }

    func signerChain() throws(VICALError) -> [Certificate] {
        let chain = try VICALError.mapping { () throws(COSEError) in
            try signature.headers.x5chain(maximum: 4)
        }
        do throws(PKIXError) {
            return try chain.map { der throws(PKIXError) in try Certificate(der: der) }
        } catch {
            throw .signerMalformed(error)
        }
    }

    func verifySignature(with signer: Certificate) throws(VICALError) {
        try VICALError.mapping { () throws(COSEError) in
            guard let key = try? signer.publicKey() else { throw .keyNotUsable }
            try signature.verify(with: key)
        }
    }
}

extension CBORItem {
    /// The members of a map by their names in small letters: providers differ in the case of letters.
    func membersByFoldedName() throws(CBORError) -> [String: CBORItem] {
        var members: [String: CBORItem] = [:]
        for member in try map() {
            guard let name = try? member.key.utf8(), name.count <= 64, !member.value.isNullOrUndefined else {
                continue
            }
            let folded = String(decoding: name, as: UTF8.self).lowercased()
            // Two names that differ in case alone would leave open which one counts.
            guard members.updateValue(member.value, forKey: folded) == nil else {
                throw .duplicateKey(at: member.key.offset)
            }
        }
        return members
    }
}
