package import CBOR
internal import ErrorMapping
internal import JSON

/// An entry of `driving_privileges` (ISO/IEC 18013-5 7.2.4): a vehicle category with its dates and
/// conditions.
package struct DrivingPrivilege: Hashable, Sendable {
    package let vehicleCategoryCode: String
    package let issueDate: DateText?
    package let expiryDate: DateText?
    /// The conditions and restrictions (ISO/IEC 18013-2, Annex A).
    package let codes: [DrivingRestriction]

    /// Returns the entries of the element's value.
    ///
    /// - Throws: an error if any entry cannot be read.
    package static func list(_ item: CBORItem) throws(MdocModelError) -> [DrivingPrivilege] {
        try item.entries(of: .drivingPrivileges) { entry throws(MdocModelError) in try DrivingPrivilege(entry)
        }
    }

    /// Returns the entries of the element's value, each read independently (Q228).
    package static func entries(_ item: CBORItem) throws(MdocModelError) -> [PrivilegeEntry<DrivingPrivilege>]
    {
        try item.entries(of: .drivingPrivileges) { entry throws(MdocModelError) in
            do throws(MdocModelError) {
                return .readable(try DrivingPrivilege(entry))
            } catch {
                // The category of an unreadable entry is returned if it can be read.
                return .unreadable(code: try? entry.map()["vehicle_category_code"]?.code())
            }
        }
    }

    private init(_ entry: CBORItem) throws(MdocModelError) {
        let map = try mapping(entry.map(), MdocStructure.drivingPrivileges.malformed)
        vehicleCategoryCode = try mapping(
            map.required("vehicle_category_code", in: entry).code(),
            MdocStructure.drivingPrivileges.malformed)
        issueDate = try map.date("issue_date")
        expiryDate = try map.date("expiry_date")
        // An unreadable condition makes the entry unreadable, since it may limit the category.
        codes =
            try map["codes"]?.entries(of: .drivingPrivileges) { code throws(MdocModelError) in
                try DrivingRestriction(iso: code)
            } ?? []
    }
}

/// An entry of a list of privileges: the privilege, or the code of an entry that cannot be read.
package enum PrivilegeEntry<Privilege: Sendable>: Sendable {
    case readable(Privilege)
    /// The entry cannot be read. `code` is its category or class, or nil if that cannot be read either.
    case unreadable(code: String?)
}

/// An entry of AAMVA's `domestic_driving_privileges`: a vehicle class of a state, or conditions that hold for
/// all classes.
package struct DomesticDrivingPrivilege: Hashable, Sendable {
    /// The vehicle class. Nil if the entry names none.
    package let vehicleClass: VehicleClass?
    package let restrictions: [DrivingRestriction]
    package let endorsements: [DrivingRestriction]

    package struct VehicleClass: Hashable, Sendable {
        package let code: String
        package let description: String?
        package let issueDate: DateText?
        package let expiryDate: DateText?
    }

    /// Returns the entries of the element's value.
    ///
    /// - Throws: an error if any entry cannot be read.
    package static func list(_ item: CBORItem) throws(MdocModelError) -> [DomesticDrivingPrivilege] {
        try item.entries(of: .domesticDrivingPrivileges) { entry throws(MdocModelError) in
            try DomesticDrivingPrivilege(entry)
        }
    }

    /// Returns the entries of the element's value, each read independently (Q228).
    package static func entries(
        _ item: CBORItem
    ) throws(MdocModelError) -> [PrivilegeEntry<DomesticDrivingPrivilege>] {
        try item.entries(of: .domesticDrivingPrivileges) { entry throws(MdocModelError) in
            do throws(MdocModelError) {
                return .readable(try DomesticDrivingPrivilege(entry))
            } catch {
                // The class code of an unreadable entry is returned if it can be read.
                let vehicle = try? entry.map()["domestic_vehicle_class"]?.map()
                return .unreadable(code: try? vehicle?["domestic_vehicle_class_code"]?.code())
            }
        }
    }

    private init(_ entry: CBORItem) throws(MdocModelError) {
        let map = try mapping(entry.map(), MdocStructure.domesticDrivingPrivileges.malformed)
        vehicleClass = try map["domestic_vehicle_class"].map { item throws(MdocModelError) in
            try VehicleClass(item)
        }
        // A restriction may limit the class, so an unreadable restriction makes the entry unreadable.
        // Therefore null is an error.
        restrictions =
            try map["domestic_vehicle_restrictions"]?.described(
                code: "domestic_vehicle_restriction_code", "domestic_vehicle_restriction_description") ?? []
        // An endorsement limits nothing, so null counts as absent here.
        endorsements =
            try map.optional("domestic_vehicle_endorsements")?.described(
                code: "domestic_vehicle_endorsement_code", "domestic_vehicle_endorsement_description") ?? []
    }
}

