import MdocModel
import Testing

@testable import RequestPlanner

private let mDL = "org.iso.18013.5.1"

private func plan(_ text: String, keeping retention: RetentionChoice = .none) throws -> RequestPlan {
    try RequestPlan(RequestIntent(parsing: text), keeping: retention)
}

extension ItemsRequest {
    /// `namespace/element` of all that is asked, in order.
    fileprivate var paths: [String] {
        nameSpaces.flatMap { space in space.elements.map { "\(space.name)/\($0.identifier)" } }
    }

    fileprivate var kept: [String] {
        nameSpaces.flatMap(\.elements).filter(\.intentToRetain).map(\.identifier)
    }

    /// The alternatives of each element by identifier.
    fileprivate var substitutes: [String: [[String]]] {
        Dictionary(
            uniqueKeysWithValues: alternatives.map { alternative in
                (alternative.requestedElement.identifier, alternative.sets.map { $0.map(\.identifier) })
            })
    }
}

@Suite("From intent to the least data")
struct RequestPlanTests {
    @Test(
        "An mDL is asked for these elements and no other",
        arguments: [
            ("age over 21", ["age_over_21"]), ("age over 5", ["age_over_05"]),
            ("age over 18, age over 21", ["age_over_18", "age_over_21"]),
            ("age over 21 with portrait for a human to compare", ["age_over_21", "portrait"]),
            (
                "rental: name, licence number, categories B, expiry, portrait",
                [
                    "family_name", "given_name", "document_number", "driving_privileges", "expiry_date",
                    "portrait",
                ]
            ),
            ("rental: categories B", ["driving_privileges", "expiry_date"]),
            ("age over 21, in date", ["age_over_21", "expiry_date"]),
            ("identity: name, in date, expiry", ["family_name", "given_name", "expiry_date"]),
            ("rental: issuer, issue date", ["issuing_country", "issuing_authority", "issue_date"]),
            (
                "identity: name, birth date, address, nationality",
                [
                    "family_name", "given_name", "birth_date", "resident_address", "resident_city",
                    "resident_state", "resident_postal_code", "nationality",
                ]
            ),
        ])
    func leastData(_ text: String, identifiers: [String]) throws {
        let draft = try #require(try plan(text).drafts(for: []).first)
        #expect(draft.documents.map(\.docType) == ["org.iso.18013.5.1.mDL"])
        #expect(draft.documents[0].paths == identifiers.map { "\(mDL)/\($0)" })
        #expect(draft.documents[0].kept.isEmpty)
        #expect(draft.useCases.isEmpty)
    }

