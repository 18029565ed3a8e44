internal import CBOR
internal import MdocModel

/// DeviceRequest, as the phone reads it and as a stored request is compared with.
func fuzzDeviceRequest(_ input: ArraySlice<UInt8>) {
    guard let request = try? DeviceRequest(input) else { return }
    demand(!request.docRequests.isEmpty, "a request for nothing")
    let documents = request.docRequests.map {
        (items: $0.itemsRequest.encoded(), readerAuth: $0.readerAuth.map { Array($0.encoded) })
    }
    guard let again = try? DeviceRequest(DeviceRequest.encode(documents)[...]) else {
        fatalError("a request written anew is refused")
    }
    demand(
        again.docRequests.map(\.itemsRequest) == request.docRequests.map(\.itemsRequest),
        "a request written anew is another")
}

/// A transcript that was stored.
func fuzzSessionTranscript(_ input: ArraySlice<UInt8>) {
    guard let transcript = try? SessionTranscript(stored: input) else { return }
    demand(transcript.encoded == input, "the transcript's bytes do not survive")
    let joined = Array(transcript.bytesParts.joined())
    let item = try? EncodedCBOR<SessionTranscript>(
        CBORItem.parse(joined[...], limits: CBORLimits(bytes: .max)))
    demand(item?.content.elementsEqual(input) == true, "SessionTranscriptBytes hold another transcript")
}
