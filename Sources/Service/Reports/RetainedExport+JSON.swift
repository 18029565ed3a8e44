package import JSON
internal import MdocModel
package import ReaderStore

extension RetainedExport {
    /// The records as they are handed out, each with its elements by namespace. `handedOutBefore` is null unless an export
    /// was begun and not finished: somebody may have the records already.
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
