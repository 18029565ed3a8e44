import MdocModel
import MdocVerification
import MdocWallet
import PresentationStage
import Testing

@testable import ReaderService

@Suite("The version of the request")
struct RequestVersionTests {
    /// What wallets of extended requests are asked for with alternatives.
    private static var question: PresentationQuestion {
        get throws {
            PresentationQuestion(
                try .intent("age over 21 with portrait for a human to compare"),
                identities: try TestReader().always)
        }
    }

    private static func plan(
        _ scene: Scene, _ version: RequestVersion = .automatic
    ) throws -> PresentationPlan {
        var plan = try scene.transaction(asking: question).plan
        plan.requestVersion = version
        return plan
    }

    private func version(of presentation: Presentation) throws -> String? {
        try DeviceRequest(try #require(presentation.request).bytes[...]).version
    }

    @Test(
        "Q168 A plan of version 1.0 sends that to every wallet, with a signature for each document",
        arguments: [false, true], RequestVersion.allCases)
    func chosen(announced: Bool, _ requested: RequestVersion) async throws {
        let scene = try Scene.holding(extended: announced)
        let presentation = await ReaderTransaction(try Self.plan(scene, requested))
            .run(at: Field(try scene.phone()))
        #expect(presentation.verified() != nil)
        let request = try #require(presentation.request)
        let isExtended = announced && requested == .automatic
        #expect(try version(of: presentation) == (isExtended ? "1.1" : "1.0"))
        #expect(request.isExtended == isExtended)
        #expect(request.readerAuthentication == (isExtended ? .all : .documents))
        let parsed = try DeviceRequest(request.bytes[...])
        #expect(parsed.docRequests.allSatisfy { $0.itemsRequest.alternatives.isEmpty == !isExtended })
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: SessionFault?
        var isAnnounced = true
        var version = RequestVersion.automatic
        /// Of the presentation with the fault and of the two after it.
        let versions: [String]

        static let all = [
            Row(testDescription: "status 11", fault: .decodingError, versions: ["1.1", "1.0", "1.1"]),
            Row(testDescription: "status 10", fault: .encryptionError, versions: ["1.1", "1.1", "1.1"]),
            Row(testDescription: "no fault", fault: nil, versions: ["1.1", "1.1", "1.1"]),
            Row(
                testDescription: "status 11 after 1.0", fault: .decodingError, version: .first,
                versions: ["1.0", "1.0", "1.0"]),
        ]
    }

    @Test(
        "Q168 After status 11 on an extended request the lane's next presentation, and only that one, is of version 1.0",
        arguments: Row.all)
    func lane(_ row: Row) async throws {
        let scene = try Scene.holding(extended: true)
        let phones = try [row.fault, nil, nil].map { fault in try scene.phone { $0.sessionFault = fault } }
        let lane = Lane(
            name: "one",
            device: ContactlessLaneDevice(reader: Field(phones), radio: nil, missingReader: { nil }))
        var versions: [String?] = []
        for _ in phones {
            let presentation = try await lane.present(Self.plan(scene, row.version)).presentation
            versions.append(try version(of: await presentation.value))
        }
        #expect(versions == row.versions)
    }

    @Test("Q168 Status 11 of the answer counts as that of the session; another status, or of a 1.0, does not")
    func answer() async throws {
        for (requested, status, expected) in [
            (RequestVersion.automatic, UInt64(11), true), (.automatic, 10, false), (.first, 11, false),
        ] {
            let scene = try Scene.holding(extended: true)
            var plan = try Self.plan(scene, requested)
            plan.handsOutRawAnswer = true
            let asked = await ReaderTransaction(plan).run(at: Field(try scene.phone()))
            #expect(asked.verified() != nil && !asked.failedOnExtendedRequest)
            let response = try UnverifiedResponse(Self.response(status)[...])
            let context = VerificationContext(
                transcript: try #require(asked.rawAnswer).transcript, comparison: .notCompared,
                readerKey: nil, trust: plan.trust, now: Scene.now, policy: plan.policy)
            let presentation = Presentation(
                .success(response.verify(in: context)), request: asked.request, phases: [],
                rawAnswer: nil, leaving: nil)
            #expect(presentation.failedOnExtendedRequest == expected, "\(requested) \(status)")
        }
    }

    /// A DeviceResponse with nothing but its version and this status.
    private static func response(_ status: UInt64) -> [UInt8] {
        [0xa2] + [0x67] + Array("version".utf8) + [0x63] + Array("1.0".utf8) + [0x66] + Array("status".utf8)
            + [UInt8(status)]
    }
}
