import CBOR
import COSE
import MdocModel
import OpenSSLCrypto
import PKIX
import OtherPrograms
import Testing
import VectorFiles

/// What our reader signs, checked by another implementation.
@Suite("Reader authentication, by others")
struct ReaderAuthenticationTests {
    private let root: Certificate
    private let identity: ReaderIdentity
    private let transcript: SessionTranscript

    private static let draft = DeviceRequestDraft(
        [
            ItemsRequest(
                docType: "org.iso.18013.5.1.mDL",
                nameSpaces: [
                    .init(
                        name: "org.iso.18013.5.1",
                        elements: [
                            .init(identifier: "age_over_21", intentToRetain: false),
                            .init(identifier: "portrait", intentToRetain: false),
                        ])
                ]),
            ItemsRequest(
                docType: "eu.europa.ec.av.1",
                nameSpaces: [
                    .init(
                        name: "eu.europa.ec.av.1",
                        elements: [.init(identifier: "age_over_21", intentToRetain: true)])
                ]),
        ], useCases: [.init(isMandatory: true, documentSets: [[0], [1]])])

    init() throws {
        let rootKey = try PrivateKey.generate(.p384)
        let middleKey = try PrivateKey.generate(.p521)
        let key = try PrivateKey.generate(.p256)
        root = try Self.certificate("Reader root", rootKey.publicKey(), by: "Reader root", rootKey)
        let middle = try Self.certificate("Reader CA", middleKey.publicKey(), by: "Reader root", rootKey)
        let leaf = try Self.certificate("Counter 1", key.publicKey(), by: "Reader CA", middleKey)
        identity = ReaderIdentity(
            name: "counter", key: try COSECertifiedKey(key, chain: CertificateChain([leaf, middle, root])))
        transcript = SessionTranscript(
            deviceEngagement: try randomBytes(120),
            eReaderKey: COSEKeyPair(try PrivateKey.generate(.p256)).publicKeyBytes,
            handover: .nfc(select: try randomBytes(80), request: try randomBytes(90)))
    }

    private static func certificate(
        _ name: String, _ key: borrowing PublicKey, by issuer: String, _ issuerKey: borrowing PrivateKey
    ) throws -> Certificate {
        let template = CertificateTemplate(
            serialNumber: [1], issuer: DistinguishedName([(.commonName, issuer)]),
            subject: DistinguishedName([(.commonName, name)]), notBefore: 1_700_000_000,
            notAfter: 1_800_000_000, publicKey: key)
        return try Certificate(der: template.sign(with: issuerKey)[...])
    }

    private func check(
        _ request: [UInt8], count: Int, transcript: SessionTranscript? = nil
    ) throws -> (status: Int32, errors: String) {
        let folder = try ScriptFolder([
            "request.cbor": request, "transcript.cbor": Array((transcript ?? self.transcript).encoded),
            "root.der": Array(root.der), "count": Array("\(count)".utf8),
        ])
        return try withExtendedLifetime(folder) {
            try PythonCryptography.run(readerAuthenticationScript, folder.path)
        }
    }

    @Test(
        "Q168 Python's cryptography verifies each readerAuth of a 1.0 request, and refuses another session",
        .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"))
    func perDocument() throws {
        let draft = DeviceRequestDraft(Self.draft.documents)
        let request = try draft.encode(for: [], in: transcript, signedBy: identity)
        let outcome = try check(request, count: 2)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let elsewhere = SessionTranscript(
            deviceEngagement: try randomBytes(120), eReaderKey: try #require(transcript.eReaderKeyBytes),
            handover: .qr)
        let other = try check(request, count: 2, transcript: elsewhere)
        #expect(other.status == 1 && other.errors.contains("InvalidSignature"), "\(other.errors)")
    }

    @Test(
        "Q168 Python's cryptography verifies the readerAuthAll of a 1.1 request, and refuses a changed use case",
        .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"))
    func allDocuments() throws {
        let capabilities: EngagementCapabilities = [.extendedRequest, .readerAuthAll]
        var request = try Self.draft.encode(for: capabilities, in: transcript, signedBy: identity)
        let outcome = try check(request, count: 1)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let mandatory = Array("mandatory".utf8)
        let place =
            try #require(
                request.indices.first { request[$0...].starts(with: mandatory) }) + mandatory.count
        #expect(request[place] == 0xf5)
        request[place] = 0xf4
        let changed = try check(request, count: 1)
        #expect(changed.status == 1 && changed.errors.contains("InvalidSignature"), "\(changed.errors)")
    }

    @Test(
        "Python's cryptography verifies Annex D's reader authentication too, so the check is one",
        .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"))
    func annexD() throws {
        let annex = try AnnexD.load()
        let folder = try ScriptFolder([
            "request.cbor": annex("deviceRequest"),
            "transcript.cbor": Array(annex.transcript().encoded),
            "root.der": annex("readerRootCertificate"), "count": Array("1".utf8),
        ])
        let outcome = try withExtendedLifetime(folder) {
            try PythonCryptography.run(readerAuthenticationScript, folder.path)
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(
        "Python's cryptography reads our certification request, and notices a changed byte",
        .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"),
        arguments: [Curve.p256, .p384, .p521])
    func certificationRequest(_ curve: Curve) throws {
        let request = CertificationRequest(
            subject: DistinguishedName([
                (.countryName, "UT"), (.organizationName, "Käse & Wein"), (.commonName, "Counter 1"),
            ]),
            extensions: [
                .keyUsage(.digitalSignature), .extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.6")]),
            ])
        var der = try request.sign(with: PrivateKey.generate(curve))
        let run = { (der: [UInt8]) in
            let folder = try ScriptFolder(["request.der": der])
            return try withExtendedLifetime(folder) {
                try PythonCryptography.run(certificationRequestScript, folder.path)
            }
        }
        let outcome = try run(der)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let place = try #require(der.indices.first { der[$0...].starts(with: "Counter 1".utf8) })
        der[place + 8] = UInt8(ascii: "2")
        #expect(try run(der).status == 1)
    }
}
