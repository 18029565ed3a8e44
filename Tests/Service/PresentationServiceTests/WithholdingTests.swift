import Foundation
import JSON
import MdocModel
import MdocVerification
import MdocWallet
import ReaderService
import ReaderStore
import RequestPlanner
import Testing
import WalletPresentation

@testable import PresentationService
@testable import Reports

@Suite("What a holder leaves out never makes an answer better")
struct WithholdingTests {
    /// Every claim alone and the usual ones together, for every purpose and document.
    private static let intents = [
        "age over 18", "age over 21; else nothing", "age over 18, age over 21",
        "age over 21; else birth date", "age over 21, in date",
        "age over 21, in date, portrait for a human to compare; else birth date", "rental: categories B",
        "rental: class C", "rental: categories B, expiry", "rental: categories B, class C, in date",
        "rental: age over 18, name, licence number, categories B, portrait", "identity: name",
        "identity: document number", "identity: expiry", "identity: in date", "identity: issue date",
        "identity: issuer", "identity: portrait", "identity: birth date",
        "identity: name, document number, expiry", "identity: age over 18, name, in date, portrait",
        "elements: org.iso.18013.5.1/height, org.iso.18013.5.1/sex",
        "elements: org.iso.18013.5.1/height, org.iso.18013.5.1/sex; required org.iso.18013.5.1/height",
        "elements: org.iso.18013.5.1/expiry_date, org.iso.18013.5.1/sex",
        "elements: org.iso.18013.5.1.aamva/DHS_compliance, in date", "age over 18, in date; from photoid",
        "identity: name, expiry, portrait; from photoid", "age over 18; from pid",
        "identity: name, birth date, expiry; from pid", "age over 18; from av", "age over 18; from mnc",
        "identity: name, document number; from mnc; required name",
        "age over 18, in date; from photoid or mdl", "identity: name, in date; from mdl or pid",
    ]

    /// The elements of the documents that every holder has to share where they were asked for.
    private static let needed: Set<String> = [
        "family_name", "given_name", "birth_date", "issue_date", "expiry_date", "issuing_country",
        "issuing_authority", "portrait", "driving_privileges", "full_name_unicode",
    ]

    private struct Asked {
        let requests: DeviceRequestDraft
        let expectation: AnswerExpectation
        let plan: RequestPlan?

        init(intent: String) throws {
            let plan = try RequestPlan(RequestIntent(parsing: intent), keeping: .none)
            requests = try #require(plan.drafts(for: .extendedRequest).first)
            expectation = plan.expectation(on: WithholdingBench.day)
            self.plan = plan
        }

        init(appElements: [String]) throws {
            let list = appElements.map { "\"\($0)\"" }.joined(separator: ",")
            let body = #"{"document":"driversLicense","elements":[\#(list)],"intentToStore":"willNotStore"}"#
            let order = try AppOrder(JSONText(Array(body.utf8)[...]).members(AppOrder.members))
            requests = DeviceRequestDraft([order.descriptor.itemsRequest])
            expectation = order.expectation(on: WithholdingBench.day)
            plan = nil
        }

        /// The same request of which nothing but its bytes is known.
        init(offline intent: String) throws {
            requests = try Asked(intent: intent).requests
            expectation = AnswerExpectation(
                of: requests.documents, requests.useCases, on: WithholdingBench.day)
            plan = nil
        }

        /// Whether it was asked of these documents by itself, not only in another's place, and has to come.
        func needs(_ name: ElementName, of docTypes: Set<String>) -> Bool {
            let isNeeded =
                needed.contains(name.identifier)
                || plan?.domesticClasses.isEmpty == false && name.identifier == "domestic_driving_privileges"
            return isNeeded
                && requests.documents.contains { request in
                    docTypes.contains(request.docType)
                        && request.askedElements().contains { $0.name == name }
                }
        }

