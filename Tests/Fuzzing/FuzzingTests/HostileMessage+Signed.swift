import CBOR
import FuzzTargets
import TestCredentials

extension HostileMessage {
    /// A response with the document that `change` makes of the world's.
    private static func response(
        _ name: String, _ change: @escaping @Sendable (inout TestDocument, Int) -> Void
    ) -> HostileMessage {
        HostileMessage(name, { _ = FuzzWorld.standard.verifies($0) }) { count in
            var document = try FuzzWorld.standard.document([TestDocument.Item("portrait", [0x40])])
            change(&document, count)
            return try FuzzWorld.standard.response(document)
        }
    }

    /// What the issuer signs: a holder may bring an MSO of its own making, and most checks are made before it is
    /// refused.
    static let mobileSecurityObjects = [
        response("digests in order") { document, count in
            let digests = Encoded.keyed((0..<count).map { (Encoded.number($0), Encoded.bytes([0])) })
            document.replaceMember("valueDigests", with: Encoded.map([(TestDocument.nameSpace, digests)]))
        },
        response("digests in reverse") { document, count in
            let digests = Encoded.keyed(
                (0..<count).reversed().map { (Encoded.number($0), Encoded.bytes([0])) })
            document.replaceMember("valueDigests", with: Encoded.map([(TestDocument.nameSpace, digests)]))
        },
        response("digests in chunks") { document, count in
            let digests = Encoded.keyed((0..<count).map { (Encoded.number($0), [0x5f, 0x41, 0, 0xff]) })
            document.replaceMember("valueDigests", with: Encoded.map([(TestDocument.nameSpace, digests)]))
        },
        response("items") { document, count in
            document.items = (0..<count).map { TestDocument.Item("\($0)", [0]) }
        },
        response("items, and namespaces with digests of none") { document, count in
            document.items = (0..<count).map { TestDocument.Item("\($0)", [0]) }
            document.replaceMember("valueDigests", with: Encoded.texts(count, value: [0xa0]))
        },
        response("a digest algorithm of many marks") { document, count in
            document.replaceMember("digestAlgorithm", with: Encoded.marked(8 * count))
        },
        response("a country of many marks") { document, count in
            document.items = [TestDocument.Item("issuing_country", Encoded.marked(8 * count))]
        },
        response("a date of many digits") { document, count in
            let digits = String(repeating: "0", count: 16 * count)
            document.signed = Encoded.instant("2026-10-20T00:00:00.\(digits)Z")
            document.validFrom = document.signed
        },
    ]

    /// What the phone asserts, and is authorised for.
    static let deviceSigned = [
        response("asserted elements") { document, count in
            document.deviceElements = (0..<count).map { TestDocument.Item("\($0)", [0]) }
        },
        response("asserted elements, each authorised") { document, count in
            document.deviceElements = (0..<count).map { TestDocument.Item("\($0)", [0]) }
            let names = Encoded.array((0..<count).map { Encoded.text("\($0)") })
            document.keyAuthorizations = Encoded.map([
                ("dataElements", Encoded.map([(TestDocument.nameSpace, names)]))
            ])
        },
        response("asserted elements, and as many namespaces") { document, count in
            document.deviceElements = (0..<count).map { TestDocument.Item("\($0)", [0]) }
            document.rewriteNameSpaces = { _ in Encoded.texts(count, value: [0x80]) }
        },
        response("authorised namespaces of many marks") { document, count in
            let names = Encoded.array((0..<8).map { Encoded.marked(8 * (count + $0)) })
            document.keyAuthorizations = Encoded.map([("nameSpaces", names)])
        },
    ]
}

extension TestDocument {
    /// Gives a member of the MSO another value.
    fileprivate mutating func replaceMember(_ name: StaticString, with value: [UInt8]) {
        rewriteMSO = { object in
            guard let members = try? CBORItem.parse(object[...]).map() else { return object }
            return Encoded.keyed(
                members.map { (Array($0.encoded), $0.isText(name) ? value : Array($1.encoded)) })
        }
    }
}