/// A condition on driving: its code, and its value or description.
package struct DrivingRestriction: Hashable, Sendable {
    package let code: String?
    /// The comparison sign that stands before `value`, such as `<=`. Nil in AAMVA's elements.
    package let sign: String?
    /// The value of an ISO code, or AAMVA's description.
    package let value: String?

    /// The sign and the value in one text. Nil if there is neither.
    package var detail: String? {
        let parts = [sign, value].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    fileprivate init(code: String?, description: String?) {
        self.code = code
        sign = nil
        value = description
    }

    /// Reads a condition of `driving_privileges`.
    fileprivate init(iso item: CBORItem) throws(MdocModelError) {
        do throws(CBORError) {
            let map = try item.map()
            code = try map.required("code", in: item).code()
            sign = try map["sign"]?.name()
            value = try map["value"]?.nameOrNumber()
        } catch {
            throw .malformed(.drivingPrivileges, error)
        }
    }
}

extension DomesticDrivingPrivilege.VehicleClass {
    fileprivate init(_ item: CBORItem) throws(MdocModelError) {
        let map = try mapping(item.map(), MdocStructure.domesticDrivingPrivileges.malformed)
        do throws(CBORError) {
            code = try map.required("domestic_vehicle_class_code", in: item).code()
            description = try map.optional("domestic_vehicle_class_description")?.name()
        } catch {
            throw .malformed(.domesticDrivingPrivileges, error)
        }
        issueDate = try map.date("issue_date")
        expiryDate = try map.date("expiry_date")
    }
}

/// The maximum number of entries of a list of privileges. Licences have a few.
private let maximumEntries = 128

extension CBORItem {
    /// Reads each entry of a list of at most `maximumEntries`.
    fileprivate func entries<Entry>(
        of structure: MdocStructure, _ read: (CBORItem) throws(MdocModelError) -> Entry
    ) throws(MdocModelError) -> [Entry] {
        let list = try mapping(array(), structure.malformed)
        var entries: [Entry] = []
        for entry in list {
            guard entries.count < maximumEntries else {
                throw .malformed(structure, .tooMany(limit: maximumEntries))
            }
            entries.append(try read(entry))
        }
        return entries
    }

    /// Returns the value of a condition as a text. The encoded value is a text or an integer.
    fileprivate func nameOrNumber() throws(CBORError) -> String {
        if let digits = decimalInteger { return digits }
        return try name()
    }

    /// Reads AAMVA's restrictions or endorsements: a list of maps that have a code and a description under
    /// these keys.
    fileprivate func described(
        code: StaticString, _ description: StaticString
    ) throws(MdocModelError) -> [DrivingRestriction] {
        try entries(of: .domesticDrivingPrivileges) { entry throws(MdocModelError) in
            let map = try mapping(entry.map(), MdocStructure.domesticDrivingPrivileges.malformed)
            return try mapping(
                // A null code is an error, because the condition would otherwise be lost. A null description
                // counts as absent.
                DrivingRestriction(code: map[code]?.name(), description: map.optional(description)?.name()),
                MdocStructure.domesticDrivingPrivileges.malformed)
        }
    }
}

extension CBORMap {
    /// Returns the date of an optional member. Null is an error, because a privilege with a time limit would
    /// otherwise seem to have no limit (Q245).
    fileprivate func date(_ key: StaticString) throws(MdocModelError) -> DateText? {
        try self[key].map { item throws(MdocModelError) in try DateText(item) }
    }
}

extension DrivingPrivilege: RedactedDescription {}
extension DomesticDrivingPrivilege: RedactedDescription {}
extension DrivingRestriction: RedactedDescription {}

extension DrivingRestriction {
    /// The code, the comparison and the value in one text that is safe to print.
    package var text: String {
        let parts = [code, detail].compactMap(\.self).map { Terminal.safe($0, limit: 80) }
        return parts.isEmpty ? "without a code" : parts.joined(separator: " ")
    }
}
