public import Foundation

extension MobileDriversLicenseDataRequest.Response.DocumentElements {
    /// Who issued the document.
    public struct IssuingAuthority: Hashable, Sendable {
        /// The authority's name.
        public let name: String?
        /// The state or province (ISO 3166-2).
        public let jurisdiction: String?
        /// ISO 3166-1 alpha-2.
        public let isoCountryCode: String?
    }

    /// ISO/IEC 5218, and AAMVA's.
    public enum Sex: Hashable, Sendable {
        case male, female
        /// ISO/IEC 5218's 9.
        case notApplicable
        /// AAMVA's 9.
        case notSpecified
        case unknown

        /// A word for it in English: there is no table of other languages here.
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

    /// Whether the license is one for federal purposes in the United States (REAL ID).
    public enum DocumentDHSComplianceStatus: Hashable, Sendable {
        case compliant, noncompliant

        static let codes: [String: Self] = ["F": .compliant, "N": .noncompliant]
    }

    /// A vehicle category that the holder may drive (ISO/IEC 18013-5 7.2.4).
    public struct DrivingPrivilege: Hashable, Sendable {
        /// A condition or restriction (ISO/IEC 18013-2 Annex A).
        public struct Code: Hashable, Sendable {
            /// The code of ISO/IEC 18013-2.
            public let code: String
            /// How the value limits, such as `<=`.
            public let sign: String?
            /// What the code is about, such as a mass.
            public let value: String?
        }

        /// Such as `B`.
        public let vehicleCategoryCode: String
        /// Since when the holder may.
        public let issueDate: DateComponents?
        /// Until when the holder may.
        public let expirationDate: DateComponents?
        /// The restrictions; empty if there are no restrictions.
        public let codes: [Code]
    }

    /// What the holder may drive by the rules of a North American state (AAMVA).
    public struct AAMVADrivingPrivilege: Hashable, Sendable {
        /// A class of vehicles.
        public struct VehicleClass: Hashable, Sendable {
            /// The state's code.
            public let code: String
            /// In the state's words; empty if it says none.
            public let description: String
            /// Since when the holder may.
            public let issueDate: DateComponents?
            /// Until when the holder may.
            public let expirationDate: DateComponents?
        }

        /// What the holder may do beyond the class.
        public struct VehicleEndorsement: Hashable, Sendable {
            /// The state's code.
            public let code: String?
            /// In the state's words; empty if it says none.
            public let description: String
        }

        /// What limits the holder.
        public struct VehicleRestriction: Hashable, Sendable {
            /// The state's code.
            public let code: String?
            /// In the state's words; empty if it says none.
            public let description: String
        }

        /// Nil if it holds for every class.
        public let vehicleClass: VehicleClass?
        /// What the holder may do beyond the class.
        public let vehicleEndorsements: [VehicleEndorsement]
        /// What limits the holder.
        public let vehicleRestrictions: [VehicleRestriction]
    }

    /// ISO/IEC 18013-5 table 5.
    public enum EyeColor: String, CaseIterable, Hashable, Sendable {
        case black, blue, brown, dichromatic, green, grey, hazel, maroon, pink, unknown

        static var codes: [String: Self] {
            Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
        }
    }

    /// ISO/IEC 18013-5 table 5.
    public enum HairColor: String, CaseIterable, Hashable, Sendable {
        case auburn, bald, black, blond, brown, grey, red, sandy, unknown, white

        static var codes: [String: Self] {
            Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
        }
    }
}

/// A postal address with the member names of `CNPostalAddress`, which does not exist on Linux. Unknown members are
/// empty.
public struct PostalAddress: Hashable, Sendable {
    /// Street and number.
    public var street = ""
    /// Never known from a document.
    public var subLocality = ""
    /// The town.
    public var city = ""
    /// Never known from a document.
    public var subAdministrativeArea = ""
    /// The state or province.
    public var state = ""
    /// The postal code.
    public var postalCode = ""
    /// The country's name where the document says it in words; documents mostly have the code alone.
    public var country = ""
    /// ISO 3166-1 alpha-2, as given in the document.
    public var isoCountryCode = ""

    /// An address of which nothing is known.
    public init() {}
}

extension PostalAddress: CustomStringConvertible, CustomReflectable {
    /// The type's name alone: what it holds is personal.
    public var description: String { "PostalAddress(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
