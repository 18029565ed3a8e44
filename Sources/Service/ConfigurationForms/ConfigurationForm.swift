package import JSON

/// The form of a value in the configuration file: its description, how it is read, and how a default is
/// written.
///
/// Forms are composed in the same way as values: the form of a list contains the form of its entries, and the
/// form of an object contains the forms of its members. Each limit, word and requirement is written in
/// one form only. The parser, the JSON Schema and the reference are made from the forms.
package struct ConfigurationForm<Value: Sendable>: Sendable {
    /// The description of the value, for the JSON Schema and the reference.
    package let description: ConfigurationDescription
    /// The function that writes a value as JSON, for the default of a member.
    package let json: @Sendable (Value) -> JSONValue
    /// The function that reads a value and records its faults. Returns nil if the value cannot be used
    /// because of a fault.
    package let read: @Sendable (JSONText, inout ConfigurationReading) -> Value?

    /// Creates a form.
    ///
    /// - Parameter json: writes the default of a member. Nil if the default is always an empty list, an empty
    ///   object or `null`.
    package init(
        _ description: ConfigurationDescription, json: (@Sendable (Value) -> JSONValue)? = nil,
        read: @escaping @Sendable (JSONText, inout ConfigurationReading) -> Value?
    ) {
        self.description = description
        self.json = json ?? { _ in description.empty }
        self.read = read
    }

    /// Creates a form whose values have at most one fault.
    package init(
        _ description: ConfigurationDescription, json: (@Sendable (Value) -> JSONValue)? = nil,
        parse: @escaping @Sendable (JSONText) throws(JSONFault) -> Value
    ) {
        self.init(description, json: json) { text, reading in
            reading.result { () throws(JSONFault) in try parse(text) }
        }
    }

    /// Returns this form with a conversion of each value to another type.
    package func map<New>(
        json: (@Sendable (New) -> JSONValue)? = nil,
        _ make: @escaping @Sendable (Value, JSONText, ConfigurationReading) throws(JSONFault) -> New
    ) -> ConfigurationForm<New> {
        ConfigurationForm<New>(description, json: json) { text, reading in
            guard let value = read(text, &reading) else { return nil }
            // This copy is needed, because `result` has exclusive access to `reading` while its closure runs.
            let current = reading
            return reading.result { () throws(JSONFault) in try make(value, text, current) }
        }
    }

    /// Returns the form of a list.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of entries.
    ///   - empty: the fault of an empty list. Nil if the list may be empty.
    ///   - conflict: returns the fault of an entry that does not fit the entries before it, or nil.
    package static func list<Element>(
        upTo limit: Int, of element: ConfigurationForm<Element>, empty: String? = nil,
        conflict: @escaping @Sendable (Element, [Element]) -> String? = { _, _ in nil }
    ) -> Self where Value == [Element] {
        // The reference has a separate row for each member of an object, so a list of objects does not repeat
        // the words and requirements of its entries. The text of the fault `empty` also serves as a
        // requirement in the reference.
        let (entry, isOfObjects) = (element.description, element.description.kind == .object)
        let description = ConfigurationDescription(
            schema: [("type", "array"), ("items", .object(entry.schema))]
                + (empty == nil ? [] : [("minItems", .integer(1))]) + [("maxItems", .integer(Int64(limit)))],
            words: "list \(empty == nil ? 0 : 1)–\(limit)"
                + (isOfObjects ? "" : " of \(entry.words)"),
            requirements: (isOfObjects ? [] : entry.requirements) + [empty].compactMap(\.self), kind: .list)
        return Self(description) { text, reading in
            let entries = reading.result { () throws(JSONFault) in try text.array(upTo: limit) }
            if let empty, entries?.isEmpty == true { reading.add(text.wrong(empty)) }
            var values: [Element] = []
            for entry in entries ?? [] {
                guard let value = element.read(entry, &reading) else { continue }
                if let fault = conflict(value, values) {
                    reading.add(entry.wrong(fault))
                } else {
                    values.append(value)
                }
            }
            // A list with a faulty entry has no value. Otherwise later rules would check an incomplete list.
            return values.count == entries?.count ? values : nil
        }
    }

    /// Returns the form of a list whose order and repetitions do not matter.
    package static func set<Element>(
        upTo limit: Int, of element: ConfigurationForm<Element>, empty: String? = nil
    ) -> Self where Value == Set<Element> {
        ConfigurationForm<[Element]>.list(upTo: limit, of: element, empty: empty).map { values, _, _ in
            Set(values)
        }
    }

    /// Returns the form of an object whose member names are chosen by the author of the file.
    package static func named<Name, Element>(
        upTo limit: Int, by name: ConfigurationFormat<Name>, _ element: ConfigurationForm<Element>
    ) -> Self where Value == [Name: Element] {
        let member = element.description
        let description = ConfigurationDescription(
            schema: [
                ("type", "object"), ("maxProperties", .integer(Int64(limit))),
                ("propertyNames", .object(name.schema)), ("additionalProperties", .object(member.schema)),
            ],
            words: "object of at most \(limit) members; name: \(name.words); value: \(member.words)",
            requirements: [name.requirement] + member.requirements, kind: .object)
        return Self(description) { text, reading in
            let entries = reading.result { () throws(JSONFault) in try text.entries(upTo: limit) }
            var values: Value = [:]
            for entry in entries ?? [] {
                if let key = name.parse(entry.name) {
                    values[key] = element.read(entry.value, &reading)
                } else {
                    reading.add(entry.value.wrong(name.requirement))
                }
            }
            // Like a list with a faulty entry, an object with a faulty member has no value.
            return values.count == entries?.count ? values : nil
        }
    }

    /// Returns the form of a value that may also be `null`.
    package static func nullable<Wrapped>(_ form: ConfigurationForm<Wrapped>) -> Self
    where Value == Wrapped? {
        let value = form.description
        let description = ConfigurationDescription(
            schema: [("anyOf", .array([.object(value.schema), ["type": "null"]]))],
            words: "\(value.words) or `null`",
            requirements: value.requirements)
        return Self(description, json: { $0.map(form.json) ?? .null }) { text, reading in
            // The outer optional is nil only for a fault.
            text.isNull ? .some(nil) : form.read(text, &reading).map { .some($0) }
        }
    }

    /// Returns the form of a text of 1 to `limit` bytes.
    package static func text(upTo limit: Int, _ format: ConfigurationFormat<Value>) -> Self {
        let description = ConfigurationDescription(
            schema: ConfigurationForm<String>.text(upTo: limit).description.schema + format.schema,
            words: "text \(limit): \(format.words)", requirements: [format.requirement])
        return Self(description) { text throws(JSONFault) in
            guard let value = format.parse(try text.string(upTo: limit)) else {
                throw text.wrong(format.requirement)
            }
            return value
        }
    }
}

