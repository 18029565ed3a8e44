internal import CBOR
internal import MdocModel

// Faults that the document signer signs: in the mobile security object.
extension IssuerFault {
    func edit(mobileSecurityObject object: inout CBORDraft, issuedAt now: Timestamp) {
        edit(digestsOf: &object)
        edit(deviceKeyInfoOf: &object)
        edit(validityOf: &object, issuedAt: now)
        switch self {
        case .indefiniteMSO: object = .indefiniteMap(object.members)
        case .longerHeadInMSO: object["version"] = .encoded([0x79, 0x00, 0x03] + Array("1.0".utf8))
        case .versionTwo: object["version"] = "2.0"
        case .otherDocType: object["docType"] = "org.example.other"
        case .bytesAfterMSO: object = .encoded(object.encode() + [0])
        default: break
        }
    }

    private func edit(digestsOf object: inout CBORDraft) {
        switch self {
        case .digestFlipped: object.editDigests { [$0[0] ^ 1] + $0.dropFirst() }
        case .digestTruncated: object.editDigests { Array($0.prefix(16)) }
        case .digestAlgorithmUnknown: object["digestAlgorithm"] = "MD5"
        case .digestAlgorithmOfOtherLength: object["digestAlgorithm"] = "SHA-384"
        case .nameSpaceAbsent:
            object["valueDigests"] = ["org.example.x": object["valueDigests"]?.members.first?.value ?? [:]]
        default: break
        }
    }

    private func edit(deviceKeyInfoOf object: inout CBORDraft) {
        let device = "org.example.device"
        switch self {
        case .noDeviceKey: object["deviceKeyInfo"] = nil
        case .privateDeviceKey: object.editDeviceKey { $0[-4] = .bytes([UInt8](repeating: 1, count: 32)) }
        case .deviceKeyOffCurve: object.editDeviceKey { $0[-3] = $0[-2] }
        case .otherElementAuthorized:
            object["deviceKeyInfo"]?["keyAuthorizations"] = ["dataElements": [.text(device): ["then"]]]
        case .otherNameSpaceAuthorized:
            object["deviceKeyInfo"]?["keyAuthorizations"] = ["nameSpaces": ["org.example.other"]]
        case .authorizationsContradictory:
            object["deviceKeyInfo"]?["keyAuthorizations"] = [
                "nameSpaces": [.text(device)], "dataElements": [.text(device): ["now"]],
            ]
        default: break
        }
    }

    private func edit(validityOf object: inout CBORDraft, issuedAt now: Timestamp) {
        func day(_ days: Int64) -> CBORDraft {
            .dateTime("\(now.advanced(bySeconds: days * TestValidity.day))")
        }
        switch self {
        case .notYetValid: object["validityInfo"]?["validFrom"] = day(1)
        case .expired: object["validityInfo"]?["validUntil"] = day(-1)
        case .validBeforeSigned: object["validityInfo"]?["validFrom"] = day(-3)
        case .validUntilBeforeFrom: object["validityInfo"]?["validUntil"] = day(-3)
        case .signedBeforeCertificate:
            object["validityInfo"]?["signed"] = day(-100)
            object["validityInfo"]?["validFrom"] = day(-100)
        case .signedAfterCertificate: object["validityInfo"]?["signed"] = day(400)
        case .noValidity: object["validityInfo"] = nil
        case .dateIsNone: object["validityInfo"]?["validUntil"] = .dateTime("9999-99-99T99:99:99Z")
        case .dateWithFraction: object.editDates { .tagged(0, .text($0.dropLast() + ".125Z")) }
        case .dateWithOffset: object.editDates { .tagged(0, .text($0.dropLast() + "+00:00")) }
        case .dateUntagged: object.editDates { .text($0) }
        default: break
        }
    }
}

extension CBORDraft {
    fileprivate mutating func editDigests(_ edit: ([UInt8]) -> [UInt8]) {
        guard var nameSpaces = self["valueDigests"] else { return }
        for nameSpace in nameSpaces.members.indices {
            for entry in nameSpaces.members[nameSpace].value.members.indices {
                guard case .bytes(let digest) = nameSpaces.members[nameSpace].value.members[entry].value
                else { continue }
                nameSpaces.members[nameSpace].value.members[entry].value = .bytes(edit(digest))
            }
        }
        self["valueDigests"] = nameSpaces
    }

    fileprivate mutating func editDates(_ edit: (String) -> CBORDraft) {
        guard var info = self["validityInfo"] else { return }
        for index in info.members.indices {
            guard case .tagged(0, .text(let text)) = info.members[index].value else { continue }
            info.members[index].value = edit(text)
        }
        self["validityInfo"] = info
    }

    fileprivate mutating func editDeviceKey(_ edit: (inout CBORDraft) -> Void) {
        guard case .encoded(let bytes)? = self["deviceKeyInfo"]?["deviceKey"],
            let item = try? CBORItem.parse(bytes[...])
        else { return }
        var key = CBORDraft(item)
        edit(&key)
        self["deviceKeyInfo"]?["deviceKey"] = key
    }
}
