internal import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// The part of the software phone that answers requests (ISO/IEC 18013-5 8.3.2.1).
///
/// ``answer(_:transcript:)`` makes a DeviceResponse in these steps:
/// 1. It parses the DeviceRequest.
/// 2. It declines if the person declines, or if `readerTrust` does not allow the reader (Q172).
/// 3. It chooses the documents: for each use case of the request, the first set in which the phone has every
///   document. Without use cases, all requested documents.
/// 4. It selects the items of each document. An age is answered by the nearest attestation (7.2.5), a missing
///   element by an alternative or by an entry in `errors`.
/// 5. It proves for each document that it holds the device key, by a signature or a MAC over this session
///   (9.1.3).
/// 6. It applies `fault`, which breaks one rule at one of these steps.
///
/// A holder is a value without a session, so the caller decrypts and encrypts (``WalletSession``). It runs on
/// the caller's thread. Only making a signature takes noticeable time.
///
/// The holder conforms to the standard except for its fault. It never checks whether a document has expired,
/// and makes no zero-knowledge proofs.
package struct Holder: Sendable {
    /// The proof that the phone holds a document's key (9.1.3).
    package enum DeviceAuthentication: String, CaseIterable, Sendable {
        case signature
        /// A MAC, for which the reader's key must be on the device key's curve.
        case mac
    }

    /// The person's decision on a request.
    package enum Decision: String, CaseIterable, Sendable {
        case consents
        /// The session ends without data, with status 20, as real phones do.
        case declines
        /// The response has no document, and lists the requested documents in `documentErrors`.
        case returnsNothing
    }

    /// The holder's answer: an encoded DeviceResponse, or a refusal of the whole request.
    package enum Answer: Equatable, Sendable {
        case response([UInt8])
        case declined
    }

    package var documents: [IssuedDocument]
    package var deviceAuthentication = DeviceAuthentication.signature
    package var decision = Decision.consents
    /// The elements that the phone itself asserts if they are requested.
    package var deviceElements: [TestDocument.Element] = []
    package var fault: HolderFault?
    package var readerTrust = ReaderTrust()

    package init(documents: [IssuedDocument]) {
        self.documents = documents
    }

    /// Answers a DeviceRequest in the session of `transcript`.
    ///
    /// - Returns: the DeviceResponse, or `declined`.
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
                // Error code 0: data not returned.
                errors.append([.text(items.docType): 0])
            }
        }
        if !documents.isEmpty { response["documents"] = .array(documents) }
        if !errors.isEmpty { response["documentErrors"] = .array(errors) }
        response["status"] = 0
        fault?.edit(response: &response)
        return .response(fault?.edit(encoded: response.encode()) ?? response.encode())
    }

    /// Returns the requests that are answered. For each use case, these are the requests of the first
    /// document set that the phone has completely, or of the first set if the phone has none completely.
    /// Without use cases, all requests are answered.
    private func chosenDocuments(of request: DeviceRequest) -> [ItemsRequest] {
        let asked = request.docRequests.map(\.itemsRequest)
        guard let useCases = request.deviceRequestInfo?.useCases, !useCases.isEmpty else { return asked }
        // The parser has checked that each use case has a set, and that the numbers in it exist.
        let chosen = useCases.flatMap { useCase in
            useCase.documentSets.first { set in set.allSatisfy { document(for: asked[$0]) != nil } }
                ?? useCase.documentSets[0]
        }
        return Set(chosen).sorted().map { asked[$0] }
    }

    /// Returns the phone's document of the requested type. Returns nil if the phone has none, or the request
    /// requires a zero-knowledge proof.
    private func document(for request: ItemsRequest) -> IssuedDocument? {
        // With this fault the phone returns a document of a type that was not requested.
        if fault == .unrequestedDocType { return documents.first }
        // This wallet makes no zero-knowledge proofs.
        if request.further.zeroKnowledge == .required { return nil }
        return documents.first { $0.docType == request.docType }
    }

    /// Makes one document of the response: the selected items, and the proof of the device key.
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

