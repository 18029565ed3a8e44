import Deadlines
import PCSCBench
import Testing
import Transport

@testable import PCSCTransport

@Suite(
    "Commands to USB readers themselves", .serialized,
    .enabled(if: USBBench.isHere, USBBench.absence), .takingTurnsAtTheBench)
struct USBReaderCommandTests {
    @Test(
        "Q213 While a phone is waited for, Apple's polling frame goes out every 100 to 250 ms, byte for byte",
        arguments: [USBReaderModel.acr122u, .acr1252u, .acr1552u])
    func pollingFrame(_ model: USBReaderModel) async throws {
        let (heard, usb) = try await heard(at: model, wishing: [.pollingFrame])
        let commands = try #require(ReaderCommands.of(usb)).pollingFrame.map(Self.digits)
        guard USBBench.allowsEscape else {
            #expect(heard.isEmpty)
            return
        }
        let whole = heard.prefix(heard.count / commands.count * commands.count)
        #expect(whole.enumerated().allSatisfy { $1.data == commands[$0 % commands.count] })
        #expect(commands.contains { $0.contains("6a0281030000") })
        let times = whole.filter { $0.data == commands[1] }.map(\.time)
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
        try #require(pauses.count >= 5)
        #expect((0.1...0.25).contains(pauses[pauses.count / 2]), "\(pauses)")
    }

    @Test("Q8 Q126 A reader that shall be quiet is asked once, and what it keeps is not written twice")
    func quiet() async throws {
        let first = try await heard(at: .acr1252u, wishing: [.quiet]).heard
        let other = try await heard(at: .acr122u, wishing: [.quiet]).heard
        #expect(first.map(\.data) == (USBBench.allowsEscape ? ["e000002100", "e00000210177"] : []))
        #expect(other.map(\.data) == (USBBench.allowsEscape ? ["ff00520000"] : []))
    }

    @Test(
        "Q126 Q129 A model whose commands are not known gets none, and nobody gets any who was not asked for")
    func none() async throws {
        #expect(try await heard(at: .omnikey5022, wishing: [.pollingFrame, .quiet]).heard.isEmpty)
        #expect(try await heard(at: .acr1252u, wishing: []).heard.isEmpty)
    }

    /// What a reader is told while nobody comes.
    private func heard(
        at model: USBReaderModel, wishing wishes: Set<ReaderWish>
    ) async throws -> (heard: [USBBench.Heard], usb: USBIdentity) {
        let name = try await USBBench.plug(model)
        let service = PCSCService()
        let usb = try #require(try await started(name, of: service).usb)
        _ = try await USBBench.heard()
        let selector = ReaderSelector.name(containing: name)
        let reader = CommandedReader(
            PCSCContactlessReader(service: service, selector: selector), service: service, selector: selector,
            wishes: wishes)
        let waiting = Task { try await reader.nextCard(again: nil) }
        try await Task.sleep(for: .seconds(3))
        waiting.cancel()
        _ = await waiting.result
        let heard = try await USBBench.heard()
        try await USBBench.unplug()
        return (heard, usb)
    }

    /// A reader that is in pcscd's list, once pcscd has started its driver: it lists it some tenths of a second before.
    private func started(_ name: String, of service: PCSCService) async throws -> ReaderDescription {
        try await awaited("pcscd has started \(name)") {
            do {
                return try await service.describe(name)
            } catch PCSCTransportError.readerMissing {
                return nil
            }
        }
    }

    private static func digits(_ command: [UInt8]) -> String {
        command.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
