import CBOR
import Foundation
import MdocModel
import PortraitImage
import Testing
import VectorFiles

@Suite("The forms of elements")
struct ElementFormTests {
    private static let licence = "org.iso.18013.5.1"
    private static let photoID = "org.iso.23220.1"

    private static func name(_ identifier: String, in nameSpace: String = licence) -> ElementName {
        ElementName(nameSpace: nameSpace, identifier: identifier)
    }

    private static func form(
        _ identifier: String, _ value: [UInt8], in nameSpace: String = licence,
        of model: DataModel = .drivingLicence
    ) throws -> ElementForm {
        let element = try #require(model.element(name(identifier, in: nameSpace)), "\(identifier)")
        return element.form(of: try CBORItem.parse(value[...]))
    }

    private static func tagged(_ tag: UInt64, _ text: String) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.tag(tag)
            encoder.text(text)
        }
    }

    private static func day(_ text: String) -> [UInt8] { tagged(1004, text) }
    private static func bytes(_ bytes: [UInt8]) -> [UInt8] { CBOREncoder.encode { $0.byteString(bytes) } }

    struct Row: Sendable, CustomTestStringConvertible {
        let identifier: String
        let value: [UInt8]
        let form: ElementForm?

        /// - Parameter form: nil for a wrong type.
        init(_ identifier: String, _ value: [UInt8], _ form: ElementForm?) {
            self.identifier = identifier
            self.value = value
            self.form = form
        }

        var testDescription: String { "\(identifier) \(value.prefix(24))" }
    }

    @Test(
        "A value is as defined, in another form, or of a wrong type",
        arguments: [
            Row("family_name", Written.text("Ødegård"), .asDefined),
            Row("family_name", Written.text("Łukasz"), .asDefined),
            Row("family_name", Written.text(""), nil), Row("family_name", [0x01], nil),
            Row("document_number", Written.text(String(repeating: "é", count: 150)), .asDefined),
            Row("document_number", Written.text(String(repeating: "é", count: 151)), .deviating(.tooLong)),
            Row("document_number", [0x19, 0x30, 0x39], nil),
            Row("birth_date", day("1990-02-28"), .asDefined),
            Row("birth_date", Written.text("1990-02-28"), .deviating(.dateForm)),
            Row("birth_date", tagged(0, "1990-02-28"), .deviating(.dateForm)),
            Row("birth_date", day("1990-02-30"), nil),
            Row("birth_date", tagged(0, "1990-02-28T00:00:00Z"), nil),
            Row("birth_date", [0x1a, 0, 1, 0, 0], nil), Row("birth_date", [0xf6], nil),
            Row("expiry_date", day("2030-01-01"), .asDefined),
            Row("expiry_date", tagged(0, "2030-01-01T00:00:00Z"), .asDefined),
            Row("expiry_date", tagged(0, "2030-01-01T00:00:00.5Z"), .deviating(.dateForm)),
            Row("expiry_date", Written.text("never"), nil),
            Row("age_over_21", [0xf5], .asDefined), Row("age_over_21", [0x01], nil),
            Row("age_over_21", Written.text("true"), nil), Row("age_over_21", [0xf6], nil),
            Row("age_in_years", [0x18, 0x28], .asDefined), Row("age_in_years", Written.text("40"), nil),
            Row("age_in_years", [0x20], nil), Row("age_in_years", [0xf9, 0x51, 0x00], nil),
            Row("sex", [0x09], .asDefined), Row("sex", [0x03], .deviating(.notACode)),
            Row("issuing_country", Written.text("UT"), .asDefined),
            Row("issuing_country", Written.text("ut"), .deviating(.notACountry)),
            Row("issuing_country", Written.text("UTO"), .deviating(.notACountry)),
            Row("issuing_jurisdiction", Written.text("UT-1"), .asDefined),
            Row("issuing_jurisdiction", Written.text("UT"), .deviating(.notASubdivision)),
            Row("eye_colour", Written.text("blue"), .asDefined),
            Row("eye_colour", Written.text("Blue"), .deviating(.notACode)),
            Row("biometric_template_face", [0x41, 0x01], .asDefined),
            Row("biometric_template_face", Written.text("x"), nil),
        ])
    func rows(_ row: Row) throws {
        let form = try Self.form(row.identifier, row.value)
        if let expected = row.form { #expect(form == expected) } else { #expect(form.wrongType != nil) }
    }

    private static func privilege(_ code: [UInt8], issued: [UInt8]? = nil, until: [UInt8]? = nil) -> [UInt8] {
        Written.map(
            [("vehicle_category_code", code)] + (issued.map { [("issue_date", $0)] } ?? [])
                + (until.map { [("expiry_date", $0)] } ?? []))
    }

    @Test(
        "The dates inside driving privileges are full dates; an entry that cannot be read leaves the others")
    func privileges() throws {
        let good = Self.privilege(
            Written.text("B"), issued: Self.day("2020-01-01"), until: Self.day("2030-01-01"))
        let forms: [([[UInt8]], ElementForm)] = [
            ([], .asDefined), ([good], .asDefined), ([Self.privilege(Written.text("A"))], .asDefined),
            (
                [good, Self.privilege(Written.text("A"), until: Written.text("2030-01-01"))],
                .deviating(.dateForm)
            ),
            (
                [Self.privilege(Written.text("A"), issued: Self.tagged(0, "2020-01-01T00:00:00Z"))],
                .deviating(.dateForm)
            ),
            ([good, Self.privilege([0x01])], .deviating(.entryUnreadable)),
            ([good, [0x01]], .deviating(.entryUnreadable)),
            ([good, Self.privilege(Written.text("A"), until: [0x01])], .deviating(.entryUnreadable)),
        ]
        for (entries, expected) in forms {
            #expect(try Self.form("driving_privileges", Written.array(entries)) == expected)
        }
        for wrong in [Written.array([[0x01]]), Written.text("B"), good, [0xf6]] {
            #expect(try Self.form("driving_privileges", wrong).wrongType != nil)
        }
    }

    @Test("The classes of AAMVA have full dates too, and entries without a class have none")
    func domesticPrivileges() throws {
        func entry(_ until: [UInt8]) -> [UInt8] {
            Written.map([
                (
                    "domestic_vehicle_class",
                    Written.map([("domestic_vehicle_class_code", Written.text("C")), ("expiry_date", until)])
                )
            ])
        }
        for (entries, expected) in [
            ([entry(Self.day("2030-01-01")), Written.map([])], ElementForm.asDefined),
            ([entry(Written.text("2030-01-01"))], .deviating(.dateForm)),
        ] {
            #expect(
                try Self.form(
                    "domestic_driving_privileges", Written.array(entries), in: DataModel.aamvaNameSpace)
                    == expected)
        }
    }

    @Test("A photo ID's birth date stands in a map; a day alone is read, and is a departure")
    func dayInMap() throws {
        for (value, expected) in [
            (Written.map([("birth_date", Self.day("1990-02-28"))]), ElementForm.asDefined),
            (Written.map([("birth_date", Written.text("1990-02-28"))]), .deviating(.dateForm)),
            (Self.day("1990-02-28"), .deviating(.dateOutsideMap)),
        ] {
            #expect(try Self.form("birth_date", value, in: Self.photoID, of: .photoID) == expected)
        }
        for wrong in [Written.map([]), Written.text("soon"), [0x01]] {
            #expect(try Self.form("birth_date", wrong, in: Self.photoID, of: .photoID).wrongType != nil)
        }
    }

    @Test("A portrait is a whole JPEG or JPEG 2000 image; every other kind is named")
    func portraits() throws {
        let own = VectorFiles.own
        let jpeg2000 = try VectorFiles.bytes(of: own.appending(path: "portraits/lossless.jp2"))
        let png = try VectorFiles.bytes(of: own.appending(path: "portraits/still.png"))
        #expect(try Self.form("portrait", Self.bytes(Self.jpeg)) == .asDefined)
        #expect(try Self.form("portrait", Self.bytes(jpeg2000)) == .asDefined)
        for (value, expected) in [
            (Self.bytes([]), "portrait is empty"), (Self.bytes(png), "portrait is a PNG image"),
            (Self.bytes(Array(Self.jpeg.prefix(4))), "portrait is a JPEG image that is damaged or cut short"),
            (Self.bytes(Self.jpeg.dropLast()), "portrait is a JPEG image that is damaged or cut short"),
            (Self.bytes(jpeg2000.dropLast(3)), "portrait is a JPEG 2000 image that is damaged or cut short"),
            (Self.bytes(Array("GIF89a".utf8)), "portrait is a GIF image"),
            (Self.bytes(Array("RIFF1234WEBP".utf8)), "portrait is a WebP image"),
            (Self.bytes(Array("\0\0\0\u{1c}ftypavif".utf8)), "portrait is an AVIF image"),
            (Self.bytes([UInt8](repeating: 0, count: 2000)), "portrait is not an image"),
            (Written.text("data:image/jpeg;base64,"), "portrait is a text"), ([0xf6], "portrait is null"),
        ] {
            let wrong = try #require(try Self.form("portrait", value).wrongType, "\(expected)")
            #expect(
                wrong.explanation(of: "portrait")
                    == expected + "; ISO/IEC 18013-5 allows JPEG and JPEG 2000")
        }
    }

    /// A grey JPEG image of 8 × 8 pixels.
    private static let jpeg: [UInt8] =
        [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0]
        + [0xd2, 0xcf, 0xff, 0xd9]

    @Test("What is found and what is expected are said, and never the value")
    func words() throws {
        let wrong = try #require(try Self.form("age_over_21", Written.text("secret")).wrongType)
        #expect(wrong.explanation(of: "age_over_21") == "age_over_21 is a text, not a boolean")
        let null = try #require(try Self.form("age_in_years", [0xf7]).wrongType)
        #expect(null.explanation(of: "age_in_years") == "age_in_years is null, not an integer")
    }

    @Test("A type that is not known has no data model, and an element that is not defined no row")
    func unknown() throws {
        #expect(DataModel(docType: "org.example.club.1") == nil)
        let licence = try #require(DataModel(docType: "org.iso.18013.5.1.mDL"))
        #expect(licence.element(Self.name("shoe_size")) == nil)
        #expect(licence.element(Self.name("age_over_21", in: "org.iso.18013.5.1.aamva")) == nil)
        #expect(licence.isMandatory(Self.name("expiry_date")) && !licence.isMandatory(Self.name("height")))
        #expect(!licence.isMandatory(Self.name("age_over_21")))
    }
}
