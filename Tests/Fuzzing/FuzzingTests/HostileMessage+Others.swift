import FuzzTargets
import OpenSSLCrypto
import PKIX
import TestCredentials

extension HostileMessage {
    private static func message(
        _ target: FuzzTarget, _ name: String, _ make: @escaping @Sendable (Int) throws -> [UInt8]
    ) -> HostileMessage {
        HostileMessage(name, { target.run($0[...]) }, make)
    }

    private static func engagement(_ key: Int, _ value: [UInt8]) -> [UInt8] {
        let bytes = FuzzWorld.standard.encodedEngagement
        return [bytes[0] + 1] + bytes.dropFirst() + Encoded.number(key) + value
    }

    private static func request(_ docRequests: [UInt8]) -> [UInt8] {
        Encoded.map([("version", Encoded.text("1.0")), ("docRequests", docRequests)])
    }

    private static func docRequest(_ nameSpaces: [UInt8]) -> [UInt8] {
        let items = Encoded.map([("docType", Encoded.text("t")), ("nameSpaces", nameSpaces)])
        return Encoded.map([("itemsRequest", Encoded.embedded(items))])
    }

    /// Engagements, requests and session messages.
    static let engagements = [
        message(.deviceEngagement, "retrieval methods") { count in
            let options = Encoded.keyed([([0], Encoded.number(4096)), ([1], Encoded.number(4096))])
            return engagement(2, Encoded.array(Encoded.array([[1], [1], options]), count: count))
        },
        message(.deviceEngagement, "retrieval methods that are none") {
            engagement(2, Encoded.array([0], count: $0))
        },
        message(.deviceEngagement, "origin infos") { engagement(5, Encoded.array([0xa0], count: $0)) },
        message(.deviceEngagement, "capabilities") { count in
            engagement(6, Encoded.keyed((0..<count).map { (Encoded.number($0), [0xf5]) }))
        },
        message(.deviceRequest, "requested documents") { count in
            request(Encoded.array(docRequest([0xa0]), count: count))
        },
        message(.deviceRequest, "requested elements") { count in
            request(Encoded.array([docRequest(Encoded.map([("n", Encoded.texts(count, value: [0xf4]))]))]))
        },
        message(.sessionData, "members of a session message") { Encoded.texts($0) },
        message(.sessionData, "a long session message") { count in
            Encoded.map([("data", Encoded.bytes([UInt8](repeating: 0, count: 64 * count)))])
        },
        message(.benchLinkGreeting, "members of a greeting") { Encoded.texts($0) },
    ]

    /// What apps and pages send.
    static let presentations = [
        message(.walletEnvelope, "members of an envelope") { Encoded.texts($0) },
        message(.walletEnvelope, "parameters of an envelope") { count in
            Encoded.map([
                ("algorithm", Encoded.text("APPLE-HPKE-v1")), ("params", Encoded.texts(count)),
                ("data", Encoded.bytes([])),
            ])
        },
        message(.encryptedResponse, "a long text") { [UInt8](repeating: UInt8(ascii: "A"), count: 64 * $0) },
        message(.presentationText, "labels of an origin") { count in
            Array("https://".utf8) + [[UInt8]](repeating: Array("a.".utf8), count: count).joined()
        },
    ]

    /// Certificates (which end at 64 KiB) and PEM.
    static let certificates = [
        message(.certificate, "purposes of a key") { count in
            try certificate(.extendedKeyUsage((0..<count).map { _ in ObjectIdentifier("1.2.3") }))
        },
        message(.certificate, "a long object identifier") { count in
            let purpose = ObjectIdentifier(encoded: [UInt8](repeating: 0x01, count: 8 * count)[...])
            return try certificate(.extendedKeyUsage([purpose].compactMap { $0 }))
        },
        message(.certificate, "a long arc of an object identifier") { count in
            let purpose = ObjectIdentifier(encoded: ([UInt8](repeating: 0x81, count: 8 * count) + [1])[...])
            return try certificate(.extendedKeyUsage([purpose].compactMap { $0 }))
        },
        message(.certificate, "a name to be escaped") { count in
            try certificate(named: String(repeating: ",", count: 8 * count))
        },
        message(.text, "lines of PEM") { count in
            Array(
                ("-----BEGIN CERTIFICATE-----\n" + String(repeating: "AAAA\n", count: count)
                    + "-----END CERTIFICATE-----\n").utf8)
        },
        message(.text, "blocks of PEM") { count in
            Array(
                String(
                    repeating: "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", count: count
                ).utf8)
        },
        message(.text, "blanks") { [UInt8](repeating: 0x20, count: 64 * $0) + Array("x".utf8) },
        message(.text, "a date of many digits") { count in
            Array(("2026-11-01T12:00:00." + String(repeating: "0", count: 64 * count) + "Z").utf8)
        },
        message(.text, "an identifier of many arcs") { count in
            Array((0..<8 * count).map { _ in "1" }.joined(separator: ".").utf8)
        },
    ]

    private static func certificate(
        named name: String = "x", _ extensions: CertificateExtension...
    ) throws -> [UInt8] {
        let key = try PrivateKey(curve: .p256, scalar: [9])
        let name = DistinguishedName([(type: .commonName, value: name)])
        return try CertificateTemplate(
            serialNumber: [1], issuer: name, subject: name, notBefore: 0, notAfter: 1,
            publicKey: key.publicKey(), extensions: extensions
        ).sign(with: key)
    }
}
