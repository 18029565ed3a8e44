internal import CBOR

/// Members of `requestInfo` (ISO/IEC 18013-5 second edition, draft, 10.2) that Countersign reads and does not send:
/// `Documentation/second-edition.md` says why for each.
package struct FurtherRequestInfo: Hashable, Sendable {
    package enum ZeroKnowledge: Hashable, Sendable {
        case wished
        /// An answer without a proof is not accepted.
        case required
    }

    /// Whether one document alone may answer.
    package let uniqueDocSetRequired: Bool?
    /// Of the unencrypted DeviceResponse, in bytes.
    package let maximumResponseSize: UInt64?
    /// Whether the document is wanted encrypted for a recipient (`docResponseEncryption`).
    package let wantsEncryption: Bool
    /// `zkRequest`.
    package let zeroKnowledge: ZeroKnowledge?

    /// What is asked if there is no `requestInfo`.
    init() {
        (uniqueDocSetRequired, maximumResponseSize, wantsEncryption, zeroKnowledge) = (nil, nil, false, nil)
    }

    init(_ info: CBORMap) throws(CBORError) {
        uniqueDocSetRequired = try info.optional("uniqueDocSetRequired")?.boolean()
        maximumResponseSize = try info.optional("maximumResponseSize")?.unsigned()
        wantsEncryption = info.optional("docResponseEncryption") != nil
        zeroKnowledge = try info.optional("zkRequest").map { item throws(CBORError) in
            let isRequired = try item.map().optional("zkRequired")?.boolean() ?? false
            return isRequired ? .required : .wished
        }
    }

    fileprivate var remarks: [String] {
        var remarks: [String] = []
        if let uniqueDocSetRequired {
            let count = uniqueDocSetRequired ? "one document alone" : "one document or several"
            remarks.append("\(count) may answer (uniqueDocSetRequired)")
        }
        if let maximumResponseSize {
            remarks.append("the answer may have \(maximumResponseSize) bytes (maximumResponseSize)")
        }
        if wantsEncryption {
            remarks.append(
                "the answer is wanted encrypted for a recipient (docResponseEncryption); Countersign does not support that"
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
    /// What its documents ask beyond elements, alternatives and issuers, for people: one line each.
    package var remarks: [String] {
        docRequests.enumerated().flatMap { index, document in
            document.itemsRequest.further.remarks.map { "docRequest \(index): \($0)" }
        }
    }
}
