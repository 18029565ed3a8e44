import MdocModel
import MdocVerification
import TestCredentials
import Testing

@testable import WalletPresentation

@Suite("What an app asks for")
struct IdentityDescriptorTests {
    private static func descriptor(
        _ document: IdentityDocument = .driversLicense, _ elements: (String, String)...
    ) throws -> IdentityDescriptor {
        try IdentityDescriptor(
            document,
            elements.map { (try #require(IdentityElement($0.0)), try #require(IntentToStore($0.1))) })
    }

    @Test("Every name of PassKit's is read and written, and nothing near it")
    func names() {
        #expect(IdentityElement.withoutArgument.count == 19)
        for (name, element) in IdentityElement.withoutArgument {
            #expect(IdentityElement(name) == element && element.name == name)
            #expect(IdentityElement(name + "x") == nil)
        }
        for years in IdentityElement.ages {
            #expect(IdentityElement("age(atLeast:\(years))") == .ageAtLeast(years))
            #expect(IdentityElement.ageAtLeast(years).name == "age(atLeast:\(years))")
        }
        for name in [
            "", "age(atLeast:0)", "age(atLeast:126)", "age(atLeast:021)", "age(atLeast:+21)", "age(atLeast:)",
            "age(atLeast:21", "age(atLeast:", "age(atLeast:٢١)", "age(atLeast:1234567890)",
        ] {
            #expect(IdentityElement(name) == nil, "\(name)")
        }
    }

    @Test("Every intent of PassKit's is read and written, and nothing near it")
    func intents() {
        for (name, intent, days) in [
            ("willNotStore", IntentToStore.willNotStore, UInt16?(0)), ("mayStore", .mayStore, nil),
            ("mayStore(days:30)", .mayStoreForDays(30), 30),
            ("mayStore(days:65535)", .mayStoreForDays(65535), 65535),
        ] {
            #expect(IntentToStore(name) == intent && intent.name == name)
            #expect(intent.days == days && intent.retains == (intent != .willNotStore))
        }
        for name in [
            "", "mayStore()", "mayStore(days:0)", "mayStore(days:-1)", "mayStore(days:65536)",
            "mayStore(days:07)",
        ] {
            #expect(IntentToStore(name) == nil, "\(name)")
        }
    }

    @Test("A descriptor's elements are those of ISO/IEC 18013-5 and AAMVA, retained where they may be stored")
    func mapping() throws {
        let descriptor = try Self.descriptor(
            .driversLicense, ("familyName", "mayStore(days:30)"), ("address", "willNotStore"),
            ("age(atLeast:21)", "willNotStore"))
        let request = descriptor.itemsRequest
        #expect(request.docType == "org.iso.18013.5.1.mDL")
        #expect(request.nameSpaces.map(\.name) == ["org.iso.18013.5.1", "org.iso.18013.5.1.aamva"])
        #expect(
            request.nameSpaces[0].elements.map(\.identifier) == [
                "family_name", "resident_address", "resident_city", "resident_state",
                "resident_postal_code", "resident_country", "age_over_21",
            ])
        #expect(
            request.nameSpaces[0].elements.map(\.intentToRetain) == [true] + Array(repeating: false, count: 6)
        )
        #expect(
            request.nameSpaces[1].elements.map(\.identifier) == [
                "family_name_truncation", "aka_family_name",
            ])
        #expect(request.asks(for: "age_in_years", in: TestDocument.nameSpace))
        #expect(!request.asks(for: "birth_date", in: TestDocument.nameSpace))
    }

    @Test("For how long a value may be kept follows its element; what was not asked for may not be kept")
    func retention() throws {
        let descriptor = try Self.descriptor(
            .driversLicense, ("familyName", "mayStore(days:30)"), ("givenName", "mayStore"),
            ("age(atLeast:21)", "mayStore(days:1)"))
        #expect(descriptor.intent(for: .mDL("family_name")) == .mayStoreForDays(30))
        #expect(descriptor.intent(for: .mDL("given_name")) == .mayStore)
        #expect(descriptor.intent(for: .mDL("age_in_years")) == .mayStoreForDays(1))
        #expect(descriptor.intent(for: .mDL("birth_date")) == .willNotStore)
    }

