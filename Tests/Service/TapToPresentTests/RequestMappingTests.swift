import Foundation
import MdocModel
import RequestPlanner
import Testing

@testable import TapToPresent

@Suite("What a request asks of a phone")
struct RequestMappingTests {
    private typealias Licence = MobileDriversLicenseDataRequest
    private typealias PhotoID = MobilePhotoIDDataRequest
    private typealias Card = MobileNationalIDCardDataRequest

    private static let iso = "org.iso.18013.5.1"
    private static let aamva = "org.iso.18013.5.1.aamva"
    private static let photo = "org.iso.23220.1"

    /// What is asked of each type of document, of a wallet without extended requests.
    private static func asked(_ request: some MobileDocumentRequest) throws -> [ItemsRequest] {
        try request.plan.choices.drafts(for: []).flatMap(\.documents)
    }

    private static func names(_ request: ItemsRequest) -> [String] {
        request.nameSpaces.flatMap { space in space.elements.map { "\(space.name)/\($0.identifier)" } }
    }

    private static func kept(_ request: some MobileDocumentRequest) throws -> [String] {
        try asked(request).flatMap(\.nameSpaces).flatMap(\.elements).filter(\.intentToRetain)
            .map(\.identifier)
    }

    @Test(
        "An element of a license is asked for by these names, in both namespaces",
        arguments: [
            (.familyName, ["family_name"], []), (.givenName, ["given_name"], ["name_suffix"]),
            (.portrait, ["portrait"], []),
            (
                .address,
                [
                    "resident_address", "resident_city", "resident_state", "resident_postal_code",
                    "resident_country",
                ], []
            ),
            (.issuingAuthority, ["issuing_country", "issuing_authority", "issuing_jurisdiction"], []),
            (.documentExpirationDate, ["expiry_date"], []), (.documentIssueDate, ["issue_date"], []),
            (.documentNumber, ["document_number"], []),
            (.drivingPrivileges, ["driving_privileges"], ["domestic_driving_privileges"]),
            (.dateOfBirth, ["birth_date"], []), (.age, ["age_in_years"], []),
            (.ageAtLeast(8), ["age_over_08"], []), (.ageAtLeast(21), ["age_over_21"], []),
            (.ageAtLeast(99), ["age_over_99"], []), (.sex, ["sex"], ["sex"]),
            (.documentDHSComplianceStatus, [], ["DHS_compliance"]), (.eyeColor, ["eye_colour"], []),
            (.hairColor, ["hair_colour"], []), (.height, ["height"], []), (.weight, ["weight"], []),
            (.organDonorStatus, [], ["organ_donor"]), (.veteranStatus, [], ["veteran"]),
        ] as [(MobileDriversLicenseDataRequest.Element, [String], [String])])
    func licence(_ element: MobileDriversLicenseDataRequest.Element, _ iso: [String], _ aamva: [String])
        throws
    {
        let expected = iso.map { "\(Self.iso)/\($0)" } + aamva.map { "\(Self.aamva)/\($0)" }
        let data = try Self.asked(Licence(nonRetainedElements: [element]))
        #expect(data.map(Self.names) == [expected])
        #expect(data.map(\.docType) == ["org.iso.18013.5.1.mDL"])
        let raw = try Self.asked(MobileDriversLicenseRawDataRequest(retainedElements: [element]))
        #expect(raw.map(Self.names) == [expected])
    }

    @Test(
        "An element of a photo ID is asked for by these names, under both spellings of its type",
        arguments: [
            (.familyName, ["family_name"]), (.givenName, ["given_name"]), (.portrait, ["portrait"]),
            (
                .address,
                ["resident_address", "resident_city", "resident_postal_code", "resident_country"]
            ),
            (.issuingAuthority, ["issuing_country", "issuing_authority"]),
            (.documentExpirationDate, ["expiry_date"]), (.documentIssueDate, ["issue_date"]),
            (.documentNumber, ["document_number"]), (.dateOfBirth, ["birth_date"]),
            (.age, ["age_in_years"]), (.ageAtLeast(18), ["age_over_18"]), (.sex, ["sex"]),
        ] as [(MobilePhotoIDDataRequest.Element, [String])])
    func photoID(_ element: MobilePhotoIDDataRequest.Element, _ names: [String]) throws {
        let expected = names.map { "\(Self.photo)/\($0)" }
        let data = try Self.asked(PhotoID(nonRetainedElements: [element]))
        #expect(data.map(Self.names) == [expected, expected])
        #expect(data.map(\.docType) == ["org.iso.23220.photoid.1", "org.iso.23220.photoID.1"])
        let raw = try Self.asked(MobilePhotoIDRawDataRequest(retainedElements: [element]))
        #expect(raw.map(Self.names) == [expected, expected])
    }

