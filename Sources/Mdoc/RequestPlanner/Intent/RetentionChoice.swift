/// What a place keeps of an answer. `intentToRetain` follows from it alone, so that the notice to the holder, the
/// storage and the purge all depend on one choice. Only an app of the library for apps chooses claim by claim.
package enum RetentionChoice: String, CaseIterable, Sendable {
    case none
    /// A receipt without personal data.
    case receipt
    /// The answers about age and the document's number.
    case ageAndIDNumber = "age+id-number"
    /// What was asked, once the holder has agreed; portraits stay in memory all the same.
    case consented

    func keeps(_ claim: Claim) -> Bool {
        switch self {
        case .none, .receipt: false
        case .ageAndIDNumber: claim.years != nil || claim.isDocumentNumber
        case .consented: !claim.isPortrait
        }
    }
}
