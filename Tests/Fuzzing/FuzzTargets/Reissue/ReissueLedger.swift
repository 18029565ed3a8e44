internal import CBOR
internal import MdocModel
internal import MdocVerification
internal import MdocWallet
internal import OpenSSLCrypto
internal import TestCredentials

/// The parts of a mutant's document that its issuer and its phone signed, read from their bytes with `ReferenceCBOR`.
struct ReissueLedger {
    private struct Element {
        let nameSpace: [UInt8]
        let identifier: [UInt8]
        let value: ReferenceCBOR
    }

    private let document: ReissuedDocument
    private let object: ReferenceCBOR?

    init(_ document: ReissuedDocument) {
        self.document = document
        object = ReferenceCBOR.decode(document.object[...], depth: 64)
    }

    /// Why what is reported of a verified document was not signed by the side that the report names, for this session.
    func violations(by verified: VerifiedDocument, in scenario: ReissueScenario) -> [StaticString] {
        var found: [StaticString] = []
        let demand = { (condition: Bool, reason: StaticString) in if !condition { found.append(reason) } }
        demand(document.isSignedByIssuer, "verified, and another key signed it")
        demand(isBound, "verified, and not bound to the session by the document's key")
        let docType = object?["docType"]?.utf8
        demand(docType?.elementsEqual(verified.docType.utf8) == true, "verified under another document type")
        demand(
            object?["version"]?.utf8?.starts(with: Array("1.".utf8)) == true, "verified in another version")
        demand(isInDate, "verified out of its time")
        demand(!isRevoked, "verified, and a readable reference says revoked")
        let signed = issued()
        for element in verified.elements {
            demand(isSigned(element, among: signed), "an element that its side did not sign")
            demand(!scenario.isCompared || scenario.wants(element.name), "an element that nobody asked for")
        }
        return found
    }

    private func isSigned(_ element: VerifiedElement, among signed: [Element]) -> Bool {
        guard let value = ReferenceCBOR.decode(element.value.encoded, depth: 64) else { return false }
        guard element.signedBy == .issuer else { return isAsserted(element.name, value) }
        return signed.contains {
            $0.nameSpace.elementsEqual(element.name.nameSpace.utf8)
                && $0.identifier.elementsEqual(element.name.identifier.utf8) && $0.value == value
        }
    }

    private var isBound: Bool { document.binding == .signature || document.binding == .mac }

    /// The elements whose digest stands in the MSO under their namespace and their digest ID.
    private func issued() -> [Element] {
        guard let name = object?["digestAlgorithm"]?.utf8 else { return [] }
        let algorithms: [(String, HashAlgorithm)] = [
            ("SHA-256", .sha256), ("SHA-384", .sha384), ("SHA-512", .sha512),
        ]
        guard let algorithm = algorithms.first(where: { $0.0.utf8.elementsEqual(name) })?.1 else { return [] }
        let digests = (object?["valueDigests"]?.members ?? []).flatMap { space in
            space.value.members.compactMap { entry in
                entry.value.byteString.map { (space.key, entry.key, $0) }
            }
        }
        return document.candidates.flatMap { candidate -> [Element] in
            let digest = Digest(algorithm, of: candidate[...]).bytes
            let places = digests.filter { $0.2 == digest }
            guard !places.isEmpty, let item = ReferenceCBOR.decode(candidate[...], depth: 64)?.embedded,
                let identifier = item["elementIdentifier"]?.utf8, let value = item["elementValue"]
            else { return [] }
            return places.compactMap { nameSpace, id, _ in
                guard id == item["digestID"], let name = nameSpace.utf8 else { return nil }
                return Element(nameSpace: name, identifier: identifier, value: value)
            }
        }
    }

    private func isAsserted(_ name: ElementName, _ value: ReferenceCBOR) -> Bool {
        let nameSpace = ReferenceCBOR.text(Array(name.nameSpace.utf8))
        let identifier = ReferenceCBOR.text(Array(name.identifier.utf8))
        let tree = ReferenceCBOR.decode(document.deviceNameSpaces.encode()[...], depth: 64)?.embedded
        guard tree?.member(nameSpace)?.member(identifier) == value else { return false }
        let allowed = object?["deviceKeyInfo"]?["keyAuthorizations"]
        return allowed?["nameSpaces"]?.items?.contains(nameSpace) == true
            || allowed?["dataElements"]?.member(nameSpace)?.items?.contains(identifier) == true
    }

    /// Whether no date in the usual form is against it, with a minute of tolerance and one more.
    private var isInDate: Bool {
        let now = ReissueWorld.standard.now
        let info = object?["validityInfo"]
        // The texts of instants in UTC are ordered as the instants are.
        let isEarly = Self.instant(info?["validFrom"]).map {
            Self.text(now.advanced(bySeconds: 120)).lexicographicallyPrecedes($0)
        }
        let isLate = Self.instant(info?["validUntil"]).map {
            $0.lexicographicallyPrecedes(Self.text(now.advanced(bySeconds: -120)))
        }
        return isEarly != true && isLate != true
    }

    private static func text(_ time: Timestamp) -> [UInt8] { Array(time.description.utf8.prefix(16)) }

    /// `YYYY-MM-DDTHH:MM` of a `tdate` in UTC; nil for any other form.
    private static func instant(_ item: ReferenceCBOR?) -> [UInt8]? {
        if case .tagged(0, .text(let text))? = item, text.count == 20, text.last == UInt8(ascii: "Z") {
            Array(text.prefix(16))
        } else {
            nil
        }
    }

    /// Whether a reference that can be read, to a list that the reader has, is of a revoked document.
    private var isRevoked: Bool {
        guard let status = object?["status"] else { return false }
        let (entry, name) = (status["status_list"], status["identifier_list"])
        return entry.map { Self.isOurs($0) && $0["idx"]?.unsigned == UInt64(ReissueValues.revokedIndex) }
            == true
            || name.map { Self.isOurs($0) && $0["id"]?.byteString == FuzzWorld.revoked } == true
    }

    private static func isOurs(_ reference: ReferenceCBOR) -> Bool {
        reference["uri"]?.utf8?.elementsEqual(ReissueValues.listURI.utf8) == true
            && reference["certificate"] == nil
    }
}

extension ReissueScenario {
    /// Whether the element was asked for, or attests an age where one was.
    fileprivate func wants(_ name: ElementName) -> Bool {
        requests.contains { request in
            request.asks(for: name.identifier, in: name.nameSpace)
                || AgeAttestation(name.identifier) != nil && !request.agesAsked.isEmpty
        }
    }
}
