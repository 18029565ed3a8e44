import CPCSCLite
import Testing

@testable import PCSCTransport

@Suite("Codes become conditions")
struct PCSCTransportErrorTests {
    @Test("Q134 pcscd's absence, end and silent restart have names of their own")
    func service() {
        #expect(error(SCARD_E_NO_SERVICE, .establishContext) == .serviceNotRunning)
        #expect(error(SCARD_E_NO_SERVICE, .connect) == .serviceLost)
        #expect(error(SCARD_F_COMM_ERROR, .transmit) == .serviceLost)
        #expect(error(SCARD_E_INVALID_HANDLE, .transmit) == .serviceLost)
    }

    @Test("Q133 A refused user is told which polkit action it was")
    func refused() {
        #expect(error(SCARD_W_SECURITY_VIOLATION, .connect) == .accessDenied(.card))
        let code = SCARD_W_SECURITY_VIOLATION
        #expect(PCSCTransportError(code, .establishContext, isServed: false) == .accessDenied(.service))
        #expect(PCSCTransportError(code, .establishContext, isServed: true) == .tooManyClients)
        #expect(PolkitAction.service.rawValue == "org.debian.pcsc-lite.access_pcsc")
        #expect(PolkitAction.card.rawValue == "org.debian.pcsc-lite.access_card")
    }

    @Test("Q139 A daemon of another protocol is told with the library's version")
    func version() {
        #expect(
            error(SCARD_E_SERVICE_STOPPED, .establishContext)
                == .serviceIncompatible(libraryVersion: PCSCLITE_VERSION_NUMBER))
        #expect(error(SCARD_E_SERVICE_STOPPED, .transmit) == .serviceLost)
    }

    @Test("Q131 Q132 The states of a card are told apart")
    func card() {
        #expect(error(SCARD_E_NO_SMARTCARD, .connect) == .noCard)
        #expect(error(SCARD_W_REMOVED_CARD, .connect) == .noCard)
        #expect(error(SCARD_W_REMOVED_CARD, .transmit) == .cardLost)
        #expect(error(SCARD_E_NOT_TRANSACTED, .transmit) == .linkLost)
        #expect(error(SCARD_W_UNRESPONSIVE_CARD, .connect) == .cardMute)
        #expect(error(SCARD_W_UNPOWERED_CARD, .connect) == .cardMute)
        #expect(error(SCARD_W_RESET_CARD, .transmit) == .cardReset)
        #expect(error(SCARD_E_SHARING_VIOLATION, .connect) == .readerInUse)
        #expect(error(SCARD_E_UNKNOWN_READER, .connect) == .readerMissing("R"))
    }

    @Test("A code without a name keeps its number and its call")
    func unexpected() {
        #expect(
            error(SCARD_F_INTERNAL_ERROR, .reconnect) == .unexpected(code: 0x8010_0001, during: .reconnect))
    }

    @Test("Success throws nothing")
    func success() throws {
        try PCSCTransportError.check(LONG(SCARD_S_SUCCESS), .connect)
        #expect(throws: PCSCTransportError.noCard) {
            try PCSCTransportError.check(SCARD_E_NO_SMARTCARD, .connect)
        }
    }

    @Test("The conditions' names are stable and each is used once")
    func names() {
        let conditions: [PCSCTransportError] = [
            .serviceNotRunning, .serviceLost, .serviceIncompatible(libraryVersion: ""),
            .accessDenied(.service),
            .accessDenied(.card), .tooManyClients, .noReader, .readerMissing(""), .readerInUse,
            .readerBlocked,
            .noCard, .cardLost, .linkLost, .cardMute, .cardReset, .protocolMismatch, .notConnected,
            .commandLength(0, limit: 0), .answerTooLong, .cancelled, .unexpected(code: 0, during: .connect),
        ]
        let names = conditions.map(\.id)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.hasPrefix("pcsc-") })
        #expect(names.first == "pcsc-service-not-running")
    }

    private func error(_ status: LONG, _ call: PCSCCall) -> PCSCTransportError {
        PCSCTransportError(status, call, reader: "R")
    }
}
