import MdocModel
import RecordBench
import RequestPlanner
import TestCredentials
import Testing

@testable import ReaderStore

/// Profiles by name and by place, and what of an answer they keep.
@Suite("Retention profiles")
struct RetentionProfileTests {
    @Test(
        "A profile by its name",
        arguments: [
            ("none", .none, 0, false), ("receipt", .receipt, 0, false),
            ("age+id-number", .ageAndIDNumber, 30, false), ("age+id-number(3)", .ageAndIDNumber, 3, false),
            ("consented", .consented, 30, true), ("consented(365)", .consented, 365, true),
            ("days(1)", .consented, 1, false), ("days(30)", .consented, 30, false),
            ("days(3650)", .consented, 3650, false),
        ] as [(String, RetentionChoice, Int, Bool)])
    func named(_ name: String, choice: RetentionChoice, days: Int, needsConsent: Bool) throws {
        let profile = try #require(RetentionProfile(name))
        #expect(profile.choice == choice && profile.days == days && profile.needsConsent == needsConsent)
        #expect(profile.name == name)
    }

    @Test(
        "What is no profile's name is none",
        arguments: [
            "", "all", "None", "none(1)", "receipt(1)", "days", "days()", "days(0)", "days(-1)", "days(3651)",
            "days(07)", "days(+7)", "days(7", "days(7))", "days (7)", "days(7) ", "consented(0)",
        ])
    func unnamed(_ name: String) {
        #expect(RetentionProfile(name) == nil)
    }

    @Test(
        "Each place has a source, a profile, and a name of its own; the notice says that it is no legal advice"
    )
    func places() {
        let places = RetentionPlace.all
        #expect(places.count == 12 && Set(places.map(\.id)).count == places.count)
        for place in places {
            #expect(!place.name.isEmpty && !place.rule.isEmpty && !place.source.isEmpty)
            #expect(RetentionPlace.known(place.id)?.name == place.name)
        }
        #expect(RetentionPlace.known("us-tn")?.profile.name == "days(3)")
        #expect(RetentionPlace.known("us-ne")?.profile == .ageAndIDNumber)
        #expect(RetentionPlace.known("us-nh")?.profile.needsConsent == true)
        #expect(RetentionPlace.known("us-az")?.profile == .receipt)
        #expect(RetentionPlace.known("atlantis") == nil)
        #expect(RetentionPlace.notice.hasPrefix("This is not legal advice."))
    }

    // What is kept, by the bits that the holder was shown

    private static let space = TestDocument.nameSpace
    private static let asked = ["age_over_21", "family_name", "given_name", "document_number", "portrait"]

    private func kept(
        _ choice: RetentionChoice, among names: [String], of docType: String = TestDocument.mDL,
        _ intent: String = RentalDocument.intent
    ) throws -> [String] {
        let plan = try RequestPlan(RequestIntent(parsing: intent), keeping: choice)
        return names.filter {
            plan.keeps(ElementName(nameSpace: Self.space, identifier: $0), of: docType)
        }
    }

    @Test(
        "What is kept is what the request said would be",
        arguments: [
            (RetentionChoice.none, []), (.receipt, []),
            (.ageAndIDNumber, ["age_over_21", "document_number"]),
            (.consented, ["age_over_21", "family_name", "given_name", "document_number"]),
        ] as [(RetentionChoice, [String])])
    func bits(_ choice: RetentionChoice, _ names: [String]) throws {
        #expect(try kept(choice, among: Self.asked) == names)
        let plan = try RequestPlan(RequestIntent(parsing: RentalDocument.intent), keeping: choice)
        let bits = plan.drafts(for: [])[0].documents[0].nameSpaces[0].elements
            .filter(\.intentToRetain).map(\.identifier)
        #expect(Set(bits) == Set(names))
    }

    @Test("The nearest attestation and a substitute are kept in place of what was asked; nothing else is")
    func inPlace() throws {
        #expect(
            try kept(.ageAndIDNumber, among: ["age_over_25", "age_in_years"]) == [
                "age_over_25", "age_in_years",
            ])
        #expect(try kept(.ageAndIDNumber, among: ["birth_date", "resident_address"]) == [])
        #expect(try kept(.none, among: ["age_over_25", "age_in_years"]) == [])
        #expect(try kept(.consented, among: Self.asked, of: "org.iso.23220.photoid.1") == [])
        #expect(try kept(.consented, among: ["age_over_25"], "rental: name") == [])
    }
}
