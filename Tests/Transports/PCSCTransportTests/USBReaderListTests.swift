import Deadlines
import PCSCBench
import Testing
import Transport

@testable import PCSCTransport

@Suite(
    "USB readers as the real pcscd and libccid show them", .serialized,
    .enabled(if: USBBench.isHere, USBBench.absence), .takingTurnsAtTheBench)
struct USBReaderListTests {
    private static let identities: [USBReaderModel: USBIdentity] = [
        .acr122u: USBIdentity(vendor: 0x072f, product: 0x2200),
        .acr1252u: USBIdentity(vendor: 0x072f, product: 0x223b),
        .acr1552u: USBIdentity(vendor: 0x072f, product: 0x2303),
        .omnikey5022: USBIdentity(vendor: 0x076b, product: 0x5022),
        .twn4: USBIdentity(vendor: 0x09d8, product: 0x0428),
        .tpdu: USBIdentity(vendor: 0x09d8, product: 0x0427),
    ]

    @Test(
        "Q120 Q122 Q123 A model's lengths are its driver's, whatever the size of its messages",
        arguments: USBReaderModel.allCases)
    func limits(_ model: USBReaderModel) async throws {
        try await withReaders(model) { readers in
            let antenna = try #require(readers.first { $0.name.contains(model.antenna) })
            #expect(antenna.usb == Self.identities[model])
            #expect(antenna.limits.allowsExtended == (model != .acr122u))
            #expect(antenna.limits.commandData == (model == .acr122u ? 255 : 4096))
            #expect(antenna.quirks.contains(.tpduLevel) == (model == .tpdu))
        }
    }

    @Test(
        "Q127 Q210 By the names that libccid gives them the antenna is used, and the slot of a security module is not",
        arguments: [USBReaderModel.acr1252u, .acr1552u])
    func slots(_ model: USBReaderModel) async throws {
        try await withReaders(model) { readers in
            #expect(Set(readers.map(\.slot)) == [.contactless, .securityModule])
            let candidates = ReaderSelector.any.candidates(among: readers)
            #expect(candidates.map { $0.name.contains(model.antenna) } == [true])
        }
    }

    @Test("Q136 Two of one model differ in the number of their names, and in their place on the bus")
    func twoOfOneModel() async throws {
        try await USBBench.plug(.acr122u)
        try await withReaders(.acr122u, count: 2) { readers in
            #expect(Set(readers.map(\.usb)).count == 1)
            #expect(
                Set(readers.map(\.name)) == [
                    "ACS ACR122U PICC Interface 00 00", "ACS ACR122U PICC Interface 01 00",
                ])
            #expect(readers.allSatisfy { $0.location != nil })
            #expect(readers[0].location != readers[1].location)
        }
    }

    @Test("Q126 Whether libccid passes commands to the reader itself on is known before any is sent")
    func escape() async throws {
        try await withReaders(.acr1252u) { readers in
            #expect(readers.allSatisfy { $0.allowsEscape == USBBench.allowsEscape })
        }
    }

    @Test("Q125 An ACR122U whose firmware the driver refuses is plugged in, and not listed")
    func refusedFirmware() async throws {
        try await USBBench.control("plug", "acr122u", "device=0205")
        let identity = try #require(Self.identities[.acr122u])
        let expected = ReaderHindrance.notListed(identity, model: "ACS ACR122U")
        try await until("the reader at this computer") {
            ReaderHindrance.onThisComputer(listed: []).contains(expected)
        }
        #expect(ReaderHindrance.onThisComputer(listed: []) == [expected])
        // pcscd tries for a moment.
        try await Task.sleep(for: .seconds(2))
        #expect(try await PCSCService().readers().isEmpty)
        try await USBBench.unplug()
    }

    @Test("Q211 A reader that is newer than libccid's list is plugged in, not listed, and named as that")
    func newerThanDriver() async throws {
        try await USBBench.control("plug", "walletmate")
        let identity = USBIdentity(vendor: 0x072f, product: 0x226b)
        let expected = ReaderHindrance.unknownToDrivers(identity, model: "smart-card reader")
        try await until("the reader at this computer") {
            ReaderHindrance.onThisComputer(listed: []).contains(expected)
        }
        #expect(ReaderHindrance.onThisComputer(listed: []) == [expected])
        #expect(try await PCSCService().readers().isEmpty)
        try await USBBench.unplug()
    }

    @Test("Q135 Of seventeen slots pcscd lists the sixteen that it has room for, and they can be described")
    func tooManySlots() async throws {
        // The one without room has one slot: pcscd of Debian 12 may abort where a part of a larger one has room (libccid
        // hands libusb a device that is closed).
        try await USBBench.control("plug", "tpdu")
        try await USBBench.control("plug", "tpdu")
        try await USBBench.control("plug", "tpdu", "slots=4")
        try await USBBench.control("plug", "acr122u")
        let service = PCSCService()
        try await until("sixteen readers") { try await service.names().count >= 16 }
        try await Task.sleep(for: .seconds(2))
        let readers = try await service.readers()
        try await USBBench.unplug()
        #expect(readers.count == 16)
        #expect(readers.allSatisfy { $0.quirks.contains(.slotsShareInterface) })
    }

    /// One more reader of the model, and what all there are then look like.
    private func withReaders(
        _ model: USBReaderModel, count: Int? = nil, perform: ([ReaderDescription]) throws -> Void
    ) async throws {
        try await USBBench.plug(model)
        let slots = count ?? [.acr1252u: 2, .acr1552u: 2, .tpdu: 6][model] ?? 1
        let service = PCSCService()
        try await until("\(slots) slots") { try await service.readers().count >= slots }
        let readers = try await service.readers()
        let result = Result { try perform(readers) }
        try await USBBench.unplug()
        try result.get()
    }
}