extension ConfigurationForm where Value == Bool {
    /// The form of `true` or `false`.
    package static var boolean: Self {
        Self(.init(schema: [("type", "boolean")], words: "`true` or `false`"), json: JSONValue.boolean) {
            text throws(JSONFault) in try text.boolean()
        }
    }
}

extension ConfigurationForm where Value: BinaryInteger {
    /// Returns the form of a whole number.
    ///
    /// - Parameter unit: the unit for the reference, such as `seconds`. Nil for a plain number.
    package static func whole(_ range: ClosedRange<Int>, unit: String? = nil) -> Self {
        let (least, most) = (Int64(range.lowerBound), Int64(range.upperBound))
        let description = ConfigurationDescription(
            schema: [("type", "integer"), ("minimum", .integer(least)), ("maximum", .integer(most))],
            words: "whole \(least)–\(most)\(unit.map { ", \($0)" } ?? "")")
        return Self(description, json: { .integer(Int64($0)) }) { text throws(JSONFault) in
            Value(try text.integer(in: least...most))
        }
    }

    /// Returns the form of a whole number that is one of several.
    package static func whole(oneOf numbers: [Value]) -> Self {
        let written = numbers.map { JSONValue.integer(Int64($0)) }
        let requirement = "must be one of \(numbers.map(\.description).joined(separator: ", "))"
        let description = ConfigurationDescription(
            schema: [("type", "integer"), ("enum", .array(written))],
            words: "one of \(numbers.map { "`\($0)`" }.joined(separator: ", "))")
        return Self(description, json: { .integer(Int64($0)) }) { text throws(JSONFault) in
            let number = try? text.integer(in: .min ... .max)
            guard let number = number.flatMap(Value.init(exactly:)), numbers.contains(number) else {
                throw text.wrong(requirement)
            }
            return number
        }
    }
}

