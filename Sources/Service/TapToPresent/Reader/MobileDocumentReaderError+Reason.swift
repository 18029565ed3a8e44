extension MobileDocumentReaderError {
    /// What lies under an error. Holds nothing personal; an `id` names a condition of a part of the reader and is
    /// stable.
    public enum Reason: Hashable, Sendable {
        // The request

        case nothingRequested
        /// An element occurs twice in the request, or is both to be kept and not to be kept.
        case elementTwice
        /// The kind of document has no such element.
        case elementNotOfDocument
        /// National ID cards of this region cannot be asked for.
        case regionNotSupported
        /// An age is not in 0 to 99.
        case ageOutOfRange
        /// At most two ages may be asked about in one request (ISO/IEC 18013-5 7.2.5).
        case moreThanTwoAges
        /// One kind of document is asked for twice.
        case documentTwice
        /// The policy that was named accepts more than the setup's for what is asked.
        case policyAcceptsMore

        // The token

        /// An app gets elements only in a session that was prepared with a reader token.
        case tokenRequired
        case tokenRefused(id: String)

        // The reader

        case readInProgress
        /// The contactless reader, or pcscd.
        case readerUnavailable(id: String)
        /// Bluetooth is needed and is not there.
        case radioUnavailable(id: String)
        /// The store cannot be used, or nobody is trusted yet (`store.empty`).
        case storeUnavailable(id: String)
        /// The roots of the setup are not valid.
        case rootsUnusable(id: String)
        /// The registry of brands cannot be read.
        case brandsUnavailable
        /// The identity that is to sign cannot be used.
        case identityUnavailable(id: String)
        /// The computer's clock was never set.
        case clockNotSet
        /// A display request, and nothing to show its result on.
        case displayMissing
        /// The display cannot be used.
        case displayUnavailable(id: String)

        // The phone

        case taskCancelled
        /// The holder declined, or the wallet does not know this reader.
        case holderDeclined
        /// No phone was engaged in time.
        case engagementOverdue
        /// The holder did not answer in time.
        case consentOverdue
        case engagementMalformed
        /// The phone offers no way to answer that this reader has.
        case noUsableRetrieval
        /// The phone did not connect over Bluetooth, or could not be connected to.
        case connectionFailed(id: String)
        /// The phone left before its answer was complete, or the transfer broke.
        case transferIncomplete
        case messageTooLong
        /// The request had to be signed and could not be, and so was not sent.
        case requestNotSigned
        /// The session's messages do not decode or decrypt.
        case sessionBroken
        /// The phone ended the session with this status.
        case phoneStatus(Int)

        // The answer

        /// It is not a DeviceResponse.
        case responseMalformed
        /// A check failed, or could not be made.
        case rejected(MobileDocumentVerdict)
        /// The daemon of the clerk's page ended the presentation for these reasons, by their stable names.
        case ended(ids: [String])
        /// A fault of this library.
        case internalFault
    }
}

extension MobileDocumentReaderError.Reason: CustomStringConvertible {
    /// In words, for an operator or a log.
    public var description: String {
        switch self {
        case .nothingRequested: "nothing is asked for"
        case .elementTwice: "an element is asked for twice"
        case .elementNotOfDocument: "the document has no such element"
        case .regionNotSupported: "national ID cards of this region cannot be asked for"
        case .ageOutOfRange: "an age is not from 0 to 99"
        case .moreThanTwoAges: "more than two ages are asked about"
        case .documentTwice: "one kind of document is asked for twice"
        case .policyAcceptsMore:
            "the policy is less strict than that of the setup for this purpose: name a stricter one"
        case .tokenRequired: "the session was prepared without a reader token"
        case .tokenRefused(let id): "the token was refused (\(id))"
        case .readInProgress: "another document is being read"
        case .readerUnavailable(let id): "the contactless reader cannot be used (\(id))"
        case .radioUnavailable(let id): "Bluetooth cannot be used (\(id))"
        case .storeUnavailable(let id): "the store cannot be used, or no issuer is trusted (\(id))"
        case .rootsUnusable(let id): "the roots cannot be used (\(id))"
        case .brandsUnavailable: "the registry of brands cannot be read"
        case .identityUnavailable(let id): "the reader identity cannot be used (\(id))"
        case .clockNotSet: "the computer's clock is not set"
        case .displayMissing: "there is no display to show the result on"
        case .displayUnavailable(let id):
            "\(DisplayFault(rawValue: id)?.explanation ?? "the display cannot be used") (\(id))"
        case .taskCancelled: "the task was cancelled"
        case .holderDeclined:
            "the holder declined, has no such document, or the wallet does not know this reader"
        case .engagementOverdue: "no phone was tapped or scanned in time"
        case .consentOverdue: "the holder did not answer in time"
        case .engagementMalformed: "the phone's engagement is malformed"
        case .noUsableRetrieval: "the phone offers no way to answer that this reader supports"
        case .connectionFailed(let id): "no connection to the phone could be made (\(id))"
        case .transferIncomplete: "the phone left before its answer was complete"
        case .messageTooLong: "the phone sent a longer message than is allowed"
        case .requestNotSigned: "the request could not be signed"
        case .sessionBroken: "the session's messages do not decode or decrypt"
        case .phoneStatus(let status): "the phone ended the session with status \(status)"
        case .responseMalformed: "the answer is not a DeviceResponse"
        case .rejected(let verdict): "the answer was rejected (\(verdict.failures.joined(separator: ", ")))"
        case .ended(let ids): "the presentation ended without a decision (\(ids.joined(separator: ", ")))"
        case .internalFault: "an error of this library: report it"
        }
    }
}
