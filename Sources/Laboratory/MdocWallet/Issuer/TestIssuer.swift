internal import CBOR
package import COSE
package import MdocModel
package import OpenSSLCrypto
internal import PKIX

/// An issuer for tests (ISO/IEC 18013-5 9.1.2, Annex B). It has a root (IACA), either new or kept from an
/// earlier issuer, and a new document signer, which signs the documents.
///
/// The issuer makes its two certificates when it is created. ``issue(_:for:)`` then signs any number of
/// documents. All dates are relative to the `now` of the initialiser.
///
/// Everything conforms to the standard, except for `IssuingOptions.fault`, which breaks one rule. The fault
/// is applied where the broken part is made: in the certificates, the elements, the items, the mobile
/// security object or issuerAuth. Parts that are made later are therefore consistent with the fault: for
/// example, a digest covers the faulty item.
///
/// No reader trusts the root until somebody imports it. The names of the certificates have the country `UT`,
/// so that a document has the verdict `mock` even if its root was imported. A seed in `TestEntropy` makes the
/// same keys in each run; anybody who knows the seed knows the keys.
package final class TestIssuer: Sendable {
    /// The root certificate in DER, which a reader imports as trust anchor.
    package let root: [UInt8]
    /// The document signer's certificate in DER.
    package let signer: [UInt8]
    private let signerKey: PrivateKey
    private let options: IssuingOptions
    private let entropy: TestEntropy
    private let now: Timestamp

    /// Creates an issuer whose certificates and documents are valid at `now`.
    ///
    /// - Parameter kept: the root of an earlier issuer, if `options.usesPlainRoot`. Nil for a new root.
    package init(
        _ options: IssuingOptions = IssuingOptions(), under kept: TestIssuerRoot? = nil,
        entropy: TestEntropy = .openSSL, now: Timestamp
    ) throws(OpenSSLCryptoError) {
        self.options = options
        self.entropy = entropy
        self.now = now
        signerKey = try entropy.key(on: options.signerCurve, for: "document signer")
        let certificates = TestCertificates(options: options, entropy: entropy, now: now, kept: kept)
        (root, signer) = try certificates.rootAndSigner(signerKey: signerKey)
    }

    /// Issues a document for a device key: makes the items, digests them, and signs the mobile security
    /// object.
    package func issue(
        _ document: TestDocument, for deviceKey: COSEKeyPair
    ) throws(OpenSSLCryptoError) -> IssuedDocument {
        var document = document
        options.fault?.edit(&document, issuedAt: now)
        let items = try drafts(of: document)
        let object = try mobileSecurityObject(items, docType: document.docType, deviceKey: deviceKey)
        return IssuedDocument(
            docType: document.docType, items: items.map { $0.issued(with: options.fault) },
            issuerAuth: try issuerAuth(object).encode(), deviceKey: deviceKey)
    }

    /// Makes the items of a document. The digest identifiers of each namespace are in random order, so that
    /// an identifier says nothing about its element.
    private func drafts(of document: TestDocument) throws(OpenSSLCryptoError) -> [IssuerSignedItemDraft] {
        var drafts: [IssuerSignedItemDraft] = []
        for nameSpace in document.nameSpaces {
            let elements = document.elements.filter { $0.nameSpace == nameSpace }
            let identifiers = try entropy.shuffled(
                elements.count + options.decoyDigests, for: "digest identifiers \(nameSpace)")
            for (element, digestID) in zip(elements, identifiers) {
                let purpose = "random \(nameSpace) \(element.identifier)"
                drafts.append(
                    IssuerSignedItemDraft(
                        element, digestID: digestID, random: try entropy.bytes(32, for: purpose),
                        fault: options.fault))
            }
        }
        return drafts
    }

    // MARK: The mobile security object (9.1.2.4)

    /// Makes the mobile security object, with the members and the fault that `options` require.
    private func mobileSecurityObject(
        _ items: [IssuerSignedItemDraft], docType: String, deviceKey: COSEKeyPair
    ) throws(OpenSSLCryptoError) -> CBORDraft {
        var keyInfo: CBORDraft = ["deviceKey": .encoded(Array(deviceKey.publicKeyBytes.content))]
        // Assigning nil leaves a member out.
        keyInfo["keyAuthorizations"] = options.keyAuthorizations
        var object: CBORDraft = [
            "version": "1.0",
            "digestAlgorithm": .text(options.digestAlgorithm.digestAlgorithmName),
            "valueDigests": try valueDigests(items),
            "deviceKeyInfo": keyInfo,
            "docType": .text(docType),
            "validityInfo": validityInfo(),
        ]
        object["status"] = options.status
        if let extra = options.extraMember { object[.text(extra.key)] = extra.value }
        options.fault?.edit(mobileSecurityObject: &object, issuedAt: now)
        return object
    }

    /// Returns the digests of the items by namespace, with digests that belong to no item (decoys).
    private func valueDigests(_ items: [IssuerSignedItemDraft]) throws(OpenSSLCryptoError) -> CBORDraft {
        var digests = CBORDraft.map([])
        for item in items {
            let digest = Digest(options.digestAlgorithm, of: item.encoded[...]).bytes
            let name = CBORDraft.text(item.nameSpace)
            var nameSpace = digests[name] ?? .map([])
            nameSpace[.integer(Int64(item.digestID))] = .bytes(digest)
            digests[name] = nameSpace
        }
        for index in digests.members.indices { try addDecoys(to: &digests.members[index].value) }
        return digests
    }

    private func addDecoys(to nameSpace: inout CBORDraft) throws(OpenSSLCryptoError) {
        // The items have some of the digest identifiers in this range. The decoys get the other identifiers.
        for number in 0..<nameSpace.members.count + options.decoyDigests {
            let digestID = CBORDraft.integer(Int64(number))
            guard nameSpace[digestID] == nil else { continue }
            let decoy = try entropy.bytes(options.digestAlgorithm.digestSize, for: "decoy \(number)")
            nameSpace[digestID] = .bytes(decoy)
        }
    }

    /// Makes `validityInfo` with the times of `TestValidity`.
    private func validityInfo() -> CBORDraft {
        let signed = now.advanced(bySeconds: TestValidity.signed)
        var info: CBORDraft = [
            "signed": .dateTime("\(signed)"),
            "validFrom": .dateTime("\(signed)"),
            "validUntil": .dateTime("\(now.advanced(bySeconds: TestValidity.validUntil))"),
        ]
        if let seconds = options.expectedUpdate {
            info["expectedUpdate"] = .dateTime("\(signed.advanced(bySeconds: seconds))")
        }
        return info
    }

    // MARK: issuerAuth

    private func issuerAuth(_ object: CBORDraft) throws(OpenSSLCryptoError) -> CBORDraft {
        var draft = IssuerAuthDraft(
            payload: CBORDraft.embedded(object).encode(), signer: signer, curve: signerKey.curve)
        // 33 is the header x5chain (RFC 9360).
        if options.certificatesAsArray { draft.unprotected[33] = [.bytes(signer)] }
        options.fault?.edit(&draft, mobileSecurityObject: object, signer: signer, root: root)
        var signed = try draft.sign(with: signerKey)
        options.fault?.edit(signed: &signed)
        return signed
    }
}

