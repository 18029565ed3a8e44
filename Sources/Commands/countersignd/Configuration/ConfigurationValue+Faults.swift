internal import JSON

extension ConfigurationValue {
    /// Every fault of `text`, beside those that only several values together have.
    func faults(in text: JSONText) -> [JSONFault] {
        do throws(JSONFault) {
            return try findings(in: text)
        } catch {
            return [error]
        }
    }

    /// The faults within a value; that it is of another kind is thrown.
    private func findings(in text: JSONText) throws(JSONFault) -> [JSONFault] {
        switch self {
        case .boolean: _ = try text.boolean()
        case .whole(let range, _): _ = try text.integer(in: range)
        case .text(let limit, let format):
            let string = try text.string(upTo: limit)
            if let format, !format.holds(string) { return [text.wrong(format.requirement)] }
        case .word(let words):
            guard let word = try? text.string(), words.contains(word) else {
                throw text.wrong("must be one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))")
            }
        case .list(let limit, let value, let empty):
            let entries = try text.array(upTo: limit)
            if entries.isEmpty, let empty { return [text.wrong(empty)] }
            return entries.flatMap { value.faults(in: $0) }
        case .object(let members): return try Self.faults(of: members, in: text)
        case .named(let limit, let format, let value):
            return try text.entries(upTo: limit).flatMap { name, entry in
                format.holds(name) ? value.faults(in: entry) : [entry.wrong(format.requirement)]
            }
        case .wordOrObject(let words, let members, let requirement):
            guard let word = try? text.string() else { return try Self.faults(of: members, in: text) }
            guard words.contains(word) else { throw text.wrong(requirement) }
        case .nullable(let value): return text.isNull ? [] : value.faults(in: text)
        }
        return []
    }

    private static func faults(
        of known: [ConfigurationMember], in text: JSONText
    ) throws(JSONFault) -> [JSONFault] {
        var faults = try text.unknownMembers(besides: Set(known.map(\.name)))
        let members = try text.members()
        for member in known {
            if let value = members[member.name] {
                faults += member.value.faults(in: value)
            } else if member.isRequired {
                faults.append(text.missing(member.name))
            }
        }
        return faults
    }
}
