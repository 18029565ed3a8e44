import Testing
import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("Certification requests")
struct CertificationRequestTests {
    private static let readerAuthentication = ObjectIdentifier("1.0.18013.5.1.6")

    private static let extensions: [CertificateExtension] = [
        .keyUsage(.digitalSignature), .extendedKeyUsage([readerAuthentication]),
    ]

    /// A request, taken apart by its positions (RFC 2986 4).
    private struct Parts {
        var information: ArraySlice<UInt8> = []
        var version: ArraySlice<UInt8> = []
        var subject: DistinguishedName?
        var keyInfo: SubjectPublicKeyInfo?
        var attributes: ArraySlice<UInt8> = []
        var algorithm: ArraySlice<UInt8> = []
        var signature: ArraySlice<UInt8> = []

        init(_ der: [UInt8]) throws {
            var file = DERReader(der[...])
            var request = try file.enter(DERTag.sequence)
            try file.finish()
            let signed = try request.readElement(DERTag.sequence)
            algorithm = try request.readElement(DERTag.sequence).encoding
            signature = try request.readOctetAlignedBitString()
            try request.finish()
            information = signed.encoding
            var fields = DERReader(signed.contents)
            version = try fields.read(DERTag.integer)
            subject = try DistinguishedName(fields.readElement(DERTag.sequence))
            keyInfo = try SubjectPublicKeyInfo(fields.readElement(DERTag.sequence))
            attributes = try fields.read(DERTag.constructed(0))
            try fields.finish()
        }

        func verify(over information: ArraySlice<UInt8>? = nil) throws {
            let key = try #require(keyInfo).publicKey()
            let signing = try #require(key.curve.preferredSignatureAlgorithm)
            try key.verify(signature, form: .der, algorithm: signing, over: [information ?? self.information])
        }
    }

    private func request(
        _ key: borrowing PrivateKey, _ extensions: [CertificateExtension] = extensions
    ) throws -> Parts {
        let name = DistinguishedName([(.countryName, "UT"), (.commonName, "Counter 1")])
        return try Parts(CertificationRequest(subject: name, extensions: extensions).sign(with: key))
    }

    @Test(
        "A request names subject and key and is signed by that key, on every curve that signs",
        arguments: Curve.allCases.filter { $0.preferredSignatureAlgorithm != nil })
    func signed(_ curve: Curve) throws {
        let key = try PrivateKey.generate(curve)
        let parts = try request(key)
        #expect(Array(parts.version) == [0])
        #expect(parts.subject?.commonName == "Counter 1")
        #expect(parts.keyInfo?.curve == curve)
        #expect(try parts.keyInfo.map { Array($0.encoding) } == key.publicKey().subjectPublicKeyInfo)
        try parts.verify()
        var changed = Array(parts.information)
        changed[changed.count - 1] ^= 1
        #expect(throws: OpenSSLCryptoError.signatureInvalid) { try parts.verify(over: changed[...]) }
    }

    @Test("The extensions asked for stand in one extensionRequest")
    func extensionRequest() throws {
        let attributes = try request(PrivateKey.generate(.p256)).attributes
        var list = DERReader(attributes)
        var attribute = try list.enter(DERTag.sequence)
        try list.finish()
        #expect(try attribute.readObjectIdentifier() == ObjectIdentifier("1.2.840.113549.1.9.14"))
        var values = try attribute.enter(DERTag.set)
        var extensions = try values.enter(DERTag.sequence)
        try values.finish()
        var usage = try extensions.enter(DERTag.sequence)
        #expect(try usage.readObjectIdentifier() == .keyUsage)
        #expect(try usage.read(DERTag.boolean) == [0xff])
        #expect(try usage.read(DERTag.octetString).hex == "03020780")
        var purpose = try extensions.enter(DERTag.sequence)
        #expect(try purpose.readObjectIdentifier() == .extendedKeyUsage)
        #expect(extensions.isAtEnd)
    }

    @Test("Without extensions the attributes are there and empty, as RFC 2986 has it")
    func noExtensions() throws {
        let parts = try request(PrivateKey.generate(.p256), [])
        #expect(parts.attributes.isEmpty)
        try parts.verify()
    }

    @Test("A key that only agrees on secrets cannot ask", arguments: [Curve.x25519, .x448])
    func agreementKey(_ curve: Curve) throws {
        #expect(throws: OpenSSLCryptoError.algorithmDoesNotFitKey) {
            try request(PrivateKey.generate(curve))
        }
    }

    @Test("An authority reads what it is sent where the key in it signed it")
    func read() throws {
        let key = try PrivateKey.generate(.p256)
        let name = DistinguishedName([(.organizationName, "utopia"), (.commonName, "till-1")])
        let der = try CertificationRequest(subject: name, extensions: Self.extensions).sign(with: key)
        let request = try VerifiedCertificationRequest(der: der[...])
        #expect(request.subject == name)
        #expect(try request.subjectPublicKeyInfo.encoding.elementsEqual(key.publicKey().subjectPublicKeyInfo))
    }

    private static func isRefused(_ der: ArraySlice<UInt8>) -> Bool {
        do throws(CertificationRequestError) {
            _ = try VerifiedCertificationRequest(der: der)
            return false
        } catch {
            return true
        }
    }

    @Test("The twin: any bit of a request that is changed, a byte too few and one too many are refused")
    func readTwin() throws {
        let key = try PrivateKey.generate(.p256)
        let name = DistinguishedName([(.organizationName, "utopia"), (.commonName, "till-1")])
        let der = try CertificationRequest(subject: name).sign(with: key)
        for place in der.indices {
            var other = der
            other[place] ^= 0x01
            #expect(Self.isRefused(other[...]), "byte \(place)")
        }
        for other in [der.dropLast(), der + [0], []] {
            #expect(Self.isRefused(other[...]))
        }
        let long = [UInt8](repeating: 0, count: VerifiedCertificationRequest.maximumSize + 1)
        #expect(throws: CertificationRequestError.malformed(.limitExceeded(at: 0))) {
            try VerifiedCertificationRequest(der: long[...])
        }
    }
}
