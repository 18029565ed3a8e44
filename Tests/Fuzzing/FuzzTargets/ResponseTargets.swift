internal import CBOR
internal import MdocModel
internal import MdocVerification
internal import TestCredentials

/// DeviceResponse from its bytes to the verdict, against what was asked for and against nothing, by both rules.
///
/// Only the seeds are signed by the world's issuer, so a verified response has nothing but their elements.
func fuzzDeviceResponse(_ input: ArraySlice<UInt8>) {
    guard let response = try? UnverifiedResponse(input) else { return }
    for document in response.documents { touch(document) }
    for verified in verifications(of: response) {
        for document in verified.documents {
            demand(document.docType == TestDocument.mDL, "a forged document type is verified")
            for element in document.elements {
                demand(FuzzWorld.isIssued(element), "a forged element is verified")
            }
        }
    }
}

/// A MobileSecurityObject, signed by the world's issuer whatever it says.
func fuzzIssuedObject(_ input: ArraySlice<UInt8>) {
    let payload = EncodedCBOR<MobileSecurityObject>(embedding: Array(input))
    guard (try? MobileSecurityObject(payload: payload.bytes)) != nil else { return }
    verify { document in document.rewriteMSO = { _ in Array(input) } }
}

/// An IssuerSignedItem, digested and signed by the world's issuer whatever it says.
func fuzzIssuedItem(_ input: ArraySlice<UInt8>) {
    guard (try? CBORItem.parse(input)) != nil else { return }
    verify { document in document.rewriteItem = { _ in Array(input) } }
}

extension FuzzWorld {
    /// Whether the response verifies in this world, whoever signed it.
    package func verifies(_ response: [UInt8]) -> Bool {
        guard let response = try? UnverifiedResponse(response[...]) else { return false }
        return !verifications(of: response).isEmpty
    }
}

private func verify(_ change: (inout TestDocument) -> Void) {
    let world = FuzzWorld.standard
    let bytes: [UInt8]
    do {
        var document = try world.document([TestDocument.Item("portrait", [0x40])])
        change(&document)
        bytes = try world.response(document)
    } catch {
        fatalError("the world's issuer cannot sign")
    }
    _ = world.verifies(bytes)
}

/// What of it verifies. A response verifies exactly where every check of every document passed.
private func verifications(of response: UnverifiedResponse) -> [VerifiedResponse] {
    let world = FuzzWorld.standard
    let contexts = [
        world.context(.requested([.everything]), .interoperable), world.context(.notCompared, .strict),
    ]
    return contexts.compactMap { context in
        switch response.verify(in: context) {
        case .verified(let verified):
            demand(verified.documents.count == response.documents.count, "a document is lost")
            demand(!verified.documents.isEmpty, "verified without a document")
            demand(verified.reports.allSatisfy(\.hasPassed), "verified with a failed check")
            verified.documents.forEach(touch)
            return verified
        case .rejected(let rejected):
            demand(rejected.reports.count == response.documents.count, "a report is lost")
            let hasReason = !rejected.failures.isEmpty || !rejected.reports.allSatisfy(\.hasPassed)
            demand(hasReason, "rejected for no reason")
            return nil
        }
    }
}

/// Reads what is only read when asked for.
private func touch(_ document: UnverifiedDocument) {
    for item in document.nameSpaces.flatMap(\.items) {
        demand(item.bytes.content.count < item.bytes.bytes.count, "an item outside its bytes")
        _ = (item.identifier, try? DateText(item.value), item.value.value)
    }
}

private func touch(_ document: VerifiedDocument) {
    for years in [0, 18, 21, 99] { _ = document.isAgeAtLeast(years) }
    _ = (document.isCurrent, document.issuer.dsSubject, document.issuer.anchorSubject)
}

extension DocumentReport {
    fileprivate var hasPassed: Bool {
        Set(checks.map(\.id)).isSuperset(of: VerificationRules.interoperable.checks)
            && checks.allSatisfy { $0.outcome == .passed }
    }
}
