package import JSON

/// The members of an object of the configuration file. Each member has an entry with the member's name, form,
/// default, text and property of `Owner`.
///
/// An absent member leaves its property unchanged. So the default of a member is the value of the property in
/// a new `Owner`.
package struct ConfigurationTable<Owner: Sendable>: Sendable {
    /// The description of one member of the configuration, and the function that reads it. The table stores
    /// each field under its member's name.
    package struct Field: Sendable {
        /// The function that describes the member, with the owner's value as the default.
        fileprivate var member: @Sendable (_ name: String, Owner) -> ConfigurationMember
        /// The function that reads the value into the owner, and returns whether the value has no fault.
        fileprivate let read: @Sendable (JSONText, inout Owner, inout ConfigurationReading) -> Bool
    }

    /// A requirement on several members. The requirement is checked only if these members have no fault.
    package struct Rule: Sendable {
        fileprivate let names: [String]
        fileprivate let check: @Sendable (ConfigurationObject, inout Owner) throws(JSONFault) -> Void

        /// Creates a rule on the members `names`. Without names the rule is always checked.
        package init(
            of names: String...,
            check: @escaping @Sendable (ConfigurationObject, inout Owner) throws(JSONFault) -> Void
        ) {
            self.names = names
            self.check = check
        }
    }

    private let fields: [(name: String, Field)]
    /// The names of members of which the object has exactly one. Empty if the object has no such members.
    private let choices: [String]
    private let rules: [Rule]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - fields: the members by name, in the order in which they are read.
    ///   - choices: the names of members of which an object must have exactly one.
    ///   - rules: the requirements on several members.
    package init(_ fields: KeyValuePairs<String, Field>, oneOf choices: [String] = [], rules: [Rule] = []) {
        self.init(Array(fields), oneOf: choices, rules: rules)
    }

    /// Creates a table whose members are computed.
    package init(
        _ fields: [(key: String, value: Field)], oneOf choices: [String] = [], rules: [Rule] = []
    ) {
        self.fields = fields.map { (name: $0.key, $0.value) }
        self.choices = choices
        self.rules = rules
    }

    /// Returns the description of the object, with the values of `owner` as defaults.
    package func description(of owner: Owner) -> ConfigurationDescription {
        .object(fields.map { name, field in field.member(name, owner) }, oneOf: choices)
    }

    /// Reads the members into the properties of `owner`, and records every fault.
    ///
    /// - Returns: whether there was no fault.
    package func read(_ text: JSONText, into owner: inout Owner, _ reading: inout ConfigurationReading)
        -> Bool
    {
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
        if !choices.isEmpty, choices.count(where: { members[$0] != nil }) != 1 {
            reading.add(text.wrong(ConfigurationDescription.requirement(oneOf: choices)))
            isSound = false
        }
        for rule in rules where faulty.isDisjoint(with: rule.names) {
            let object = ConfigurationObject(text: text, members: members, reading: reading)
            let result: Void? = reading.result { () throws(JSONFault) in try rule.check(object, &owner) }
            // A rule returns no value, so nil means that the rule has recorded a fault.
            if result == nil { isSound = false }
        }
        return isSound
    }

    /// Reads a member from a text that is not JSON, such as an environment variable.
    ///
    /// - Returns: nil if the text is not a value of the member.
    package func read(_ text: String, as name: String, over owner: Owner) -> Owner? {
        guard let (_, field) = fields.first(where: { $0.name == name }) else { return nil }
        // An environment variable is a text without a JSON type. Its value is therefore read as a JSON text
        // and, if that fails, as a number.
        let values = [JSONValue.string(text)] + (Int64(text).map { [.integer($0)] } ?? [])
        for value in values {
            var (changed, reading) = (owner, ConfigurationReading())
            if field.read(JSONText(JSONItem(value)), &changed, &reading) { return changed }
        }
        return nil
    }
}

/// An object of the configuration file, for a rule that checks several of its members. The rule reports its
/// fault at one of the members.
package struct ConfigurationObject {
    /// The object.
    package let text: JSONText
    /// The members of the object.
    package let members: JSONTextMembers
    /// The state after the members were read.
    package let reading: ConfigurationReading

    /// Returns a member of the object, or a nested member by its path.
    package func member(_ path: String...) throws(JSONFault) -> JSONText {
        var value = text
        for name in path { value = try value.members().required(name) }
        return value
    }
}

