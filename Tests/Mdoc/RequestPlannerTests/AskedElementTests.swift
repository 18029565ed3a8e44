import MdocModel
import Testing

@testable import RequestPlanner

@Suite("What an answer must have")
struct AskedElementTests {
    private func plan(_ text: String, keeping retention: RetentionChoice = .none) throws -> RequestPlan {
        try RequestPlan(RequestIntent(parsing: text), keeping: retention)
    }

    private func required(_ text: String) throws -> [String] {
        try plan(text).askedElements.filter(\.isRequired).map(\.name.identifier)
    }

    @Test(
        "What is mandatory in the document is required, and other elements only where the order says so",
        arguments: [
            ("identity: name, address", ["family_name", "given_name"]),
            (
                "identity: name, address; required address",
                [
                    "family_name", "given_name", "resident_address", "resident_city", "resident_state",
                    "resident_postal_code",
                ]
            ),
            ("elements: org.iso.18013.5.1/height", []),
            ("elements: org.iso.18013.5.1/height; required org.iso.18013.5.1/height", ["height"]),
            ("elements: portrait for a human to compare, expiry", ["portrait", "expiry_date"]),
            ("elements: org.iso.18013.5.1.aamva/DHS_compliance", []),
            ("identity: name; from mnc", []),
            ("identity: name; from mnc; required name", ["full_name_unicode"]),
            ("elements: com.example.card.1/number; from com.example.card.1", []),
        ])
    func requires(_ text: String, identifiers: [String]) throws {
        #expect(try required(text) == identifiers)
    }

    @Test("An attestation is never required by itself: another may answer, and its question judges it")
    func attestations() throws {
        #expect(try required("age over 18; from av; required age over 18").isEmpty)
        #expect(try required("age over 21; else birth date").isEmpty)
        #expect(
            try plan("age over 21; else birth date").askedElements.map(\.name.identifier) == ["age_over_21"])
    }

    @Test("A required element may come under the other name that its documents have")
    func substitutes() throws {
        let name = try #require(try plan("identity: name; from photoid").askedElements.first)
        #expect(name.isRequired && name.name.identifier == "family_name")
        #expect(name.alternatives.joined().map(\.identifier) == ["family_name_unicode"])
    }

    @Test("Each of several documents has its own required elements")
    func documents() throws {
        let elements = try plan("identity: document number; from mdl or pid").askedElements
        #expect(elements.map(\.docType) == ["org.iso.18013.5.1.mDL", "eu.europa.ec.eudi.pid.1"])
        #expect(elements.map(\.isRequired) == [true, false])
    }

    @Test("What is required has to be asked, and once")
    func refused() throws {
        #expect(throws: RequestPlannerError.requiredNotAsked(.expiry)) {
            try plan("identity: name; required expiry")
        }
        #expect(throws: RequestPlannerError.requiredNotAsked(.categories(["B"]))) {
            try plan("rental: categories B C1; required categories B")
        }
        #expect(throws: RequestPlannerError.claimTwice(.name)) {
            try plan("identity: name, expiry; required name, name")
        }
        #expect(
            RequestPlannerError.requiredNotAsked(.expiry).explanation
                == "expiry is required but not asked for: name it before the first semicolon too")
    }

    @Test("Whether the document is in date may be asked for any purpose, and its date is not kept by that")
    func inDate() throws {
        for text in ["age over 21, in date", "rental: in date", "identity: in date", "elements: in date"] {
            let request = try #require(try plan(text, keeping: .consented).allRequests.first)
            let date = request.nameSpaces.flatMap(\.elements).first { $0.identifier == "expiry_date" }
            #expect(date?.intentToRetain == false)
        }
        let both = try #require(
            try plan("identity: in date, expiry", keeping: .consented).allRequests.first)
        #expect(both.nameSpaces.flatMap(\.elements).map(\.intentToRetain) == [true])
        #expect(throws: RequestPlannerError.documentLacks(.inDate, docType: "eu.europa.ec.av.1")) {
            try plan("age over 18, in date; from av")
        }
    }
}
