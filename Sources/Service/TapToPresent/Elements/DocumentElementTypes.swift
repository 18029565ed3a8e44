public import Foundation

extension MobileDriversLicenseDataRequest.Response.DocumentElements {
    /// The authority that issued a document.
    public struct IssuingAuthority: Hashable, Sendable {
        /// The authority's name.
        public let name: String?
        /// The authority's state or province (ISO 3166-2).
        public let jurisdiction: String?
        /// The authority's country (ISO 3166-1 alpha-2).
        public let isoCountryCode: String?
    }

    /// The holder's sex, by ISO/IEC 5218 or AAMVA's codes.
    public enum Sex: Hashable, Sendable {
        /// Male (1) or female (2).
        case male, female
        /// Not applicable (9 of ISO/IEC 5218).
        case notApplicable
        /// Not specified (9 of AAMVA).
        case notSpecified
        /// Unknown (0 of ISO/IEC 5218).
        case unknown

        /// The English word for the value. This library contains no other languages.
        public var localizedName: String {
            switch self {
            case .male: "Male"
            case .female: "Female"
            case .notApplicable: "Not applicable"
            case .notSpecified: "Not specified"
            case .unknown: "Unknown"
            }
        }
    }

    /// Whether a license may be used for federal purposes in the United States (REAL ID).
    public enum DocumentDHSComplianceStatus: Hashable, Sendable {
        /// The license complies with REAL ID (`F`), or it does not (`N`).
        case compliant, noncompliant

        /// The statuses by AAMVA's codes.
        static let codes: [String: Self] = ["F": .compliant, "N": .noncompliant]
    }

    /// A vehicle category that the holder may drive (ISO/IEC 18013-5 7.2.4).
    public struct DrivingPrivilege: Hashable, Sendable {
        /// A condition or restriction (ISO/IEC 18013-2 Annex A).
        public struct Code: Hashable, Sendable {
            /// The code from ISO/IEC 18013-2.
            public let code: String
            /// The relation to `value`, such as `<=`. `nil` if the code has no value.
            public let sign: String?
            /// The limit that belongs to the code, such as a mass. `nil` if the code has none.
            public let value: String?
        }

        /// The vehicle category, such as `B`.
        public let vehicleCategoryCode: String
        /// The date from which the privilege is valid.
        public let issueDate: DateComponents?
        /// The last date on which the privilege is valid.
        public let expirationDate: DateComponents?
        /// The conditions and restrictions; empty if there are none.
        public let codes: [Code]
    }

    /// A driving privilege by the rules of a North American state (AAMVA).
    public struct AAMVADrivingPrivilege: Hashable, Sendable {
        /// A class of vehicles.
        public struct VehicleClass: Hashable, Sendable {
            /// The state's code for the class.
            public let code: String
            /// The state's description of the class; empty if the document contains none.
            public let description: String
            /// The date from which the privilege is valid.
            public let issueDate: DateComponents?
            /// The last date on which the privilege is valid.
            public let expirationDate: DateComponents?
        }

        /// An endorsement: a permission in addition to the vehicle class.
        public struct VehicleEndorsement: Hashable, Sendable {
            /// The state's code for the endorsement.
            public let code: String?
            /// The state's description of the endorsement; empty if the document contains none.
            public let description: String
        }

        /// A restriction of the privilege.
        public struct VehicleRestriction: Hashable, Sendable {
            /// The state's code for the restriction.
            public let code: String?
            /// The state's description of the restriction; empty if the document contains none.
            public let description: String
        }

        /// The vehicle class, or `nil` if the privilege applies to every class.
        public let vehicleClass: VehicleClass?
        /// The endorsements in addition to the class.
        public let vehicleEndorsements: [VehicleEndorsement]
        /// The restrictions of the privilege.
        public let vehicleRestrictions: [VehicleRestriction]
    }

    /// An eye color of ISO/IEC 18013-5 table 5.
    public enum EyeColor: String, CaseIterable, Hashable, Sendable {
        /// A color, by its name in table 5.
        case black, blue, brown, dichromatic, green, grey, hazel, maroon, pink, unknown

        static var codes: [String: Self] {
            Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
        }
    }

    /// A hair color of ISO/IEC 18013-5 table 5.
    public enum HairColor: String, CaseIterable, Hashable, Sendable {
        /// A color, by its name in table 5.
        case auburn, bald, black, blond, brown, grey, red, sandy, unknown, white

        static var codes: [String: Self] {
            Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
        }
    }
}

/// A postal address with the member names of `CNPostalAddress`, which does not exist on Linux. A member with
/// an unknown value is empty.
public struct PostalAddress: Hashable, Sendable {
    /// The street and house number.
    public var street = ""
    /// The part of the city. Empty in the address of a document, because documents have no element for it.
    public var subLocality = ""
    /// The city or town.
    public var city = ""
    /// The part of the state, such as a county. Empty in the address of a document, because documents have no
    /// element for it.
    public var subAdministrativeArea = ""
    /// The state or province.
    public var state = ""
    /// The postal code.
    public var postalCode = ""
    /// The country's name. Empty when read from a document, which contains only the country code.
    public var country = ""
    /// The country code (ISO 3166-1 alpha-2), as the document gives it.
    public var isoCountryCode = ""

    /// Creates an address with empty members.
    public init() {}
}

extension PostalAddress: CustomStringConvertible, CustomReflectable {
    /// A fixed text, because the address is personal data.
    public var description: String { "PostalAddress(redacted)" }
    /// A mirror without children, because the address is personal data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
