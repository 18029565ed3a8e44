/// A data element as its standard defines it: one row of the data model.
package struct DataElement: Hashable, Sendable {
    package let name: ElementName
    package let type: DataElementType
    /// The standard's maximum length of the text, in characters. Nil if the standard sets none.
    package let maximumCharacters: Int?
    /// Whether every document of the type must have the element.
    ///
    /// A document without the element can still be verified, since the standards differ about mandatory
    /// elements. If a mandatory element was requested, and neither the element nor an alternative was
    /// returned, the outcome of the presentation is never `allow`.
    package let isMandatory: Bool
    package let source: ElementSource
}

extension DataElement {
    /// Creates the row of an `age_over_NN` element. Nil if `name` is not the name of such an element.
    package init?(ageAttestation name: ElementName, source: ElementSource? = nil) {
        guard AgeAttestation(name.identifier) != nil else { return nil }
        self.init(
            name: name, type: .boolean, maximumCharacters: nil, isMandatory: false,
            source: source ?? .iso18013_5)
    }
}

package enum DataElementType: Hashable, Sendable {
    case text
    /// A country by its code of two letters (ISO 3166-1 alpha-2).
    case country
    /// A subdivision of a country (ISO 3166-2).
    case subdivision
    /// A day: `full-date` with tag 1004.
    case day
    /// A day in a map. A mask in the same map marks unknown parts of the day (ISO/IEC TS 23220-2, Q145).
    case dayInMap
    /// An instant or a day: `tdate` or `full-date`.
    case date
    case boolean
    case integer(DataElementUnit? = nil)
    /// A sex by ISO/IEC 5218: 0 unknown, 1 male, 2 female, 9 not applicable.
    case sex
    /// A text that is one of these codes.
    case code([String])
    /// An integer in this range.
    case number(ClosedRange<Int>)
    /// An image in JPEG or JPEG 2000.
    case image
    case bytes
    case drivingPrivileges
    case domesticDrivingPrivileges
    /// A list or map of any other structure. Its members are not compared with the standard.
    case structure
}

package enum DataElementUnit: String, Sendable {
    case centimetres = "cm"
    case kilograms = "kg"
    case years = "years"
}

package enum ElementSource: String, Sendable {
    case iso18013_5 = "ISO/IEC 18013-5:2021 7.2.1"
    case aamva = "AAMVA mDL Implementation Guidelines 3.2"
    case iso23220_2 = "ISO/IEC TS 23220-4 Annex C, table C.1 (ISO/IEC TS 23220-2)"
    case photoID = "ISO/IEC TS 23220-4 Annex C, table C.2"
    case personID = "EU PID rulebook 3.1 (CIR (EU) 2024/2977)"
    case myNumberCard = "Apple, elements of PKIdentityNationalIDCardDescriptor, region JP"
    case ageVerification = "EU age verification specification, annex A"
}

/// A builder of the data elements of one namespace, written like the namespace's table in a standard.
struct ElementTable {
    let nameSpace: String
    let source: ElementSource
    /// The maximum length of each text in the table, in characters. Nil if the standard sets none.
    var maximumCharacters: Int?

    /// Returns the rows of the table, the mandatory elements first.
    func callAsFunction(
        mandatory: KeyValuePairs<String, DataElementType>, optional: KeyValuePairs<String, DataElementType>
    ) -> [DataElement] {
        rows(mandatory, isMandatory: true) + rows(optional, isMandatory: false)
    }

    private func rows(
        _ rows: KeyValuePairs<String, DataElementType>, isMandatory: Bool
    ) -> [DataElement] {
        rows.map { identifier, type in
            DataElement(
                name: ElementName(nameSpace: nameSpace, identifier: identifier), type: type,
                // The maximum applies only to free texts. Codes and countries have limits of their own.
                maximumCharacters: type == .text ? maximumCharacters : nil, isMandatory: isMandatory,
                source: source)
        }
    }
}
