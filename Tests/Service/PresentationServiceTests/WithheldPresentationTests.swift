import Foundation
import JSON
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderStore
import RequestPlanner
import Testing
import Transport

@testable import PresentationService
@testable import ReaderService
@testable import Reports

@Suite("A presentation whose holder left something out")
struct WithheldPresentationTests {
    /// A presentation that ended, with what the phone returned but for these elements.
    private func ended(
        _ members: String, withholding identifiers: Set<String> = [], yearsToExpiry: Int = 9
    ) async throws -> PresentationRecord {
        let order = try PresentationOrder(JSONText(Array("{\(members)}".utf8)[...]))
        let plan = try RequestPlan(order.intent, keeping: .none)
        let record = PresentationRecord(
            id: try PresentationID(), owner: "till", order: order, plan: plan, further: nil, lane: "one",
            created: Scene.now, brand: nil,
            basis: JudgingBasis(
                trust: TrustStore(anchors: []), obtained: nil, policy: VerificationPolicy()))
        let licence = PresentationCase("withheld") { $0.licence.yearsToExpiry = yearsToExpiry }
        let names = Set(identifiers.map { ElementName(nameSpace: TestLicence.nameSpace, identifier: $0) })
        let scene = try Scene(licence, handover: .qr) { wallet in
            wallet.holder.documents = wallet.holder.documents.map { $0.withholding(names) }
        }
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await HolderEnd.serve(scene, over: holder) }
        let presentation = await (try scene.transaction(asking: PresentationQuestion(.planned(plan)))).run(
            over: reader)
        _ = try await phone.value
        let report = try TransactionReport(
            presentation, asking: plan, on: WallClock.localDay(at: Scene.now))
        var book = PresentationBook(limits: CoordinatorLimits())
        _ = try book.insert(record)
        _ = book.end(record.id, with: report, then: nil, shown: nil, at: Scene.now)
        _ = book.complete(record.id, PresentationBook.Kept())
        return try #require(book[record.id])
    }

    private func json(_ record: PresentationRecord, _ scopes: Set<Scope>) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(record.json(for: scopes).utf8))
        return try #require(json as? [String: Any])
    }

    private static let kinds = [
        #""kind":"display","intent":"rental: categories B""#,
        #""kind":"data","intent":"rental: categories B, name","readerToken":"t""#,
        #""kind":"display","intent":"age over 21, in date","validation":"check""#,
        #""kind":"display","intent":"rental: categories B, portrait","validation":"confirm""#,
    ]

    @Test(
        "Q221 Without the expiry date that was asked for it is unclear, and with one that is past denied",
        arguments: kinds)
    func expiryDate(_ members: String) async throws {
        let whole = try await ended(members)
        #expect([.allow, nil].contains(whole.conclusion?.outcome))
        let expired = try await ended(members, yearsToExpiry: -1)
        #expect(expired.conclusion == Conclusion(.deny, [.outcome(.answerNo)]))
        for years in [9, -1] {
            let record = try await ended(members, withholding: ["expiry_date"], yearsToExpiry: years)
            let isWhollyExpired = years < 0 && members.contains("categories")
            #expect(record.conclusion?.outcome == (isWhollyExpired ? .deny : .unclear))
            #expect(record.completion?.shown == nil)
        }
    }

    @Test("Q221 The customer, the clerk and the till read what is missing, in words")
    func words() async throws {
        let record = try await ended(Self.kinds[0], withholding: ["expiry_date"])
        for scopes in [[.screen], [.clerk], [.app], []] as [Set<Scope>] {
            let json = try json(record, scopes)
            #expect(json["outcome"] as? String == "unclear")
            let result = try #require(json["result"] as? [String: Any])
            #expect(
                result["missing"] as? [[String: String]] == [
                    [
                        "element": "org.iso.18013.5.1/expiry_date",
                        "text": "The expiry date was not shared. Ask again, and ask the holder to share it.",
                    ]
                ])
        }
        let app = try json(record, [.app])
        #expect(app["reasons"] as? [String] == ["answer.unknown", "element.not_returned"])
        let whole = try json(await ended(Self.kinds[0]), [.screen])
        #expect((whole["result"] as? [String: Any])?["missing"] as? [[String: String]] == [])
    }

    @Test("Q222 A data order for which the phone returns nothing is never allowed")
    func nothing() async throws {
        let members =
            #""kind":"data","intent":"elements: org.iso.18013.5.1/height, org.iso.18013.5.1/sex","readerToken":"t""#
        let record = try await ended(members, withholding: ["height", "sex"])
        #expect(record.conclusion == Conclusion(.unclear, [.outcome(.elementNotReturned)]))
        #expect(try await ended(members, withholding: ["sex"]).conclusion?.outcome == .allow)
    }

    @Test("The expiry date asked for is a separate question, by the word of results and receipts")
    func inDate() async throws {
        let record = try await ended(#""kind":"display","intent":"age over 21, in date""#)
        let json = try json(record, [.app])
        #expect(json["asks"] as? [String] == ["age_over_21", "in date"])
        let answers = (json["result"] as? [String: Any])?["answers"] as? [[String: String]]
        #expect(answers?.map { $0["ask"] } == ["age_over_21", "in date"])
        #expect(answers?.map { $0["answer"] } == ["yes", "yes"])
    }
}
