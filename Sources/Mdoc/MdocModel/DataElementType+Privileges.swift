internal import CBOR

extension DataElementType {
    /// Compares `driving_privileges` or `domestic_driving_privileges` with its form (ISO/IEC 18013-5 7.2.4): a list of
    /// entries whose dates are `full-date`. An entry that cannot be read leaves the others readable.
    func form(ofPrivileges value: CBORItem, isDomestic: Bool) -> ElementForm {
        guard let list = try? value.array() else {
            return .wrongType(WrongType(expected: self, found: ElementContent(value)))
        }
        let entries = list.map { PrivilegeForm(entry: $0, isDomestic: isDomestic) }
        if entries.allSatisfy({ $0 == .asDefined }) { return .asDefined }
        guard entries.contains(where: { $0 != .unreadable }) else {
            return .wrongType(WrongType(expected: self, found: .malformed))
        }
        return .deviating(entries.contains(.unreadable) ? .entryUnreadable : .dateForm)
    }
}

/// The form of one entry of a list of driving privileges.
private enum PrivilegeForm {
    case asDefined, otherDateForm, unreadable

    init(entry: CBORItem, isDomestic: Bool) {
        guard let map = try? entry.map() else {
            self = .unreadable
            return
        }
        guard isDomestic else {
            self = Self.form(of: map, code: "vehicle_category_code")
            return
        }
        // An entry without a class has restrictions for every class, and no dates.
        guard let vehicleClass = map.optional("domestic_vehicle_class") else {
            self = .asDefined
            return
        }
        self =
            (try? vehicleClass.map()).map { Self.form(of: $0, code: "domestic_vehicle_class_code") }
            ?? .unreadable
    }

    private static func form(of map: CBORMap, code: StaticString) -> PrivilegeForm {
        guard (try? map[code]?.name()) != nil else { return .unreadable }
        var form = asDefined
        for key in ["issue_date", "expiry_date"] as [StaticString] {
            guard let item = map.optional(key) else { continue }
            guard let date = try? DateText(item) else { return .unreadable }
            if case .day = date.value, date.form.isEmpty { continue }
            form = .otherDateForm
        }
        return form
    }
}