    @Test("A domestic class is asked in AAMVA's namespace, with the document's expiry")
    func domesticClass() throws {
        let document = try plan("rental: class C").drafts(for: [])[0].documents[0]
        #expect(
            document.paths == [
                "org.iso.18013.5.1.aamva/domestic_driving_privileges", "\(mDL)/expiry_date",
            ])
    }

    @Test("The plan knows what has to be answered, and whether a portrait has to come (Q158)")
    func questions() throws {
        let plan = try plan("rental: age over 21, categories B C1, class C, portrait")
        #expect(plan.ages == [21])
        #expect(plan.categories == ["B", "C1"])
        #expect(plan.domesticClasses == ["C"])
        #expect(plan.needsPortrait)
        #expect(try !RequestPlan(RequestIntent(parsing: "age over 18"), keeping: .none).needsPortrait)
    }

    @Test("Q160 An attestation's alternatives go from age in years to birth date, as far as is allowed")
    func ageAlternatives() throws {
        let alternatives = { (text: String) in
            try plan(text).drafts(for: .extendedRequest)[0].documents[0].substitutes
        }
        #expect(try alternatives("age over 21") == ["age_over_21": [["age_in_years"]]])
        #expect(
            try alternatives("age over 21; else birth date")
                == ["age_over_21": [["age_in_years"], ["birth_date"]]])
        #expect(try alternatives("age over 21; else nothing").isEmpty)
        #expect(try alternatives("rental: name, expiry").isEmpty)
        #expect(try alternatives("age over 18; from av; else birth date").isEmpty)
    }

    @Test("Q168 Without the capability no alternative is sent")
    func noAlternatives() throws {
        for capabilities in [EngagementCapabilities.readerAuthAll, []] {
            let drafts = try plan("age over 21; else birth date").drafts(for: capabilities)
            #expect(drafts.count == 1 && drafts[0].documents[0].alternatives.isEmpty)
        }
    }

    @Test("A request with requestInfo has a use case, also for one document; one without has none")
    func requestInfo() throws {
        let alternatives = try plan("age over 21; else birth date").drafts(for: .extendedRequest)
        #expect(alternatives.map(\.useCases) == [[.init(isMandatory: true, documentSets: [[0]])]])
        let issuers = try plan("age over 21").wanting(issuers: [[1, 2]]).drafts(for: .extendedRequest)
        #expect(issuers.map(\.useCases) == [[.init(isMandatory: true, documentSets: [[0]])]])
        let plain = try plan("elements: document number; from mdl").drafts(for: .extendedRequest)
        #expect(plain.map(\.useCases) == [[]])
    }

    @Test("Q165 A photo ID is asked for in both spellings, as alternatives where the wallet knows them")
    func photoID() throws {
        let plan = try plan("age over 18, portrait for a human to compare; from photoid")
        let spellings = ["org.iso.23220.photoid.1", "org.iso.23220.photoID.1"]
        let extended = plan.drafts(for: .extendedRequest)
        #expect(extended.count == 1)
        #expect(extended[0].documents.map(\.docType) == spellings)
        #expect(extended[0].useCases == [.init(isMandatory: true, documentSets: [[0], [1]])])
        let plain = plan.drafts(for: [])
        #expect(plain.map { $0.documents.map(\.docType) } == [spellings])
        #expect(plain[0].useCases.isEmpty)
        for document in extended[0].documents {
            #expect(document.paths == ["org.iso.23220.1/age_over_18", "org.iso.23220.1/portrait"])
        }
    }

    @Test("Q165 One spelling by its own name is asked for alone, and compared exactly")
    func oneSpelling() throws {
        for spelling in ["org.iso.23220.photoID.1", "org.iso.23220.photoid.1", "org.iso.23220.PhotoID.1"] {
            let draft = try plan("identity: name; from \(spelling)").drafts(for: [])[0]
            #expect(draft.documents.map(\.docType) == [spelling])
        }
        let known = try plan("identity: name; from org.iso.23220.photoID.1").drafts(for: [])[0].documents[0]
        #expect(known.paths == ["org.iso.23220.1/family_name", "org.iso.23220.1/given_name"])
        let unknown = try plan("identity: name; from org.iso.23220.PhotoID.1").drafts(for: [])[0].documents[0]
        #expect(
            unknown.paths == [
                "org.iso.23220.PhotoID.1/family_name", "org.iso.23220.PhotoID.1/given_name",
            ])
    }

    @Test("Names of a photo ID have their older identifiers as alternatives")
    func photoIDDrafts() throws {
        let document = try plan("identity: name, issuer; from photoid").drafts(for: .extendedRequest)[0]
            .documents[0]
        #expect(
            document.substitutes == [
                "family_name": [["family_name_unicode"]], "given_name": [["given_name_unicode"]],
                "issuing_authority": [["issuing_authority_unicode"]],
            ])
    }

    @Test("Any of several documents: the wallet chooses, or is asked for one after the other, never for all")
    func severalDocuments() throws {
        let plan = try plan("age over 18; from av or mdl or pid")
        let types = ["eu.europa.ec.av.1", "org.iso.18013.5.1.mDL", "eu.europa.ec.eudi.pid.1"]
        let extended = plan.drafts(for: [.extendedRequest, .readerAuthAll])
        #expect(extended.map { $0.documents.map(\.docType) } == [types])
        #expect(extended[0].useCases == [.init(isMandatory: true, documentSets: [[0], [1], [2]])])
        #expect(plan.drafts(for: []).map { $0.documents.map(\.docType) } == types.map { [$0] })
    }

    @Test("Any of several plans: each document is asked for what its plan says, in the order of the plans")
    func severalPlans() throws {
        let plans = try [plan("elements: document number; from photoid"), plan("identity: expiry; from mdl")]
        let types = ["org.iso.23220.photoid.1", "org.iso.23220.photoID.1", "org.iso.18013.5.1.mDL"]
        let paths = [
            ["org.iso.23220.1/document_number"], ["org.iso.23220.1/document_number"], ["\(mDL)/expiry_date"],
        ]
        let extended = plans.drafts(for: .extendedRequest)
        #expect(extended.map { $0.documents.map(\.docType) } == [types])
        #expect(extended[0].documents.map(\.paths) == paths)
        #expect(extended[0].useCases == [.init(isMandatory: true, documentSets: [[0], [1], [2]])])
        let plain = plans.drafts(for: [])
        #expect(plain.map { $0.documents.map(\.docType) } == [Array(types.prefix(2)), [types[2]]])
        #expect(plain.flatMap(\.documents).map(\.paths) == paths)
        // The twin: one document is no choice.
        #expect(Array(plans.suffix(1)).drafts(for: .extendedRequest)[0].useCases.isEmpty)
    }

    @Test("The same claim has its own elements in each document")
    func documents() throws {
        let paths = { (document: String) in
            try plan("identity: issue date, document number; from \(document)").drafts(for: [])[0].documents[
                0
            ]
            .paths
        }
        #expect(try paths("mdl") == ["\(mDL)/issue_date", "\(mDL)/document_number"])
        #expect(
            try paths("pid") == [
                "eu.europa.ec.eudi.pid.1/issuance_date", "eu.europa.ec.eudi.pid.1/document_number",
            ])
        #expect(try paths("org.example.1") == ["org.example.1/issue_date", "org.example.1/document_number"])
    }

    @Test(
        "A document that cannot answer is not asked, and the claim is named",
        arguments: [
            ("age over 18, portrait for a human to compare; from av", Claim.portrait(isCompared: true)),
            ("identity: name; from mdl or av", .name), ("rental: categories B; from pid", .categories(["B"])),
            ("rental: class C; from photoid", .domesticClasses(["C"])),
            ("rental: categories B; from org.example.1", .categories(["B"])),
            (
                "elements: org.iso.18013.5.1/shoe_size",
                .element(.init(nameSpace: "org.iso.18013.5.1", identifier: "shoe_size"))
            ),
            (
                "elements: eu.europa.ec.av.1/age_in_years; from av",
                .element(.init(nameSpace: "eu.europa.ec.av.1", identifier: "age_in_years"))
            ),
        ])
    func lacking(_ text: String, claim: Claim) {
        #expect {
            try plan(text)
        } throws: { error in
            if case .documentLacks(claim, _)? = error as? RequestPlannerError { true } else { false }
        }
    }

    @Test("An element of a namespace that is not known may be asked for, and is asked as it is")
    func nationalElement() throws {
        let document = try plan("elements: org.iso.18013.5.1.US/anything, org.iso.18013.5.1/height")
            .drafts(for: [])[0].documents[0]
        #expect(document.paths == ["org.iso.18013.5.1.US/anything", "\(mDL)/height"])
    }

    @Test("An element that two claims need is asked for once")
    func once() throws {
        let document = try plan("rental: expiry, categories B, class C").drafts(for: [])[0].documents[0]
        #expect(document.paths.filter { $0 == "\(mDL)/expiry_date" }.count == 1)
    }
}