/// The validity periods of certificates and documents, in seconds from the issuer's `now`.
enum TestValidity {
    static let day: Int64 = 86_400
    static let root = -900 * day...2000 * day
    static let signerCertificate = -60 * day...300 * day
    static let signed = -2 * day
    static let validUntil = 28 * day
}

/// The options of a test issuer. The default conforms to the standard.
package struct IssuingOptions: Sendable {
    package var rootCurve = Curve.p256
    /// The curve of the document signer's key, which may be an Edwards curve.
    package var signerCurve = Curve.p256
    package var digestAlgorithm = HashAlgorithm.sha256
    /// The beginning of the common names of both certificates.
    package var name = "Countersign Test"
    /// The stateOrProvinceName of both certificates. Nil for names without this attribute.
    package var state: String?
    /// Whether x5chain is an array of one certificate.
    package var certificatesAsArray = false
    /// The number of digests in each namespace that belong to no item (Q162).
    package var decoyDigests = 0
    /// The seconds from the signature to `expectedUpdate`. Nil for no `expectedUpdate`.
    package var expectedUpdate: Int64?
    /// A further member of the MSO, which no reader knows.
    package var extraMember: (key: String, value: CBORDraft)?
    /// The status member of the MSO (second edition).
    package var status: CBORDraft?
    package var keyAuthorizations: CBORDraft?
    package var fault: IssuerFault?

    /// The name of PassKit's own test issuer, whose documents are mocks.
    static let passKitTestName = "PassKit Identity Test"

    package init(fault: IssuerFault? = nil) {
        self.fault = fault
    }

    /// Whether the root has the default name, state and curve, and no fault.
    package var usesPlainRoot: Bool {
        let plain = IssuingOptions()
        return rootCurve == plain.rootCurve && name == plain.name && state == plain.state
            && fault != .rootExpired && fault != .rootWithoutCountry
    }
}

extension HashAlgorithm {
    /// The name in `digestAlgorithm` (ISO/IEC 18013-5 9.1.2.4).
    fileprivate var digestAlgorithmName: String {
        switch self {
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }
}

/// A document as the phone keeps it: the signed items and issuerAuth, with the device's private key.
package struct IssuedDocument: Sendable {
    package struct Item: Sendable {
        package let nameSpace: String
        package let identifier: String
        /// The value of the element. For an age attestation, the phone reads the value to find the nearest
        /// attestation (7.2.5).
        package let value: CBORDraft
        /// The IssuerSignedItemBytes that the phone sends.
        package let encoded: [UInt8]
    }

    package let docType: String
    package private(set) var items: [Item]
    /// The encoded COSE_Sign1.
    package let issuerAuth: [UInt8]
    package let deviceKey: COSEKeyPair

    /// Returns this document without these elements, as if the holder had deselected them. Nothing else
    /// changes.
    package func withholding(_ names: Set<ElementName>) -> IssuedDocument {
        var document = self
        document.items.removeAll {
            names.contains(ElementName(nameSpace: $0.nameSpace, identifier: $0.identifier))
        }
        return document
    }

    /// Makes IssuerSigned (ISO/IEC 18013-5 8.3.2.1.2.2) with these items, grouped by namespace in their
    /// order.
    func issuerSigned(_ items: [Item]) -> CBORDraft {
        var nameSpaces = CBORDraft.map([])
        for item in items {
            let name = CBORDraft.text(item.nameSpace)
            nameSpaces[name] = .array((nameSpaces[name]?.items ?? []) + [.encoded(item.encoded)])
        }
        return ["nameSpaces": nameSpaces, "issuerAuth": .encoded(issuerAuth)]
    }

    /// Makes IssuerSigned with every item, as an issuer provisions it to a phone.
    package func credential() -> [UInt8] {
        issuerSigned(items).encode()
    }
}

extension IssuedDocument: RedactedDescription {}
extension IssuedDocument.Item: RedactedDescription {}
