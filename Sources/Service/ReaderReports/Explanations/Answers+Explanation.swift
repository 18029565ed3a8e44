internal import MdocModel
package import MdocVerification

extension AgeAnswer {
    /// The element that answers, or why none does.
    package var reason: String {
        switch self {
        case .yes(let element), .no(let element): element.text
        case .cannotTell(.noAttestation): "no age attestation came"
        case .cannotTell(.noneApplies): "the age attestations that came say nothing about this age"
        case .cannotTell(.contradictory): "the age attestations contradict one another"
        }
    }
}

extension DrivingAnswer {
    /// Until when and with what restrictions, or why not.
    package var reason: String {
        switch self {
        case .yes(let day, let restrictions):
            (["until \(day)"] + restrictions.map { "restriction \($0.text)" }).joined(separator: ", ")
        case .no(.notGranted): "the document grants other categories or classes"
        case .no(.notYet(let day)): "granted from \(day) on"
        case .no(.expired(let day)): "granted until \(day)"
        case .no(.documentExpired(let day)): "the document expired on \(day)"
        case .cannotTell(.notReturned): "the driving privileges did not come"
        case .cannotTell(.misshapen):
            "the driving privileges, or a date that counts, are not what they should be"
        case .cannotTell(.noExpiryDate): "neither the privilege nor the document says how long it is in date"
        }
    }
}

extension DrivingRestriction {
    fileprivate var text: String {
        let said = [code, detail].compactMap(\.self).map { Terminal.safe($0, limit: 80) }
        return said.isEmpty ? "of no name" : said.joined(separator: " ")
    }
}

extension DrivingClass {
    /// The category, or the class as an intent names it.
    package var text: String {
        switch self {
        case .category(let code): code
        case .domesticClass(let code): "class \(code)"
        }
    }
}
