import MdocModel
import Testing

@testable import RequestPlanner

@Suite("The text of an intent")
struct IntentTextTests {
    @Test(
        "Words are read as the claims they name",
        arguments: [
            (
                "age over 21 with portrait for a human to compare",
                RequestIntent(.age, [.ageOver(21), .portrait(isCompared: true)])
            ),
            (
                "rental: name, licence number, categories B, expiry, portrait",
                RequestIntent(
                    .rental,
                    [.name, .documentNumber, .categories(["B"]), .expiry, .portrait(isCompared: false)])
            ),
            ("age: age over 18, age over 21", RequestIntent(.age, [.ageOver(18), .ageOver(21)])),
            ("  age   over 7  ", RequestIntent(.age, [.ageOver(7)])),
            (
                "rental: categories B C1 and class C",
                RequestIntent(.rental, [.categories(["B", "C1"]), .domesticClasses(["C"])])
            ),
            (
                "identity: name,issuer,birth date,nationality,address,issue date",
                RequestIntent(
                    .identity, [.name, .issuer, .birthDate, .nationality, .address, .issueDate])
            ),
            (
                "elements: org.iso.18013.5.1/height",
                RequestIntent(
                    .elements, [.element(.init(nameSpace: "org.iso.18013.5.1", identifier: "height"))])
            ),
            (
                "age over 18; from mdl or av; else nothing",
                RequestIntent(
                    .age, [.ageOver(18)], from: [.drivingLicence, .ageVerification], ageFallback: .nothing)
            ),
            ("age over 21, in date", RequestIntent(.age, [.ageOver(21), .inDate])),
            (
                "identity: name, licence number; required document number",
                RequestIntent(.identity, [.name, .documentNumber], required: [.documentNumber])
            ),
            (
                "rental: categories B C1, address; required address; from mdl; required categories B C1",
                RequestIntent(
                    .rental, [.categories(["B", "C1"]), .address],
                    required: [.address, .categories(["B", "C1"])])
            ),
            (
                "elements: a/b, expiry; else birth date; required a/b and expiry",
                RequestIntent(
                    .elements, [.element(.init(nameSpace: "a", identifier: "b")), .expiry],
                    ageFallback: .birthDate,
                    required: [.element(.init(nameSpace: "a", identifier: "b")), .expiry])
            ),
            (
                "age over 18; else birth date; from photoid",
                RequestIntent(.age, [.ageOver(18)], from: [.photoID], ageFallback: .birthDate)
            ),
        ])
    func parses(_ text: String, intent: RequestIntent) throws {
        #expect(try RequestIntent(parsing: text) == intent)
        #expect(try RequestIntent(parsing: intent.description) == intent)
    }

    @Test(
        "The description is the shortest whole text",
        arguments: [
            (
                "age: age over 21 and portrait for a human to compare",
                "age over 21, portrait for a human to compare"
            ),
            ("rental: licence number with category B; from mdl", "rental: document number, categories B"),
            (
                "age over 18; else age in years; from pid or org.example.card.1",
                "age over 18; from pid or org.example.card.1"
            ),
            ("elements: a/b; else birth date", "elements: a/b; else birth date"),
            (
                "identity: name, expiry; required expiry with name; from pid",
                "identity: name, expiry; from pid; required expiry, name"
            ),
        ])
    func describes(_ text: String, description: String) throws {
        #expect(try RequestIntent(parsing: text).description == description)
    }

    @Test(
        "What is none of the words is refused, and said",
        arguments: [
            ("age over 21, shoe size", RequestPlannerError.notUnderstood("shoe size")),
            ("age over twenty", .notUnderstood("age over twenty")),
            ("age under 21", .notUnderstood("age under 21")),
            ("fishing: name", .notUnderstood("fishing:")), ("", .nothingAsked), ("rental:", .nothingAsked),
            (",", .nothingAsked), ("age over 100", .ageOutOfRange(100)), ("age over -1", .ageOutOfRange(-1)),
            ("rental: categories", .notUnderstood("categories")),
            ("rental: categories b", .notUnderstood("categories b")),
            ("rental: categories ABCDEFGHI", .notUnderstood("categories ABCDEFGHI")),
            ("age over 18; from", .notUnderstood("from")),
            ("age over 18; from passport", .notUnderstood("from passport")),
            ("age over 18; from mdl or", .notUnderstood("from mdl or")),
            ("age over 18; from mdl pid", .notUnderstood("from mdl pid")),
            ("age over 18; required", .notUnderstood("required")),
            ("age over 18; required shoe size", .notUnderstood("shoe size")),
            ("age over 18; required ,", .nothingAsked),
            ("age over 18; else shoe size", .notUnderstood("else shoe size")),
            ("age over 18; keeping everything", .notUnderstood("keeping everything")),
            ("age over 18;", .notUnderstood("")), ("elements: a/b/c", .notUnderstood("a/b/c")),
            ("elements: /b", .notUnderstood("/b")),
            ("elements: a/b:", .notUnderstood("a/b:")),
        ])
    func refused(_ text: String, error: RequestPlannerError) {
        #expect(throws: error) { try RequestIntent(parsing: text) }
    }

    @Test("A text beyond its limit is not read")
    func length() throws {
        let text = "age over 21" + String(repeating: " ", count: RequestIntent.maximumLength - 11)
        #expect(try RequestIntent(parsing: text).claims == [.ageOver(21)])
        #expect(throws: RequestPlannerError.textTooLong(limit: 2048)) {
            try RequestIntent(parsing: text + " ")
        }
    }

    @Test(
        "Other words for a claim are refused with the sentence that is accepted, which asks for no more",
        arguments: [
            ("age 21", "age over 21"), ("over 21", "age over 21"), ("21", "age over 21"),
            ("21+", "age over 21"), ("AGE OVER 21", "age over 21"), ("Age 18", "age over 18"),
            ("age>=65", "age over 65"), ("at least 18 years old", "age over 18"),
            ("21 or older", "age over 21"), ("age_over_21", "age over 21"),
            ("identity: date of birth", "birth date"), ("rental: license no", "document number"),
            ("rental: expiry date", "expiry"), ("age over 18, not expired", "in date"),
            ("rental: drive b c1", "categories B C1"), ("rental: class c", "classes C"),
        ])
    func suggested(_ text: String, accepted: String) throws {
        let error = try #require(throws: RequestPlannerError.self) { try RequestIntent(parsing: text) }
        #expect(error.suggestion == accepted)
        // The sentence has one claim, as the words have.
        #expect(try RequestIntent(parsing: accepted).claims.count == 1)
    }

    @Test(
        "Words that mean something else, or more than one thing, get no suggestion",
        arguments: [
            "under 18", "age over", "age 18 21", "age 150", "younger than 30", "first name",
            "rental: licence", "21 names", "not over 18", "age over 21; from 18",
        ])
    func notSuggested(_ text: String) throws {
        let error = try #require(throws: RequestPlannerError.self) { try RequestIntent(parsing: text) }
        #expect(error.suggestion == nil)
    }
}
