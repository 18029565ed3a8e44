/// One thing that happened, without anything of a person or a phone in it: closed lists of words, numbers, and tokens
/// in the place of UUIDs and addresses. No member of any event is a text or holds bytes, and a test looks for one.
package enum FieldTraceEvent: Equatable, Sendable {
    case presentation(PresentationFacts)
    case reader(NFCReaderFacts)
    case presence(PresenceFacts)
    case powered(PoweredFacts)
    case exchange(ExchangeFacts)
    case capabilities(CapabilitiesFacts)
    case service(ServiceFacts)
    case version2(NFCVersion2Facts)
    case message(MessageFacts)
    case engagement(EngagementFacts)
    case radio(RadioFacts)
    case link(LinkStateFacts)
    case fragments(FragmentsFacts)
    case observation(ObservationFacts)
    case step(StepFacts)
    case document(DocumentFacts)
    case end(EndFacts)
}

extension FieldTraceEvent {
    /// The word for the kind of event in a line.
    package enum Kind: String, CaseIterable, Sendable {
        /// A presentation begins.
        case presentation
        case reader = "nfc.reader"
        /// Something came to the reader or left it.
        case presence = "nfc.presence"
        /// A phone has power, and commands may be sent.
        case powered = "nfc.powered"
        /// One command and its answer.
        case exchange = "nfc.exchange"
        /// What the phone's capability container says.
        case capabilities = "nfc.capabilities"
        /// The waiting times of negotiated handover.
        case service = "nfc.service"
        /// An NFC v2 engagement: the phone's limit, then what it chose.
        case version2 = "nfc.v2"
        /// An NDEF message, by its records.
        case message = "nfc.message"
        case engagement
        case radio = "ble.radio"
        case link = "ble.link"
        case fragments = "ble.fragments"
        /// What bluetoothd tells of the phone.
        case observation = "ble.observation"
        /// What the presentation reports of its progress.
        case step
        /// The checks of one document.
        case document
        /// A presentation is over.
        case end
    }

    package var kind: Kind {
        switch self {
        case .presentation: .presentation
        case .reader: .reader
        case .presence: .presence
        case .powered: .powered
        case .exchange: .exchange
        case .capabilities: .capabilities
        case .service: .service
        case .version2: .version2
        case .message: .message
        case .engagement: .engagement
        case .radio: .radio
        case .link: .link
        case .fragments: .fragments
        case .observation: .observation
        case .step: .step
        case .document: .document
        case .end: .end
        }
    }

    /// The members of the event, beside its time and its kind.
    var facts: any Codable & Sendable {
        switch self {
        case .presentation(let facts): facts
        case .reader(let facts): facts
        case .presence(let facts): facts
        case .powered(let facts): facts
        case .exchange(let facts): facts
        case .capabilities(let facts): facts
        case .service(let facts): facts
        case .version2(let facts): facts
        case .message(let facts): facts
        case .engagement(let facts): facts
        case .radio(let facts): facts
        case .link(let facts): facts
        case .fragments(let facts): facts
        case .observation(let facts): facts
        case .step(let facts): facts
        case .document(let facts): facts
        case .end(let facts): facts
        }
    }

    /// The event of that kind whose facts `decode` reads.
    init(_ kind: Kind, from decode: FactsReader) throws {
        self =
            switch kind {
            case .presentation: .presentation(try decode())
            case .reader: .reader(try decode())
            case .presence: .presence(try decode())
            case .powered: .powered(try decode())
            case .exchange: .exchange(try decode())
            case .capabilities: .capabilities(try decode())
            case .service: .service(try decode())
            case .version2: .version2(try decode())
            case .message: .message(try decode())
            case .engagement: .engagement(try decode())
            case .radio: .radio(try decode())
            case .link: .link(try decode())
            case .fragments: .fragments(try decode())
            case .observation: .observation(try decode())
            case .step: .step(try decode())
            case .document: .document(try decode())
            case .end: .end(try decode())
            }
    }
}
