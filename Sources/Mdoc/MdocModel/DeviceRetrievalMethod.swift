internal import CBOR

/// A DeviceRetrievalMethod (ISO/IEC 18013-5 8.2.1.1) of a type that this reader knows.
package enum DeviceRetrievalMethod: Equatable, Sendable {
    /// NFC, with the longest data fields of commands and responses that the mdoc accepts, in bytes.
    case nfc(maximumCommandData: Int, maximumResponseData: Int)
    /// Bluetooth Low Energy, with one or two modes of the mdoc. All entries of this type are merged (Q46).
    case ble(BLEOptions)

    package struct BLEOptions: Equatable, Sendable {
        /// The service UUID (16 bytes, big-endian) of mdoc peripheral server mode. Nil if the mode is not
        /// offered or has no readable UUID.
        package var peripheralServerUUID: [UInt8]?
        /// The service UUID (16 bytes, big-endian) of mdoc central client mode. Nil if the mode is not
        /// offered or has no readable UUID.
        package var centralClientUUID: [UInt8]?
        /// The mdoc's device address in peripheral server mode, 6 bytes.
        package var peripheralServerAddress: [UInt8]?
        /// The mdoc's L2CAP PSM in peripheral server mode.
        package var peripheralServerPSM: UInt16?
    }

    /// Returns all methods of an engagement. The result is empty for an absent list, an empty list and an
    /// empty map (Q46). Entries of other types or versions are skipped.
    ///
    /// - Parameter malformed: called for each member or entry that cannot be read. The list continues without
    ///   that member or entry.
    static func list(_ item: CBORItem?, malformed: () -> Void) -> [DeviceRetrievalMethod] {
        guard let item, !item.isNullOrUndefined else { return [] }
        guard let entries = try? item.array() else {
            // An empty map counts as an empty list (Q46).
            if (try? item.map())?.count != 0 { malformed() }
            return []
        }
        var methods: [DeviceRetrievalMethod] = []
        var ble = BLEOptions()
        for entry in entries {
            do throws(CBORError) {
                // An entry is an array of type, version and options. Every known type has version 1.
                var fields = try entry.array().makeIterator()
                guard let type = try fields.next()?.unsigned(), try fields.next()?.unsigned() == 1,
                    let options = try fields.next()?.map()
                else { continue }
                switch type {
                case 1: methods.append(try nfc(options))
                case 2: ble.merge(options, malformed)
                default: continue
                }
            } catch {
                malformed()
            }
        }
        if ble.peripheralServerUUID != nil || ble.centralClientUUID != nil { methods.append(.ble(ble)) }
        return methods
    }

    /// Reads the options of NFC. Without a length in the options, the limits of short APDUs are used.
    private static func nfc(_ options: CBORMap) throws(CBORError) -> DeviceRetrievalMethod {
        let command = try options[0]?.unsigned() ?? 255
        let response = try options[1]?.unsigned() ?? 256
        // A length must be at least the limit of short APDUs and at most the limit of extended APDUs.
        guard (255...65_535).contains(command), (256...65_536).contains(response) else {
            // The offset is not used, because `list` drops the error.
            throw .outOfRange(at: 0)
        }
        return .nfc(maximumCommandData: Int(command), maximumResponseData: Int(response))
    }
}

extension DeviceRetrievalMethod.BLEOptions {
    /// Merges the options of an entry, each independently. If one option cannot be read, the reader may still
    /// reach the mdoc by another mode or by the address (Q228).
    fileprivate mutating func merge(_ options: CBORMap, _ malformed: () -> Void) {
        // Returns the option, or reports that it cannot be read and returns nil.
        func read<Value>(_ value: () throws(CBORError) -> Value?) -> Value? {
            do throws(CBORError) {
                return try value()
            } catch {
                malformed()
                return nil
            }
        }
        // The keys of BleOptions: 0 and 1 say which modes the mdoc has, 10 and 11 are their UUIDs, 20 is the
        // device address and 21 the PSM.
        if read({ () throws(CBORError) in try options[0]?.boolean() }) == true {
            peripheralServerUUID = read { () throws(CBORError) in try uuid(options[10]) }
        }
        if read({ () throws(CBORError) in try options[1]?.boolean() }) == true {
            centralClientUUID = read { () throws(CBORError) in try uuid(options[11]) }
        }
        let address = read { () throws(CBORError) in try options[20]?.byteString() }
        if let address, address.count == 6 { peripheralServerAddress = Array(address) }
        if let psm = read({ () throws(CBORError) in try options[21]?.unsigned() }) {
            peripheralServerPSM = UInt16(exactly: psm)
        }
    }

    /// Returns a UUID of 16 bytes. Nil if the member is absent.
    private func uuid(_ item: CBORItem?) throws(CBORError) -> [UInt8]? {
        guard let item else { return nil }
        let bytes = try item.byteString()
        guard bytes.count == 16 else { throw .outOfRange(at: item.offset) }
        return Array(bytes)
    }
}
