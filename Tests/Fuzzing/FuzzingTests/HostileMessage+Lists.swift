import CBOR
import FuzzTargets
import TestCredentials

extension HostileMessage {
    private static func message(
        _ target: FuzzTarget, _ name: String, _ make: @escaping @Sendable (Int) throws -> [UInt8]
    ) -> HostileMessage {
        HostileMessage(name, { target.run($0[...]) }, make)
    }

    private static func revocationList(_ numbers: some Sequence<Int>) throws -> [UInt8] {
        let entries = numbers.map { number in
            TestRevocationList.Entry([0x42, UInt8(truncatingIfNeeded: number >> 8), UInt8(number & 0xff)])
        }
        // Signed by a stranger: the target takes what the root signed, and is no seed, for forged.
        return try TestRevocationList(FuzzWorld.standard.issuer.authority, entries)
            .encoded(signedBy: TestKey(scalar: [9]))
    }

    /// Claims of a list that lasts a day.
    private static func claims(_ label: Int, _ list: [UInt8]) -> [UInt8] {
        Encoded.keyed([
            ([2], Encoded.text(TestStatusToken.uri)), ([6], Encoded.number(Int(TestAuthority.now))),
            ([4], Encoded.number(Int(TestAuthority.now + TestAuthority.day))), (Encoded.number(label), list),
        ])
    }

    /// What trust comes from: signed by whom it may be, as far as the targets sign it.
    static let lists = [
        message(.revocationList, "entries of a CRL in order") { try revocationList(0..<$0) },
        message(.revocationList, "entries of a CRL in reverse") { try revocationList((0..<$0).reversed()) },
        message(.revocationList, "one entry of a CRL again and again") { count in
            try revocationList((0..<count).map { _ in 7 })
        },
        message(.statusToken, "identifiers of a list") { count in
            let identifiers = Encoded.keyed(
                (0..<count).map { (Encoded.bytes(Encoded.longNumber($0)), [0xa0]) })
            return claims(65_530, Encoded.map([("identifiers", identifiers)]))
        },
        message(.vical, "entries of a VICAL that cannot be read") { count in
            Encoded.map([
                ("version", Encoded.text("1.0")), ("vicalProvider", Encoded.text("Utopia")),
                ("date", Encoded.instant("2026-10-20T00:00:00Z")),
                ("certificateInfos", Encoded.array(Encoded.texts(8), count: count)),
            ])
        },
        message(.trustBundle, "sources of a bundle") { count in
            let sources = (0..<count).map { number in
                Encoded.map([
                    ("kind", Encoded.text("status_list")), ("name", Encoded.text("\(number)")),
                    ("obtained", Encoded.number(1)), ("bytes", Encoded.bytes([0])),
                ])
            }
            return Encoded.map([
                ("type", Encoded.text("countersign trust bundle")), ("created", Encoded.number(1)),
                ("snapshot", Encoded.bytes([])), ("sources", Encoded.array(sources)),
            ])
        },
    ]
}
