internal import JSON

/// The members of an object of the file, each in one entry: its name, form, default, text and place in `Owner`.
///
/// A member that is absent leaves its place as it was, so that the default is the value that a new `Owner` has there.
struct ConfigurationTable<Owner: Sendable>: Sendable {
    struct Field: Sendable {
        /// The description of the member; its default is that of the owner.
        fileprivate var member: @Sendable (_ name: String, Owner) -> ConfigurationMember
        /// Returns whether the value is free of faults.
        let read: @Sendable (JSONText, inout Owner, inout ConfigurationReading) -> Bool
    }

    /// A requirement on several members. It is checked if none of the members that it names has a fault.
    struct Rule: Sendable {
        fileprivate let names: [String]
        fileprivate let check: @Sendable (ConfigurationObject, inout Owner) throws(JSONFault) -> Void

        init(
            of names: String...,
            check: @escaping @Sendable (ConfigurationObject, inout Owner) throws(JSONFault) -> Void
        ) {
            self.names = names
            self.check = check
        }
    }

    private let fields: [(name: String, Field)]
    private let rules: [Rule]

    init(_ fields: KeyValuePairs<String, Field>, rules: [Rule] = []) {
        self.init(Array(fields), rules: rules)
    }

    init(_ fields: [(key: String, value: Field)], rules: [Rule] = []) {
        self.fields = fields.map { (name: $0.key, $0.value) }
        self.rules = rules
    }

    func description(of owner: Owner) -> ConfigurationDescription {
        .object(fields.map { name, field in field.member(name, owner) })
    }

    /// Reads the members into their places, and records every fault.
    ///
    /// - Returns: whether there was no fault.
    func read(_ text: JSONText, into owner: inout Owner, _ reading: inout ConfigurationReading) -> Bool {
        guard let members = reading.members(of: text, named: fields.map(\.name)) else { return false }
        var faulty: Set<String> = []
        for (name, field) in fields {
            if let value = members[name] {
                if !field.read(value, &owner, &reading) { faulty.insert(name) }
            } else if field.member(name, owner).isRequired {
                reading.add(text.missing(name))
                faulty.insert(name)
            }
        }
        var isSound = faulty.isEmpty
        for rule in rules where faulty.isDisjoint(with: rule.names) {
            let object = ConfigurationObject(text: text, members: members, reading: reading)
            let result: Void? = reading.result { () throws(JSONFault) in try rule.check(object, &owner) }
            if result == nil { isSound = false }
        }
        return isSound
    }

    /// Reads one member from a text that is not JSON, such as a variable of the environment.
    ///
    /// - Returns: nil for a text that is no value of the member.
    func read(_ text: String, as name: String, over owner: Owner) -> Owner? {
        guard let (_, field) = fields.first(where: { $0.name == name }) else { return nil }
        let values = [JSONValue.string(text)] + (Int64(text).map { [.integer($0)] } ?? [])
        for value in values {
            var (changed, reading) = (owner, ConfigurationReading())
            if field.read(JSONText(JSONItem(value)), &changed, &reading) { return changed }
        }
        return nil
    }
}

/// An object of the file, as a rule on several of its members sees it.
struct ConfigurationObject {
    let text: JSONText
    let members: JSONTextMembers
    let reading: ConfigurationReading

    /// A member of the object, or a member of that.
    func member(_ path: String...) throws(JSONFault) -> JSONText {
        var value = text
        for name in path { value = try value.members().required(name) }
        return value
    }
}

extension ConfigurationTable.Field {
    /// A member that has a default: the value of a new owner, unless `without` says otherwise in words.
    static func value<Value>(
        _ text: String, as form: ConfigurationForm<Value>,
        at place: any WritableKeyPath<Owner, Value> & Sendable, without words: String? = nil,
        faults: String = ""
    ) -> Self {
        Self(
            member: { name, owner in
                ConfigurationMember(
                    name: name, text: text, value: form.description,
                    standard: words.map { .absent($0) } ?? .value(form.json(owner[keyPath: place])),
                    faults: faults)
            },
            read: { text, owner, reading in
                guard let value = form.read(text, &reading) else { return false }
                owner[keyPath: place] = value
                return true
            })
    }

    /// A member that may be absent; `without` says in words what happens.
    static func optional<Value>(
        _ text: String, as form: ConfigurationForm<Value>,
        at place: any WritableKeyPath<Owner, Value?> & Sendable, without words: String = "none",
        faults: String = ""
    ) -> Self {
        .value(text, as: form.map { value, _, _ in value }, at: place, without: words, faults: faults)
    }

