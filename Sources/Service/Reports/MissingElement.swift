package import JSON
package import MdocModel

/// An element that was asked for, is needed, and did not come. It holds no value, so that everybody may read it.
package struct MissingElement: Hashable, Sendable {
    package let name: ElementName

    init(_ name: ElementName) {
        self.name = name
    }

    private static let words: [String: String] = [
        "age_in_years": "age in years", "birth_date": "date of birth", "document_number": "document number",
        "expiry_date": "expiry date", "family_name": "family name", "given_name": "given name",
        "issue_date": "issue date", "issuing_authority": "issuing authority",
        "issuing_country": "issuing country", "nationality": "nationality", "portrait": "portrait",
        "resident_address": "address",
    ]

    /// The missing element and the remedy, for a person.
    package var text: String {
        if let age = AgeAttestation(name.identifier) {
            return "No proof of being over \(age.years) was shared. Ask again and share it."
        }
        if name.identifier.hasSuffix("driving_privileges") {
            return "The driving privileges were not shared. Ask again and share them."
        }
        return
            "The \(Self.words[name.identifier] ?? "element \(name.text)") was not shared. Ask again and share it."
    }

    package var json: JSONValue { ["element": .string(name.text), "text": .string(text)] }
}
