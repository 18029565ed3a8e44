import Testing
import Transport

@testable import PCSCTransport

@Suite("Codes become conditions")
struct PCSCTransportErrorTests {
    @Test("Q134 pcscd's absence, end and silent restart have names of their own")
    func service() {
        #expect(error(0x8010_001D, .establishContext) == .serviceNotRunning)
        #expect(error(0x8010_001D, .connect) == .serviceLost)
        #expect(error(0x8010_0013, .transmit) == .serviceLost)
        #expect(error(0x8010_0003, .transmit) == .serviceLost)
        #expect(error(0x8010_006A, .getStatusChange) == .serviceLost)
        #expect(error(0x8010_006A, .transmit) == .serviceLost)
    }

    @Test("Q133 A refused user is told which polkit action it was")
    func refused() {
        #expect(error(0x8010_006A, .connect) == .accessDenied(.card))
        let code = 0x8010_006A
        #expect(PCSCTransportError(code, .establishContext, isServed: false) == .accessDenied(.service))
        #expect(PCSCTransportError(code, .establishContext, isServed: true) == .tooManyClients)
        #expect(PolkitAction.service.rawValue == "org.debian.pcsc-lite.access_pcsc")
        #expect(PolkitAction.card.rawValue == "org.debian.pcsc-lite.access_card")
    }

    @Test("Q139 A daemon of another protocol is reported with the library's version")
    func version() {
        let version = PCSCLibrary.version
        #expect(version.split(separator: ".").count >= 2 && version.first?.isNumber == true)
        #expect(error(0x8010_001E, .establishContext) == .serviceIncompatible(libraryVersion: version))
        #expect(error(0x8010_001E, .transmit) == .serviceLost)
    }

    @Test("Q131 Q132 The states of a card are told apart")
    func card() {
        #expect(error(0x8010_000C, .connect) == .noCard)
        #expect(error(0x8010_0069, .connect) == .noCard)
        #expect(error(0x8010_0069, .transmit) == .cardLost)
        #expect(error(0x8010_0016, .transmit) == .linkLost)
        #expect(error(0x8010_0066, .connect) == .cardMute)
        #expect(error(0x8010_0067, .connect) == .cardMute)
        #expect(error(0x8010_0068, .transmit) == .cardReset)
        #expect(error(0x8010_000B, .connect) == .readerInUse)
        #expect(error(0x8010_0009, .connect) == .readerMissing("R"))
    }

    @Test("A code without a name keeps its number and its call")
    func unexpected() {
        #expect(
            error(0x8010_0001, .reconnect) == .unexpected(code: 0x8010_0001, during: .reconnect))
    }

    @Test("Success throws nothing")
    func success() throws {
        try PCSCTransportError.check(0, .connect)
        #expect(throws: PCSCTransportError.noCard) {
            try PCSCTransportError.check(0x8010_000C, .connect)
        }
    }

    @Test("What makes a reader unusable has a fault of its own; what a card does to one call has none")
    func faults() {
        let faults: [(PCSCTransportError, ReaderFaultID)] = [
            (.serviceNotRunning, .serviceNotRunning), (.serviceLost, .serviceLost),
            (.serviceIncompatible(libraryVersion: ""), .serviceIncompatible),
            (.accessDenied(.service), .serviceAccessDenied), (.accessDenied(.card), .cardAccessDenied),
            (.tooManyClients, .tooManyClients), (.noReader, .noReader), (.readerMissing(""), .readerMissing),
            (.readerInUse, .readerInUse), (.readerBlocked, .readerBlocked),
            (.cancelled, .serviceHung), (.cardMute, .failed), (.commandLength(0, limit: 0), .failed),
            (.unexpected(code: 0, during: .connect), .failed),
        ]
        for (error, fault) in faults { #expect(ReaderFault(error).id == fault) }
        let unnamed: Set<ReaderFaultID> = [.failed, .benchLinkUnreachable]
        #expect(Set(faults.map(\.1)).union(unnamed) == Set(ReaderFaultID.allCases))
    }

    @Test("Q239 A code that has no fault of its own keeps its call, number and words")
    func unexpectedFault() {
        let fault = ReaderFault(error(0x8010_0001, .establishContext))
        #expect(fault.id == .failed)
        #expect(fault.refusal?.call == "establishContext" && fault.refusal?.name == "0x80100001")
        #expect(fault.refusal?.message.contains("nternal error") == true)
    }

    private func error(_ status: Int, _ call: PCSCCall) -> PCSCTransportError {
        PCSCTransportError(status, call, reader: "R")
    }
}
