internal import CBOR
package import MdocModel

extension VerifiedDocument {
    /// Whether the holder may drive a vehicle of this class on `day`.
    ///
    /// - Only issuer-signed elements count.
    /// - A yes needs both the privileges and the document's `expiry_date`, since each could be the reason for
    ///   a no (Q221). For a no, one of the two is enough.
    /// - A privilege without an expiry date is valid as long as the document.
    /// - An unreadable entry does not make the other entries unreadable (Q228). See `UnreadableGrants`.
    ///
    /// - Parameter day: The day at the place where the vehicle is handed over.
    package func mayDrive(_ vehicle: DrivingClass, on day: FullDate) -> DrivingAnswer {
        let documentDate = isInDate(on: day)
        let answer = answerOfReadableGrants(vehicle, on: day, documentDate)
        guard let value = issuerSigned(vehicle.element) else { return answer }
        let limited = UnreadableGrants(of: vehicle, in: value).applied(to: answer)
        // If the document has expired, the answer is no for every vehicle. Unreadable entries cannot change
        // that.
        if case .cannotTell = limited, let refusal = documentDate.refusal { return refusal }
        return limited
    }

    /// Returns the answer from the readable entries, as if there were no unreadable entries.
    private func answerOfReadableGrants(
        _ vehicle: DrivingClass, on day: FullDate, _ documentDate: InDateAnswer
    ) -> DrivingAnswer {
        let granted: [Grant]
        do throws(MdocModelError) {
            guard let value = issuerSigned(vehicle.element) else {
                return documentDate.refusal ?? .cannotTell(.notReturned)
            }
            granted = try Grant.list(of: vehicle, in: value)
        } catch {
            return documentDate.refusal ?? .cannotTell(.malformed)
        }
        guard !granted.isEmpty else { return .no(.notGranted) }
        if let refusal = documentDate.refusal { return refusal }
        let current = granted.filter { $0.covers(day) }
        // A single valid entry is enough to drive, so the entry with the fewest restrictions is used.
        guard let best = current.min(by: { $0.restrictions.count < $1.restrictions.count }) else {
            return .no(Self.refusal(of: granted, on: day))
        }
        switch documentDate {
        case .yes(let last):
            return .yes(until: min(best.until ?? last, last), restrictions: best.restrictions)
        // Not reached, because `refusal` has answered above.
        case .no(let last): return .no(.documentExpired(on: last))
        case .cannotTell(.notReturned): return .cannotTell(.expiryDateNotReturned)
        case .cannotTell(.malformed): return .cannotTell(.malformed)
        }
    }

    /// Returns the reason that none of these grants covers the day.
    private static func refusal(of granted: [Grant], on day: FullDate) -> DrivingAnswer.DrivingRefusal {
        let past = granted.filter { $0.hasBegun(by: day) }.compactMap(\.until)
        if let last = past.max() { return .expired(on: last) }
        // No grant has begun, so each has a first day, and the default is not used.
        return .notYet(from: granted.compactMap(\.from).min() ?? day)
    }

    /// Returns the value of the issuer-signed element `name`; `nil` if it was not returned.
    func issuerSigned(_ name: ElementName) -> CBORItem? {
        elements.first { $0.name == name && $0.signedBy == .issuer }?.value
    }
}

/// An entry of the driving privileges that allows a vehicle category or class, with its days and
/// restrictions.
private struct Grant {
    /// The first day, or `nil` if the entry has no start.
    let from: FullDate?
    /// The last day, or `nil` if the entry has no end.
    let until: FullDate?
    let restrictions: [DrivingRestriction]

    init(issued issueDate: DateText?, expires expiryDate: DateText?, restrictions: [DrivingRestriction]) {
        from = issueDate?.day
        until = expiryDate?.day
        self.restrictions = restrictions
    }

    func hasBegun(by day: FullDate) -> Bool { from.map { $0 <= day } ?? true }

