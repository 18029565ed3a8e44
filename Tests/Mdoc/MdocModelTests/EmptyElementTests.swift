import CBOR
import MdocModel
import Testing

/// Presence taken for content: elements that came with nothing in them.
@Suite("Elements with nothing in them")
struct EmptyElementTests {
    private func form(_ identifier: String, _ value: [UInt8], of model: DataModel) throws -> ElementForm {
        let element = try #require(model.elements.first { $0.name.identifier == identifier }, "\(identifier)")
        return element.form(of: try CBORItem.parse(value[...]))
    }

    private static let licenceTexts = [
        "family_name", "document_number", "issuing_authority", "issuing_country", "issuing_jurisdiction",
        "eye_colour", "nationality",
    ]

    @Test(
        "Q245 Text that is empty or has only white space, control and invisible characters counts as missing",
        arguments: [
            "", " ", "\t", " \n\r ", "\u{0}", "\u{7f}", "\u{a0}", "\u{ad}", "\u{200b}",
            "\u{200b}\u{200d}\u{feff}",
            "\u{3000}", "\u{2800}", "\u{3164}", "\u{202e}\u{202c}", "\u{2060}", "\u{fe0f}", "\u{e0020}",
            "\u{2028}",
        ])
    func blank(_ text: String) throws {
        for identifier in Self.licenceTexts {
            let form = try form(identifier, Written.text(text), of: .drivingLicence)
            let wrong = try #require(form.wrongType, "\(identifier) \(text.unicodeScalars.map(\.value))")
            let words = wrong.explanation(of: identifier)
            #expect(words == "\(identifier) is \(text.isEmpty ? "an empty" : "a blank") text", "\(words)")
        }
    }

    @Test(
        "Q245 A text with one character that shows is a text, whatever stands around it",
        arguments: ["x", " x", "\u{200b}x", "-", "李", "\u{301}a", "\u{e000}", "0"])
    func shown(_ text: String) throws {
        for identifier in ["family_name", "document_number", "issuing_authority"] {
            #expect(try form(identifier, Written.text(text), of: .drivingLicence) == .asDefined)
        }
    }

    @Test("Q245 Bytes, a list or a map with nothing in them are none; a list of privileges may be empty")
    func containers() throws {
        let empty = Written.text("")
        let none: [[UInt8]] = [
            [0x80], [0xa0], Written.array([[0xf6]]), Written.array([empty, Written.text(" ")]),
            Written.map([("country", [0xf6])]), Written.array([[0x80], [0xa0]]),
        ]
        for identifier in ["nationality", "place_of_birth"] {
            for value in none {
                let wrong = try #require(try form(identifier, value, of: .personID).wrongType, "\(value)")
                #expect(
                    wrong.explanation(of: identifier) == "\(identifier) is a list or map with nothing in it")
            }
            for value in [
                Written.array([Written.text("UT")]), Written.map([("country", Written.text("UT"))]),
                Written.array([[0xf6], Written.text("UT")]), Written.array([[0x00]]),
            ] {
                #expect(try form(identifier, value, of: .personID) == .asDefined)
            }
        }
        let template = try form("biometric_template_face", [0x40], of: .drivingLicence)
        #expect(template.wrongType?.explanation(of: "it") == "it is empty")
        #expect(try form("biometric_template_face", [0x41, 0x00], of: .drivingLicence) == .asDefined)
        #expect(try form("driving_privileges", [0x80], of: .drivingLicence) == .asDefined)
    }

    @Test(
        "Q245 An entry of privileges with a member that is null is one that cannot be read",
        arguments: ["issue_date", "expiry_date", "codes"])
    func privileges(_ member: String) throws {
        let good = Written.map([("vehicle_category_code", Written.text("B"))])
        let null = Written.map([("vehicle_category_code", Written.text("A")), (member, [0xf6])])
        #expect(
            try form("driving_privileges", Written.array([good, null]), of: .drivingLicence)
                == .deviating(.entryUnreadable))
        #expect(
            try form("driving_privileges", Written.array([null]), of: .drivingLicence).wrongType?.found
                == .malformed)
    }
}
