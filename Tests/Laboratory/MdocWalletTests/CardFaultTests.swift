import ISO7816
import MdocSession
import MdocWallet
import NDEF
import Testing

@Suite("Each fault of the phone as a card ends the reader's machine by name")
struct CardFaultTests {
    @Test("With negotiated handover and short APDUs", arguments: CardFault.allCases)
    func negotiated(fault: CardFault) throws {
        let counter = try Counter(PresentationCase(fault))
        var card = try WalletCard(counter.presented.wallet, handover: .negotiated)
        var tap = CardTap(limits: CardTap.short)
        tap.offersBluetooth = false
        let begin = tap.now
        guard case .nfc(let reason) = try tap.run(&card, deviceRequest: counter.presented.deviceRequest)
        else {
            Issue.record("a response")
            return
        }
        #expect(reason.phase == fault.phase)
        #expect(fault.matches(reason.fault), "\(reason.fault)")
        #expect(tap.now < begin + (fault == .silent ? .seconds(3601) : .seconds(12)))
        #expect(tap.commands.count < 20_000)
    }
}

extension CardFault {
    fileprivate var phase: NFCPhase {
        switch self {
        case .locked: .selectApplication
        case .garbledCapabilities: .readCapabilities
        case .pulledInEngagement, .neverReady, .giantLength, .noData, .tooMuchData, .otherMessage,
            .truncatedMessage:
            .initialMessage
        case .noEngagement, .handoverRefused, .handoverNeverComes, .carrierNotOffered: .handoverSelect
        case .noDataTransfer: .selectDataTransfer
        case .pulledInRequest: .sendMessage
        case .pulledInConsent, .silent, .transferFails, .wrongDataObject, .giantDataObject: .awaitResponse
        case .pulledInResponse, .endlessMore, .truncatedDataObject, .surplusByte: .receiveMessage
        }
    }

    fileprivate func matches(_ fault: NFCFault) -> Bool {
        switch (self, fault) {
        case (.pulledInEngagement, .cardLost), (.pulledInRequest, .cardLost), (.pulledInConsent, .cardLost),
            (.pulledInResponse, .cardLost), (.locked, .noWalletYet), (.neverReady, .notReady),
            (.giantLength, .messageTooLong), (.noData, .noProgress), (.tooMuchData, .surplusBytes),
            (.garbledCapabilities, .capabilityContainerInvalid), (.otherMessage, .messageUnexpected),
            (.truncatedMessage, .messageMalformed), (.noEngagement, .noDeviceEngagement),
            (.handoverRefused, .serviceStatus(.protocolError)), (.handoverNeverComes, .notReady),
            (.carrierNotOffered, .unofferedCarrier), (.noDataTransfer, .status(.notFound)),
            (.transferFails, .status(.unknownError)), (.wrongDataObject, .dataObjectMalformed),
            (.giantDataObject, .messageTooLong), (.truncatedDataObject, .dataObjectIncomplete),
            (.surplusByte, .surplusBytes), (.silent, .deadlinePassed), (.endlessMore, .noProgress):
            true
        default: false
        }
    }
}
