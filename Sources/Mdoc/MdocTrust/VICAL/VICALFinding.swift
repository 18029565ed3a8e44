internal import JSON
package import PKIX

/// A remark on a VICAL or on one of its entries.
package enum VICALFinding: Equatable, Sendable {
    /// The list has no entry at all.
    case listEmpty
    /// The entry has no certificate that can be read, and is left out.
    case entryLeftOut(index: Int, VICALEntryFault)
    /// The certificate is used without this member, or with what can be made of it (Q232).
    case memberWrong(VICALEntryMember, VICALMemberFault, index: Int, subject: String)
    /// The entry names no document type.
    case withoutDocTypes(subject: String)
    /// The certificate occurs in the list more than once; what the entries allow is combined.
    case entryTwice(subject: String)
}

/// Why an entry of a VICAL is left out.
package enum VICALEntryFault: Error, Equatable, Sendable {
    /// It is not a map.
    case notAMap
    case certificateMissing
    /// `certificate` is not a byte string.
    case certificateWrongType
    case certificateUnreadable(PKIXError)
}

/// The members beside the certificate that are read.
package enum VICALEntryMember: String, Sendable {
    case serialNumber, ski, docType
}

/// The fault of a member of an entry.
package enum VICALMemberFault: Equatable, Sendable {
    /// It has another type than the list's format says.
    case wrongType
    /// It has another value than the certificate.
    case differs
    /// It is there twice, under names that differ in the case of letters.
    case twice
}

extension VICALFinding {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .listEmpty: "the list names no root"
        case .entryLeftOut(let index, let fault): "entry \(index) is left out: \(fault.explanation)"
        case .memberWrong(let member, let fault, let index, let subject):
            "entry \(index), \(Terminal.safe(subject)): \(member.rawValue) \(fault.explanation); "
                + (member == .docType
                    ? "the certificate is trusted for the types that can be read"
                    : "the certificate is used all the same")
        case .withoutDocTypes(let subject):
            "\(Terminal.safe(subject)) is listed without document types, so it is trusted for none"
        case .entryTwice(let subject): "\(Terminal.safe(subject)) is listed twice"
        }
    }
}

extension VICALEntryFault {
    fileprivate var explanation: String {
        switch self {
        case .notAMap: "it is not a map"
        case .certificateMissing: "it has no certificate"
        case .certificateWrongType: "its certificate is not a byte string"
        case .certificateUnreadable(let error): "its certificate cannot be read: \(error.explanation)"
        }
    }
}

extension VICALMemberFault {
    fileprivate var explanation: String {
        switch self {
        case .wrongType: "has the wrong CBOR type"
        case .differs: "differs from the certificate's"
        case .twice: "occurs twice"
        }
    }
}