    @Test(
        "An element of a national ID card of Japan is asked for by these names",
        arguments: [
            (.familyName, ["org.iso.23220.1.jp/full_name_unicode"]),
            (.givenName, ["org.iso.23220.1.jp/full_name_unicode"]),
            (.portrait, ["org.iso.23220.1.jp/portrait"]),
            (.documentNumber, ["org.iso.23220.1.jp/individual_number_unicode"]),
            (.dateOfBirth, ["org.iso.23220.1/birth_date"]), (.age, ["org.iso.23220.1/age_in_years"]),
            (.ageAtLeast(20), ["org.iso.23220.1/age_over_20"]), (.sex, ["org.iso.23220.1/sex"]),
        ] as [(MobileNationalIDCardDataRequest.Element, [String])])
    func nationalIDCard(_ element: MobileNationalIDCardDataRequest.Element, _ names: [String]) throws {
        let asked = try Self.asked(Card(region: .japan, nonRetainedElements: [element]))
        #expect(asked.map(Self.names) == [names])
        #expect(asked.map(\.docType) == ["org.iso.23220.1.jp.mnc"])
    }

    @Test("Family and given name of a national ID card are one element, kept where one of them is")
    func wholeName() throws {
        let request = Card(
            region: .japan, retainedElements: [.givenName], nonRetainedElements: [.familyName])
        #expect(try Self.asked(request).map(Self.names) == [["org.iso.23220.1.jp/full_name_unicode"]])
        #expect(try Self.kept(request) == ["full_name_unicode"])
        let shown = MobileNationalIDCardDisplayRequest(
            region: .japan, elements: [.familyName, .givenName], options: .init(validationMode: .check))
        #expect(
            try Self.asked(shown).map(Self.names) == [
                ["org.iso.23220.1.jp/portrait", "org.iso.23220.1.jp/full_name_unicode"]
            ])
    }

    @Test(
        "National ID cards of other regions are refused before anything is asked",
        arguments: [
            MobileNationalIDCardDataRequest(region: .germany, nonRetainedElements: [.sex]),
            MobileNationalIDCardRawDataRequest(region: .germany, nonRetainedElements: [.sex]),
            MobileNationalIDCardDisplayRequest(
                region: .germany, elements: [.age], options: .init(validationMode: .check)),
            MobileDocumentDisplayRequest(
                elements: [.age],
                options: .init(
                    allowedDocumentTypes: [.driversLicense, .nationalIDCard(region: .germany)],
                    validationMode: .check)),
        ] as [any MobileDocumentRequest])
    func otherRegion(_ request: any MobileDocumentRequest) {
        let error = #expect(throws: MobileDocumentReaderError.self) { try plan(request) }
        #expect(error == .notSupported && error?.reason == .regionNotSupported)
        #expect(Card.isSupportedRegion(.japan) && !Card.isSupportedRegion(.germany))
    }

    @Test("Trusted issuers are named to wallets of extended requests, and to no others")
    func issuers() throws {
        let keys = [Data([1, 2]), Data([3])]
        let request = MobileDriversLicenseRawDataRequest(
            nonRetainedElements: [.sex], issuerIdentifiers: keys)
        let choices = try request.plan.choices
        let extended = choices.drafts(for: [.extendedRequest]).flatMap(\.documents)
        #expect(extended.map(\.issuerIdentifiers) == [[[1, 2], [3]]])
        #expect(choices.drafts(for: []).flatMap(\.documents).allSatisfy { $0.issuerIdentifiers.isEmpty })
        let without = try MobilePhotoIDRawDataRequest(nonRetainedElements: [.sex]).plan.choices
        let others = without.drafts(for: [.extendedRequest]).flatMap(\.documents)
        #expect(others.map(\.issuerIdentifiers) == [[], []])
    }

    @Test("What is retained is asked for with the intent to retain, and nothing else is")
    func retention() throws {
        let request = Licence(retainedElements: [.documentNumber], nonRetainedElements: [.portrait, .sex])
        #expect(try Self.kept(request) == ["document_number"])
        #expect(try Self.asked(request).flatMap(\.nameSpaces).flatMap(\.elements).count == 4)
        #expect(
            try Self.kept(PhotoID(retainedElements: [.portrait], nonRetainedElements: [.familyName]))
                == ["portrait", "portrait"])
        #expect(try Self.kept(Licence(retainedElements: [.givenName])) == ["given_name", "name_suffix"])
    }

    @Test("A display request asks for the portrait of itself, for nothing of AAMVA's, and keeps nothing")
    func display() throws {
        let elements: [MobileDriversLicenseDisplayRequest.Element] = [
            .givenName, .familyName, .ageAtLeast(21),
        ]
        let request = MobileDriversLicenseDisplayRequest(
            elements: elements, options: .init(validationMode: .confirm))
        let names = ["portrait", "given_name", "family_name", "age_over_21"]
        #expect(try Self.asked(request).map(Self.names) == [names.map { "\(Self.iso)/\($0)" }])
        let several = MobileDocumentDisplayRequest(
            elements: elements,
            options: .init(allowedDocumentTypes: [.photoID, .driversLicense], validationMode: .check))
        #expect(
            try Self.asked(several).map(\.docType) == [
                "org.iso.23220.photoid.1", "org.iso.23220.photoID.1", "org.iso.18013.5.1.mDL",
            ])
        #expect(
            try Self.asked(several).map(Self.names)
                == [Self.photo, Self.photo, Self.iso].map { space in names.map { "\(space)/\($0)" } })
        #expect(try Self.kept(request).isEmpty && Self.kept(several).isEmpty)
    }

    @Test("Of several documents each is asked for its own elements, in the order they were added")
    func anyOf() throws {
        var request = MobileDocumentAnyOfDataRequest()
        request.addRequest(PhotoID(nonRetainedElements: [.documentNumber]))
        request.addRequest(Licence(retainedElements: [.drivingPrivileges]))
        var raw = MobileDocumentAnyOfRawDataRequest()
        raw.addRequest(MobilePhotoIDRawDataRequest(nonRetainedElements: [.documentNumber]))
        raw.addRequest(MobileDriversLicenseRawDataRequest(retainedElements: [.drivingPrivileges]))
        let number = ["\(Self.photo)/document_number"]
        let driving = ["\(Self.iso)/driving_privileges", "\(Self.aamva)/domestic_driving_privileges"]
        for asked in [try Self.asked(request), try Self.asked(raw)] {
            #expect(asked.map(Self.names) == [number, number, driving])
        }
        #expect(try Self.kept(request) == ["driving_privileges", "domestic_driving_privileges"])
    }

    @Test(
        "A request that asks nothing, twice, too much or what is not there is refused by its reason",
        arguments: [
            (Licence(), .nothingRequested),
            (Licence(nonRetainedElements: [.sex, .sex]), .elementTwice),
            (Licence(retainedElements: [.sex], nonRetainedElements: [.sex]), .elementTwice),
            (Card(region: .japan), .nothingRequested),
            (Card(region: .japan, nonRetainedElements: [.familyName, .familyName]), .elementTwice),
            (Card(region: .japan, nonRetainedElements: [.ageAtLeast(100)]), .ageOutOfRange),
            (Licence(nonRetainedElements: [.ageAtLeast(-1)]), .ageOutOfRange),
            (Licence(nonRetainedElements: [.ageAtLeast(100)]), .ageOutOfRange),
            (
                Licence(nonRetainedElements: [.ageAtLeast(18), .ageAtLeast(21), .ageAtLeast(65)]),
                .moreThanTwoAges
            ),
            (PhotoID(), .nothingRequested),
            (MobileDocumentAnyOfDataRequest(), .nothingRequested),
            (MobileDocumentAnyOfRawDataRequest(), .nothingRequested),
            (
                MobileDocumentDisplayRequest(
                    elements: [.age], options: .init(allowedDocumentTypes: [], validationMode: .check)),
                .nothingRequested
            ),
            (
                MobileDocumentDisplayRequest(
                    elements: [.age],
                    options: .init(allowedDocumentTypes: [.photoID, .photoID], validationMode: .check)),
                .documentTwice
            ),
            (twoLicences(), .documentTwice),
        ] as [(any MobileDocumentRequest, MobileDocumentReaderError.Reason)])
    func refused(_ request: any MobileDocumentRequest, _ reason: MobileDocumentReaderError.Reason) {
        #expect(throws: MobileDocumentReaderError.invalidRequest) {
            do throws(MobileDocumentReaderError) {
                try plan(request)
            } catch {
                #expect(error.reason == reason)
                throw error
            }
        }
    }

    private func plan<Request: MobileDocumentRequest>(_ request: Request) throws(MobileDocumentReaderError) {
        _ = try request.plan
    }

    @Test(
        "The twins: one element less, or an age that there is an attestation for, and it is asked",
        arguments: [
            Licence(nonRetainedElements: [.sex]), Licence(nonRetainedElements: [.age]),
            Licence(nonRetainedElements: [.age, .dateOfBirth]), Licence(nonRetainedElements: [.dateOfBirth]),
            Licence(nonRetainedElements: [.age, .ageAtLeast(21)]),
            Licence(nonRetainedElements: [.dateOfBirth, .ageAtLeast(21)]),
            Licence(nonRetainedElements: [.ageAtLeast(0)]), Licence(nonRetainedElements: [.ageAtLeast(99)]),
            Licence(nonRetainedElements: [.ageAtLeast(18), .ageAtLeast(21)]),
            Licence(retainedElements: [.portrait]),
        ] as [MobileDriversLicenseDataRequest])
    func allowed(_ request: MobileDriversLicenseDataRequest) {
        #expect(throws: Never.self) { try request.plan }
    }

    private static func twoLicences() -> MobileDocumentAnyOfDataRequest {
        var request = MobileDocumentAnyOfDataRequest()
        request.addRequest(Licence(nonRetainedElements: [.sex]))
        request.addRequest(Licence(nonRetainedElements: [.height]))
        return request
    }
}
