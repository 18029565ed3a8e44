import Foundation
import MdocModel
import MdocWallet
import Testing

@testable import TapToPresent

@Suite("The elements of a document, as an app gets them")
struct DocumentElementsTests {
    private typealias Elements = MobileDriversLicenseDataRequest.Response.DocumentElements
    private typealias PhotoElements = MobilePhotoIDDataRequest.Response.DocumentElements

    private func elements(
        _ change: (inout TestDocument) -> Void = { _ in },
        asking elements: [MobileDriversLicenseDataRequest.Element] = MobileDriversLicenseDataRequest.Element
            .all
            + [.age]
    ) async throws -> MobileDriversLicenseDataRequest.Response.DocumentElements {
        let stage = try TapStage([TestLicence.full(change)])
        defer { stage.clean() }
        return try await stage.prepared().requestDocument(
            .driversLicenseData(notRetaining: elements)
        ).documentElements
    }

    @Test("Every element of a license is read from what the issuer signed")
    func licence() async throws {
        let elements = try await elements()
        #expect(elements.nameComponents?.familyName == "Testrup-Ødegård")
        #expect(elements.nameComponents?.givenName == "Lumi Séraphine")
        #expect(elements.nameComponents?.nameSuffix == "JR")
        #expect(elements.age == 40)
        #expect(elements.ageAtLeastElements.isEmpty)
        #expect(elements.dateOfBirth == DateComponents(year: 1986, month: 1, day: 1))
        #expect(elements.documentIssueDate == DateComponents(year: 2025, month: 11, day: 1))
        #expect(elements.documentExpirationDate == DateComponents(year: 2035, month: 11, day: 1))
        #expect(elements.address?.street == "1 Test Road")
        #expect(elements.address?.city == "Testville")
        #expect(elements.address?.state == "UT-1")
        #expect(elements.address?.postalCode == "12345")
        #expect(elements.address?.isoCountryCode == "UT")
        #expect(elements.portraitData?.starts(with: [0xff, 0xd8]) == true)
        #expect(elements.documentNumber == "UT-7700423519")
        #expect(
            elements.issuingAuthority
                == .init(name: "Countersign Test Issuer", jurisdiction: "UT-1", isoCountryCode: "UT"))
        #expect(elements.sex == .female)
        #expect(elements.documentDHSComplianceStatus == .compliant)
        #expect(elements.eyeColor == .brown)
        #expect(elements.hairColor == .auburn)
        #expect(elements.height == Measurement(value: 171, unit: .centimeters))
        #expect(elements.weight == Measurement(value: 64, unit: .kilograms))
        #expect(elements.isOrganDonor == true)
        #expect(elements.isVeteran == true)
    }

    @Test("Driving privileges are read with their dates and conditions, ISO's and AAMVA's")
    func driving() async throws {
        let elements = try await elements()
        let (from, until) = (
            DateComponents(year: 2020, month: 2, day: 29), DateComponents(year: 2035, month: 2, day: 28)
        )
        #expect(
            elements.drivingPrivileges == [
                .init(
                    vehicleCategoryCode: "B", issueDate: from, expirationDate: until,
                    codes: [
                        .init(code: "01", sign: nil, value: nil),
                        .init(code: "S01", sign: "<=", value: "2500"),
                    ])
            ])
        #expect(
            elements.aamvaDrivingPrivileges == [
                .init(
                    vehicleClass: .init(
                        code: "C", description: "Car", issueDate: from, expirationDate: until),
                    vehicleEndorsements: [.init(code: "M", description: "Motorcycle")],
                    vehicleRestrictions: [.init(code: "B", description: "Lenses")])
            ])
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let identifier: String
        let value: CBORDraft
        let isMissing: @Sendable (MobileDriversLicenseDataRequest.Response.DocumentElements) -> Bool

        init(
            _ identifier: String, _ value: CBORDraft,
            _ isMissing:
                @escaping @Sendable (MobileDriversLicenseDataRequest.Response.DocumentElements) -> Bool
        ) {
            self.identifier = identifier
            self.value = value
            self.isMissing = isMissing
        }

        var testDescription: String { "\(identifier) \(value.encode().map { String($0, radix: 16) })" }

        static let all: [Malformed] = [
            .init("family_name", 7) { $0.nameComponents?.familyName == nil },
            .init("given_name", .bytes([65])) { $0.nameComponents?.givenName == nil },
            .init("name_suffix", 1) { $0.nameComponents?.nameSuffix == nil },
            .init("age_in_years", "40") { $0.age == nil }, .init("age_in_years", 201) { $0.age == nil },
            .init("birth_date", "1986") { $0.dateOfBirth == nil },
            .init("birth_date", .fullDate("1986-02-30")) { $0.dateOfBirth == nil },
            .init("issue_date", 2025) { $0.documentIssueDate == nil },
            .init("expiry_date", .text("never")) { $0.documentExpirationDate == nil },
            .init("resident_city", 1) { $0.address?.city == "" },
            .init("portrait", "a face") { $0.portraitData == nil },
            .init("document_number", 7) { $0.documentNumber == nil },
            .init("issuing_authority", 7) { $0.issuingAuthority?.name == nil },
            // AAMVA's answers in its place.
            .init("sex", 3) { $0.sex == .female },
            .init("DHS_compliance", "X") { $0.documentDHSComplianceStatus == nil },
            .init("driving_privileges", "B") { $0.drivingPrivileges == nil },
            .init("driving_privileges", [["vehicle_category_code": "B"], ["code": "C"]]) {
                $0.drivingPrivileges == nil
            },
            .init("domestic_driving_privileges", [["domestic_vehicle_class": "C"]]) {
                $0.aamvaDrivingPrivileges == nil
            },
            .init("eye_colour", "Brown") { $0.eyeColor == nil },
            .init("hair_colour", 3) { $0.hairColor == nil },
            .init("height", 0) { $0.height == nil }, .init("height", 301) { $0.height == nil },
            .init("height", "171") { $0.height == nil }, .init("weight", -1) { $0.weight == nil },
            .init("organ_donor", 0) { $0.isOrganDonor == nil },
            .init("veteran", .boolean(true)) { $0.isVeteran == nil },
        ]
    }

    @Test(
        "A value of another form than the standard's is missing, and the others are there",
        arguments: Malformed.all)
    func malformed(_ row: Malformed) async throws {
        let elements = try await elements { $0[row.identifier] = row.value }
        #expect(row.isMissing(elements))
        #expect(row.identifier == "document_number" || elements.documentNumber != nil)
        // The twin: well-formed it is there.
        let wellFormed = try await self.elements()
        #expect(row.identifier == "sex" || !row.isMissing(wellFormed))
    }

    @Test(
        "The sex of ISO comes before AAMVA's, and nine means what each says",
        arguments: [
            (0, 1, .unknown), (1, 2, .male), (2, 1, .female), (9, 1, .notApplicable), (nil, 9, .notSpecified),
            (nil, 2, .female), (nil, 0, nil),
        ] as [(Int?, Int, MobileDriversLicenseDataRequest.Response.DocumentElements.Sex?)])
    func sex(
        _ iso: Int?, _ aamva: Int, _ expected: MobileDriversLicenseDataRequest.Response.DocumentElements.Sex?
    ) async throws {
        let elements = try await elements(
            { document in
                let index = document.elements.lastIndex { $0.identifier == "sex" }
                if let index { document.elements[index].value = .integer(Int64(aamva)) }
                document["sex"] = iso.map { .integer(Int64($0)) }
            }, asking: [.sex])
        #expect(elements.sex == expected)
        #expect(elements.sex.map(\.localizedName.isEmpty) != true)
    }

    @Test("What was not asked for, or is not in the license, is missing")
    func missing() async throws {
        let elements = try await elements(asking: [.documentNumber])
        #expect(elements.documentNumber != nil)
        #expect(elements.nameComponents == nil && elements.portraitData == nil && elements.address == nil)
        #expect(elements.issuingAuthority == nil && elements.drivingPrivileges == nil)
        let bare = try await self.elements { $0["eye_colour"] = nil }
        #expect(bare.eyeColor == nil && bare.hairColor == .auburn)
    }

    @Test(
        "A question about age is answered by the nearest attestation",
        arguments: [(18, true), (21, true), (30, true), (65, false), (70, false), (50, nil)] as [(Int, Bool?)]
    )
    func ages(_ years: Int, _ answer: Bool?) async throws {
        let elements = try await elements(
            { document in
                document["age_in_years"] = nil
                document.elements.removeAll { $0.identifier == "age_over_21" }
                document.add(to: TestLicence.nameSpace, ["age_over_35": .boolean(true)])
            }, asking: [.ageAtLeast(years)])
        let expected = years == 21 ? true : answer
        #expect(elements.ageAtLeastElements[years] == expected)
    }

    @Test("An instant is read in UTC, with its time")
    func instants() async throws {
        let elements = try await elements {
            $0["issue_date"] = .dateTime("2025-11-01T00:30:10+01:00")
        }
        let issued = elements.documentIssueDate
        #expect(issued?.year == 2025 && issued?.month == 10 && issued?.day == 31)
        #expect(issued?.hour == 23 && issued?.minute == 30 && issued?.second == 10)
        #expect(issued?.timeZone == TimeZone(secondsFromGMT: 0))
    }

    @Test(
        "A photo ID's elements are read; names under older identifiers where the wallet knows alternatives",
        arguments: [("", false, true), ("_unicode", true, true), ("_unicode", false, false)])
    func photoID(_ suffix: String, isExtended: Bool, hasNames: Bool) async throws {
        var document = TestDocument(docType: "org.iso.23220.photoid.1")
        document.add(
            to: "org.iso.23220.1",
            [
                "birth_date": ["birth_date": .fullDate("1986-01-01")],
                "portrait": .bytes([0xff, 0xd8, 0xff]),
                "issue_date": .fullDate("2025-11-01"), "expiry_date": .fullDate("2035-11-01"),
                "issuing_country": "UT", "document_number": "P1", "age_in_years": 40, "age_over_18": true,
                "sex": 9, "resident_address": "1 Test Road", "resident_city": "Testville",
                "resident_postal_code": "12345", "resident_country": "UT",
            ])
        for (name, value) in [
            "family_name": "Testrup", "given_name": "Lumi", "issuing_authority": "Office",
        ] {
            document.add(to: "org.iso.23220.1", [name + suffix: .text(value)])
        }
        let stage = try TapStage([document]) {
            if isExtended {
                $0.profile.extraEngagementMembers = WalletProfile.apple.extraEngagementMembers
            }
        }
        defer { stage.clean() }
        let elements = try await stage.prepared().requestDocument(
            .photoIDData(notRetaining: [
                .address, .age, .dateOfBirth, .documentExpirationDate, .documentIssueDate, .documentNumber,
                .familyName, .givenName, .issuingAuthority, .portrait, .sex,
            ])
        ).documentElements
        #expect(elements.nameComponents?.familyName == (hasNames ? "Testrup" : nil))
        #expect(elements.nameComponents?.givenName == (hasNames ? "Lumi" : nil))
        #expect(elements.age == 40)
        #expect(elements.dateOfBirth == DateComponents(year: 1986, month: 1, day: 1))
        #expect(elements.documentIssueDate == DateComponents(year: 2025, month: 11, day: 1))
        #expect(elements.documentExpirationDate == DateComponents(year: 2035, month: 11, day: 1))
        #expect(elements.address?.street == "1 Test Road" && elements.address?.city == "Testville")
        #expect(elements.portraitData == Data([0xff, 0xd8, 0xff]))
        #expect(elements.documentNumber == "P1")
        #expect(elements.issuingAuthority?.name == (hasNames ? "Office" : nil))
        #expect(elements.sex == .notApplicable)
    }

    @Test(
        "A national ID card's elements are read; a name without a space is a family name",
        arguments: [("試験　花子", "試験", "花子"), ("試験 花子", "試験", "花子"), ("試験花子", "試験花子", nil)]
            as [(String, String, String?)])
    func nationalIDCard(_ name: String, _ family: String, _ given: String?) async throws {
        let stage = try TapStage([.nationalIDCard(named: name)])
        defer { stage.clean() }
        let response = try await stage.prepared().requestDocument(
            .nationalIDCardData(
                region: .japan,
                notRetaining: [
                    .age, .ageAtLeast(20), .dateOfBirth, .documentNumber, .familyName, .givenName, .portrait,
                    .sex,
                ]))
        let elements = response.documentElements
        #expect(response.region == .japan)
        #expect(elements.nameComponents?.familyName == family)
        #expect(elements.nameComponents?.givenName == given)
        #expect(elements.age == 40 && elements.ageAtLeastElements == [20: true])
        #expect(elements.dateOfBirth == DateComponents(year: 1986, month: 1, day: 1))
        #expect(elements.portraitData?.isEmpty == false && elements.documentNumber == "123456789012")
        #expect(elements.sex == .female && !"\(elements)".contains("試験"))
    }

    @Test("A driving licence does not answer a request for a national ID card")
    func otherDocument() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        await #expect(throws: MobileDocumentReaderError.cancelled) {
            try await stage.prepared().requestDocument(
                .nationalIDCardData(region: .japan, notRetaining: [.sex]))
        }
    }

    @Test(
        "Of an approximate birth date only what is known comes",
        arguments: [
            ("00000000", DateComponents(year: 1986, month: 1, day: 1)),
            ("00000011", DateComponents(year: 1986, month: 1)), ("00001111", DateComponents(year: 1986)),
            ("00011111", DateComponents()), ("0000001", nil), ("0000000x", nil),
        ] as [(String, DateComponents?)])
    func approximate(_ mask: String, _ expected: DateComponents?) async throws {
        var document = TestDocument(docType: "org.iso.23220.photoID.1")
        document.add(
            to: "org.iso.23220.1",
            ["birth_date": ["birth_date": .fullDate("1986-01-01"), "approximate_mask": .text(mask)]])
        let stage = try TapStage([document])
        defer { stage.clean() }
        let response = try await stage.prepared().requestDocument(
            .photoIDData(retaining: [.dateOfBirth]))
        #expect(response.documentElements.dateOfBirth == expected)
    }

    @Test("Elements describe themselves by their type alone")
    func redacted() async throws {
        let elements = try await elements()
        for text in ["\(elements)", String(reflecting: elements), "\(elements.address as Any)"] {
            #expect(!text.contains("Test") && !text.contains("7700423519"))
        }
        var dumped = ""
        dump(elements, to: &dumped)
        #expect(!dumped.contains("Testrup") && !dumped.contains("7700423519"))
    }
}
