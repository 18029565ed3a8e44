internal import CBOR

/// The members of `requestInfo` (ISO/IEC 18013-5 second edition, draft, 10.2) that Countersign reads but does
/// not send. `Documentation/second-edition.md` says for each member why Countersign does not send it.
package struct FurtherRequestInfo: Hashable, Sendable {
    package enum ZeroKnowledge: Hashable, Sendable {
        case wished
        /// The reader accepts no document without a zero-knowledge proof.
        case required
    }

    /// The member `uniqueDocSetRequired`: whether the wallet must return no more than one document for this
    /// request. Nil if it is absent.
    package let uniqueDocSetRequired: Bool?
    /// The maximum size of the unencrypted DeviceResponse, in bytes. Nil if the reader sets no maximum.
    package let maximumResponseSize: UInt64?
    /// Whether the reader wants the document encrypted for a recipient (`docResponseEncryption`).
    package let wantsEncryption: Bool
    /// The reader's wish or demand for a zero-knowledge proof (`zkRequest`). Nil if the member is absent.
    package let zeroKnowledge: ZeroKnowledge?

    /// Creates the value for a request without `requestInfo`.
    init() {
        (uniqueDocSetRequired, maximumResponseSize, wantsEncryption, zeroKnowledge) = (nil, nil, false, nil)
    }

    init(_ info: CBORMap) throws(CBORError) {
        uniqueDocSetRequired = try info.optional("uniqueDocSetRequired")?.boolean()
        maximumResponseSize = try info.optional("maximumResponseSize")?.unsigned()
        // The parameters of the encryption are not parsed, since Countersign does not encrypt documents.
        wantsEncryption = info.optional("docResponseEncryption") != nil
        zeroKnowledge = try info.optional("zkRequest").map { item throws(CBORError) in
            let isRequired = try item.map().optional("zkRequired")?.boolean() ?? false
            return isRequired ? .required : .wished
        }
    }

    /// Lines of text for people, one for each member that is present.
    fileprivate var remarks: [String] {
        var remarks: [String] = []
        if let uniqueDocSetRequired {
            let count = uniqueDocSetRequired ? "one document alone" : "one document or several"
            remarks.append("\(count) may answer (uniqueDocSetRequired)")
        }
        if let maximumResponseSize {
            remarks.append("the answer may have at most \(maximumResponseSize) bytes (maximumResponseSize)")
        }
        if wantsEncryption {
            remarks.append(
                "the request asks for an answer encrypted for a recipient (docResponseEncryption); Countersign does not support that"
            )
        }
        if let zeroKnowledge {
            let wish = zeroKnowledge == .required ? "required" : "wanted"
            remarks.append(
                "a zero-knowledge proof is \(wish) (zkRequest); Countersign does not support that")
        }
        return remarks
    }
}

extension DeviceRequest {
    /// Lines of text for people, one for each member of `requestInfo` that Countersign reads but does not
    /// send.
    package var remarks: [String] {
        docRequests.enumerated().flatMap { index, document in
            document.itemsRequest.further.remarks.map { "docRequest \(index): \($0)" }
        }
    }
}