@Suite("Asking too much")
struct OverAskingTests {
    @Test(
        "A request for more than is allowed is refused with the name of the rule",
        arguments: [
            ("age over 21, birth date", RequestRule.attestationAnswersAge),
            ("birth date", .attestationAnswersAge),
            ("identity: age over 18, birth date", .attestationAnswersAge),
            ("elements: org.iso.18013.5.1/birth_date, age over 21", .attestationAnswersAge),
            (
                "elements: org.iso.18013.5.1/age_in_years, org.iso.18013.5.1/age_over_21",
                .attestationAnswersAge
            ),
            ("elements: org.iso.18013.5.1/age_birth_year, age over 21", .attestationAnswersAge),
            ("age over 16, age over 18, age over 21", .twoAgesAtMost),
            ("elements: a/age_over_16, a/age_over_18, age over 21; from a.b", .twoAgesAtMost),
            ("age over 21, portrait", .portraitNobodyCompares),
            ("elements: org.iso.18013.5.1/portrait", .portraitNobodyCompares),
            ("age over 21, name", .notNeededForPurpose),
            ("age over 21, document number", .notNeededForPurpose),
            ("age over 21, org.iso.18013.5.1/height", .notNeededForPurpose),
            ("rental: address", .notNeededForPurpose), ("rental: nationality", .notNeededForPurpose),
            ("rental: birth date", .notNeededForPurpose), ("identity: categories B", .notNeededForPurpose),
            ("identity: class C", .notNeededForPurpose),
            ("elements: org.iso.18013.5.1/biometric_template_face", .biometricTemplate),
            ("elements: org.iso.18013.5.1/biometric_template_iris", .biometricTemplate),
        ])
    func refused(_ text: String, rule: RequestRule) {
        #expect {
            try plan(text)
        } throws: { error in
            if case .overAsking(rule, _)? = error as? RequestPlannerError { true } else { false }
        }
    }

    @Test(
        "The twins: one claim less, or said otherwise, and it is asked",
        arguments: [
            "age over 21", "identity: age over 18, name", "identity: birth date",
            "elements: org.iso.18013.5.1/birth_date", "age over 16, age over 18",
            "elements: a/age_over_16, a/age_over_18; from a.b",
            "age over 21, portrait for a human to compare", "rental: portrait", "identity: portrait",
            "elements: portrait for a human to compare", "rental: name", "rental: document number",
            "elements: org.iso.18013.5.1/height", "identity: address", "identity: nationality",
            "rental: categories B", "rental: class C", "elements: org.iso.18013.5.1/signature_usual_mark",
        ])
    func allowed(_ text: String) {
        #expect(throws: Never.self) { try plan(text) }
    }

    @Test("Every rule has a name of its own, and a test")
    func names() {
        #expect(Set(RequestRule.allCases.map(\.rawValue)).count == RequestRule.allCases.count)
        #expect(RequestRule.allCases.count == 5)
    }

    @Test("What an intent says twice, nothing at all, and ages there are no names for are refused")
    func senseless() {
        #expect(throws: RequestPlannerError.claimTwice(.ageOver(21))) { try plan("age over 21, age over 21") }
        for text in ["mdl or mdl", "org.iso.18013.5.1.mDL or mdl"] {
            #expect(throws: RequestPlannerError.documentTwice(docType: "org.iso.18013.5.1.mDL")) {
                try plan("age over 21; from \(text)")
            }
        }
        #expect(throws: RequestPlannerError.nothingAsked) {
            try RequestPlan(RequestIntent(.age, []), keeping: .none)
        }
        #expect(throws: RequestPlannerError.nothingAsked) {
            try RequestPlan(RequestIntent(.age, [.ageOver(18)], from: []), keeping: .none)
        }
        #expect(throws: RequestPlannerError.ageOutOfRange(100)) {
            try RequestPlan(RequestIntent(.age, [.ageOver(100)]), keeping: .none)
        }
    }
}

