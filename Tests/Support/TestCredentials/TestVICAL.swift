internal import OpenSSLCrypto
internal import CBOR
internal import COSE
package import PKIX

/// A VICAL made for a test (ISO/IEC 18013-5 Annex C), conforming unless a member is changed.
package struct TestVICAL {
    package struct Entry {
        package var certificate: [UInt8]
        package var serialNumber: [UInt8]?
        package var keyIdentifier: [UInt8]?
        package var docTypes: [String]
        /// Encoded members in place of those of the same names, or beside them.
        package var otherMembers: [(String, [UInt8])] = []

        package init(_ certificate: [UInt8], for docTypes: [String] = [TestDocument.mDL]) {
            self.certificate = certificate
            self.docTypes = docTypes
            let parsed = try? Certificate(der: certificate[...])
            serialNumber = parsed.map { Array($0.serialNumber) }
            keyIdentifier = parsed?.subjectKeyIdentifier.map { Array($0) }
        }
    }

    package var version = "1.0"
    package var date = "2026-10-20T00:00:00Z"
    package var nextUpdate: String? = "2026-11-20T00:00:00Z"
    package var issueID: UInt64? = 7
    package var entries: [Entry]
    package var furtherCertificates: [[UInt8]] = []
    /// Rewrites the names of members.
    package var rewriteName: (String) -> String = { $0 }
    package let provider: TestAuthority
    package let key: TestKey
    package let certificate: [UInt8]

    package init(
        _ entries: [Entry], provider: TestAuthority, key: TestKey? = nil,
        _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) throws {
        self.entries = entries
        self.provider = provider
        self.key = try key ?? TestKey()
        certificate = try provider.sign(change(provider.vicalSigner(for: self.key)))
    }

    private func encoded(_ entry: Entry) -> [UInt8] {
        var members = [("certificate", Encoded.bytes(entry.certificate))]
        if let serial = entry.serialNumber {
            members.append(("serialNumber", Encoded.tagged(2, Encoded.bytes(serial))))
        }
        if let identifier = entry.keyIdentifier { members.append(("ski", Encoded.bytes(identifier))) }
        members.append(("docType", Encoded.array(entry.docTypes.map(Encoded.text))))
        members.removeAll { member in entry.otherMembers.contains { $0.0 == member.0 } }
        members += entry.otherMembers
        return Encoded.map(members.map { (rewriteName($0.0), $0.1) })
    }

    package func encoded(signedBy other: TestKey? = nil) throws -> [UInt8] {
        var members = [
            ("version", Encoded.text(version)), ("vicalProvider", Encoded.text("Utopia")),
            ("date", Encoded.instant(date)),
        ]
        if let issueID { members.append(("vicalIssueID", Encoded.unsigned(issueID))) }
        if let nextUpdate { members.append(("nextUpdate", Encoded.instant(nextUpdate))) }
        members.append(("certificateInfos", Encoded.array(entries.map(encoded))))
        return try COSESigner(
            algorithm: .es256, x5chain: [certificate[...]] + furtherCertificates.map { $0[...] }
        ).sign1(
            Encoded.map(members.map { (rewriteName($0.0), $0.1) }), detached: false,
            with: (other ?? key).privateKey, algorithm: .ecdsa(.sha256))
    }
}
