import FuzzTargets
import TestCredentials

extension HostileMessage {
    private static func response(
        _ name: String, _ make: @escaping @Sendable (Int) throws -> [UInt8]
    ) -> HostileMessage {
        HostileMessage(name, { _ = FuzzWorld.standard.verifies($0) }, make)
    }

    private static func response(documents: [[UInt8]]) -> [UInt8] {
        Encoded.map([
            ("version", Encoded.text("1.0")), ("documents", Encoded.array(documents)), ("status", [0x00]),
        ])
    }

    /// A DeviceResponse of one document of these members.
    private static func response(
        docType: [UInt8] = Encoded.text(TestDocument.mDL), nameSpaces: [UInt8] = [0xa0],
        issuerAuth: [UInt8] = [0xf6], errors: [UInt8] = [0xa0]
    ) -> [UInt8] {
        let issuerSigned = Encoded.map([("nameSpaces", nameSpaces), ("issuerAuth", issuerAuth)])
        return response(documents: [
            Encoded.map([("docType", docType), ("issuerSigned", issuerSigned), ("errors", errors)])
        ])
    }

    private static func sign1(protected: [UInt8], unprotected: [UInt8]) -> [UInt8] {
        Encoded.array([Encoded.bytes(protected), unprotected, [0xf6], Encoded.bytes([])])
    }

    /// DeviceResponse around and beside its MSO.
    static let documents = [
        response("signed documents, all the same") { count in
            let world = FuzzWorld.standard
            let document = try world.document().encoded(issuer: world.issuer, session: world.session)
            return response(documents: [[UInt8]](repeating: document, count: count / 64))
        },
        response("errors of documents") { count in
            let errors = Encoded.array((0..<count).map { Encoded.map([("\($0)", [0])]) })
            return Encoded.map([
                ("version", Encoded.text("1.0")), ("documentErrors", errors), ("status", [0]),
            ])
        },
        response("errors of elements") { response(errors: Encoded.map([("n", Encoded.texts($0))])) },
        response("namespaces") { response(nameSpaces: Encoded.texts($0, value: [0x80])) },
        response("a document type of many marks") { response(docType: Encoded.marked(8 * $0)) },
        response("namespaces of many marks") { count in
            response(nameSpaces: Encoded.keyed((0..<8).map { (Encoded.marked(8 * (count + $0)), [0x80]) }))
        },
        response("labels in both headers of issuerAuth") { count in
            response(
                issuerAuth: sign1(
                    protected: Encoded.keyed((0..<count).map { (Encoded.number(100 + $0), [0]) }),
                    unprotected: Encoded.keyed((0..<count).map { (Encoded.number(100_100 + $0), [0]) })))
        },
        response("text labels in both headers of issuerAuth") { count in
            let others = Encoded.map((0..<count).map { ("x\($0)", [0]) })
            return response(issuerAuth: sign1(protected: Encoded.texts(count), unprotected: others))
        },
        response("certificates in x5chain") { count in
            let chain = Encoded.array(Encoded.bytes([0x30, 0x00]), count: count)
            return response(
                issuerAuth: sign1(protected: [0xa1, 0x01, 0x26], unprotected: [0xa1, 0x18, 33] + chain))
        },
    ]
}
