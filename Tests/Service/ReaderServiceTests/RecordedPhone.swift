import PCSCTransport
import Synchronization
import VectorFiles

/// A phone that answers a tap with what was recorded of another, answer by answer.
final class RecordedPhone: Sendable {
    private let answers: [[UInt8]]
    /// The commands of the tap so far; each has one of the answers.
    private let commands = Mutex<[[UInt8]]>([])

    /// - Parameter name: of the exchange in `TestVectors/nfc/engagement.json`.
    init(_ name: String) throws {
        answers = try RecordedEngagement.named(name).responses.map { [UInt8](hex: $0) }
    }

    func comeIntoField() { commands.withLock { $0 = [] } }

    /// What comes after the recorded exchange finds no application.
    func answer(_ command: ArraySlice<UInt8>) -> CardAnswer {
        let number = commands.withLock { commands in
            commands.append(Array(command))
            return commands.count - 1
        }
        return .respond(number < answers.count ? answers[number] : [0x6A, 0x82])
    }

    /// The service on the air that the exchange agreed on: the phone's in a static handover, ours in a negotiated one.
    var service: String? {
        let messages = commands.withLock { $0.filter { $0[1] == 0xD6 } }
        return (messages + answers).lazy.compactMap(Self.service).first
    }

    /// The complete list of 128-bit UUIDs of a Bluetooth record: 11 07 and 16 bytes, the last first.
    private static func service(in message: [UInt8]) -> String? {
        guard
            let start = message.indices.dropLast(17).first(where: {
                message[$0] == 0x11 && message[$0 + 1] == 0x07
            })
        else { return nil }
        var digits = Array(Array(message[(start + 2)..<(start + 18)].reversed()).hex)
        for place in [20, 16, 12, 8] { digits.insert("-", at: place) }
        return String(digits)
    }
}
