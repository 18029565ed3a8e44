internal import NDEF

extension NFCHolderBehaviour {
    /// The Handover Select with this phone's peculiarities.
    func dress(_ bytes: [UInt8]) -> [UInt8] {
        guard let message = try? NDEFMessage.parse(bytes[...]) else { return bytes }
        return NDEFMessage(message.records.compactMap(dress)).encode()
    }

    private func dress(_ record: NDEFRecord) -> NDEFRecord? {
        if record.isOf(.deviceEngagement), fault == .omitsDeviceEngagement { return nil }
        if record.isOf(.nfcCarrier), sendsNFCCarrierAsMedia {
            return NDEFRecord(.media, type: record.type, id: record.id, payload: record.payload)
        }
        guard record.isOf(.bluetoothLE) else { return record }
        var payload = foreignAdvertisingData + record.payload
        if fault == .prefixesBluetoothLength { payload = [UInt8(payload.count + 2), 0] + payload }
        return NDEFRecord(.bluetoothLE, id: record.id, payload: payload[...])
    }
}
