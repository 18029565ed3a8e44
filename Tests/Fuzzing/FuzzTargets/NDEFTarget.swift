internal import NDEF

/// NDEF messages and every record they may hold.
func fuzzNDEF(_ input: ArraySlice<UInt8>) {
    guard let message = try? NDEFMessage.parse(input) else { return }
    demand(!message.records.isEmpty, "a message without a record")
    guard let again = try? NDEFMessage.parse(message.encode()[...]) else {
        fatalError("a message written anew is refused")
    }
    demand(again == message, "a message written anew is another")
    if let select = try? HandoverSelect.parse(message) { checkEncoding(of: select) }
    if let request = try? HandoverRequest.parse(message) { checkEncoding(of: request) }
    if let service = try? ServiceParameter.handover(in: message) {
        let wait = service.waitingTime
        demand(wait >= .milliseconds(1) && wait <= .milliseconds(1000), "a waiting time out of range")
        let record = NDEFMessage([service.record()])
        demand((try? ServiceParameter.handover(in: record)) == service, "a service written anew is another")
    }
    if let status = try? StatusRecord.parse(message) {
        let written = try? StatusRecord.parse(NDEFMessage.parse(status.encode()[...]))
        demand(written == status, "a status written anew is another")
    }
    _ = try? ServiceSelect.parse(message)
}

private func checkEncoding(of select: HandoverSelect) {
    let carriers = select.carriers.filter(\.isWritable)
    let engagement = select.deviceEngagement ?? []
    let bytes = HandoverSelect.encode(deviceEngagement: engagement, carriers: carriers)
    guard let again = try? HandoverSelect.parse(NDEFMessage.parse(bytes[...], limits: .roomy)) else {
        fatalError("a Handover Select written anew is refused")
    }
    demand(again.deviceEngagement?.elementsEqual(engagement) == true, "the engagement changes when written")
    demand(again.carriers.count == carriers.count, "a carrier is lost when written")
}

private func checkEncoding(of request: HandoverRequest) {
    let carriers = request.carriers.filter(\.isWritable)
    let engagement = request.readerEngagement ?? []
    let bytes = HandoverRequest.encode(readerEngagement: engagement, carriers: carriers)
    guard let again = try? HandoverRequest.parse(NDEFMessage.parse(bytes[...], limits: .roomy)) else {
        fatalError("a Handover Request written anew is refused")
    }
    demand(again.readerEngagement?.elementsEqual(engagement) == true, "the engagement changes when written")
    demand(again.carriers.count == carriers.count, "a carrier is lost when written")
}

extension NDEFLimits {
    /// For what we write: an `ac` record more than the message read may add a few bytes.
    fileprivate static let roomy = NDEFLimits(maximumBytes: 1 << 20, maximumRecords: 256)
}

extension HandoverCarrier {
    fileprivate var isWritable: Bool {
        switch self {
        case .nfc, .bluetoothLE: true
        case .unreadable, .foreign: false
        }
    }
}
