internal import CBOR
internal import JSON
internal import MdocModel
internal import NDEF
internal import Reports

extension NDEFMessage {
    /// The kind of message, recognised by its records.
    var kind: String {
        let uses: [(NDEFRecordType, String)] = [
            (.handoverSelect, "Handover Select"), (.handoverRequest, "Handover Request"),
            (.serviceParameter, "TNEP service parameters"), (.serviceSelect, "TNEP service select"),
            (.status, "TNEP status"),
        ]
        let found = uses.first { use in records.contains { $0.isOf(use.0) } }
        return "NDEF message" + (found.map { ": \($0.1)" } ?? "")
    }

    /// Whether the message is a Handover Select or a Handover Request.
    var isOfHandover: Bool {
        records.contains { $0.isOf(.handoverSelect) || $0.isOf(.handoverRequest) }
    }

    /// Returns the records of the message with their contents.
    func text(_ notation: DiagnosticNotation) -> String {
        records.map { $0.text(notation, indent: "  ", opensHandover: true) }.joined(separator: "\n")
    }
}

extension NDEFRecord {
    /// - Parameter opensHandover: Whether the message inside a handover record is shown. False for the
    ///   records inside such a message, because only one level is shown.
    fileprivate func text(_ notation: DiagnosticNotation, indent: String, opensHandover: Bool) -> String {
        let name = Terminal.safe(String(decoding: type, as: UTF8.self), limit: 80)
        let identifier =
            id.map { ", id \"\(Terminal.safe(String(decoding: $0, as: UTF8.self), limit: 80))\"" } ?? ""
        let head = "\(indent)record \"\(name)\" (\(typeNameFormat))\(identifier), \(payload.count) bytes"
        return ([head] + content(notation, indent: indent + "  ", opensHandover: opensHandover)).joined(
            separator: "\n")
    }

    /// Returns the contents of a record as lines. The type of the record decides how they are shown.
    private func content(
        _ notation: DiagnosticNotation, indent: String, opensHandover: Bool
    ) -> [String] {
        if opensHandover, isOf(.handoverSelect) || isOf(.handoverRequest) {
            return handover(notation, indent: indent)
        }
        if isOf(.deviceEngagement) || isOf(.readerEngagement) { return cbor(notation, indent: indent) }
        if let carrier = carrierText { return [indent + carrier] }
        if isOf(.serviceParameter), let service = try? ServiceParameter.parse(payload) {
            let name = Terminal.safe(String(decoding: service.serviceName, as: UTF8.self), limit: 80)
            return [
                "\(indent)service \(name), waiting time \(service.waitingTime.milliseconds) ms,"
                    + " up to \(service.waitingTimeExtensions) extensions, messages up to"
                    + " \(service.maximumMessageSize) bytes"
            ]
        }
        return payload.isEmpty ? [] : [indent + bytes(notation)]
    }

    /// Returns the contents of a handover record: a version byte and a message.
    private func handover(_ notation: DiagnosticNotation, indent: String) -> [String] {
        guard let version = payload.first, let message = try? NDEFMessage.parse(payload.dropFirst()) else {
            return [indent + bytes(notation)]
        }
        let records = message.records.map { $0.text(notation, indent: indent, opensHandover: false) }
        return ["\(indent)version \(version >> 4).\(version & 0x0f)"] + records
    }

    /// Returns a payload in CBOR as lines in diagnostic notation.
    private func cbor(_ notation: DiagnosticNotation, indent: String) -> [String] {
        guard let item = try? CBORItem.parse(payload) else {
            return ["\(indent)not CBOR: \(bytes(notation))"]
        }
        let lines = item.diagnostic(notation).split(separator: "\n").map { indent + $0 }
        return ["\(indent)\(CBORStructure(item).title)"] + lines
    }

    /// The text of a record that describes a carrier (Bluetooth LE or NFC), or `nil` for any other record.
    private var carrierText: String? {
        if isOf(.bluetoothLE), let bluetooth = try? BluetoothLEOutOfBand.parse(payload) {
            let uuid = bluetooth.serviceUUID.map { ", service \($0)" } ?? ""
            let address = bluetooth.address.map { ", address \($0.bytes.hexadecimal)" } ?? ""
            let psm = bluetooth.protocolServiceMultiplexer.map { ", PSM \($0)" } ?? ""
            return "Bluetooth LE, \(bluetooth.role)\(uuid)\(address)\(psm)"
        }
        if isOf(.nfcCarrier), let nfc = try? NFCCarrier.parse(payload) {
            return
                "NFC, commands up to \(nfc.maximumCommandData) bytes, responses up to \(nfc.maximumResponseData)"
        }
        return nil
    }

    private func bytes(_ notation: DiagnosticNotation) -> String {
        let shown = payload.prefix(notation.longestByteString)
        return "h'\(shown.hexadecimal)'" + (shown.count < payload.count ? "..." : "")
    }
}
