internal import CBOR
internal import MdocModel
internal import OpenSSLCrypto

/// The proof that the digest of every returned item equals its digest in the MSO (ISO/IEC 18013-5 9.1.2.5).
struct ItemDigestsProof: ~Copyable {
    fileprivate init() {}
}

/// Compares the digest of every returned item, over its bytes as received, with the digest in the MSO.
/// Digests of the MSO without a returned item are ignored (Q162).
func checkDigests(
    of document: UnverifiedDocument, in mobileSecurityObject: MobileSecurityObject,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> ItemDigestsProof {
    let algorithm = try digestAlgorithm(named: mobileSecurityObject.digestAlgorithm)
    for nameSpace in document.nameSpaces {
        for item in nameSpace.items {
            try checkDigest(
                of: item, in: nameSpace.name, algorithm: algorithm, mobileSecurityObject: mobileSecurityObject
            )
            item.appendDeviations(to: &deviations)
        }
    }
    return ItemDigestsProof()
}

/// Returns the digest algorithm of the MSO, which must be one that ISO/IEC 18013-5 allows.
private func digestAlgorithm(named name: String) throws(CheckFailure) -> HashAlgorithm {
    switch name {
    case "SHA-256": .sha256
    case "SHA-384": .sha384
    case "SHA-512": .sha512
    default: throw .digestAlgorithmUnknown
    }
}

/// Compares the digest of one item with its digest in the MSO.
private func checkDigest(
    of item: UnverifiedIssuerSignedItem, in nameSpace: String, algorithm: HashAlgorithm,
    mobileSecurityObject: MobileSecurityObject
) throws(CheckFailure) {
    guard let expected = mobileSecurityObject.digest(nameSpace: nameSpace, digestID: item.digestID) else {
        throw .digestMissing(item.name(in: nameSpace))
    }
    guard Digest(algorithm, of: item.bytes.bytes).equals(expected) else {
        throw .digestMismatch(item.name(in: nameSpace))
    }
}

extension UnverifiedIssuerSignedItem {
    func name(in nameSpace: String) -> ElementName {
        ElementName(nameSpace: nameSpace, identifier: identifier)
    }

    fileprivate func appendDeviations(to deviations: inout [Deviation]) {
        if form.contains(.indefiniteLength) { deviations.append(.indefiniteItem) }
        if form.contains(.longerHead) { deviations.append(.longerHeadInItem) }
        // If `random` has fewer than 16 bytes, others may find the value of an undisclosed element: they
        // compare the digests of possible values with the digest in the MSO.
        if random.count < 16 { deviations.append(.shortRandom) }
    }
}
