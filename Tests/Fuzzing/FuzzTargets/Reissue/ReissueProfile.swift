internal import MdocWallet
internal import TestCredentials

/// A document before anything is changed: a holder and a licence about which questions have different answers.
enum ReissueProfile: Int, CaseIterable {
    /// Every answer is yes, but for 65 years.
    case adult
    /// The licence itself is past its date, the privilege for B is not.
    case expired
    case minor
    /// Without attestations; `age_in_years` is two years older than the birth date.
    case stale
    /// The privilege for B is past its date, the licence is not.
    case lapsed
    /// Of the adult, and revoked by both kinds of list.
    case revoked
    /// With an `age_in_years` as the only evidence of an age.
    case yearsOnly
    /// Privileges without dates, and no portrait.
    case bare

    struct Element {
        let nameSpace: String
        let identifier: String
        let value: CBORDraft
    }

    var elements: [Element] {
        main.map { Element(nameSpace: ReissueValues.mainNameSpace, identifier: $0, value: $1) }
            + domestic.map { Element(nameSpace: ReissueValues.domesticNameSpace, identifier: $0, value: $1) }
    }

    /// The reference in the MSO, where the issuer publishes a status.
    var status: CBORDraft? {
        switch self {
        case .revoked:
            [
                "status_list": ReissueValues.listEntry(ReissueValues.revokedIndex),
                "identifier_list": ReissueValues.identifier(FuzzWorld.revoked),
            ]
        case .adult, .expired: ["status_list": ReissueValues.listEntry(ReissueValues.goodIndex)]
        default: nil
        }
    }

    private var birth: String {
        switch self {
        case .minor: "2010-05-05"
        case .stale, .yearsOnly: "2004-01-01"
        default: "1990-05-05"
        }
    }

    private var expiry: String { self == .expired ? "2025-01-01" : "2036-10-01" }

    private var main: [(String, CBORDraft)] {
        var elements: [(String, CBORDraft)] = [
            ("family_name", "Zzyzx"), ("given_name", "Qwghlm"), ("issue_date", .fullDate("2020-10-01")),
            ("expiry_date", .fullDate(expiry)), ("issuing_country", "XX"), ("issuing_authority", "Utopia"),
            ("document_number", "Jyqvx-17"), ("un_distinguishing_sign", "XX"), ("height", 180),
            ("driving_privileges", .array(privileges)),
        ]
        if self != .bare { elements.append(("portrait", ReissueValues.portraits[0])) }
        if self != .yearsOnly { elements.append(("birth_date", .fullDate(birth))) }
        switch self {
        case .stale: elements.append(("age_in_years", 20))
        case .yearsOnly: elements.append(("age_in_years", 22))
        case .bare: elements += attestations
        default: elements += attestations + [("age_in_years", self == .minor ? 16 : 36)]
        }
        return elements
    }

    private var attestations: [(String, CBORDraft)] {
        let years = self == .minor ? 16 : 36
        return [16, 18, 21, 25, 65].map { ("age_over_\($0)", .boolean(years >= $0)) }
    }

    private var privileges: [CBORDraft] {
        switch self {
        case .minor: [ReissueValues.privilege("AM", "2026-06-01", "2030-01-01")]
        case .lapsed:
            [
                ReissueValues.privilege("A", "2010-01-01", "2035-01-01"),
                ReissueValues.privilege("B", "2010-01-01", "2025-01-01"),
            ]
        case .bare: [ReissueValues.privilege("A", nil, nil), ReissueValues.privilege("B", nil, nil)]
        default:
            [
                ReissueValues.privilege("A", "2010-01-01", "2035-01-01"),
                ReissueValues.privilege("B", "2010-01-01", "2035-01-01"),
            ]
        }
    }

    private var domestic: [(String, CBORDraft)] {
        let vehicle: CBORDraft = [
            "domestic_vehicle_class_code": "C", "domestic_vehicle_class_description": "cars",
            "issue_date": .fullDate("2010-01-01"),
            "expiry_date": .fullDate(self == .lapsed ? "2025-01-01" : "2035-01-01"),
        ]
        return [
            ("domestic_driving_privileges", .array([["domestic_vehicle_class": vehicle]])),
            ("DHS_compliance", "F"),
        ]
    }
}
