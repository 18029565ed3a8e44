import Foundation
import ISO7816
import NDEF
import Testing
import VectorFiles

@testable import MdocSession

@Suite("Published NFC data transfers")
struct NFCPublishedTransferTests {
    struct File: Decodable {
        struct Trace: Decodable {
            struct Step: Decodable {
                let dir: String
                let cla: UInt8?
                let ins: String?
                let sw: String?
                let data_len: Int
                let data_prefix: String
                let encoded_len: Int
            }
            let name: String
            let steps: [Step]
        }
        let traces: [Trace]
    }

    /// Name, messages, and the data sizes that the recorded reader used.
    static let cases: [(name: String, messages: [(Int, Int)], chunk: Int)] = [
        ("testHappyPath", [(1024, 2048), (102_400, 204_800)], 65_272),
        ("testLowTransceiveLength", [(10_240, 20_480)], 4089),
    ]

    @Test("Q52 With the recorded limits our commands have the recorded sizes", arguments: [0, 1])
    func recordedSizes(index: Int) throws {
        let expected = Self.cases[index]
        let file = try VectorFiles.json(
            File.self, at: VectorFiles.own.appending(path: "nfc/data-transfer.json"))
        let trace = try #require(file.traces.first { $0.name == expected.name })
        var settings = NFCTransferSettings()
        settings.maximumAPDU = 65_545
        let limits = NFCReaderLimits(
            maximumCommandData: expected.chunk, maximumResponseData: 65_536, extendedLength: true)
        var reader = NFCTransferReader(limits: limits, carrier: NFCSamples.nfc, settings: settings)
        let now = ContinuousClock.now
        var action = reader.start(now: now)
        var messages = expected.messages[...]
        for step in trace.steps {
            if case .deliver = action {
                let next = try #require(messages.first)
                action = reader.send([UInt8](repeating: 0, count: next.0)[...], now: now)
            }
            if step.dir == "reader->mdoc" {
                guard case .transmit(let bytes) = action else {
                    Issue.record("no command where one was recorded")
                    return
                }
                try compare(bytes, step)
            } else {
                action = reader.receive(response(step)[...], now: now)
                guard case .deliver(.message(let message)) = action else { continue }
                #expect(message == [UInt8](repeating: 0, count: messages.popFirst()?.1 ?? 0))
            }
        }
        #expect(messages.isEmpty)
    }

    private func compare(_ bytes: [UInt8], _ step: File.Trace.Step) throws {
        let command = try CommandAPDU.parse(bytes[...])
        #expect(command.cla == step.cla)
        #expect([command.ins].hex == step.ins)
        #expect(command.data.count == step.data_len)
        #expect(command.data.prefix(4).hex == step.data_prefix)
        // The recorded SELECT has no Le; ours always has one.
        #expect(bytes.count == step.encoded_len + (command.ins == 0xa4 ? 1 : 0))
    }

    private func response(_ step: File.Trace.Step) -> [UInt8] {
        let prefix = [UInt8](hex: step.data_prefix)
        let zeros = [UInt8](repeating: 0, count: step.data_len - prefix.count)
        return prefix + zeros + [UInt8](hex: step.sw ?? "")
    }
}