@Suite("Intent to retain")
struct RetentionTests {
    private static let text = "rental: age over 21, name, document number, categories B, portrait"

    @Test(
        "What is kept follows from the retention choice alone",
        arguments: [
            (RetentionChoice.none, []), (.receipt, []),
            (.ageAndIDNumber, ["age_over_21", "document_number"]),
            (
                .consented,
                [
                    "age_over_21", "family_name", "given_name", "document_number", "driving_privileges",
                    "expiry_date",
                ]
            ),
        ] as [(RetentionChoice, [String])])
    func kept(_ choice: RetentionChoice, identifiers: [String]) throws {
        for capabilities in [EngagementCapabilities.extendedRequest, []] {
            let draft = try plan(Self.text, keeping: choice).drafts(for: capabilities)[0]
            #expect(draft.documents[0].kept == identifiers)
        }
    }

    @Test("Chosen claim by claim, the answers to these claims are kept and no others, the portrait too")
    func claimByClaim() throws {
        let portrait = Claim.portrait(isCompared: true)
        let intent = RequestIntent(.elements, [.documentNumber, portrait, .categories(["B"]), .expiry])
        let kept = { (claims: Set<Claim>) in
            let plan = try RequestPlan(intent, keeping: claims)
            #expect(plan.retention == nil)
            return try #require(plan.drafts(for: []).first).documents[0].kept
        }
        #expect(try kept([]).isEmpty)
        #expect(try kept([portrait]) == ["portrait"])
        // An element that two claims need is kept if one of them is.
        #expect(try kept([.documentNumber, .expiry]) == ["document_number", "expiry_date"])
        #expect(try kept([.categories(["B"])]) == ["driving_privileges", "expiry_date"])
        // The twin: a claim that was not made keeps nothing.
        #expect(try kept([.issueDate]).isEmpty)
    }

    @Test("The choices have the names that places choose them by")
    func names() {
        #expect(
            RetentionChoice.allCases.map(\.rawValue) == ["none", "receipt", "age+id-number", "consented"])
    }

    @Test("A portrait is kept by no choice")
    func portrait() throws {
        for choice in RetentionChoice.allCases {
            let document = try plan("age over 21, portrait for a human to compare", keeping: choice)
                .drafts(for: [])[0].documents[0]
            #expect(document.paths.contains("\(mDL)/portrait"))
            #expect(!document.kept.contains("portrait"))
        }
    }

    @Test(
        "A question about driving adds the expiry date, unless the intent asks for it",
        arguments: [
            ("rental: categories B", ["expiry_date"]), ("rental: class C", ["expiry_date"]),
            ("rental: categories B and class C", ["expiry_date"]), ("rental: categories B, expiry", []),
            ("rental: categories B, in date", []), ("age over 21, in date", []), ("rental: name", []),
            ("elements: categories B, org.iso.18013.5.1/expiry_date", []),
        ])
    func additions(_ text: String, added: [String]) throws {
        let plan = try RequestPlan(RequestIntent(parsing: text), keeping: .none)
        #expect(plan.additions.map(\.identifier) == added)
    }
}