    @Test(
        "Where two elements of PassKit's are one of the document, the stricter intent holds, in either order")
    func stricterIntent() throws {
        let name = ElementName(nameSpace: "org.iso.23220.1.jp", identifier: "full_name_unicode")
        for (first, second, intent) in [
            ("mayStore", "willNotStore", IntentToStore.willNotStore),
            ("willNotStore", "mayStore(days:9)", .willNotStore),
            ("mayStore", "mayStore(days:9)", .mayStoreForDays(9)),
            ("mayStore(days:9)", "mayStore(days:10)", .mayStoreForDays(9)),
            ("mayStore", "mayStore", .mayStore),
        ] {
            let descriptor = try Self.descriptor(
                .nationalIDCardJP, ("familyName", first), ("givenName", second))
            #expect(descriptor.intent(for: name) == intent)
            let elements = descriptor.itemsRequest.nameSpaces.flatMap(\.elements)
            #expect(elements == [.init(identifier: "full_name_unicode", intentToRetain: intent.retains)])
        }
    }

    @Test("What PassKit would refuse is refused, and an age it takes is not")
    func refusals() throws {
        #expect(throws: IdentityDescriptorError.noElements) { try Self.descriptor() }
        #expect(throws: IdentityDescriptorError.elementTwice) {
            try Self.descriptor(.driversLicense, ("sex", "mayStore"), ("sex", "willNotStore"))
        }
        #expect(throws: IdentityDescriptorError.ageTwice) {
            try Self.descriptor(.driversLicense, ("age", "mayStore"), ("age(atLeast:21)", "mayStore"))
        }
        for years in [0, 126] {
            #expect(throws: IdentityDescriptorError.ageOutOfRange) {
                try IdentityDescriptor(.driversLicense, [(.ageAtLeast(years), .mayStore)])
            }
        }
        #expect(throws: IdentityDescriptorError.elementNotOfDocument(.drivingPrivileges)) {
            try Self.descriptor(.photoID, ("drivingPrivileges", "willNotStore"))
        }
        let oldest = try Self.descriptor(.driversLicense, ("age(atLeast:125)", "willNotStore"))
        #expect(oldest.itemsRequest.asks(for: "age_in_years", in: TestDocument.nameSpace))
    }

    @Test("Every element stands in a driver's licence, and each kind of document has its elements once")
    func everyElement() throws {
        for document in IdentityDocument.allCases {
            let elements = IdentityElement.withoutArgument.map(\.element).filter {
                !document.mapping(of: $0).isEmpty
            }
            let names = Set(elements.flatMap { document.mapping(of: $0).map(\.name) })
            let descriptor = try IdentityDescriptor(document, elements.map { ($0, .willNotStore) })
            #expect(descriptor.itemsRequest.docType == document.docType)
            #expect(descriptor.itemsRequest.nameSpaces.flatMap(\.elements).count == names.count)
            if document == .driversLicense { #expect(elements.count == 19) }
        }
    }

    @Test("An age in place of an answer is reported, and the answer itself is not")
    func ageStandsIn() throws {
        let descriptor = try Self.descriptor(.driversLicense, ("age(atLeast:21)", "willNotStore"))
        var shop = try Shop()
        shop.requests = [descriptor.itemsRequest]
        shop.documents = [try TestDocument([.init("age_in_years", Encoded.unsigned(42))])]
        let standIn = try Self.verified(shop)
        #expect(standIn.ageStandIns == [AgeStandIn(docType: TestDocument.mDL, years: 21)])
        #expect(standIn.response.documents[0].elements.map(\.name) == [.mDL("age_in_years")])
        shop.documents = [try TestDocument([.init("age_over_21", Encoded.boolean(true))])]
        #expect(try Self.verified(shop).ageStandIns.isEmpty)
        shop.documents = [
            try TestDocument([
                .init("age_over_18", Encoded.boolean(false)), .init("age_in_years", Encoded.unsigned(17)),
            ])
        ]
        #expect(try Self.verified(shop).ageStandIns.isEmpty)
    }

    private static func verified(_ shop: Shop) throws -> VerifiedPresentation {
        let verdict = try WalletEnvelope(shop.envelope().encoded[...]).open(
            with: [shop.key], as: shop.merchant, answering: SpentNonce.acceptingReplays(of: shop.nonce)
        ).verify(in: shop.context)
        guard case .verified(let verified) = verdict else { throw NotVerified() }
        return verified
    }

    private struct NotVerified: Error {}
}

extension ElementName {
    fileprivate static func mDL(_ identifier: String) -> ElementName {
        ElementName(nameSpace: TestDocument.nameSpace, identifier: identifier)
    }
}
