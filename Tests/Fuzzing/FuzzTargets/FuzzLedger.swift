internal import CBOR
internal import COSE
internal import MdocModel
internal import MdocVerification
internal import OpenSSLCrypto
package import ReaderStore
internal import RecordBench
internal import TestCredentials

/// A chain of receipts with one fixed key: what the key signs in the seeds, and nowhere else.
package struct FuzzLedger: Sendable {
    package static let standard: FuzzLedger = {
        do { return try FuzzLedger() } catch { fatalError("the fuzz targets have no ledger: \(error)") }
    }()

    /// What the receipts of the seeds say, in their order.
    package let statements: [ReceiptStatement]
    package let publicKey: ReceiptPublicKey
    private let key: TestKey

    private init() throws {
        key = try TestKey(scalar: [UInt8](repeating: 8, count: 32))
        publicKey = try ReceiptPublicKey(key.privateKey.publicKey())
        statements = [
            try .sample(),
            try ReceiptStatement(CBORItem.parse(Self.rejection[...])),
            try .sample(reasons: [ReceiptReason(CheckID.validity)], decision: .dismissed),
        ]
    }

    /// A statement with every member, also those that a sample leaves out.
    private static var rejection: [UInt8] {
        let document = map([
            ("docType", Encoded.text(TestDocument.mDL)), ("authority", Encoded.text("CN=Utopia,C=UT")),
            ("country", Encoded.text("UT")), ("revocation", Encoded.text("good")),
            ("revocationAge", Encoded.unsigned(3600)),
        ])
        let question = map([("ask", Encoded.text("drive:class C")), ("answer", Encoded.text("no"))])
        return map([
            ("time", Encoded.unsigned(UInt64(TestAuthority.now))), ("lane", Encoded.text("desk_2")),
            ("kind", Encoded.text("data")), ("purpose", Encoded.text("rental")),
            ("questions", Encoded.array([question])), ("verdict", Encoded.text("rejected")),
            ("reasons", Encoded.array([Encoded.text("issuer_auth.signature")])),
            ("documents", Encoded.array([document])),
            ("trustSnapshot", Encoded.bytes([UInt8](repeating: 9, count: 32))),
            ("trustAge", Encoded.unsigned(86_400)), ("policy", Encoded.text("rental")),
            ("software", Encoded.text("1.0+2")), ("retention", Encoded.text("days(7)")),
            ("method", Encoded.text("machine-validation")), ("decision", Encoded.text("rejected")),
        ])
    }

    /// In the order of RFC 8949 4.2.1.
    private static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        Encoded.map(
            members.sorted { Encoded.text($0.0).lexicographicallyPrecedes(Encoded.text($1.0)) })
    }

    /// The chain of the seeds. Its signatures are others each time.
    package func chain() -> [[UInt8]] {
        statements.reduce(into: []) { links, statement in
            links.append(signed(payload(saying: statement.encoded(), after: links)))
        }
    }

    func payload(saying statement: [UInt8], after links: [[UInt8]]) -> [UInt8] {
        let previous = links.last.map { Digest(.sha256, of: $0[...]).bytes } ?? SignedReceipt.origin
        return Encoded.map([
            ("type", Encoded.text("countersign receipt")), ("previous", Encoded.bytes(previous)),
            ("sequence", Encoded.unsigned(UInt64(links.count + 1))), ("statement", statement),
        ])
    }

    /// A link with any payload, signed by the key.
    func signed(_ payload: [UInt8]) -> [UInt8] {
        do {
            return try COSESigner.es256(keyID: publicKey.id.bytes)
                .sign1(payload, detached: false, with: key.privateKey, algorithm: .ecdsa(.sha256))
        } catch {
            fatalError("the ledger cannot sign")
        }
    }

    /// Whether the seeds have this statement in this place.
    func isGenuine(_ receipt: SignedReceipt) -> Bool {
        let place = receipt.sequence - 1
        return statements.indices.contains(Int(clamping: place))
            && receipt.content.encoded.elementsEqual(statements[Int(place)].encoded())
    }
}
