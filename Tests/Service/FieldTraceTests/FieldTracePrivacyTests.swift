import CBOR
import COSE
import FieldTrace
import Foundation
import MdocModel
import MdocWallet
import PresentationStage
import ReaderService
import Testing

@Suite("Nothing personal in a field trace")
struct FieldTracePrivacyTests {
    private static let cases: [(profile: WalletProfile, handover: HandoverKind, fault: CardFault?)] = [
        (.apple, .negotiated, nil), (.google, .negotiated, nil), (.samsung, .static, nil),
        (.generic, .static, .pulledInConsent), (.generic, .negotiated, .transferFails),
        (.generic, .static, .truncatedMessage), (.multipazVersion2, .static, nil),
    ]

    @Test("Q200 No element value, no key, no UUID of the session is in it", arguments: 0..<cases.count)
    func nothing(_ index: Int) async throws {
        let row = Self.cases[index]
        let scene = try Scene(Scene.presentation(row.profile), handover: row.handover) {
            $0.cardFault = row.fault
        }
        let phone = try scene.phone()
        let deadlines = PresentationDeadlines.ample.with {
            $0.engagement = .seconds(1); $0.nextTap = .seconds(1)
        }
        var retrieval = RetrievalPlan()
        retrieval.nfcVersion2 = .automatic
        let recorded = try await RecordedScene(
            scene, at: Field(phone), deadlines: deadlines, retrieval: retrieval)
        var secrets = try SessionSecrets(scene, phone.engagement)
        secrets.add(recorded.exchanged)
        #expect(secrets.found(in: recorded.trace.all) == [])
        #expect(recorded.trace.all.count > 1000)
        #expect(try recorded.trace.parsed().lines.last?.event.kind == .end)
    }

    @Test("The twin: a planted value, key or UUID is found")
    func planted() async throws {
        let scene = try Scene(handover: .negotiated)
        let phone = try scene.phone()
        let recorded = try await RecordedScene(scene, at: Field(phone))
        var secrets = try SessionSecrets(scene, phone.engagement)
        secrets.add(recorded.exchanged)
        let engagement = try #require(phone.engagement)
        let key = Array(engagement.eDeviceKey.publicKeyBytes.bytes)
        guard case .nfc(_, let request?) = engagement.handover else {
            Issue.record("no Handover Request")
            return
        }
        let uuid = request.suffix(60)
        for plant in [
            Array("{\"name\":\"Lumi Séraphine\"}".utf8), Array(key.hexadecimal.utf8),
            Array(Data(key).base64EncodedString().utf8), Array(uuid.hexadecimal.utf8),
            Array("UT-7700423519".utf8), Array("family_name".utf8),
        ] {
            #expect(
                secrets.found(in: recorded.trace.all + plant) != [],
                "\(String(decoding: plant, as: UTF8.self))")
        }
    }

    @Test("No event has a member that holds a text or bytes", arguments: [false, true])
    func members(_ fails: Bool) async throws {
        let scene = try Scene(Scene.presentation(.apple), handover: .negotiated) {
            $0.cardFault = fails ? .transferFails : nil
        }
        let recorded = try await RecordedScene(scene, at: Field(scene.phone()))
        let lines = try recorded.trace.parsed().lines
        #expect(Set(lines.map(\.event.kind)).count > 8)
        for line in lines { #expect(Self.freeMembers(of: line.event) == [], "\(line.event.kind)") }
    }

    @Test("The twin: a text and bytes are found, however deep")
    func membersTwin() {
        struct Deep { let list: [Any?] }
        #expect(Self.freeMembers(of: Deep(list: [nil, "x"])) == ["String"])
        #expect(Self.freeMembers(of: Deep(list: [[UInt8(1)]])) == ["UInt8"])
        #expect(Self.freeMembers(of: Deep(list: [TraceWord(Milestone.armed)])) == [])
    }

    /// The types of members that could hold anything. A word of a closed list is one of an enumeration.
    private static func freeMembers(of value: Any) -> [String] {
        if value is String || value is Substring || value is Character || value is Data { return ["String"] }
        if value is UInt8 { return ["UInt8"] }
        if value is ErrorID { return [] }
        return Mirror(reflecting: value).children.flatMap { freeMembers(of: $0.value) }
    }

    @Test("A token is the same in one file and another in the next")
    func tokens() throws {
        let uuid = [UInt8](repeating: 7, count: 16)
        let (first, second) = (try TraceTokens(), try TraceTokens())
        #expect(first.token(for: uuid[...]) == first.token(for: uuid[...]))
        #expect(first.token(for: uuid[...]) != second.token(for: uuid[...]))
        #expect(first.token(for: uuid[...]) != first.token(for: uuid.dropLast()))
    }
}
