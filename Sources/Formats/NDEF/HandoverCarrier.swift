/// A carrier that a handover message names through an `ac` record.
package enum HandoverCarrier: Equatable, Sendable {
    case nfc(NFCCarrier)
    case bluetoothLE(BluetoothLEOutOfBand)
    /// A known carrier whose record of `count` payload bytes cannot be read (Q32).
    case unreadable(Kind, count: Int)
    /// A carrier this reader has no use for: Bluetooth BR/EDR, Wi-Fi Aware and what may come.
    case foreign

    /// The carriers with a reading.
    package enum Kind: Sendable {
        case nfc, bluetoothLE
    }

    /// Reads a carrier's record. The NFC carrier counts under TNF 02 as well as 04 (Q37).
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

    /// The usual reference, "0" for Bluetooth and "nfc" for NFC; nil for a carrier that cannot be written.
    var reference: [UInt8]? {
        switch self {
        case .nfc: Array("nfc".utf8)
        case .bluetoothLE: Array("0".utf8)
        case .unreadable, .foreign: nil
        }
    }

    /// The carrier's record under its usual reference; nil for a carrier that cannot be written.
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
