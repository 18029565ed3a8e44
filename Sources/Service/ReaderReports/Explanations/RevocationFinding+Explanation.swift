package import MdocTrust

extension RevokedCause {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .signerRevoked: "the issuer has revoked the document signer's certificate"
        case .signerOnHold: "the issuer holds the document signer's certificate back for now"
        case .documentRevoked: "the issuer has revoked the document"
        case .documentSuspended: "the issuer has suspended the document for now"
        }
    }
}

extension UndeterminedCause {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .notChecked: "no list was asked, since the document is not believed"
        case .nothingPublished: "the issuer publishes nothing about it"
        case .referenceUnreadable: "where the issuer publishes it cannot be read"
        case .listAbsent: "the issuer's list is not at hand"
        case .listStale(let overdue): "the issuer's list at hand is out of date by \(overdue / 3600) hours"
        case .listNotYetValid: "the issuer's list at hand is from the future"
        case .listMisshapen: "the issuer's list at hand is cut off, or is none"
        case .listSignerWrong: "nobody who may sign the issuer's list at hand did"
        case .listSignerInvalid: "the signer of the issuer's list at hand is not valid now"
        case .listSubjectWrong: "the list at hand is another than the document points to"
        case .indexOutOfRange: "the issuer's list has no place for the document"
        case .statusNotDefined: "the issuer's list has a status whose meaning only the issuer knows"
        }
    }
}
