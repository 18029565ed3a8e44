package import COSE
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// The phone's part that answers requests (ISO/IEC 18013-5 8.3.2.1): picks what was asked for of its documents and
/// proves that it holds their keys.
package struct Holder: Sendable {
    /// How a phone proves that it holds a document's key (9.1.3).
    package enum DeviceAuthentication: String, CaseIterable, Sendable {
        case signature
        /// Needs a reader key on the device key's curve.
        case mac
    }

    /// What the person decides on the consent sheet.
    package enum Decision: String, CaseIterable, Sendable {
        case consents
        /// The session ends without data, status 20: what phones do.
        case declines
        /// A response that returns no document and says so in `documentErrors`.
        case returnsNothing
    }

    package enum Answer: Equatable, Sendable {
        case response([UInt8])
        case declined
    }

    package var documents: [IssuedDocument]
    package var deviceAuthentication = DeviceAuthentication.signature
    package var decision = Decision.consents
    /// What the phone asserts itself where it is asked for.
    package var deviceElements: [TestDocument.Element] = []
    package var fault: HolderFault?
    package var readerTrust = ReaderTrust()

    package init(documents: [IssuedDocument]) {
        self.documents = documents
    }

    /// The DeviceResponse to a DeviceRequest in the session of `transcript`.
    package func answer(
        _ deviceRequest: ArraySlice<UInt8>, transcript: SessionTranscript
    ) throws(HolderError) -> Answer {
        let request = try mapping(DeviceRequest(deviceRequest), HolderError.request)
        // A reader that is not trusted gets no answer at all (Q172).
        guard decision != .declines, readerTrust.allows(request, in: transcript) else { return .declined }
        var response: CBORDraft = ["version": "1.0"]
        var documents: [CBORDraft] = []
        var errors: [CBORDraft] = []
        for items in chosenDocuments(of: request) {
            if decision == .consents, let document = document(for: items) {
                documents.append(try answer(items, with: document, transcript: transcript))
            } else {
                errors.append([.text(items.docType): 0])
            }
        }
        if !documents.isEmpty { response["documents"] = .array(documents) }
        if !errors.isEmpty { response["documentErrors"] = .array(errors) }
        response["status"] = 0
        fault?.edit(response: &response)
        return .response(fault?.edit(encoded: response.encode()) ?? response.encode())
    }

    /// What is answered: of each use case the first set of documents that are all there, else all that are asked.
    private func chosenDocuments(of request: DeviceRequest) -> [ItemsRequest] {
        let asked = request.docRequests.map(\.itemsRequest)
        guard let useCases = request.deviceRequestInfo?.useCases, !useCases.isEmpty else { return asked }
        let chosen = useCases.flatMap { useCase in
            useCase.documentSets.first { set in set.allSatisfy { document(for: asked[$0]) != nil } }
                ?? useCase.documentSets[0]
        }
        return Set(chosen).sorted().map { asked[$0] }
    }

    private func document(for request: ItemsRequest) -> IssuedDocument? {
        if fault == .unrequestedDocType { return documents.first }
        // This wallet makes no zero-knowledge proofs.
        if request.further.zeroKnowledge == .required { return nil }
        return documents.first { $0.docType == request.docType }
    }

    private func answer(
        _ request: ItemsRequest, with document: IssuedDocument, transcript: SessionTranscript
    ) throws(HolderError) -> CBORDraft {
        var selection = ItemSelection(of: document, for: request)
        fault?.edit(&selection, of: document)
        let asserted = deviceElements.filter {
            fault == .unrequestedDeviceElement || request.asks(for: $0.identifier, in: $0.nameSpace)
        }
        let proof = DeviceAuthenticationDraft(
            document: document, elements: asserted, kind: deviceAuthentication, transcript: transcript,
            fault: fault)
        var answer: CBORDraft = [
            "docType": .text(document.docType), "issuerSigned": document.issuerSigned(selection.items),
            "deviceSigned": try proof.deviceSigned(),
        ]
        let errors = selection.errors(except: asserted)
        if !errors.members.isEmpty { answer["errors"] = errors }
        fault?.edit(document: &answer)
        return answer
    }
}

/// Why a phone cannot answer a request.
package enum HolderError: Error, Equatable, Sendable {
    case request(MdocModelError)
    /// The reader's ephemeral key cannot be used, or is not on the device key's curve, which a MAC needs.
    case readerKey(COSEError)
    case readerKeyOnOtherCurve
    case cryptography(OpenSSLCryptoError)
}
