internal import CBOR

/// A DeviceRetrievalMethod of an NFC v2 handover (ISO/IEC 18013-5, draft of the second edition). In such a
/// handover the Bluetooth options may lack a UUID. In the engagement of a QR code they must have one.
package enum NFCVersion2Method: Equatable, Sendable {
    /// Type 5: the session's messages use the NFC connection of the handover. Options of older drafts are
    /// ignored.
    case nfcVersion2
    /// Type 2: Bluetooth Low Energy. The options 10, 11, 20 and 21 describe the sender of the message: the
    /// reader in a request, the mdoc in an answer.
    case bluetoothLE(NFCVersion2Bluetooth)
    /// Type 1: the NFC data transfer of the first edition, with the longest data fields in bytes.
    case nfc(maximumCommandData: Int, maximumResponseData: Int)
    /// A method of another type or version.
    case other(type: UInt64)

    /// Parses an entry.
    ///
    /// - Throws: an error if the entry is not an array of type, version and options, or if a known option has
    ///   the wrong type.
    init(_ item: CBORItem) throws(CBORError) {
        var fields = try item.array().makeIterator()
        guard let type = try fields.next()?.unsigned(), let version = try fields.next()?.unsigned(),
            let options = try fields.next()?.map(), fields.next() == nil
        else { throw .missingMember(at: item.offset) }
        switch (type, version) {
        case (5, 1): self = .nfcVersion2
        case (2, 1): self = .bluetoothLE(try NFCVersion2Bluetooth(options))
        case (1, 1):
            // Without a length, the limits of short APDUs are used.
            self = .nfc(
                maximumCommandData: Int(clamping: try options[0]?.unsigned() ?? 255),
                maximumResponseData: Int(clamping: try options[1]?.unsigned() ?? 256))
        default: self = .other(type: type)
        }
    }

    func encode(into encoder: inout CBOREncoder) {
        encoder.array(count: 3)
        encoder.unsigned(type)
        // The second entry is the version, which is 1 for every method.
        encoder.unsigned(1)
        switch self {
        case .nfcVersion2, .other: encoder.map(count: 0)
        case .bluetoothLE(let options): options.encode(into: &encoder)
        case .nfc(let command, let response):
            // Option 0 is the longest command data field, option 1 the longest response data field.
            encoder.map(count: 2)
            encoder.unsigned(0)
            encoder.integer(Int64(command))
            encoder.unsigned(1)
            encoder.integer(Int64(response))
        }
    }

    /// The number of the type in an encoded entry.
    package var type: UInt64 {
        switch self {
        case .nfc: 1
        case .bluetoothLE: 2
        case .nfcVersion2: 5
        case .other(let type): type
        }
    }
}

/// The BleOptions of an NFC v2 handover: the modes of the mdoc, and the UUIDs, the device address and the PSM
/// of the sender.
package struct NFCVersion2Bluetooth: Equatable, Sendable {
    package var isPeripheralServer = false
    package var isCentralClient = false
    /// The UUID of mdoc peripheral server mode, 16 bytes, big-endian. Nil if the sender names none.
    package var peripheralServerUUID: [UInt8]?
    /// The UUID of mdoc central client mode, which the reader advertises, 16 bytes, big-endian. Nil if the
    /// sender names none.
    package var centralClientUUID: [UInt8]?
    /// The device address of the sender, 6 bytes.
    package var address: [UInt8]?
    /// The L2CAP PSM of the sender.
    package var psm: UInt16?

    package init() {}

    init(_ options: CBORMap) throws(CBORError) {
        // The keys of BleOptions: 0 and 1 are the modes, 10 and 11 their UUIDs, 20 the address and 21 the
        // PSM.
        isPeripheralServer = try options[0]?.boolean() ?? false
        isCentralClient = try options[1]?.boolean() ?? false
        peripheralServerUUID = try Self.uuid(options[10])
        centralClientUUID = try Self.uuid(options[11])
        address = try options[20].map { item throws(CBORError) in Array(try item.byteString()) }
        psm = try options[21].flatMap { item throws(CBORError) in UInt16(exactly: try item.unsigned()) }
    }

    /// Returns a UUID of 16 bytes. Nil if the option is absent.
    private static func uuid(_ item: CBORItem?) throws(CBORError) -> [UInt8]? {
        guard let item else { return nil }
        let bytes = try item.byteString()
        guard bytes.count == 16 else { throw .outOfRange(at: item.offset) }
        return Array(bytes)
    }

    fileprivate func encode(into encoder: inout CBOREncoder) {
        // The keys are explained in `init`.
        let strings: [(UInt64, [UInt8])] = [
            (10, peripheralServerUUID), (11, centralClientUUID), (20, address),
        ].compactMap { key, bytes in bytes.map { (key, $0) } }
        encoder.map(count: 2 + strings.count + (psm == nil ? 0 : 1))
        encoder.unsigned(0)
        encoder.boolean(isPeripheralServer)
        encoder.unsigned(1)
        encoder.boolean(isCentralClient)
        for (key, bytes) in strings {
            encoder.unsigned(key)
            encoder.byteString(bytes)
        }
        if let psm {
            encoder.unsigned(21)
            encoder.unsigned(UInt64(psm))
        }
    }
}
