package import JSON
internal import MdocVerification
internal import MdocModel
internal import MdocTrust
package import ReaderStore
internal import RequestPlanner

extension SignedReceipt {
    /// A receipt with its place in the chain; the statement is null where a later version made it.
    package var json: JSONValue {
        [
            "id": .string(id), "sequence": .integer(sequence), "digest": .string(digest.hexadecimal),
            "previous": .string(previous.hexadecimal), "key": .string(keyID.bytes.hexadecimal),
            "statement": (try? statement())?.json ?? .null,
        ]
    }

    /// What a result names its receipt by.
    package var id: String { "\(sequence)" }
}

extension ReceiptStatement {
    package var json: JSONValue {
        [
            "time": .string(time.description), "lane": .string(lane.text), "kind": .string(kind.rawValue),
            "purpose": .string(purpose.rawValue),
            "questions": .array(
                questions.map {
                    ["ask": .string($0.subject.description), "answer": .string($0.answer.rawValue)]
                }),
            "verdict": .string(verdict.rawValue), "test": .boolean(hasTestDocument),
            "reasons": .array(reasons.map { .string($0.id) }),
            "documents": .array(documents.map(\.json)), "trust": trust?.json ?? .null,
            "policy": .string(policy.text), "software": .string(software.text),
            "retention": .string(retention.name), "method": .string(method.rawValue),
            "decision": JSONValue(decision?.rawValue), "outcome": JSONValue(outcome?.rawValue),
        ]
    }
}

extension ReceiptStatement.Trust {
    fileprivate var json: JSONValue {
        ["snapshot": .string(snapshot.description), "ageSeconds": .integer(ageSeconds)]
    }
}

extension ReceiptDocument {
    fileprivate var json: JSONValue {
        let issuer: JSONValue =
            issuer.map { ["country": JSONValue($0.country), "authority": .string($0.authority)] } ?? .null
        return [
            "docType": .string(docType.text), "issuer": issuer,
            "revocation": [
                "state": .string(revocation.state.rawValue),
                "ageSeconds": revocation.ageSeconds.map(JSONValue.integer) ?? .null,
            ],
        ]
    }
}
