internal import CBOR

extension DataElementType {
    /// Compares the value of `driving_privileges` or `domestic_driving_privileges` with the form in ISO/IEC
    /// 18013-5 7.2.4: a list of entries whose dates are `full-date`. One unreadable entry does not make the
    /// other entries unreadable.
    func form(ofPrivileges value: CBORItem, isDomestic: Bool) -> ElementForm {
        guard ElementContent(value) == .list else {
            return .wrongType(WrongType(expected: self, found: ElementContent(value)))
        }
        let entries: [PrivilegeForm]
        do throws(MdocModelError) {
            entries =
                isDomestic
                ? try DomesticDrivingPrivilege.entries(value).map {
                    // In a domestic privilege, only the vehicle class has dates.
                    PrivilegeForm($0) { $0.vehicleClass?.dates ?? [] }
                }
                : try DrivingPrivilege.entries(value).map { PrivilegeForm($0, dates: \.dates) }
        } catch {
            return .wrongType(WrongType(expected: self, found: .malformed))
        }
        if entries.allSatisfy({ $0 == .asDefined }) { return .asDefined }
        // If no entry can be read, the value is not a list of privileges.
        guard entries.contains(where: { $0 != .unreadable }) else {
            return .wrongType(WrongType(expected: self, found: .malformed))
        }
        return .deviating(entries.contains(.unreadable) ? .entryUnreadable : .dateForm)
    }
}

/// The form of one entry of a list of driving privileges.
private enum PrivilegeForm {
    case asDefined, otherDateForm, unreadable

    /// Compares an entry with the standard. Its `dates` must have the form full-date.
    init<Privilege>(_ entry: PrivilegeEntry<Privilege>, dates: (Privilege) -> [DateText]) {
        switch entry {
        case .unreadable: self = .unreadable
        case .readable(let privilege):
            self = dates(privilege).allSatisfy(\.isFullDate) ? .asDefined : .otherDateForm
        }
    }
}

extension DrivingPrivilege {
    fileprivate var dates: [DateText] { [issueDate, expiryDate].compactMap(\.self) }
}

extension DomesticDrivingPrivilege.VehicleClass {
    fileprivate var dates: [DateText] { [issueDate, expiryDate].compactMap(\.self) }
}

extension DateText {
    /// Whether this text is a `full-date` in the form of the standard.
    fileprivate var isFullDate: Bool {
        if case .day = value { form.isEmpty } else { false }
    }
}
