import MdocModel
import Testing

@testable import RequestPlanner

@Suite("Document tables")
struct DocumentTests {
    private static let types = DocumentFamily.known.flatMap(\.types)

    @Test("No element stands twice in a document, and none has a name that no wallet would read")
    func rows() {
        for type in Self.types {
            #expect(Set(type.elements.map(\.name)).count == type.elements.count, "\(type.docType)")
            for name in type.elements.map(\.name) {
                #expect(!name.identifier.isEmpty && name.identifier.utf8.allSatisfy { $0 < 0x80 })
            }
        }
        #expect(Set(Self.types.map(\.docType)).count == 6)
    }

    @Test("Every element that answers a claim is in the table of its document")
    func answers() {
        for type in Self.types {
            for name in type.answers.keys.flatMap(type.elements(answering:)) {
                #expect(type.element(name) != nil, "\(type.docType) \(name.text)")
            }
            for (name, sets) in type.substitutes {
                #expect(type.element(name) != nil)
                #expect(sets.joined().allSatisfy { type.element($0) != nil })
            }
        }
    }

    @Test(
        "Elements have type, unit and source",
        arguments: [
            (
                "org.iso.18013.5.1", "height", DataElementType.integer(.centimetres), false,
                ElementSource.iso18013_5
            ),
            ("org.iso.18013.5.1", "weight", .integer(.kilograms), false, .iso18013_5),
            ("org.iso.18013.5.1", "birth_date", .day, true, .iso18013_5),
            ("org.iso.18013.5.1", "age_over_07", .boolean, false, .iso18013_5),
            ("org.iso.18013.5.1", "driving_privileges", .drivingPrivileges, true, .iso18013_5),
            ("org.iso.18013.5.1.aamva", "DHS_compliance", .code(["F", "N"]), true, .aamva),
            (
                "org.iso.18013.5.1.aamva", "domestic_driving_privileges", .domesticDrivingPrivileges, true,
                .aamva
            ),
            ("org.iso.18013.5.1.aamva", "weight_range", .number(0...9), false, .aamva),
        ])
    func elements(
        _ nameSpace: String, identifier: String, type: DataElementType, isMandatory: Bool,
        source: ElementSource
    ) throws {
        let name = ElementName(nameSpace: nameSpace, identifier: identifier)
        let element = try #require(DocumentFamily.drivingLicence.types[0].element(name))
        #expect(element.name == name && element.type == type)
        #expect(element.isMandatory == isMandatory && element.source == source)
    }

    @Test("The mandatory elements of the mDL are the eleven of the standard")
    func mandatory() {
        let mandatory = DocumentFamily.drivingLicence.types[0].elements.filter {
            $0.isMandatory && $0.source == .iso18013_5
        }
        #expect(mandatory.count == 11)
    }

    @Test("Ages are elements where a document has ages, and only in its own namespace")
    func ages() {
        let name = { ElementName(nameSpace: $0, identifier: $1) }
        let licence = DocumentFamily.drivingLicence.types[0]
        #expect(licence.element(name("org.iso.18013.5.1", "age_over_99")) != nil)
        #expect(licence.element(name("org.iso.18013.5.1", "age_over_100")) == nil)
        #expect(licence.element(name("org.iso.18013.5.1.aamva", "age_over_21")) == nil)
        #expect(
            DocumentFamily.ageVerification.types[0].element(name("eu.europa.ec.av.1", "age_over_21")) != nil)
    }

    @Test(
        "Documents go by a word, by their type, or by any type at all",
        arguments: [
            ("mdl", ["org.iso.18013.5.1.mDL"]),
            ("photoid", ["org.iso.23220.photoid.1", "org.iso.23220.photoID.1"]),
            ("pid", ["eu.europa.ec.eudi.pid.1"]), ("av", ["eu.europa.ec.av.1"]),
            ("mnc", ["org.iso.23220.1.jp.mnc"]),
            ("eu.europa.ec.av.1", ["eu.europa.ec.av.1"]), ("org.iso.7367.1.mVRC", ["org.iso.7367.1.mVRC"]),
        ])
    func families(_ text: String, docTypes: [String]) {
        #expect(DocumentFamily(text)?.types.map(\.docType) == docTypes)
    }

    @Test("The types of a document have one main namespace")
    func mainNameSpace() {
        for family in DocumentFamily.known {
            #expect(Set(family.types.map(\.mainNameSpace)) == [family.mainNameSpace], "\(family.word)")
        }
        #expect(DocumentFamily.photoID.mainNameSpace == "org.iso.23220.1")
        for type in Self.types + [DocumentType(named: "org.example.club.1")] {
            let name = ElementName.inMainNameSpace("expiry_date", of: type.docType)
            #expect(name.nameSpace == type.mainNameSpace, "\(type.docType)")
        }
    }

    @Test("What is neither word nor type is no document", arguments: ["", "MDL", "passport", "a b.c", "ö.c"])
    func noFamily(_ text: String) {
        #expect(DocumentFamily(text) == nil)
    }
}
