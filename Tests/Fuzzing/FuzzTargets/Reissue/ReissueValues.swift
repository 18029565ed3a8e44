internal import CBOR
internal import MdocWallet
internal import TestCredentials

/// The names and values that mutants are made of: those that checks and questions read, in their right and in wrong forms.
enum ReissueValues {
    static let mainNameSpace = TestDocument.nameSpace
    static let domesticNameSpace = "org.iso.18013.5.1.aamva"
    static let nameSpaces = [mainNameSpace, domesticNameSpace, "org.iso.18013.5.1 ", "x-other", ""]
    static let docTypes = [TestDocument.mDL, "org.iso.23220.photoid.1", "eu.europa.ec.eudi.pid.1", "x", ""]

    static let names = [
        "age_over_18", "age_over_21", "age_over_25", "age_over_16", "age_over_99", "age_over_1",
        "age_in_years", "birth_date", "expiry_date", "issue_date", "driving_privileges", "portrait",
        "domestic_driving_privileges", "issuing_country", "issuing_jurisdiction", "family_name",
        "given_name", "document_number", "vehicle_category_code", "codes", "code", "status_list",
        "identifier_list", "idx", "id", "uri", "certificate", "status", "keyAuthorizations", "nameSpaces",
        "dataElements", "digestID", "random", "elementIdentifier", "elementValue", "documents",
        "documentErrors", "errors", "version", "docType", "validUntil", "expectedUpdate", "deviceMac",
        "deviceSignature", "approximate_mask", "zkDocuments", "encryptedDocuments", "nationality", "x-extra",
        "",
    ]

    /// Any value: of the list, a day in one of its forms, a portrait, a list of privileges, a status, or bytes of the script.
    static func value(_ script: inout ReissueScript) -> CBORDraft {
        switch script.number(below: 8) {
        case 0, 1: script.pick(plain)
        case 2, 3: date(&script)
        case 4: script.pick(portraits)
        case 5: privileges(&script)
        case 6: status(&script)
        default: .encoded(script.bytes())
        }
    }

    private static let plain: [CBORDraft] = [
        true, false, .null, .encoded([0xf7]), 0, 1, 17, 18, 20, 21, 25, 65, 200, 300, -1, .integer(.max),
        "", "true", "B", "A", "AM", "C", "XX", "UT", "1.0", "1.1", "2.0", "SHA-256", "SHA-512",
        "Hostile\u{202e}\u{1b}[2J",
        .bytes([]), .array([]), .map([]), .encoded([0xf9, 0x4c, 0xc0]),
        .encoded([0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]),
        .tagged(24, .bytes([0xf5])), .tagged(0, true), .wideUnsigned(21),
    ]

    private static let days = [
        "2025-01-01", "2035-01-01", "2026-10-31", "2026-11-01", "2026-11-02", "1990-05-05", "2004-11-01",
        "2005-11-02", "2008-11-01", "2008-11-02", "2010-05-05", "1990-02-29", "2025-13-01", "0000-01-01",
        "9999-12-31", "2035-1-1", "+2035-01-01", "",
    ]

    private static let times = [
        "T00:00:00Z", "T23:59:59Z", "T12:00:00+14:00", "T12:00:00-12:00", "T00:00:00.5Z", "T24:00:00Z", "",
    ]

    /// A date: as `full-date`, as `tdate`, under the wrong tag, under none, or inside the map of a photo ID.
    static func date(_ script: inout ReissueScript) -> CBORDraft {
        let form = script.number(below: 8)
        let day = script.pick(days)
        switch form {
        case 0, 1: return .fullDate(day)
        case 2: return .dateTime(day + script.pick(times))
        case 3: return .fullDate(day + script.pick(times))
        case 4: return .dateTime(day)
        case 5: return .text(day)
        case 6: return ["birth_date": .fullDate(day)]
        default: return ["birth_date": .fullDate(day), "approximate_mask": "00000011"]
        }
    }

    /// Pictures: whole, cut, of other kinds, and none.
    static let portraits: [CBORDraft] = [
        .bytes(TestPortrait.jpeg(size: 0)), .bytes([]), .bytes([UInt8](repeating: 0, count: 64)),
        .bytes([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
        .bytes(Array("GIF89a".utf8)), .bytes(Array("RIFF....WEBPVP8 ".utf8)), .bytes(Array("portrait".utf8)),
        .bytes(Array(TestPortrait.jpeg(size: 0).prefix(4))),
        .bytes(Array(TestPortrait.jpeg(size: 0).prefix(400))),
        .bytes([0xff, 0xd8, 0xff, 0xd9]), .bytes([0xff, 0x4f, 0xff, 0x51]),
        .bytes([0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a]), .text("portrait"),
        .array([.bytes(TestPortrait.jpeg(size: 0))]),
    ]

    static func privilege(_ code: String, _ issued: String?, _ expires: String?) -> CBORDraft {
        var members: [CBORDraft.Member] = [.init(key: "vehicle_category_code", value: .text(code))]
        if let issued { members.append(.init(key: "issue_date", value: .fullDate(issued))) }
        if let expires { members.append(.init(key: "expiry_date", value: .fullDate(expires))) }
        return .map(members)
    }

    /// `driving_privileges` of up to three entries, some of them unreadable.
    static func privileges(_ script: inout ReissueScript) -> CBORDraft {
        let entries = (0..<script.number(below: 4)).map { _ -> CBORDraft in
            var entry = privilege(
                script.pick(["B", "A", "AM", "b", "BE"]), "2010-01-01",
                script.pick(["2035-01-01", "2025-01-01", nil]))
            if script.byte() & 1 == 1 { TreeEdit(path: [script.byte()], .init(&script)).apply(to: &entry) }
            return entry
        }
        return .array(entries)
    }

    static let revokedIndex: Int64 = 0
    static let goodIndex: Int64 = 1
    static let listURI = TestStatusToken.uri

    static func listEntry(_ index: Int64) -> CBORDraft { ["idx": .integer(index), "uri": .text(listURI)] }

    static func identifier(_ bytes: [UInt8]) -> CBORDraft { ["id": .bytes(bytes), "uri": .text(listURI)] }

    /// The `status` of an MSO: references that are good, revoked, elsewhere or unreadable, side by side.
    static func status(_ script: inout ReissueScript) -> CBORDraft {
        var members: [CBORDraft.Member] = []
        let entry = script.number(below: 6)
        if entry > 0 {
            members.append(
                .init(key: "status_list", value: reference(listEntry(Int64(entry % 2)), &script)))
        }
        let name = script.number(below: 6)
        if name > 0 {
            let bytes = name % 2 == 0 ? FuzzWorld.revoked : [1, 2, 3]
            members.append(.init(key: "identifier_list", value: reference(identifier(bytes), &script)))
        }
        return .map(script.byte() & 1 == 0 ? members : members.reversed())
    }

    private static func reference(_ draft: CBORDraft, _ script: inout ReissueScript) -> CBORDraft {
        var draft = draft
        if script.number(below: 3) == 1 { TreeEdit(path: [script.byte()], .init(&script)).apply(to: &draft) }
        return draft
    }
}