        /// Each element and each pair of those that were asked for, also in another's place, and all of them.
        var withholdings: [Set<ElementName>] {
            let names = Set(
                requests.documents.flatMap { $0.askedElements() }.flatMap {
                    [$0.name] + $0.alternatives.joined()
                })
            let sorted = names.sorted { $0.text < $1.text }
            let pairs = sorted.indices.flatMap { one in
                sorted[..<one].map { [sorted[one], $0] as Set<ElementName> }
            }
            return sorted.map { [$0] } + pairs + [names]
        }
    }

    /// Checks every withholding against the whole answer.
    private static func check(_ asked: Asked, of kind: HolderKind) throws -> Outcome? {
        let bench = try WithholdingBench(kind)
        let judge = { (names: Set<ElementName>) in
            JudgedByAll(
                try bench.answer(to: asked.requests, withholding: names), asked.expectation, plan: asked.plan)
        }
        let whole = try judge([])
        #expect(whole.outcome != nil, "the channels differ: \(whole.outcomes)")
        for names in asked.withholdings {
            let part = try judge(names)
            let words = "\(kind) without \(names.map(\.identifier).sorted()): \(part.outcomes)"
            #expect(part.outcome != nil, "the channels differ: \(words)")
            #expect(part.outcome != .allow || whole.outcome == .allow, "a better outcome: \(words)")
            for (subject, word) in part.answers where word == .yes {
                #expect(whole.answers[subject] == .yes, "a better answer to \(subject): \(words)")
            }
            #expect(part.outcome != .allow || part.missing.isEmpty, "\(words)")
            if kind == .honest, names.contains(where: { asked.needs($0, of: whole.docTypes) }) {
                #expect(part.outcome == .unclear && !part.missing.isEmpty, "nothing is missing: \(words)")
            }
        }
        let nothing = try judge(bench.everything)
        #expect(
            nothing.outcome == .unclear && !nothing.missing.isEmpty, "nothing at all: \(nothing.outcomes)")
        return whole.outcome
    }

    @Test(
        "Leaving out any element, any pair or all elements of an order never improves the outcome of any holder",
        arguments: intents)
    func orders(_ intent: String) throws {
        let asked = try Asked(intent: intent)
        let outcomes = try HolderKind.allCases.map { ($0, try Self.check(asked, of: $0)) }
        let expected = Dictionary(outcomes, uniquingKeysWith: { first, _ in first })
        #expect(expected[.honest] == .allow)
        if asked.requests.documents.contains(where: \.asksForExpiryDate) {
            #expect(expected[.expired] == .deny && expected[.expiredWholly] == .deny)
        }
        if intent.contains("categories") {
            #expect(expected[.notYetGranted] == .deny && expected[.otherCategory] == .deny)
        }
        if intent.contains("age over") { #expect(expected[.underAge] == .deny) }
        if intent.contains("portrait") { #expect(expected[.emptyPortrait] == .unclear) }
    }

    @Test(
        "Of an app's request, in PassKit's words",
        arguments: [
            ["age(atLeast:21)"], ["age(atLeast:21)", "documentExpirationDate"],
            ["givenName", "familyName", "portrait"], ["documentExpirationDate", "documentNumber"],
            ["drivingPrivileges", "documentExpirationDate"], ["dateOfBirth", "issuingAuthority"],
        ])
    func apps(_ elements: [String]) throws {
        let asked = try Asked(appElements: elements)
        for kind in HolderKind.allCases {
            let outcome = try Self.check(asked, of: kind)
            if kind == .honest { #expect(outcome == .allow) }
            if kind == .expired, elements.contains("documentExpirationDate") { #expect(outcome == .deny) }
        }
    }

    @Test(
        "Of a stored request of which only the bytes are known",
        arguments: [
            "age over 21, in date; else birth date", "rental: categories B, name",
            "identity: name, document number, expiry, portrait", "identity: name, in date; from photoid",
            "age over 21, in date; from pid or mdl",
        ])
    func stored(_ intent: String) throws {
        let asked = try Asked(offline: intent)
        for kind in HolderKind.allCases {
            let outcome = try Self.check(asked, of: kind)
            if kind == .honest { #expect(outcome == .allow) }
            if kind == .expired { #expect(outcome == .deny) }
        }
    }

    /// A stored request of three documents, and the sets of them that answer it.
    struct DocumentSets: Sendable {
        let useCases: [DeviceRequestInfo.UseCase]
        /// Places of documents, each set of which answers the request whole.
        let answers: [Set<Int>]

        static let all = [
            DocumentSets(useCases: [], answers: [[0, 1, 2]]),
            DocumentSets(useCases: [useCase([[0], [2]]), useCase([[1]])], answers: [[0, 1], [1, 2]]),
            DocumentSets(useCases: [useCase([[0, 1], [2]])], answers: [[0, 1], [2]]),
            DocumentSets(useCases: [useCase([[0], [2]])], answers: [[0, 1], [1, 2]]),
            DocumentSets(
                useCases: [useCase([[0]]), useCase([[1, 2]], isMandatory: false)], answers: [[0]]),
            DocumentSets(
                useCases: [useCase([[0, 1]], isMandatory: false), useCase([[2]], isMandatory: false)],
                answers: [[0, 1], [2]]),
        ]

        private static func useCase(_ sets: [[Int]], isMandatory: Bool = true) -> DeviceRequestInfo.UseCase {
            .init(isMandatory: isMandatory, documentSets: sets)
        }
    }

    @Test(
        "Q243 Leaving out any document or element of a stored request for several documents never improves the outcome",
        arguments: DocumentSets.all, HolderKind.allCases)
    func severalDocuments(_ sets: DocumentSets, _ kind: HolderKind) throws {
        let requests = try [
            "age over 21, in date", "identity: name, portrait; from photoid", "age over 18; from pid",
        ]
        .map { intent in
            try #require(
                RequestPlan(RequestIntent(parsing: intent), keeping: .none).allRequests.first)
        }
        let draft = DeviceRequestDraft(requests, useCases: sets.useCases)
        let expectation = AnswerExpectation(of: requests, sets.useCases, on: WithholdingBench.day)
        let bench = try WithholdingBench(kind)
        let judge = { (names: Set<ElementName>, places: Set<Int>) in
            JudgedByAll(
                try bench.answer(
                    to: draft, withholding: names, returning: Set(places.map { requests[$0].docType })),
                expectation, plan: nil)
        }
        for places in [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]] as [Set<Int>] {
            let isAnswered = sets.answers.contains { $0.isSubset(of: places) }
            let whole = try judge([], places)
            #expect(whole.outcome != nil, "the channels differ: \(whole.outcomes)")
            #expect(isAnswered || whole.outcome != .allow, "\(kind) with \(places.sorted())")
            if kind == .honest {
                #expect(whole.outcome == (isAnswered ? .allow : .unclear), "with \(places.sorted())")
                #expect(whole.missing.isEmpty == isAnswered, "with \(places.sorted()): \(whole.missing)")
            }
            for request in places.map({ requests[$0] }) {
                for name in request.askedElements().map(\.name) {
                    let part = try judge([name], places)
                    #expect(
                        part.outcome != .allow || whole.outcome == .allow,
                        "\(kind) without \(name.text) of \(places.sorted()): \(part.outcomes)")
                }
            }
        }
    }

    @Test("Q245 A required element with nothing in it leaves the outcome open")
    func blank() throws {
        let asked = try Asked(intent: "identity: name, document number")
        let answer = try WithholdingBench(.blankNumber).answer(to: asked.requests, withholding: [])
        #expect(JudgedByAll(answer, asked.expectation, plan: asked.plan).outcome == .unclear)
        let report = TransactionReport(.verified(answer), expecting: asked.expectation, requestCompared: true)
        #expect(report.conclusion.reasons.map(\.id) == ["element.unusable"])
        #expect(report.missing.isEmpty)
        #expect(report.unusable.map(\.text) == ["org.iso.18013.5.1/document_number is a blank text"])
        let whole = try WithholdingBench(.honest).answer(to: asked.requests, withholding: [])
        #expect(JudgedByAll(whole, asked.expectation, plan: asked.plan).outcome == .allow)
    }

    @Test("Q245 A category whose last day or conditions are null is not one without them")
    func nullLimits() throws {
        let asked = try Asked(intent: "rental: categories B")
        let answer = try WithholdingBench(.nullLimits).answer(to: asked.requests, withholding: [])
        #expect(JudgedByAll(answer, asked.expectation, plan: asked.plan).outcome == .unclear)
    }

    @Test("An element that no document must have is missed only where the order says that it is required")
    func required() throws {
        let bench = try WithholdingBench(.honest)
        let height = ElementName(nameSpace: "org.iso.18013.5.1", identifier: "height")
        for (clause, outcome) in [("", Outcome.allow), ("; required \(height.text)", .unclear)] {
            let asked = try Asked(intent: "elements: \(height.text), expiry\(clause)")
            let answer = try bench.answer(to: asked.requests, withholding: [height])
            #expect(JudgedByAll(answer, asked.expectation, plan: asked.plan).outcome == outcome)
        }
    }

    @Test("A required element of the wrong type leaves the outcome open and is named; its value is not")
    func wrongType() throws {
        let asked = try Asked(intent: "identity: name, document number")
        let answer = try WithholdingBench(.numberOfWrongType).answer(to: asked.requests, withholding: [])
        #expect(JudgedByAll(answer, asked.expectation, plan: asked.plan).outcome == .unclear)
        let report = TransactionReport(.verified(answer), expecting: asked.expectation, requestCompared: true)
        #expect(report.conclusion.reasons.map(\.id) == ["element.unusable"])
        #expect(report.missing.isEmpty)
        #expect(report.unusable.map(\.text) == ["org.iso.18013.5.1/document_number is null, not a text"])
    }

    @Test("An answer with nothing but values of the wrong type is no answer")
    func nothingUsable() throws {
        let asked = try Asked(intent: "elements: org.iso.18013.5.1/height, org.iso.18013.5.1/sex")
        let answer = try WithholdingBench(.nullMeasures).answer(to: asked.requests, withholding: [])
        #expect(JudgedByAll(answer, asked.expectation, plan: asked.plan).outcome == .unclear)
        let report = TransactionReport(.verified(answer), expecting: asked.expectation, requestCompared: true)
        #expect(report.conclusion.reasons.map(\.id) == ["element.unusable"])
        #expect(report.missing.isEmpty && report.unusable.count == 2)
    }

    @Test("Q221 Q222 What is missing is named in words, and no value is in them")
    func words() throws {
        let asked = try Asked(intent: "rental: age over 18, name, categories B, portrait")
        let bench = try WithholdingBench(.honest)
        let names = Set(
            ["expiry_date", "age_over_18", "age_over_21", "age_over_65", "age_in_years", "family_name"].map {
                ElementName(nameSpace: "org.iso.18013.5.1", identifier: $0)
            })
        let answer = try bench.answer(to: asked.requests, withholding: names)
        let report = TransactionReport(.verified(answer), expecting: asked.expectation, requestCompared: true)
        #expect(
            report.missing.map(\.text) == [
                "No proof of being over 18 was shared. Ask again, and ask the holder to share it.",
                "The expiry date was not shared. Ask again, and ask the holder to share it.",
                "The family name was not shared. Ask again, and ask the holder to share it.",
            ])
        #expect(report.conclusion.reasons.map(\.id) == ["answer.unknown", "element.not_returned"])
        #expect(report.withoutElements.missing == report.missing)
        let text = report.text(elements: .names)
        #expect(text.contains("over 18 cannot tell, ") && text.contains("The expiry date was not shared."))
    }
}
