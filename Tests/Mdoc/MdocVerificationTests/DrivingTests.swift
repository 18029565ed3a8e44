import CBOR
import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Driving privileges")
struct DrivingTests {
    private static let aamva = "org.iso.18013.5.1.aamva"
    private static let today = day("2026-11-01")

    private static func day(_ text: String) -> FullDate {
        guard let date = DateText(text.utf8) else { preconditionFailure("not a day: \(text)") }
        return date.day
    }

    private func category(
        _ code: String, from: String? = nil, until: String? = nil, codes: [[UInt8]] = []
    ) -> [UInt8] {
        var members = [("vehicle_category_code", Encoded.text(code))]
        if let from { members.append(("issue_date", Encoded.day(from))) }
        if let until { members.append(("expiry_date", Encoded.day(until))) }
        if !codes.isEmpty { members.append(("codes", Encoded.array(codes))) }
        return Encoded.map(members)
    }

    private func mayDrive(
        _ entries: [[UInt8]], _ vehicle: DrivingClass = .category("B"),
        expiry: [UInt8]? = Encoded.day("2045-01-01"), on day: FullDate = today
    ) throws -> DrivingAnswer {
        var items = [TestDocument.Item("driving_privileges", Encoded.array(entries))]
        if case .domesticClass = vehicle {
            items = [.init("domestic_driving_privileges", Encoded.array(entries), in: Self.aamva)]
        }
        if let expiry { items.append(.init("expiry_date", expiry)) }
        return try answer(items, vehicle, on: day)
    }

    private func answer(
        _ items: [TestDocument.Item], _ vehicle: DrivingClass = .category("B"), on day: FullDate = today
    ) throws -> DrivingAnswer {
        var presentation = try Presentation(TestDocument(items))
        presentation.requests = nil
        return try presentation.verified().documents[0].mayDrive(vehicle, on: day)
    }

    private func isYes(_ answer: DrivingAnswer, until: String) -> Bool {
        answer == .yes(until: Self.day(until), restrictions: [])
    }

