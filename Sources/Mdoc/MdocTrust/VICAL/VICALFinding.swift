internal import JSON
package import PKIX

/// A remark on a VICAL or on one of its entries.
package enum VICALFinding: Equatable, Sendable {
    /// The list has no entry.
    case listEmpty
    /// The entry is left out, because its certificate is missing or cannot be read.
    case entryLeftOut(index: Int, VICALEntryFault)
    /// The certificate is used although this member is wrong (Q232).
    case memberWrong(VICALEntryMember, VICALMemberFault, index: Int, subject: String)
    /// The entry names no document type, so its certificate is trusted for no document (Q175).
    case withoutDocTypes(subject: String)
    /// The list has the certificate more than once; the document types of its entries are combined.
    case entryTwice(subject: String)
}

/// The reason that an entry of a VICAL is left out.
package enum VICALEntryFault: Error, Equatable, Sendable {
    /// The entry is not a map.
    case notAMap
    case certificateMissing
    /// The member `certificate` is not a byte string.
    case certificateWrongType
    case certificateUnreadable(PKIXError)
}

/// The members of an entry that are read in addition to the certificate.
package enum VICALEntryMember: String, Sendable {
    case serialNumber, ski, docType
}

/// The fault of a member of an entry.
package enum VICALMemberFault: Equatable, Sendable {
    /// The member has another CBOR type than the standard requires.
    case wrongType
    /// The member differs from the certificate.
    case differs
    /// The entry has the member twice, with names that differ only in case.
    case twice
}

extension VICALFinding {
    /// The finding in words, for messages to users.
    package var explanation: String {
        switch self {
        case .listEmpty: "the VICAL lists no root"
        case .entryLeftOut(let index, let fault): "entry \(index) is left out: \(fault.explanation)"
        case .memberWrong(let member, let fault, let index, let subject):
            "entry \(index), \(Terminal.safe(subject)): \(member.rawValue) \(fault.explanation); "
                + (member == .docType
                    ? "the certificate is trusted for the readable document types of its entry"
                    : "the certificate is still used")
        case .withoutDocTypes(let subject):
            "\(Terminal.safe(subject)) is listed without document types, so it is trusted for none"
        case .entryTwice(let subject): "\(Terminal.safe(subject)) is listed twice"
        }
    }
}

extension VICALEntryFault {
    fileprivate var explanation: String {
        switch self {
        case .notAMap: "the entry is not a map"
        case .certificateMissing: "the entry has no certificate"
        case .certificateWrongType: "the entry's certificate is not a byte string"
        case .certificateUnreadable(let error): "the entry's certificate cannot be read: \(error.explanation)"
        }
    }
}

extension VICALMemberFault {
    fileprivate var explanation: String {
        switch self {
        case .wrongType: "has the wrong CBOR type"
        case .differs: "differs from the value in the certificate"
        case .twice: "occurs twice"
        }
    }
}
