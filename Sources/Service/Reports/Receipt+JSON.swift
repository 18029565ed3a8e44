package import JSON
internal import MdocVerification
internal import MdocModel
internal import MdocTrust
package import ReaderStore
internal import RequestPlanner

extension SignedReceipt {
    /// The receipt as JSON, with its position in the chain of receipts. The statement is about a presentation,
    /// or has the member `outputs`. It is null if a later version of this program wrote it.
    package var json: JSONValue {
        [
            "id": .string(id), "sequence": .integer(sequence), "digest": .string(digest.hexadecimal),
            "previous": .string(previous.hexadecimal), "key": .string(keyID.bytes.hexadecimal),
            "statement": (try? contents())?.json ?? .null,
        ]
    }

    /// The id of the receipt in JSON results: its sequence number.
    package var id: String { "\(sequence)" }
}

extension ReceiptContent {
    package var json: JSONValue {
        switch self {
        case .presentation(let statement): statement.json
        case .outputs(let statement): statement.json
        }
    }
}

extension OutputsStatement {
    /// The statement as JSON. The member `of` is the id of the presentation's receipt.
    package var json: JSONValue {
        [
            "version": .integer(Self.version), "kind": .string(Self.kind),
            "time": .string(time.description),
            "lane": .string(lane.text), "software": .string(software.text), "of": .string("\(receipt)"),
            "outputs": .array(
                outputs.map {
                    ["accessory": .string($0.accessory.text), "state": .string($0.state.rawValue)]
                }),
        ]
    }
}

extension ReceiptStatement {
    /// The statement as JSON. Only a statement of version 2 has the members `version`, `engagement`, `proof`,
    /// `circuitVersion`, `decidedFrom`, `decidedBy` and `manual`; each but the first may be null.
    package var json: JSONValue {
        .object(firstVersionMembers + (version == 1 ? [] : secondVersionMembers))
    }

    private var firstVersionMembers: [(String, JSONValue)] {
        let answers: [JSONValue] = questions.map {
            ["ask": .string($0.subject.description), "answer": .string($0.answer.rawValue)]
        }
        return [
            ("time", .string(time.description)), ("lane", .string(lane.text)),
            ("kind", .string(kind.rawValue)), ("purpose", .string(purpose.rawValue)),
            ("questions", .array(answers)), ("verdict", .string(verdict.rawValue)),
            ("test", .boolean(hasTestDocument)), ("reasons", .array(reasons.map { .string($0.id) })),
            ("documents", .array(documents.map(\.json))), ("trust", trust?.json ?? .null),
            ("policy", .string(policy.text)), ("software", .string(software.text)),
            ("retention", .string(retention.name)), ("method", .string(method.name)),
            ("decision", JSONValue(decision?.rawValue)), ("outcome", JSONValue(outcome?.rawValue)),
            ("repeats", JSONValue(repeats?.text)),
        ]
    }

    private var secondVersionMembers: [(String, JSONValue)] {
        [
            ("version", .integer(version)), ("engagement", JSONValue(engagement?.rawValue)),
            ("proof", JSONValue(proof?.name)),
            ("circuitVersion", proof?.circuitVersion.map(JSONValue.integer) ?? .null),
            ("decidedFrom", JSONValue(decisionSource?.name)),
            ("decidedBy", JSONValue(decisionSource?.person?.bytes.hexadecimal)),
            ("manual", method.manual?.json ?? .null),
        ]
    }
}

extension ReceiptStatement.ManualCheck {
    fileprivate var json: JSONValue {
        ["seen": .string(seen.rawValue), "why": .string(why.rawValue)]
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

extension ReceiptChain.Verdict {
    /// Returns the verdict on the chain as JSON.
    ///
    /// - Parameter links: the number of receipts in the chain, intact or not. The verdict `broken` does not
    ///   contain this number.
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

extension RetainedExport {
    /// The exported records as JSON, each with its elements by namespace. `handedOutBefore` is the time of an
    /// earlier export that was not confirmed, so somebody may have the records already. This member is null
    /// if there was no such export.
    package var json: JSONValue { .object(members) }

    package var members: [(String, JSONValue)] {
        [
            ("handedOutBefore", JSONValue(earlier?.description)), ("records", .array(records.map(\.json))),
        ]
    }
}

extension RetainedRecord {
    fileprivate var json: JSONValue {
        [
            "id": .string(id.bytes.hexadecimal), "docType": .string(docType),
            "retained": .string(retained.description), "profile": .string(profile.name),
            "consent": .string(consent.rawValue), "elements": byNameSpace { JSONValue($0.value) },
            "deadlines": byNameSpace { .string($0.deadline.description) },
        ]
    }

    /// Returns an object with a member for each namespace. The member is an object with a value for each
    /// element of the namespace.
    private func byNameSpace(_ value: (Field) -> JSONValue) -> JSONValue {
        var spaces: [(name: String, value: [(String, JSONValue)])] = []
        for field in fields {
            let member = (name: field.name.identifier, value: value(field))
            if let index = spaces.firstIndex(where: { $0.name == field.name.nameSpace }) {
                spaces[index].value.append(member)
            } else {
                spaces.append((field.name.nameSpace, [member]))
            }
        }
        return .object(spaces.map { ($0.name, .object($0.value)) })
    }
}
