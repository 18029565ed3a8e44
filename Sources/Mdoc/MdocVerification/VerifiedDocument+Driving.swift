internal import CBOR
package import MdocModel

extension VerifiedDocument {
    /// Whether the holder may drive this on `day`, the day where the vehicle is handed over. Only what the issuer
    /// signed counts. A privilege without an expiry date is valid as long as the document.
    ///
    /// Both elements are needed for a yes, since either could refute: the document's `expiry_date` also where the
    /// privilege has a separate expiry date. Either of them is enough for a no. An entry that cannot be read leaves the
    /// others as they are (Q228): see `UnreadableGrants`.
    package func mayDrive(_ vehicle: DrivingClass, on day: FullDate) -> DrivingAnswer {
        let documentDate = isInDate(on: day)
        let answer = answerOfReadableGrants(vehicle, on: day, documentDate)
        guard let value = issuerSigned(vehicle.element) else { return answer }
        let limited = UnreadableGrants(of: vehicle, in: value).applied(to: answer)
        if case .cannotTell = limited, let refusal = documentDate.refusal { return refusal }
        return limited
    }

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
        guard let best = current.min(by: { $0.restrictions.count < $1.restrictions.count }) else {
            return .no(Self.refusal(of: granted, on: day))
        }
        switch documentDate {
        case .yes(let last):
            return .yes(until: min(best.until ?? last, last), restrictions: best.restrictions)
        case .no(let last): return .no(.documentExpired(on: last))
        case .cannotTell(.notReturned): return .cannotTell(.expiryDateNotReturned)
        case .cannotTell(.malformed): return .cannotTell(.malformed)
        }
    }

    /// Why none of these covers the day.
    private static func refusal(of granted: [Grant], on day: FullDate) -> DrivingAnswer.DrivingRefusal {
        let past = granted.filter { $0.hasBegun(by: day) }.compactMap(\.until)
        if let last = past.max() { return .expired(on: last) }
        return .notYet(from: granted.compactMap(\.from).min() ?? day)
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

    /// Whether it has begun by the day and has not ended before it.
    func covers(_ day: FullDate) -> Bool { hasBegun(by: day) && until.map { day <= $0 } ?? true }

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

extension InDateAnswer {
    /// Why nothing may be driven with the document, whatever it grants; nil if its date does not refuse it.
    fileprivate var refusal: DrivingAnswer? {
        if case .no(let last) = self { .no(.documentExpired(on: last)) } else { nil }
    }
}

extension DrivingClass {
    /// The element that grants it.
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
