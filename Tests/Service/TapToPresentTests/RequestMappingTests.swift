import MdocModel
import Testing
import WalletPresentation

@testable import TapToPresent

@Suite("What a request asks of a phone")
struct RequestMappingTests {
    private typealias Licence = MobileDriversLicenseDataRequest
    private typealias PhotoID = MobilePhotoIDDataRequest

    private static let iso = "org.iso.18013.5.1"
    private static let aamva = "org.iso.18013.5.1.aamva"
    private static let photo = "org.iso.23220.1"

    private static func names(_ document: RequestedDocument) -> [String] {
        document.requests[0].nameSpaces.flatMap { space in
            space.elements.map { "\(space.name)/\($0.identifier)" }
        }
    }

    @Test(
        "An element of a license is asked for by these names, in both namespaces",
        arguments: [
            (.familyName, ["family_name"], ["family_name_truncation", "aka_family_name"]),
            (
                .givenName, ["given_name"],
                ["given_name_truncation", "aka_given_name", "name_suffix", "aka_suffix"]
            ),
            (.portrait, ["portrait"], []),
            (
                .address,
                [
                    "resident_address", "resident_city", "resident_state", "resident_postal_code",
                    "resident_country",
                ], []
            ),
            (
                .issuingAuthority,
                ["issuing_authority", "issuing_jurisdiction", "issuing_country", "un_distinguishing_sign"], []
            ),
            (.documentExpirationDate, ["expiry_date"], []), (.documentIssueDate, ["issue_date"], []),
            (.documentNumber, ["document_number"], []),
            (.drivingPrivileges, ["driving_privileges"], ["domestic_driving_privileges"]),
            (.dateOfBirth, ["birth_date"], []), (.age, ["age_in_years"], []),
            (.ageAtLeast(8), ["age_over_08"], []), (.ageAtLeast(21), ["age_over_21"], []),
            (.ageAtLeast(125), ["age_in_years"], []), (.sex, ["sex"], ["sex"]),
            (.documentDHSComplianceStatus, [], ["DHS_compliance"]), (.eyeColor, ["eye_colour"], []),
            (.hairColor, ["hair_colour"], []), (.height, ["height"], []), (.weight, ["weight"], []),
            (.organDonorStatus, [], ["organ_donor"]), (.veteranStatus, [], ["veteran"]),
        ] as [(MobileDriversLicenseDataRequest.Element, [String], [String])])
    func licence(_ element: MobileDriversLicenseDataRequest.Element, _ iso: [String], _ aamva: [String])
        throws
    {
        let expected = iso.map { "\(Self.iso)/\($0)" } + aamva.map { "\(Self.aamva)/\($0)" }
        let data = try Licence(nonRetainedElements: [element]).plan.documents()
        #expect(data.map(Self.names) == [expected])
        #expect(data[0].requests.map(\.docType) == ["org.iso.18013.5.1.mDL"])
        let raw = try MobileDriversLicenseRawDataRequest(retainedElements: [element]).plan.documents()
        #expect(raw.map(Self.names) == [expected])
    }

    @Test(
        "An element of a photo ID is asked for by these names, under both spellings of its type",
        arguments: [
            (.familyName, ["family_name_unicode", "family_name"]),
            (.givenName, ["given_name_unicode", "given_name"]), (.portrait, ["portrait"]),
            (
                .address,
                [
                    "resident_address_unicode", "resident_city_unicode", "resident_postal_code",
                    "resident_country", "resident_address", "resident_city",
                ]
            ),
            (.issuingAuthority, ["issuing_authority_unicode", "issuing_country", "issuing_authority"]),
            (.documentExpirationDate, ["expiry_date"]), (.documentIssueDate, ["issue_date"]),
            (.documentNumber, ["document_number"]), (.dateOfBirth, ["birth_date"]),
            (.age, ["age_in_years"]), (.ageAtLeast(18), ["age_over_18"]), (.sex, ["sex"]),
        ] as [(MobilePhotoIDDataRequest.Element, [String])])
    func photoID(_ element: MobilePhotoIDDataRequest.Element, _ names: [String]) throws {
        let expected = names.map { "\(Self.photo)/\($0)" }
        let data = try PhotoID(nonRetainedElements: [element]).plan.documents()
        #expect(data.map(Self.names) == [expected])
        #expect(
            data[0].requests.map(\.docType) == ["org.iso.23220.photoid.1", "org.iso.23220.photoID.1"])
        let raw = try MobilePhotoIDRawDataRequest(retainedElements: [element]).plan.documents()
        #expect(raw.map(Self.names) == [expected])
    }

    @Test("What is retained is asked for with the intent to retain, and nothing else is")
    func retention() throws {
        let request = Licence(retainedElements: [.documentNumber], nonRetainedElements: [.portrait, .sex])
        let elements = try request.plan.documents()[0].requests[0].nameSpaces.flatMap(\.elements)
        #expect(elements.filter(\.intentToRetain).map(\.identifier) == ["document_number"])
        #expect(elements.count == 4)
        let kept = try PhotoID(retainedElements: [.familyName]).plan.documents()[0].requests[0].nameSpaces[0]
        #expect(kept.elements.allSatisfy { $0.intentToRetain })
    }

    @Test("A display request asks for the portrait of itself, for nothing of AAMVA's, and keeps nothing")
    func display() throws {
        let elements: [MobileDriversLicenseDisplayRequest.Element] = [
            .givenName, .familyName, .ageAtLeast(21),
        ]
        let request = MobileDriversLicenseDisplayRequest(
            elements: elements, options: .init(validationMode: .confirm))
        let names = ["portrait", "given_name", "family_name", "age_over_21"]
        #expect(try request.plan.documents().map(Self.names) == [names.map { "\(Self.iso)/\($0)" }])
        let several = MobileDocumentDisplayRequest(
            elements: elements,
            options: .init(allowedDocumentTypes: [.photoID, .driversLicense], validationMode: .check))
        let documents = try several.plan.documents()
        #expect(documents.map(\.kind) == [.photoID, .driversLicense])
        #expect(
            documents.flatMap(\.requests).flatMap(\.nameSpaces).flatMap(\.elements).allSatisfy {
                !$0.intentToRetain
            })
    }

    @Test(
        "A request that asks nothing, twice, too much or what is not there is refused by its reason",
        arguments: [
            (Licence(), .nothingRequested),
            (Licence(nonRetainedElements: [.sex, .sex]), .elementTwice),
            (Licence(retainedElements: [.sex], nonRetainedElements: [.sex]), .elementTwice),
            (Licence(nonRetainedElements: [.age, .ageAtLeast(21)]), .ageBesideThreshold),
            (Licence(nonRetainedElements: [.ageAtLeast(0)]), .ageOutOfRange),
            (Licence(nonRetainedElements: [.ageAtLeast(126)]), .ageOutOfRange),
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
        _ = try request.plan.documents()
    }

    private static func twoLicences() -> MobileDocumentAnyOfDataRequest {
        var request = MobileDocumentAnyOfDataRequest()
        request.addRequest(Licence(nonRetainedElements: [.sex]))
        request.addRequest(Licence(nonRetainedElements: [.height]))
        return request
    }
}
