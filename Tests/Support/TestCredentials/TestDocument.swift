package import COSE
internal import CBOR
internal import MdocModel
internal import OpenSSLCrypto

/// An mdoc document made for a test, conforming unless a member is changed.
package struct TestDocument {
    package static let mDL = "org.iso.18013.5.1.mDL"
    package static let nameSpace = "org.iso.18013.5.1"

    package enum DeviceAuth { case signature, mac, both, none }

    package struct Item {
        package var nameSpace: String
        package var identifier: String
        package var value: [UInt8]

        package init(_ identifier: String, _ value: [UInt8], in nameSpace: String = TestDocument.nameSpace) {
            self.nameSpace = nameSpace
            self.identifier = identifier
            self.value = value
        }
    }

    package var docType = mDL
    package var items: [Item] = []
    package var random = [UInt8](repeating: 0x5a, count: 16)
    package var signed = Encoded.instant("2026-10-20T00:00:00Z")
    package var validFrom = Encoded.instant("2026-10-20T00:00:00Z")
    package var validUntil = Encoded.instant("2026-12-20T00:00:00Z")
    package var expectedUpdate: [UInt8]?
    /// The encoded Status of the MSO.
    package var status: [UInt8]?
    /// Further digests that no returned item has.
    package var decoys = 0
    package var keyAuthorizations: [UInt8]?
    package var deviceElements: [Item] = []
    package var deviceAuth = DeviceAuth.signature
    package var deviceSignatureAlgorithm = COSEAlgorithm.es256
    package var issuerAlgorithm = COSEAlgorithm.es256
    package var errors: [UInt8]?
    package var isChainProtected = false
    package var furtherCertificates: [[UInt8]] = []
    package var issuerAuthTag: UInt64?
    package var deviceAuthTag: UInt64?
    /// Rewrites the encoded IssuerSignedItem before it is digested.
    package var rewriteItem: ([UInt8]) -> [UInt8] = { $0 }
    /// Rewrites the encoded IssuerSignedItemBytes before they are digested.
    package var rewriteItemBytes: ([UInt8]) -> [UInt8] = { $0 }
    /// Rewrites the encoded MobileSecurityObjectBytes before they are signed.
    package var rewriteMSOBytes: ([UInt8]) -> [UInt8] = { $0 }
    /// Rewrites the encoded IssuerNameSpaces.
    package var rewriteNameSpaces: ([UInt8]) -> [UInt8] = { $0 }
    /// Rewrites the encoded MSO before it is signed.
    package var rewriteMSO: ([UInt8]) -> [UInt8] = { $0 }
    /// Adds members to deviceAuth.
    package var moreDeviceAuth: [(String, [UInt8])] = []
    package let deviceKey: TestKey

    package init(_ items: [Item] = [], deviceKey: TestKey? = nil) throws {
        self.items = items
        self.deviceKey = try deviceKey ?? TestKey()
    }

    private var nameSpaces: [String] {
        items.reduce(into: []) { names, item in
            if !names.contains(item.nameSpace) { names.append(item.nameSpace) }
        }
    }

    private func encodedItem(_ item: Item, digestID: UInt64) -> [UInt8] {
        rewriteItemBytes(
            Encoded.embedded(
                rewriteItem(
                    Encoded.map([
                        ("digestID", Encoded.unsigned(digestID)), ("random", Encoded.bytes(random)),
                        ("elementIdentifier", Encoded.text(item.identifier)), ("elementValue", item.value),
                    ]))))
    }

    /// The items as sent, with their digest IDs, by namespace.
    private func encodedItems() -> [(name: String, items: [(id: UInt64, bytes: [UInt8])])] {
        var next: UInt64 = 0
        return nameSpaces.map { name in
            let encoded = items.filter { $0.nameSpace == name }.map { item in
                next += 1
                return (next, encodedItem(item, digestID: next))
            }
            return (name, encoded)
        }
    }

    private func mobileSecurityObject() -> [UInt8] {
        let digests = encodedItems().map { nameSpace in
            let entries =
                nameSpace.items.map { ($0.id, Digest(.sha256, of: $0.bytes[...]).bytes) }
                + (0..<decoys).map { (1000 + UInt64($0), [UInt8](repeating: UInt8($0), count: 32)) }
            let map = CBOREncoder.encode { encoder in
                encoder.map(count: entries.count)
                for (id, digest) in entries {
                    encoder.unsigned(id)
                    encoder.byteString(digest)
                }
            }
            return (nameSpace.name, map)
        }
        let key = COSEKey.encode(
            curve: deviceKey.privateKey.curve, x: deviceKey.privateKey.x, y: deviceKey.privateKey.y)
        var keyInfo = [("deviceKey", key)]
        if let keyAuthorizations { keyInfo.append(("keyAuthorizations", keyAuthorizations)) }
        var dates = [("signed", signed), ("validFrom", validFrom), ("validUntil", validUntil)]
        if let expectedUpdate { dates.append(("expectedUpdate", expectedUpdate)) }
        let members = [
            ("version", Encoded.text("1.0")), ("digestAlgorithm", Encoded.text("SHA-256")),
            ("valueDigests", Encoded.map(digests)), ("deviceKeyInfo", Encoded.map(keyInfo)),
            ("docType", Encoded.text(docType)), ("validityInfo", Encoded.map(dates)),
        ]
        return rewriteMSO(Encoded.map(members + (status.map { [("status", $0)] } ?? [])))
    }

    private func issuerAuth(_ issuer: TestIssuer) throws -> [UInt8] {
        let chain = [issuer.certificate[...]] + furtherCertificates.map { $0[...] }
        var signer = COSESigner(algorithm: issuerAlgorithm, x5chain: chain)
        if isChainProtected {
            signer.protected = CBOREncoder.encode { encoder in
                encoder.map(count: 2)
                encoder.integer(1)
                encoder.integer(issuerAlgorithm.identifier)
                encoder.integer(33)
                encoder.byteString(issuer.certificate)
            }
            signer.unprotected = [0xa0]
        }
        let signature = try signer.sign1(
            rewriteMSOBytes(Encoded.embedded(mobileSecurityObject())), detached: false,
            with: issuer.key.privateKey,
            algorithm: .ecdsa(.sha256))
        return issuerAuthTag.map { Encoded.tagged($0, signature) } ?? signature
    }

    private func deviceNameSpaces() -> [UInt8] {
        var names: [String] = []
        for element in deviceElements where !names.contains(element.nameSpace) {
            names.append(element.nameSpace)
        }
        return Encoded.map(
            names.map { name in
                (
                    name,
                    Encoded.map(
                        deviceElements.filter { $0.nameSpace == name }.map { ($0.identifier, $0.value) })
                )
            })
    }

    private func deviceSigned(_ session: TestSession) throws -> [UInt8] {
        let nameSpaces = Encoded.embedded(deviceNameSpaces())
        let authentication = try EncodedCBOR<UnverifiedDeviceSigned>(CBORItem.parse(nameSpaces[...]))
        let payload = Array(
            deviceAuthenticationBytes(
                transcript: session.transcript, docType: docType, nameSpaces: authentication
            ).joined())
        var members: [(String, [UInt8])] = []
        if deviceAuth == .signature || deviceAuth == .both {
            let signature = try COSESigner(algorithm: deviceSignatureAlgorithm).sign1(
                payload, detached: true, with: deviceKey.privateKey, algorithm: .ecdsa(.sha256))
            members.append(
                ("deviceSignature", deviceAuthTag.map { Encoded.tagged($0, signature) } ?? signature))
        }
        if deviceAuth == .mac || deviceAuth == .both {
            let mac = try session.mac(over: payload, deviceKey: deviceKey)
            members.append(("deviceMac", deviceAuthTag.map { Encoded.tagged($0, mac) } ?? mac))
        }
        return Encoded.map([
            ("nameSpaces", nameSpaces), ("deviceAuth", Encoded.map(members + moreDeviceAuth)),
        ])
    }

    /// The document as sent in this session.
    package func encoded(issuer: TestIssuer, session: TestSession) throws -> [UInt8] {
        let nameSpaces = encodedItems().map { ($0.name, Encoded.array($0.items.map(\.bytes))) }
        let issuerSigned = [
            ("nameSpaces", rewriteNameSpaces(Encoded.map(nameSpaces))),
            ("issuerAuth", try issuerAuth(issuer)),
        ]
        var members = [
            ("docType", Encoded.text(docType)), ("issuerSigned", Encoded.map(issuerSigned)),
            ("deviceSigned", try deviceSigned(session)),
        ]
        if let errors { members.append(("errors", errors)) }
        return Encoded.map(members)
    }
}
