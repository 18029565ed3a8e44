internal import CBOR
package import MdocModel

extension VerifiedDocument {
    /// Whether the holder may drive this on `day`, the day where the vehicle is handed over. Only what the issuer
    /// signed counts. A privilege without an expiry date is valid as long as the document.
    ///
    /// An entry that cannot be read leaves the others as they are (Q228): see `UnreadableGrants`.
    package func mayDrive(_ vehicle: DrivingClass, on day: FullDate) -> DrivingAnswer {
        let answer = answerOfReadableGrants(vehicle, on: day)
        guard let value = issuerSigned(vehicle.element) else { return answer }
        return UnreadableGrants(of: vehicle, in: value).applied(to: answer)
    }

    private func answerOfReadableGrants(_ vehicle: DrivingClass, on day: FullDate) -> DrivingAnswer {
        guard let value = issuerSigned(vehicle.element) else { return .cannotTell(.notReturned) }
        let granted: [Grant]
        let documentExpiry: FullDate?
        do throws(MdocModelError) {
            granted = try Grant.list(of: vehicle, in: value)
            documentExpiry = try issuerSigned(.mDL("expiry_date")).map { item throws(MdocModelError) in
                try DateText(item).day
            }
        } catch {
            return .cannotTell(.malformed)
        }
        guard !granted.isEmpty else { return .no(.notGranted) }
        if let documentExpiry, documentExpiry < day { return .no(.documentExpired(on: documentExpiry)) }
        return Self.answer(granted, documentExpiry: documentExpiry, on: day)
    }

    /// The grant with the fewest restrictions among those in date; else why none is.
    private static func answer(
        _ granted: [Grant], documentExpiry: FullDate?, on day: FullDate
    ) -> DrivingAnswer {
        var best: (until: FullDate, restrictions: [DrivingRestriction])?
        var isAnyUnlimited = false
        for grant in granted where grant.hasBegun(by: day) {
            guard let until = grant.until ?? documentExpiry else {
                isAnyUnlimited = true
                continue
            }
            guard day <= until, grant.restrictions.count < best?.restrictions.count ?? .max else { continue }
            best = (min(until, documentExpiry ?? until), grant.restrictions)
        }
        if let best { return .yes(until: best.until, restrictions: best.restrictions) }
        if isAnyUnlimited { return .cannotTell(.noExpiryDate) }
        let past = granted.filter { $0.hasBegun(by: day) }.compactMap(\.until)
        if let last = past.max() { return .no(.expired(on: last)) }
        return .no(.notYet(from: granted.compactMap(\.from).min() ?? day))
    }

    func issuerSigned(_ name: ElementName) -> CBORItem? {
        elements.first { $0.name == name && $0.signedBy == .issuer }?.value
    }
}

/// A category or class as granted.
private struct Grant {
    /// Nil if no day is said: always so far.
    let from: FullDate?
    let until: FullDate?
    let restrictions: [DrivingRestriction]

    init(_ issueDate: DateText?, _ expiryDate: DateText?, _ restrictions: [DrivingRestriction]) {
        from = issueDate?.day
        until = expiryDate?.day
        self.restrictions = restrictions
    }

    func hasBegun(by day: FullDate) -> Bool { from.map { $0 <= day } ?? true }

    static func list(
        of vehicle: DrivingClass, in value: CBORItem
    ) throws(MdocModelError) -> [Grant] {
        switch vehicle {
        case .category(let code):
            let entries = try DrivingPrivilege.entries(value).compactMap(\.privilege)
            return entries.filter { $0.vehicleCategoryCode == code }.map {
                Grant($0.issueDate, $0.expiryDate, $0.codes)
            }
        case .domesticClass(let code):
            let entries = try DomesticDrivingPrivilege.entries(value).compactMap(\.privilege)
            // Restrictions without a class hold for every class.
            let general = entries.filter { $0.vehicleClass == nil }.flatMap(\.restrictions)
            return entries.compactMap { entry in
                guard let vehicle = entry.vehicleClass, vehicle.code == code else { return nil }
                return Grant(vehicle.issueDate, vehicle.expiryDate, entry.restrictions + general)
            }
        }
    }
}

/// The effect of entries that cannot be read: each may grant or limit what it may be about, and nothing else.
private struct UnreadableGrants {
    /// Whether one of them may grant the vehicle.
    private var mayGrant = false
    /// Whether one of them may have restrictions that hold for every class.
    private var mayLimit = false

    init(of vehicle: DrivingClass, in value: CBORItem) {
        switch vehicle {
        case .category(let code):
            for case .unreadable(let other) in (try? DrivingPrivilege.entries(value)) ?? [] {
                mayGrant = mayGrant || other ?? code == code
            }
        case .domesticClass(let code):
            for case .unreadable(let other) in (try? DomesticDrivingPrivilege.entries(value)) ?? [] {
                mayGrant = mayGrant || other ?? code == code
                mayLimit = mayLimit || other == nil
            }
        }
    }

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

extension DrivingClass {
    fileprivate var element: ElementName {
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
