/// Why an intent is not one, or is not asked.
package enum RequestPlannerError: Error, Equatable, Sendable {
    /// The text has more bytes than are read.
    case textTooLong(limit: Int)
    /// These words are none of the intent's.
    case notUnderstood(String)
    /// Nothing is asked, or no document is named.
    case nothingAsked
    case claimTwice(Claim)
    /// Two of the documents are of this type.
    case documentTwice(docType: String)
    /// An age is not in 0 to 99.
    case ageOutOfRange(Int)
    /// It asks for more than it needs.
    case overAsking(RequestRule, Claim)
    /// A document that was named cannot answer this.
    case documentLacks(Claim, docType: String)
}

/// The rules against asking too much, by the names they are refused with.
package enum RequestRule: String, CaseIterable, Sendable {
    /// A birth date, birth year or age in years where an attestation answers.
    case attestationAnswersAge = "age.attestation_answers"
    /// At most two ages in one request (ISO/IEC 18013-5 7.2.5).
    case twoAgesAtMost = "age.two_at_most"
    /// A portrait that nobody will compare with a face.
    case portraitNobodyCompares = "portrait.nobody_compares"
    /// More than the purpose needs.
    case notNeededForPurpose = "purpose.not_needed"
    /// Templates that machines compare.
    case biometricTemplate = "element.biometric_template"
}