/// A reason why a phone cannot answer a request.
package enum HolderError: Error, Equatable, Sendable {
    case request(MdocModelError)
    /// The reader's ephemeral key cannot be used.
    case readerKey(COSEError)
    /// The reader's ephemeral key is not on the device key's curve, which a MAC requires.
    case readerKeyOnOtherCurve
    case cryptography(OpenSSLCryptoError)
}

/// The items of a document that answer a request (ISO/IEC 18013-5 8.3.2.1.2.2): the requested items that the
/// document has, and for an age the nearest attestation (7.2.5).
struct ItemSelection {
    var items: [IssuedDocument.Item] = []
    private var missing: [(nameSpace: String, identifier: String)] = []

    init(of document: IssuedDocument, for request: ItemsRequest) {
        // If a request lists alternatives for the same element twice, the first list is used.
        let alternatives = Dictionary(
            request.alternatives.map { ($0.requestedElement, $0.sets) },
            uniquingKeysWith: { first, _ in first })
        for nameSpace in request.nameSpaces {
            let candidates = document.items.filter { $0.nameSpace == nameSpace.name }
            for element in nameSpace.elements {
                let name = ElementName(nameSpace: nameSpace.name, identifier: element.identifier)
                let found =
                    Self.item(for: element.identifier, among: candidates).map { [$0] }
                    ?? Self.firstSet(of: alternatives[name] ?? [], in: document)
                if found.isEmpty { missing.append((nameSpace.name, element.identifier)) }
                // Two requested ages may have the same nearest attestation. That attestation is returned only
                // once.
                for item in found where !items.contains(where: { $0.isSame(as: item) }) { items.append(item) }
            }
        }
    }

    /// Returns the items of the first set of alternatives that the document has completely. Empty if there is
    /// no such set.
    private static func firstSet(
        of sets: [[ElementName]], in document: IssuedDocument
    ) -> [IssuedDocument.Item] {
        for set in sets {
            let found = set.compactMap { wanted in
                item(
                    for: wanted.identifier, among: document.items.filter { $0.nameSpace == wanted.nameSpace })
            }
            if found.count == set.count { return found }
        }
        return []
    }

    /// Returns the item for an element. For an age, returns the nearest attestation (7.2.5): the lowest
    /// `true` at or above the age, or else the highest `false` at or below it.
    private static func item(
        for identifier: String, among candidates: [IssuedDocument.Item]
    ) -> IssuedDocument.Item? {
        guard let years = AgeAttestation(identifier)?.years else {
            return candidates.first { $0.identifier == identifier }
        }
        // Until the first attestation is found, the bounds are 100 and -1. No attested age is beyond these
        // bounds, because an age has two digits.
        var above: (years: Int, item: IssuedDocument.Item)?
        var below: (years: Int, item: IssuedDocument.Item)?
        for item in candidates {
            guard let attested = AgeAttestation(item.identifier)?.years,
                case .boolean(let isOver) = item.value
            else {
                continue
            }
            if isOver, (years..<(above?.years ?? 100)).contains(attested) { above = (attested, item) }
            if !isOver, ((below?.years ?? -1) + 1..<years + 1).contains(attested) { below = (attested, item) }
        }
        return (above ?? below)?.item
    }

    /// Returns the `errors` member: code 0, "data not returned", for each requested element that the document
    /// does not have and that the phone does not assert itself.
    func errors(except asserted: [TestDocument.Element]) -> CBORDraft {
        var errors = CBORDraft.map([])
        for (nameSpace, identifier) in missing {
            guard !asserted.contains(where: { $0.nameSpace == nameSpace && $0.identifier == identifier })
            else {
                continue
            }
            var codes = errors[.text(nameSpace)] ?? .map([])
            codes[.text(identifier)] = 0
            errors[.text(nameSpace)] = codes
        }
        return errors
    }
}

extension IssuedDocument.Item {
    fileprivate func isSame(as other: Self) -> Bool {
        nameSpace == other.nameSpace && identifier == other.identifier
    }
}

/// The parts of DeviceSigned (ISO/IEC 18013-5 9.1.3) before the signature or MAC is made. A fault can change
/// each part.
private struct DeviceAuthenticationDraft {
    let document: IssuedDocument
    let elements: [TestDocument.Element]
    let kind: Holder.DeviceAuthentication
    let transcript: SessionTranscript
    let fault: HolderFault?

