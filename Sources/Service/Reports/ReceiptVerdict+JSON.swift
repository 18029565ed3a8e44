package import JSON
internal import MdocModel
package import ReaderStore

extension ReceiptChain.Verdict {
    /// - Parameter links: how many links the chain has, whether they hold or not.
    package func json(links: Int) -> JSONValue {
        switch self {
        case .intact(let count, let head):
            [
                "verdict": "intact", "receipts": .integer(Int64(count)),
                "head": count > 0 ? .string(head.hexadecimal) : .null, "broken": .null,
            ]
        case .broken(let place, let fault):
            [
                "verdict": "broken", "receipts": .integer(Int64(links)), "head": .null,
                "broken": [
                    "at": .integer(place), "id": .string(fault.id), "detail": .string(fault.explanation),
                ],
            ]
        }
    }
}