extension ConfigurationForm where Value == Duration {
    /// Returns the form of a duration, which is a number of whole seconds in the file.
    package static func seconds(_ range: ClosedRange<Int>) -> Self {
        let number = ConfigurationForm<Int>.whole(range, unit: "seconds")
        return number.map(json: { .integer($0.components.seconds) }) { seconds, _, _ in .seconds(seconds) }
    }

    /// Returns the form of a duration, which is a whole number of milliseconds in the file.
    package static func milliseconds(_ range: ClosedRange<Int>) -> Self {
        let number = ConfigurationForm<Int>.whole(range, unit: "milliseconds")
        return number.map(json: { .integer(Int64($0 / .milliseconds(1))) }) { milliseconds, _, _ in
            .milliseconds(milliseconds)
        }
    }
}

extension ConfigurationForm where Value == String {
    /// Returns the form of any text of 1 to `limit` bytes.
    package static func text(upTo limit: Int) -> Self {
        let description = ConfigurationDescription(
            schema: [("type", "string"), ("minLength", .integer(1)), ("maxLength", .integer(Int64(limit)))],
            words: "text \(limit)")
        return Self(description, json: JSONValue.string) { text throws(JSONFault) in
            try text.string(upTo: limit)
        }
    }

    /// The form of a path. The reference calls it `path`, without its length.
    package static var path: Self {
        let form = path(upTo: JSONText.longestPath)
        return Self(.init(schema: form.description.schema, words: "path"), json: form.json, read: form.read)
    }

    /// Returns the form of a path of at most `limit` bytes.
    package static func path(upTo limit: Int) -> Self {
        // `map` adds the closure that writes a default. A form of `text(upTo:_:)` has no such closure.
        text(upTo: limit, TextFormat.path).map(json: JSONValue.string) { path, _, _ in path }
    }
}

extension ConfigurationForm {
    /// Returns the form of a value that is written in the file as one of several words.
    ///
    /// - Parameter requirement: the text of the fault for any other word. Nil for a text that lists the
    ///   words.
    package static func words(_ values: [(word: String, value: Value)], requirement: String? = nil) -> Self
    where Value: Equatable {
        let words = values.map(\.word)
        let description = ConfigurationDescription(
            schema: [("enum", .array(words.map(JSONValue.string)))],
            words: "word: \(words.map { "`\($0)`" }.joined(separator: ", "))")
        let named = "must be one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
        return Self(
            description, json: { value in JSONValue(values.first { $0.value == value }?.word) },
            parse: { text throws(JSONFault) in
                let word = try? text.string()
                guard let known = values.first(where: { $0.word == word }) else {
                    throw text.wrong(requirement ?? named)
                }
                return known.value
            })
    }

    /// Returns the form of an enumeration whose raw values are the words.
    package static func word(of _: Value.Type = Value.self) -> Self
    where Value: RawRepresentable & CaseIterable & Equatable, Value.RawValue == String {
        .words(Value.allCases.map { (word: $0.rawValue, value: $0) })
    }
}