    static func required<Value>(
        _ text: String, as form: ConfigurationForm<Value>,
        at place: any WritableKeyPath<Owner, Value> & Sendable, faults: String = ""
    ) -> Self {
        var field = Self.value(text, as: form, at: place)
        field.member = { name, _ in
            ConfigurationMember(
                name: name, text: text, value: form.description, standard: .required, faults: faults)
        }
        return field
    }

    /// An object whose members have their places in `place` and may all be absent.
    static func object<Value>(
        _ text: String, as table: ConfigurationTable<Value>,
        at place: any WritableKeyPath<Owner, Value> & Sendable, faults: String = ""
    ) -> Self {
        Self(
            member: { name, owner in
                ConfigurationMember(
                    name: name, text: text, value: table.description(of: owner[keyPath: place]),
                    standard: .value(.object([])), faults: faults)
            },
            read: { text, owner, reading in table.read(text, into: &owner[keyPath: place], &reading) })
    }
}

/// A member of an object that is made of its members at once.
struct ConfigurationPart<Value: Sendable>: Sendable {
    fileprivate let member: ConfigurationMember
    /// The value of a member that is absent; nil if it is required.
    private let absent: Value?
    private let read: @Sendable (JSONText, inout ConfigurationReading) -> Value?

    static func required(
        _ name: String, _ text: String, as form: ConfigurationForm<Value>, faults: String = ""
    ) -> Self {
        let member = ConfigurationMember(
            name: name, text: text, value: form.description, standard: .required, faults: faults)
        return Self(member: member, absent: nil, read: form.read)
    }

    static func value(
        _ name: String, _ text: String, as form: ConfigurationForm<Value>, standard: Value,
        faults: String = ""
    ) -> Self {
        let member = ConfigurationMember(
            name: name, text: text, value: form.description, standard: .value(form.json(standard)),
            faults: faults)
        return Self(member: member, absent: standard, read: form.read)
    }

    static func optional<Wrapped>(
        _ name: String, _ text: String, as form: ConfigurationForm<Wrapped>, without words: String = "none",
        faults: String = ""
    ) -> Self where Value == Wrapped? {
        let member = ConfigurationMember(
            name: name, text: text, value: form.description, standard: .absent(words), faults: faults)
        return Self(member: member, absent: .some(nil), read: form.map { value, _, _ in value }.read)
    }

    fileprivate func value(
        in members: JSONTextMembers, of object: JSONText, _ reading: inout ConfigurationReading
    ) -> Value? {
        if let text = members[member.name] { return read(text, &reading) }
        if absent == nil { reading.add(object.missing(member.name)) }
        return absent
    }
}

extension ConfigurationForm {
    /// An object whose members have their places in a value with defaults.
    static func object(_ initial: Value, _ table: ConfigurationTable<Value>) -> Self {
        Self(table.description(of: initial)) { text, reading in
            var value = initial
            return table.read(text, into: &value, &reading) ? value : nil
        }
    }

    /// An object of which `make` makes a value.
    static func made<each Part: Sendable>(
        of parts: repeat ConfigurationPart<each Part>,
        as make: @escaping @Sendable (repeat each Part) -> Value
    ) -> Self {
        .made(of: repeat each parts) { (_: JSONText, values: repeat each Part) in make(repeat each values) }
    }

    /// An object of which `make` makes a value, if the members fit together.
    ///
    /// - Parameter make: is given the object's text, for its fault.
    static func made<each Part: Sendable>(
        of parts: repeat ConfigurationPart<each Part>,
        by make: @escaping @Sendable (JSONText, repeat each Part) throws(JSONFault) -> Value
    ) -> Self {
        var described: [ConfigurationMember] = []
        for part in repeat each parts { described.append(part.member) }
        let names = described.map(\.name)
        let parts = (repeat each parts)
        return Self(.object(described)) { text, reading in
            guard let members = reading.members(of: text, named: names) else { return nil }
            let values = (repeat (each parts).value(in: members, of: text, &reading))
            do {
                return try make(text, repeat sound(each values))
            } catch let fault as JSONFault {
                reading.add(fault)
            } catch {}
            return nil
        }
    }
}

/// A member has a fault, which is recorded.
private struct FaultyMember: Error {}

private func sound<Value>(_ value: Value?) throws(FaultyMember) -> Value {
    guard let value else { throw FaultyMember() }
    return value
}