    @Test("A category in date may be driven, to the end of its last day")
    func inDate() throws {
        let entry = category("B", from: "2020-01-15", until: "2026-11-01")
        #expect(try isYes(mayDrive([entry]), until: "2026-11-01"))
        #expect(try mayDrive([entry], on: Self.day("2026-11-02")) == .no(.expired(on: Self.today)))
        #expect(try isYes(mayDrive([entry], on: Self.day("2020-01-15")), until: "2026-11-01"))
        #expect(
            try mayDrive([entry], on: Self.day("2020-01-14")) == .no(.notYet(from: Self.day("2020-01-15"))))
    }

    @Test("Only the category asked about counts, compared exactly", arguments: ["A", "BE", "b", "B1", "B "])
    func otherCategory(_ code: String) throws {
        let entry = category(code, until: "2030-01-01")
        #expect(try mayDrive([entry]) == .no(.notGranted))
        #expect(try isYes(mayDrive([entry, category("B", until: "2030-01-01")]), until: "2030-01-01"))
        #expect(try mayDrive([]) == .no(.notGranted))
    }

    @Test("Without an expiry date of its own a category lasts as long as the document")
    func documentExpiry() throws {
        let entry = category("B")
        #expect(try mayDrive([entry], expiry: nil) == .cannotTell(.expiryDateNotReturned))
        #expect(try isYes(mayDrive([entry], expiry: Encoded.day("2026-11-01")), until: "2026-11-01"))
        #expect(
            try mayDrive([entry], expiry: Encoded.day("2026-10-31"))
                == .no(.documentExpired(on: Self.day("2026-10-31"))))
        #expect(
            try isYes(mayDrive([entry], expiry: Encoded.instant("2027-01-01T10:00:00Z")), until: "2027-01-01")
        )
    }

    @Test("A document that has expired grants nothing, however long the category")
    func documentExpired() throws {
        let entry = category("B", until: "2040-01-01")
        #expect(
            try mayDrive([entry], expiry: Encoded.day("2026-10-31"))
                == .no(.documentExpired(on: Self.day("2026-10-31"))))
        #expect(try isYes(mayDrive([entry], expiry: Encoded.day("2027-01-01")), until: "2027-01-01"))
    }

    @Test(
        "Q221 Without the document's expiry date nobody may drive, though the category has a date of its own")
    func documentExpiryWithheld() throws {
        let current = category("B", from: "2020-01-01", until: "2035-01-01")
        #expect(try mayDrive([current], expiry: nil) == .cannotTell(.expiryDateNotReturned))
        #expect(
            try mayDrive([current], expiry: Encoded.day("2025-01-01"))
                == .no(.documentExpired(on: Self.day("2025-01-01"))))
        let elsewhere = TestDocument.Item("expiry_date", Encoded.day("2045-01-01"), in: "org.example")
        let privileges = TestDocument.Item("driving_privileges", Encoded.array([current]))
        #expect(try answer([privileges, elsewhere]) == .cannotTell(.expiryDateNotReturned))
        for value in [Encoded.text("never"), [0xf6], Encoded.unsigned(2045), Encoded.bytes([1])] {
            #expect(try mayDrive([current], expiry: value) == .cannotTell(.malformed))
        }
    }

    @Test("Either element refutes by itself, whatever the other is or is not")
    func refutedByOne() throws {
        let past = Encoded.day("2025-01-01")
        let expired = DrivingAnswer.no(.documentExpired(on: Self.day("2025-01-01")))
        #expect(try answer([.init("expiry_date", past)]) == expired)
        #expect(
            try answer([.init("expiry_date", past), .init("driving_privileges", Encoded.text("B"))])
                == expired)
        for expiry in [nil, Encoded.text("never")] {
            #expect(try mayDrive([category("A", until: "2035-01-01")], expiry: expiry) == .no(.notGranted))
            #expect(
                try mayDrive([category("B", until: "2020-01-01")], expiry: expiry)
                    == .no(.expired(on: Self.day("2020-01-01"))))
            #expect(
                try mayDrive([category("B", from: "2027-01-01")], expiry: expiry)
                    == .no(.notYet(from: Self.day("2027-01-01"))))
        }
    }

    @Test("Of several entries of one category any in date grants it, the least restricted first")
    func severalEntries() throws {
        let code = Encoded.map([
            ("code", Encoded.text("S01")), ("sign", Encoded.text("<=")), ("value", Encoded.text("2500")),
        ])
        let old = category("B", until: "2020-01-01")
        let restricted = category("B", until: "2040-01-01", codes: [code])
        let free = category("B", until: "2030-01-01")
        #expect(try isYes(mayDrive([old, restricted, free]), until: "2030-01-01"))
        #expect(try isYes(mayDrive([free, restricted]), until: "2030-01-01"))
        guard case .yes(let until, let restrictions) = try mayDrive([old, restricted]) else {
            Issue.record("not granted")
            return
        }
        #expect(until == Self.day("2040-01-01"))
        #expect(restrictions.map(\.code) == ["S01"])
        #expect(restrictions.map(\.detail) == ["<= 2500"])
        #expect(restrictions.map(\.sign) == ["<="])
        #expect(restrictions.map(\.value) == ["2500"])
        #expect(
            try mayDrive([old, category("B", until: "2021-01-01")])
                == .no(.expired(on: Self.day("2021-01-01"))))
        #expect(
            try mayDrive([old, category("B", from: "2027-01-01")])
                == .no(.expired(on: Self.day("2020-01-01"))))
    }

    @Test("A domestic class is judged by its own dates, with the restrictions that hold for all")
    func domesticClass() throws {
        let vehicle = { (code: String, until: String) in
            Encoded.map([
                (
                    "domestic_vehicle_class",
                    Encoded.map([
                        ("domestic_vehicle_class_code", Encoded.text(code)),
                        ("domestic_vehicle_class_description", Encoded.text("…")),
                        ("issue_date", Encoded.day("2020-01-01")), ("expiry_date", Encoded.day(until)),
                    ])
                )
            ])
        }
        let general = Encoded.map([
            (
                "domestic_vehicle_restrictions",
                Encoded.array([
                    Encoded.map([
                        ("domestic_vehicle_restriction_code", Encoded.text("B")),
                        ("domestic_vehicle_restriction_description", Encoded.text("Corrective lenses")),
                    ])
                ])
            )
        ])
        let entries = [vehicle("C", "2030-01-01"), vehicle("M1", "2020-06-01"), general]
        guard case .yes(_, let restrictions) = try mayDrive(entries, .domesticClass("C")) else {
            Issue.record("not granted")
            return
        }
        #expect(restrictions.map(\.detail) == ["Corrective lenses"])
        #expect(
            try mayDrive(entries, .domesticClass("M1")) == .no(.expired(on: Self.day("2020-06-01"))))
        #expect(try mayDrive(entries, .domesticClass("A")) == .no(.notGranted))
        #expect(try mayDrive(entries, .domesticClass("B")) == .no(.notGranted))
    }

    @Test("Q228 An entry that cannot be read leaves the others, and what it may be about is not known")
    func unreadableEntry() throws {
        let good = category("B", until: "2030-01-01")
        let past = category("B", until: "2020-01-01")
        let ofA = Encoded.map([
            ("vehicle_category_code", Encoded.text("A")), ("expiry_date", Encoded.text("soon")),
        ])
        let ofB = Encoded.map([
            ("vehicle_category_code", Encoded.text("B")), ("codes", Encoded.array([Encoded.text("x")])),
        ])
        let expiry = Encoded.day("2040-01-01")
        let unknown = DrivingAnswer.cannotTell(.malformed)
        for broken in [ofA, Encoded.text("B"), Encoded.map([("vehicle_category_code", Encoded.unsigned(1))])]
        {
            for entries in [[broken, good], [good, broken]] {
                #expect(try isYes(mayDrive(entries, expiry: expiry), until: "2030-01-01"))
            }
        }
        #expect(try mayDrive([ofA, past], expiry: expiry) == .no(.expired(on: Self.day("2020-01-01"))))
        #expect(try mayDrive([ofA], expiry: expiry) == .no(.notGranted))
        #expect(try mayDrive([ofA], .category("A"), expiry: expiry) == unknown)
        for broken in [ofB, Encoded.text("B"), Encoded.map([])] {
            #expect(try mayDrive([broken], expiry: expiry) == unknown)
            #expect(try mayDrive([broken, past], expiry: expiry) == unknown)
            #expect(try mayDrive([broken, category("C")], expiry: expiry) == unknown)
        }
        #expect(
            try mayDrive([ofB], expiry: Encoded.day("2026-10-31"))
                == .no(.documentExpired(on: Self.day("2026-10-31"))))
    }

    @Test("Q228 A domestic entry that cannot be read may restrict every class, unless it names one")
    func unreadableDomesticEntry() throws {
        func vehicle(_ code: String, until: [UInt8]) -> [UInt8] {
            Encoded.map([
                (
                    "domestic_vehicle_class",
                    Encoded.map([
                        ("domestic_vehicle_class_code", Encoded.text(code)), ("expiry_date", until),
                    ])
                )
            ])
        }
        let good = vehicle("C", until: Encoded.day("2030-01-01"))
        let ofM = vehicle("M", until: Encoded.text("soon"))
        let general = Encoded.map([("domestic_vehicle_restrictions", Encoded.text("x"))])
        let expiry = Encoded.day("2040-01-01")
        let unknown = DrivingAnswer.cannotTell(.malformed)
        guard case .yes = try mayDrive([ofM, good], .domesticClass("C"), expiry: expiry) else {
            Issue.record("not granted")
            return
        }
        #expect(try mayDrive([ofM, good], .domesticClass("M"), expiry: expiry) == unknown)
        #expect(try mayDrive([ofM, good], .domesticClass("A"), expiry: expiry) == .no(.notGranted))
        for broken in [general, Encoded.text("x")] {
            #expect(try mayDrive([broken, good], .domesticClass("C"), expiry: expiry) == unknown)
            #expect(try mayDrive([broken, good], .domesticClass("A"), expiry: expiry) == unknown)
        }
    }

    @Test(
        "Q245 A member of a privilege that is there and cannot be read leaves its entry open, and no other",
        arguments: ["issue_date", "expiry_date", "codes"],
        [[0xf6], [0xf7], Encoded.boolean(false), Encoded.unsigned(0), Encoded.text(""), Encoded.map([])]
            as [[UInt8]])
    func unreadableMember(_ member: String, _ value: [UInt8]) throws {
        func entry(_ code: String) -> [UInt8] {
            Encoded.map([("vehicle_category_code", Encoded.text(code)), (member, value)])
        }
        let good = category("B", until: "2030-01-01")
        #expect(try mayDrive([entry("B")]) == .cannotTell(.malformed))
        #expect(try mayDrive([entry("B"), category("A")]) == .cannotTell(.malformed))
        #expect(try isYes(mayDrive([entry("B"), good]), until: "2030-01-01"))
        #expect(try isYes(mayDrive([entry("A"), good]), until: "2030-01-01"))
        #expect(try mayDrive([entry("A")]) == .no(.notGranted))
        #expect(
            try mayDrive([entry("B")], expiry: Encoded.day("2025-01-01"))
                == .no(.documentExpired(on: Self.day("2025-01-01"))))
    }

    @Test("Q245 Members that are absent keep their meaning: no dates of its own, and no conditions")
    func absentMembers() throws {
        let bare = Encoded.map([("vehicle_category_code", Encoded.text("B"))])
        #expect(try isYes(mayDrive([bare]), until: "2045-01-01"))
        let unconditional = Encoded.map([
            ("vehicle_category_code", Encoded.text("B")), ("codes", Encoded.array([])),
        ])
        #expect(try isYes(mayDrive([unconditional]), until: "2045-01-01"))
    }

    @Test(
        "Q245 A condition with a member that cannot be read leaves open how the category is limited",
        arguments: [
            [("code", Encoded.text("01")), ("sign", [0xf6])],
            [("code", Encoded.text("01")), ("value", [0xf7])],
            [("code", [0xf6])], [("code", Encoded.text(" "))], [("sign", Encoded.text("<="))],
        ] as [[(String, [UInt8])]])
    func unreadableCondition(_ members: [(String, [UInt8])]) throws {
        let entry = category("B", until: "2030-01-01", codes: [Encoded.map(members)])
        #expect(try mayDrive([entry]) == .cannotTell(.malformed))
        #expect(try isYes(mayDrive([entry, category("B")]), until: "2045-01-01"))
    }

    @Test("Q245 An entry whose code is blank may be about any category")
    func blankCode() throws {
        for code in ["", " ", "\u{200b}"] {
            #expect(try mayDrive([category(code)]) == .cannotTell(.malformed))
            #expect(try mayDrive([category(code), category("A")]) == .cannotTell(.malformed))
            #expect(try isYes(mayDrive([category(code), category("B")]), until: "2045-01-01"))
        }
    }

    @Test("Q245 A domestic entry with a null class, restriction or date is not read as one without it")
    func unreadableDomesticMember() throws {
        func vehicle(_ members: [(String, [UInt8])], beside others: [(String, [UInt8])] = []) -> [UInt8] {
            let named = [("domestic_vehicle_class_code", Encoded.text("C"))] + members
            return Encoded.map([("domestic_vehicle_class", Encoded.map(named))] + others)
        }
        let unknown = DrivingAnswer.cannotTell(.malformed)
        for null in [[0xf6], [0xf7]] as [[UInt8]] {
            for broken in [
                vehicle([("expiry_date", null)]), vehicle([("issue_date", null)]),
                vehicle([], beside: [("domestic_vehicle_restrictions", null)]),
            ] {
                #expect(try mayDrive([broken], .domesticClass("C")) == unknown)
                #expect(try isYes(mayDrive([broken, vehicle([])], .domesticClass("C")), until: "2045-01-01"))
            }
            let general = Encoded.map([("domestic_vehicle_restrictions", null)])
            let classless = Encoded.map([("domestic_vehicle_class", null)])
            for broken in [general, classless] {
                #expect(try mayDrive([broken, vehicle([])], .domesticClass("C")) == unknown)
            }
            let described = vehicle(
                [("domestic_vehicle_class_description", null)],
                beside: [("domestic_vehicle_endorsements", null)])
            #expect(try isYes(mayDrive([described], .domesticClass("C")), until: "2045-01-01"))
        }
    }

    @Test("What did not come, or came in another namespace, tells nothing")
    func notReturned() throws {
        #expect(try answer([.familyName]) == .cannotTell(.notReturned))
        let value = Encoded.array([category("B", until: "2030-01-01")])
        #expect(
            try answer([.init("driving_privileges", value, in: "org.example")]) == .cannotTell(.notReturned))
        #expect(
            try answer([.init("driving_privileges", value)], .domesticClass("B"))
                == .cannotTell(.notReturned))
    }

    @Test("What the phone asserts of itself grants nothing")
    func selfAsserted() throws {
        var document = try TestDocument([.familyName])
        document.deviceElements = [
            .init("driving_privileges", Encoded.array([category("B", until: "2030-01-01")]))
        ]
        document.keyAuthorizations = Encoded.map([
            (
                "dataElements",
                Encoded.map([
                    (TestDocument.nameSpace, Encoded.array([Encoded.text("driving_privileges")]))
                ])
            )
        ])
        var presentation = try Presentation(document)
        presentation.requests = nil
        let verified = try presentation.verified().documents[0]
        #expect(verified.elements.count == 2)
        #expect(verified.mayDrive(.category("B"), on: Self.today) == .cannotTell(.notReturned))
    }

    @Test(
        "Privileges of another shape tell nothing",
        arguments: [
            [0xa0], [0xf6], Encoded.text("B"), Encoded.array([Encoded.text("B")]),
            Encoded.array([Encoded.map([])]),
            Encoded.array([Encoded.map([("vehicle_category_code", [0x01])])]),
            Encoded.array([
                Encoded.map([
                    ("vehicle_category_code", Encoded.text("B")), ("expiry_date", Encoded.text("soon")),
                ])
            ]),
            Encoded.array([
                Encoded.map([
                    ("vehicle_category_code", Encoded.text("B")), ("codes", Encoded.array([[0x01]])),
                ])
            ]),
        ] as [[UInt8]])
    func malformed(_ value: [UInt8]) throws {
        #expect(
            try answer([.init("driving_privileges", value), .init("expiry_date", Encoded.day("2030-01-01"))])
                == .cannotTell(.malformed))
    }

    @Test("A document's expiry date that is none leaves the answer open")
    func malformedExpiry() throws {
        #expect(
            try mayDrive([category("B", until: "2030-01-01")], expiry: Encoded.text("never"))
                == .cannotTell(.malformed))
    }

    @Test("A list beyond every licence is not read")
    func tooMany() throws {
        let entry = category("B", until: "2030-01-01")
        #expect(try isYes(mayDrive([[UInt8]](repeating: entry, count: 128)), until: "2030-01-01"))
        #expect(
            try mayDrive([[UInt8]](repeating: entry, count: 129)) == .cannotTell(.malformed))
    }

    @Test("The answer does not print what the licence says")
    func redacted() throws {
        let answer = try mayDrive([category("B", until: "2031-07-09")])
        #expect(!"\(answer)".contains("2031"))
        #expect(!String(reflecting: answer).contains("2031"))
    }
}
