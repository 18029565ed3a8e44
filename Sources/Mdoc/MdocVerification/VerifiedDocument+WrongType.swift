internal import CBOR
internal import MdocModel

extension VerifiedDocument {
    /// The first element about an age whose value has the wrong type; `nil` if there is no such element.
    var wrongAge: AgeAnswer.AgeUnknown? {
        for element in evidence(named: { Self.type(ofAge: $0) != nil }) {
            guard let type = Self.type(ofAge: element.name.identifier) else { continue }
            if let wrong = type.form(of: element.value).wrongType { return .wrongType(element.name, wrong) }
        }
        return nil
    }

    /// Returns the type of an element about an age, in documents of every type.
    private static func type(ofAge identifier: String) -> DataElementType? {
        switch identifier {
        case "age_in_years": .integer(.years)
        // The type `dayInMap` also accepts a day without a map.
        case "birth_date": .dayInMap
        default: AgeAttestation(identifier).map { _ in .boolean }
        }
    }
}
