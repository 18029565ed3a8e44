internal import MdocModel

// Faults in elements and items. Items are edited all alike, so that a fault shows in any of them that is returned.
extension IssuerFault {
    /// Before anything is signed: the elements themselves.
    func edit(_ document: inout TestDocument, issuedAt now: Timestamp) {
        switch self {
        case .countryDiffers: document["issuing_country"] = "XX"
        case .dateUntaggedInElement: document["issue_date"] = .text("\(now.dayInUTC.previousYear)")
        case .issuedAfterValidFrom: document["issue_date"] = .fullDate("\(now.dayInUTC)")
        case .jurisdictionDiffers: document["issuing_jurisdiction"] = "UT-XX"
        default: break
        }
    }

    /// Before the digest is taken: the IssuerSignedItemBytes.
    func edit(item: inout CBORDraft) {
        switch self {
        case .keyTwiceInItem:
            item.content.members.append(CBORDraft.Member(key: "elementValue", value: "another"))
        case .indefiniteItem: item.content = .indefiniteMap(item.content.members)
        case .longerHeadInItem:
            if case .integer(let digestID)? = item.content["digestID"] {
                item.content["digestID"] = .wideUnsigned(UInt16(truncatingIfNeeded: digestID))
            }
        case .itemUntagged: item = item.content
        case .shortRandom:
            if case .bytes(let random)? = item.content["random"] {
                item.content["random"] = .bytes(Array(random.prefix(12)))
            }
        default: break
        }
    }

    /// After the issuer signed: what the phone makes of an item.
    func edit(issued item: inout CBORDraft) {
        switch self {
        case .valueChanged:
            guard case .text(let identifier)? = item.content["elementIdentifier"] else { return }
            guard identifier.hasPrefix("age_over_") || identifier.hasSuffix("_name") else { return }
            item.content["elementValue"] = item.content["elementValue"]?.otherValue
        case .portraitChanged:
            guard case .text("portrait")? = item.content["elementIdentifier"] else { return }
            item.content["elementValue"] = item.content["elementValue"]?.otherValue
        case .wrongDigestID:
            if case .integer(let digestID)? = item.content["digestID"] {
                item.content["digestID"] = .integer(digestID ^ 1)
            }
        default: break
        }
    }
}

extension CBORDraft {
    /// A value of the same type that is another one; a byte string with its last bit flipped.
    fileprivate var otherValue: CBORDraft {
        switch self {
        case .boolean(let value): .boolean(!value)
        case .text(let value): .text(value + "x")
        case .bytes(let value): .bytes(value.dropLast() + value.suffix(1).map { $0 ^ 1 })
        default: .null
        }
    }
}

extension FullDate {
    fileprivate var previousYear: FullDate { FullDate(year: year - 1, month: month, day: 1) ?? self }
}
