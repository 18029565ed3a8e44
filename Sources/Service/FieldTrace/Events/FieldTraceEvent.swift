/// An event of a field trace, without personal data and without data that identifies a phone.
///
/// The members of an event are words of closed lists, numbers, and tokens in place of UUIDs and addresses. No
/// member is a free text or contains bytes; a test checks this.
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
    /// The kind of an event. The raw value is written as the member `event` of a line in the trace.
    package enum Kind: String, CaseIterable, Sendable {
        /// A presentation begins.
        case presentation
        /// The description of a PC/SC reader.
        case reader = "nfc.reader"
        /// A card or a reader came or left.
        case presence = "nfc.presence"
        /// A phone has power and accepts commands.
        case powered = "nfc.powered"
        /// A command to the phone, and its answer.
        case exchange = "nfc.exchange"
        /// The contents of the phone's capability container.
        case capabilities = "nfc.capabilities"
        /// The waiting times of negotiated handover.
        case service = "nfc.service"
        /// An NFC v2 engagement: the first event has the phone's command limit, and the second event has the
        /// retrieval methods that the phone chose.
        case version2 = "nfc.v2"
        /// The records of an NDEF message.
        case message = "nfc.message"
        /// The contents of the phone's engagement.
        case engagement
        /// An operation of the Bluetooth radio.
        case radio = "ble.radio"
        /// A change of a Bluetooth link.
        case link = "ble.link"
        /// The fragments of a Bluetooth message.
        case fragments = "ble.fragments"
        /// An observation of bluetoothd about a phone.
        case observation = "ble.observation"
        /// A step that the presentation reports.
        case step
        /// The checks of one document.
        case document
        /// A presentation ends.
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

    /// The members of the event, except its time and its kind.
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

    /// Creates an event of this kind from the facts that `decode` reads.
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
