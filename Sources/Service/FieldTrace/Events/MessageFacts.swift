internal import NDEF

/// The direction and size of an NDEF message, and the kinds of its records and carriers.
package struct MessageFacts: Equatable, Sendable, Codable {
    package enum Direction: String, CaseIterable, Sendable {
        case fromPhone, toPhone
    }

    package enum Record: String, CaseIterable, Sendable {
        case handoverSelect = "Hs"
        case handoverRequest = "Hr"
        case serviceParameter = "Tp"
        case serviceSelect = "Ts"
        case status = "Te"
        case deviceEngagement = "deviceengagement"
        case readerEngagement = "readerengagement"
        case nfcCarrier = "nfc"
        case bluetoothLE = "ble.oob"
        case other
    }

    package let direction: TraceWord<Direction>
    /// The size of the message in bytes.
    package let size: Int
    /// Whether the bytes are an NDEF message.
    package let isWellFormed: Bool
    package let records: [TraceWord<Record>]
    package let carriers: [CarrierFacts]
    /// The status in a TNEP status record; `nil` if the message has no such record.
    package let tnepStatus: Int?
}

/// A carrier in a handover message: a transport that the sender offers.
package struct CarrierFacts: Equatable, Sendable, Codable {
    package enum Kind: String, CaseIterable, Sendable {
        case nfc
        case bluetoothLE = "ble"
        /// A carrier whose data is malformed.
        case unreadable
        /// Another carrier, such as Bluetooth BR/EDR or Wi-Fi Aware.
        case foreign
    }

    /// The LE role of the sender of the carrier record (Core Specification Supplement A 1.17).
    package enum Role: String, CaseIterable, Sendable {
        case peripheralOnly, centralOnly, bothPeripheralPreferred, bothCentralPreferred
    }

    package let kind: TraceWord<Kind>
    package let role: TraceWord<Role>?
    /// The maximum number of data bytes in a command; `nil` for carriers other than NFC.
    package let commandData: Int?
    /// The maximum number of data bytes in an answer; `nil` for carriers other than NFC.
    package let responseData: Int?
    /// The number of service UUIDs in the record.
    package let uuids: Int?
    /// The token that stands for the service UUID in use.
    package let uuid: TraceToken?
    package let addressIsRandom: Bool?
    package let address: TraceToken?
    package let psm: Int?

    /// Creates the facts of a carrier, with tokens in place of its UUID and its address.
    init(_ carrier: HandoverCarrier, _ tokens: TraceTokens) {
        let ble: BluetoothLEOutOfBand? = if case .bluetoothLE(let record) = carrier { record } else { nil }
        let nfc: NFCCarrier? = if case .nfc(let limits) = carrier { limits } else { nil }
        kind = TraceWord(Kind(carrier))
        role = ble.map { TraceWord(Role($0.role)) }
        (commandData, responseData) = (nfc?.maximumCommandData, nfc?.maximumResponseData)
        uuids = ble?.serviceUUIDCount
        uuid = ble?.serviceUUID.flatMap { tokens.token(for: $0.bytes[...]) }
        address = ble?.address.flatMap { tokens.token(for: $0.bytes[...]) }
        addressIsRandom = ble?.address?.isRandom
        psm = ble?.protocolServiceMultiplexer.map { Int($0) }
    }
}

extension CarrierFacts.Kind {
    fileprivate init(_ carrier: HandoverCarrier) {
        self =
            switch carrier {
            case .nfc: .nfc
            case .bluetoothLE: .bluetoothLE
            case .unreadable: .unreadable
            case .foreign: .foreign
            }
    }
}

extension CarrierFacts.Role {
    fileprivate init(_ role: BluetoothLERole) {
        self =
            switch role {
            case .peripheralOnly: .peripheralOnly
            case .centralOnly: .centralOnly
            case .bothPeripheralPreferred: .bothPeripheralPreferred
            case .bothCentralPreferred: .bothCentralPreferred
            }
    }
}

extension MessageFacts.Record {
    private static let types: [(NDEFRecordType, Self)] = [
        (.handoverSelect, .handoverSelect), (.handoverRequest, .handoverRequest),
        (.serviceParameter, .serviceParameter), (.serviceSelect, .serviceSelect), (.status, .status),
        (.deviceEngagement, .deviceEngagement), (.readerEngagement, .readerEngagement),
        (.nfcCarrier, .nfcCarrier), (.bluetoothLE, .bluetoothLE),
    ]

    init(_ record: NDEFRecord) {
        self = Self.types.first { record.isOf($0.0) }?.1 ?? .other
    }
}
