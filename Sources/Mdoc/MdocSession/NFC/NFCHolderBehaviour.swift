package import NDEF

/// The behaviour of a phone over NFC. The properties describe the behaviour of real wallets. `fault` is a
/// fault to simulate.
package struct NFCHolderBehaviour: Sendable {
    /// The kind of handover (ISO/IEC 18013-5, 8.2.2.1).
    package enum Handover: Sendable {
        case `static`
        /// A negotiated handover (TNEP) with this service. `otherServices` are `Tp` records before the
        /// handover service (Q40).
        case negotiated(ServiceParameter, otherServices: [ServiceParameter] = [])
    }

    /// For each message, the number of reads that return 0 for NLEN before the message is ready (Q13, Q14).
    package struct Unready: Sendable {
        package var initialMessage = 0
        package var serviceStatus = 0
        package var handoverSelect = 0

        package init(initialMessage: Int = 0, serviceStatus: Int = 0, handoverSelect: Int = 0) {
            self.initialMessage = initialMessage
            self.serviceStatus = serviceStatus
            self.handoverSelect = handoverSelect
        }
    }

    package var handover = Handover.static
    /// MLe of the capability container, in bytes.
    package var maximumResponseData = 0x7fff
    /// MLc of the capability container, in bytes.
    package var maximumCommandData = 0x7fff
    /// The size of the NDEF file, in bytes.
    package var maximumFileSize = 0x7fff
    /// The byte for write access. It does not show the kind of handover (Q18).
    package var writeAccess: UInt8 = 0x00
    package var unready = Unready()
    package var recordOrder = HandoverSelect.Order.engagementFirst
    /// Whether the phone accepts extended READ BINARY and ENVELOPE commands (Q19, Q20).
    package var acceptsExtendedLength = true
    /// Whether the phone refuses NLEN and message in one UPDATE BINARY (Q23).
    package var refusesMergedWrite = false
    /// The maximum number of data bytes in one response, whatever Le is (Q22). Nil for no such limit.
    package var maximumAnswer: Int?
    /// Whether the response to a read past the end is eight zero bytes and 9000 (Q15).
    package var readsZerosPastEnd = false
    /// Whether the phone ignores Le after 61xx, so that the Le of the ENVELOPE stays in effect (Q52).
    package var ignoresLengthAfterMore = false
    /// Whether the phone refuses reads before its waiting time has passed (Q16).
    package var enforcesWaitingTime = false
    /// Whether the phone is locked and answers 6A82 (Q1).
    package var isLocked = false
    /// Foreign advertising data structures, which the phone sends before its own in the Bluetooth record
    /// (Q31).
    package var foreignAdvertisingData: [UInt8] = []
    /// Whether a negotiated Handover Select for mdoc central client mode repeats the reader's UUID (Q29,
    /// Q30).
    package var repeatsServiceUUID = false
    /// Whether the NFC carrier record has TNF 02 (Q37).
    package var sendsNFCCarrierAsMedia = false
    /// The longest message that the phone accepts over NFC data transfer, in bytes.
    package var maximumMessageSize = 1 << 20
    package var fault: NFCHolderFault?

    package init() {}

    /// Returns a Handover Select with the deviations of this phone: its fault, its record types and its
    /// additional advertising data.
    func dress(_ bytes: [UInt8]) -> [UInt8] {
        guard let message = try? NDEFMessage.parse(bytes[...]) else { return bytes }
        return NDEFMessage(message.records.compactMap(dress)).encode()
    }

    /// Returns a record with the deviations of this phone. Nil if its fault is to omit the record.
    private func dress(_ record: NDEFRecord) -> NDEFRecord? {
        if record.isOf(.deviceEngagement), fault == .omitsDeviceEngagement { return nil }
        if record.isOf(.nfcCarrier), sendsNFCCarrierAsMedia {
            return NDEFRecord(.media, type: record.type, id: record.id, payload: record.payload)
        }
        guard record.isOf(.bluetoothLE) else { return record }
        var payload = foreignAdvertisingData + record.payload
        // The length includes its own two bytes. The low byte comes first.
        if fault == .prefixesBluetoothLength { payload = [UInt8(payload.count + 2), 0] + payload }
        return NDEFRecord(.bluetoothLE, id: record.id, payload: payload[...])
    }
}