extension ConfigurationTable.Field {
    /// Returns a member with a default. The default is the value of the property in a new `Owner`. If the
    /// text `without` is given, the reference shows this text instead of the default.
    package static func value<Value>(
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

    /// Returns an optional member. `without` describes the effect of an absent member, for the reference.
    package static func optional<Value>(
        _ text: String, as form: ConfigurationForm<Value>,
        at place: any WritableKeyPath<Owner, Value?> & Sendable, without words: String = "none",
        faults: String = ""
    ) -> Self {
        // `map` makes the value optional, because the property is optional.
        .value(text, as: form.map { value, _, _ in value }, at: place, without: words, faults: faults)
    }

    /// Returns a required member.
    package static func required<Value>(
        _ text: String, as form: ConfigurationForm<Value>,
        at place: any WritableKeyPath<Owner, Value> & Sendable, faults: String = ""
    ) -> Self {
        // A required member is read like a member with a default. Only its description differs.
        var field = Self.value(text, as: form, at: place)
        field.member = { name, _ in
            ConfigurationMember(
                name: name, text: text, value: form.description, standard: .required, faults: faults)
        }
        return field
    }

    /// Returns a member that is an object. The members of this object are optional, and each member is a
    /// property of the value at `place`.
    package static func object<Value>(
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

/// A member of an object. The values of all members together make the value of the object (`made`).
package struct ConfigurationPart<Value: Sendable>: Sendable {
    fileprivate let member: ConfigurationMember
    /// The value of an absent member. Nil if the member is required.
    private let absent: Value?
    private let read: @Sendable (JSONText, inout ConfigurationReading) -> Value?

    /// Returns a required member.
    package static func required(
        _ name: String, _ text: String, as form: ConfigurationForm<Value>, faults: String = ""
    ) -> Self {
        let member = ConfigurationMember(
            name: name, text: text, value: form.description, standard: .required, faults: faults)
        return Self(member: member, absent: nil, read: form.read)
    }

    /// Returns a member with a default.
    package static func value(
        _ name: String, _ text: String, as form: ConfigurationForm<Value>, standard: Value,
        faults: String = ""
    ) -> Self {
        let member = ConfigurationMember(
            name: name, text: text, value: form.description, standard: .value(form.json(standard)),
            faults: faults)
        return Self(member: member, absent: standard, read: form.read)
    }

    /// Returns an optional member. `without` describes the effect of an absent member, for the reference.
    package static func optional<Wrapped>(
        _ name: String, _ text: String, as form: ConfigurationForm<Wrapped>, without words: String = "none",
        faults: String = ""
    ) -> Self where Value == Wrapped? {
        let member = ConfigurationMember(
            name: name, text: text, value: form.description, standard: .absent(words), faults: faults)
        // `.some(nil)` means that the default of an absent member is nil. A plain nil would make the member
        // required.
        return Self(member: member, absent: .some(nil), read: form.map { value, _, _ in value }.read)
    }

    /// Returns the member's value, or its default if the member is absent. After a fault was recorded,
    /// returns nil.
    fileprivate func value(
        in members: JSONTextMembers, of object: JSONText, _ reading: inout ConfigurationReading
    ) -> Value? {
        if let text = members[member.name] { return read(text, &reading) }
        if absent == nil { reading.add(object.missing(member.name)) }
        return absent
    }
}

extension ConfigurationForm {
    /// Returns the form of an object whose members are properties of a value with defaults.
    package static func object(_ initial: Value, _ table: ConfigurationTable<Value>) -> Self {
        Self(table.description(of: initial)) { text, reading in
            var value = initial
            return table.read(text, into: &value, &reading) ? value : nil
        }
    }

    /// Returns the form of an object. `make` makes the object's value from the values of its members.
    package static func made<each Part: Sendable>(
        of parts: repeat ConfigurationPart<each Part>,
        as make: @escaping @Sendable (repeat each Part) -> Value
    ) -> Self {
        .made(of: repeat each parts) { (_: JSONText, values: repeat each Part) in make(repeat each values) }
    }

    /// Returns the form of an object. `make` makes the object's value from the values of its members, and
    /// throws a fault if the members do not fit together.
    ///
    /// - Parameters:
    ///   - choices: the names of members of which an object must have exactly one.
    ///   - make: makes the value. The first argument is the object's text, at which `make` reports a fault.
    package static func made<each Part: Sendable>(
        of parts: repeat ConfigurationPart<each Part>, oneOf choices: [String] = [],
        by make: @escaping @Sendable (JSONText, repeat each Part) throws(JSONFault) -> Value
    ) -> Self {
        var described: [ConfigurationMember] = []
        for part in repeat each parts { described.append(part.member) }
        let names = described.map(\.name)
        // A tuple, because the closure below cannot capture a pack.
        let parts = (repeat each parts)
        return Self(.object(described, oneOf: choices)) { text, reading in
            guard let members = reading.members(of: text, named: names) else { return nil }
            let values = (repeat (each parts).value(in: members, of: text, &reading))
            if !choices.isEmpty, choices.count(where: { members[$0] != nil }) != 1 {
                reading.add(text.wrong(ConfigurationDescription.requirement(oneOf: choices)))
                return nil
            }
            do {
                return try make(text, repeat sound(each values))
            } catch let fault as JSONFault {
                reading.add(fault)
            } catch {
                // The error is a `FaultyMember`. The fault of that member is recorded already.
            }
            return nil
        }
    }
}

/// The error for a member whose fault has already been recorded.
private struct FaultyMember: Error {}

/// Returns the value of a member. Throws if the member has no value because of a fault.
private func sound<Value>(_ value: Value?) throws(FaultyMember) -> Value {
    guard let value else { throw FaultyMember() }
    return value
}