    /// Whether the grant is valid on `day`.
    func covers(_ day: FullDate) -> Bool { hasBegun(by: day) && until.map { day <= $0 } ?? true }

    /// Returns the readable entries that grant the vehicle.
    static func list(
        of vehicle: DrivingClass, in value: CBORItem
    ) throws(MdocModelError) -> [Grant] {
        switch vehicle {
        case .category(let code):
            let entries = try DrivingPrivilege.entries(value).compactMap(\.privilege)
            return entries.filter { $0.vehicleCategoryCode == code }.map {
                Grant(issued: $0.issueDate, expires: $0.expiryDate, restrictions: $0.codes)
            }
        case .domesticClass(let code):
            let entries = try DomesticDrivingPrivilege.entries(value).compactMap(\.privilege)
            // Restrictions of an entry without a class hold for every class (AAMVA).
            let general = entries.filter { $0.vehicleClass == nil }.flatMap(\.restrictions)
            return entries.compactMap { entry in
                guard let vehicle = entry.vehicleClass, vehicle.code == code else { return nil }
                return Grant(
                    issued: vehicle.issueDate, expires: vehicle.expiryDate,
                    restrictions: entry.restrictions + general)
            }
        }
    }
}

/// The effect of unreadable entries on an answer.
///
/// An unreadable entry whose vehicle code can be read concerns only that vehicle. An unreadable entry without
/// a readable code may concern any vehicle (Q228).
private struct UnreadableGrants {
    /// Whether an unreadable entry may grant the vehicle.
    private var mayGrant = false
    /// Whether an unreadable entry may have restrictions for every class.
    private var mayLimit = false

    /// Collects the unreadable entries in `value`, the driving privileges.
    init(of vehicle: DrivingClass, in value: CBORItem) {
        switch vehicle {
        case .category(let code):
            for case .unreadable(let unreadableCode) in (try? DrivingPrivilege.entries(value)) ?? [] {
                // An unreadable entry may grant this vehicle if it has this code or no readable code.
                mayGrant = mayGrant || (unreadableCode ?? code) == code
            }
        case .domesticClass(let code):
            for case .unreadable(let unreadableCode) in (try? DomesticDrivingPrivilege.entries(value)) ?? [] {
                // An unreadable entry may grant this class if it has this code or no readable code. Without a
                // readable code it may also limit all classes.
                mayGrant = mayGrant || (unreadableCode ?? code) == code
                mayLimit = mayLimit || unreadableCode == nil
            }
        }
    }

    /// Turns `answer` into "cannot tell" if an unreadable entry could change it.
    func applied(to answer: DrivingAnswer) -> DrivingAnswer {
        switch answer {
        case .yes where mayLimit: .cannotTell(.malformed)
        case .no(.notGranted) where mayGrant, .no(.notYet) where mayGrant, .no(.expired) where mayGrant:
            .cannotTell(.malformed)
        default: answer
        }
    }
}

extension PrivilegeEntry {
    fileprivate var privilege: Privilege? {
        if case .readable(let privilege) = self { privilege } else { nil }
    }
}

extension InDateAnswer {
    /// The refusal of every vehicle because the document has expired; `nil` if it is not known to have
    /// expired.
    fileprivate var refusal: DrivingAnswer? {
        if case .no(let last) = self { .no(.documentExpired(on: last)) } else { nil }
    }
}

extension DrivingClass {
    /// The element with the driving privileges for vehicles of this kind.
    package var element: ElementName {
        switch self {
        case .category: .mDL("driving_privileges")
        case .domesticClass:
            ElementName(
                nameSpace: "org.iso.18013.5.1.aamva", identifier: "domestic_driving_privileges")
        }
    }
}

extension ElementName {
    fileprivate static func mDL(_ identifier: String) -> ElementName {
        ElementName(nameSpace: "org.iso.18013.5.1", identifier: identifier)
    }
}
