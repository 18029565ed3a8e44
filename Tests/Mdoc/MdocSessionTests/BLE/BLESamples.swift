import MdocSession
import VectorFiles

/// Messages, links and machines for the tests of Bluetooth Low Energy.
enum BLESamples {
    static let start = ContinuousClock.now

    static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// A machine over characteristics of 185 − 3 bytes or, without `valueLimit`, over L2CAP.
    static func transfer(
        _ role: BLETransfer.Role, valueLimit: Int? = 182,
        settings: BLETransferSettings = BLETransferSettings(), now: ContinuousClock.Instant = start
    ) -> BLETransfer {
        let framing = valueLimit.map(BLEFraming.characteristics) ?? .l2CAP
        return BLETransfer(as: role, over: framing, settings: settings, now: now)
    }

    /// A reader whose request is out.
    static func asked(
        valueLimit: Int? = 182, settings: BLETransferSettings = BLETransferSettings(),
        now: ContinuousClock.Instant = start
    ) -> BLETransfer {
        var reader = transfer(.reader, valueLimit: valueLimit, settings: settings, now: now)
        _ = reader.send([0x01], now: now)
        _ = reader.sent(now: now)
        return reader
    }

    /// A reader whose request was answered.
    static func answered(valueLimit: Int? = 182, now: ContinuousClock.Instant = start) -> BLETransfer {
        var reader = asked(valueLimit: valueLimit, now: now)
        _ = reader.receive(.value(valueLimit == nil ? [0, 0, 0, 1, 0xaa] : [0x00, 0xaa]), now: now)
        return reader
    }

    /// The bytes cut into chunks of 1 to `longest` bytes.
    static func chunks(_ bytes: [UInt8], longest: Int, using random: inout SplitMix64) -> [ArraySlice<UInt8>]
    {
        var rest = bytes[...]
        var chunks: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            chunks.append(rest.prefix(Int.random(in: 1...longest, using: &random)))
            rest = rest.dropFirst(chunks.last?.count ?? 0)
        }
        return chunks
    }
}

extension BLEEvent {
    /// A value in annotated hexadecimal.
    static func value(hex: String) -> BLEEvent { .value([UInt8](hex: hex)[...]) }
}

extension BLETransmission {
    /// What goes over the link, value by value or as two writes.
    var pieces: [[UInt8]] {
        switch self {
        case .values(let fragments): fragments.map { [$0.prefix.rawValue] + $0.part }
        case .frame(let frame): [frame.head, Array(frame.message)]
        }
    }
}

extension BLEAction {
    /// The pieces of what is to be transmitted.
    var pieces: [[UInt8]]? {
        transmission?.pieces
    }

    var transmission: BLETransmission? {
        if case .transmit(let transmission) = self { transmission } else { nil }
    }
}
