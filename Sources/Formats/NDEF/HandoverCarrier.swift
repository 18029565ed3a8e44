/// A carrier to which an `ac` record of a handover message refers.
package enum HandoverCarrier: Equatable, Sendable {
    case nfc(NFCCarrier)
    case bluetoothLE(BluetoothLEOutOfBand)
    /// A known carrier whose record cannot be parsed. `count` is the number of bytes of the record's payload
    /// (Q32).
    case unreadable(Kind, count: Int)
    /// A carrier that is not supported, such as Bluetooth BR/EDR or Wi-Fi Aware.
    case foreign

    /// A carrier that is supported.
    package enum Kind: Sendable {
        case nfc, bluetoothLE
    }

    /// Parses the record of a carrier. The NFC carrier is accepted with TNF 02 and with TNF 04 (Q37).
    static func parse(_ record: NDEFRecord) -> HandoverCarrier {
        let isNFC = [.media, .external].contains(record.typeNameFormat) && record.hasName(of: .nfcCarrier)
        do throws(NDEFError) {
            if isNFC { return .nfc(try NFCCarrier.parse(record.payload)) }
            guard record.isOf(.bluetoothLE) else { return .foreign }
            return .bluetoothLE(try BluetoothLEOutOfBand.parse(record.payload))
        } catch {
            return .unreadable(isNFC ? .nfc : .bluetoothLE, count: record.payload.count)
        }
    }

    /// The usual reference, "0" for Bluetooth and "nfc" for NFC; `nil` for a foreign or unreadable carrier.
    var reference: [UInt8]? {
        switch self {
        case .nfc: Array("nfc".utf8)
        case .bluetoothLE: Array("0".utf8)
        case .unreadable, .foreign: nil
        }
    }

    /// The record of the carrier with its usual reference as id; `nil` for a foreign or unreadable carrier.
    var record: NDEFRecord? {
        switch self {
        case .nfc(let carrier):
            NDEFRecord(.nfcCarrier, id: reference?[...], payload: carrier.encode()[...])
        case .bluetoothLE(let carrier):
            NDEFRecord(.bluetoothLE, id: reference?[...], payload: carrier.encode()[...])
        case .unreadable, .foreign: nil
        }
    }
}