    /// Makes DeviceSigned, whose signature or MAC covers the transcript, the document type and the elements
    /// that the phone asserts.
    func deviceSigned() throws(HolderError) -> CBORDraft {
        let nameSpaces = EncodedCBOR<UnverifiedDeviceSigned>(embedding: deviceNameSpaces.encode())
        let authenticated = deviceAuthenticationBytes(
            transcript: fault?.transcript(insteadOf: transcript) ?? transcript,
            docType: fault == .otherDocType ? "org.example.other" : document.docType, nameSpaces: nameSpaces)
        let payload = Array(authenticated.joined())
        var deviceAuth: CBORDraft
        switch kind {
        case .signature: deviceAuth = ["deviceSignature": try signature(over: payload)]
        case .mac: deviceAuth = ["deviceMac": try mac(over: payload)]
        }
        fault?.edit(deviceAuth: &deviceAuth)
        var signed: CBORDraft = ["nameSpaces": .encoded(Array(nameSpaces.bytes)), "deviceAuth": deviceAuth]
        fault?.edit(deviceSigned: &signed)
        return signed
    }

    /// The asserted elements, grouped by namespace.
    private var deviceNameSpaces: CBORDraft {
        var nameSpaces = CBORDraft.map([])
        for element in elements {
            var members = nameSpaces[.text(element.nameSpace)] ?? .map([])
            members[.text(element.identifier)] = element.value
            nameSpaces[.text(element.nameSpace)] = members
        }
        return nameSpaces
    }

    /// Makes the COSE_Sign1 of the device key, without the payload.
    private func signature(over payload: [UInt8]) throws(HolderError) -> CBORDraft {
        let curve = document.deviceKey.privateKey.curve
        guard let own = COSEAlgorithm(signingWith: curve), let algorithm = curve.preferredSignatureAlgorithm
        else { throw .cryptography(.algorithmDoesNotFitKey) }
        // A fault changes the algorithm that the header names, and not how the signature is made.
        let signer = COSESigner(algorithm: fault?.algorithm(insteadOf: own) ?? own)
        do throws(OpenSSLCryptoError) {
            // The signature is made by a key that is in no document.
            if fault == .otherKey {
                let key = try PrivateKey.generate(curve)
                return .encoded(try signer.sign1(payload, detached: true, with: key, algorithm: algorithm))
            }
            let key = document.deviceKey
            return .encoded(
                try signer.sign1(payload, detached: true, with: key.privateKey, algorithm: algorithm))
        } catch {
            throw .cryptography(error)
        }
    }

    /// Makes the COSE_Mac0 with EMacKey, without the payload.
    private func mac(over payload: [UInt8]) throws(HolderError) -> CBORDraft {
        let readerKey = try mapping(transcript.eReaderKey(), HolderError.readerKey)
        let own = document.deviceKey.privateKey.curve
        guard readerKey.curve == own else { throw .readerKeyOnOtherCurve }
        let signer = COSESigner(algorithm: fault?.algorithm(insteadOf: .hmac256) ?? .hmac256)
        do {
            let publicKey = try readerKey.publicKey()
            return .encoded(try signer.mac0(detachedPayload: payload, key: macKey(with: publicKey)))
        } catch let error as OpenSSLCryptoError {
            throw .cryptography(error)
        } catch {
            // An error that is not from OpenSSL can only come from the conversion of the reader's key.
            throw .readerKey(.keyNotUsable)
        }
    }

    /// Derives EMacKey (9.1.3.5) from the document's key and the reader's ephemeral key (Q152).
    private func macKey(with readerKey: borrowing PublicKey) throws(OpenSSLCryptoError) -> SecretBytes {
        let shared = try document.deviceKey.privateKey.sharedSecret(with: readerKey)
        let salt = Digest(.sha256, ofParts: transcript.bytesParts).bytes
        return try hkdfSHA256(secret: shared, salt: salt[...], info: "EMacKey", count: 32)
    }
}

extension SessionTranscript {
    fileprivate func eReaderKey() throws(COSEError) -> COSEKey {
        guard let item = try? eReaderKeyBytes?.item() else { throw .malformed(.key) }
        return try COSEKey(item)
    }
}
