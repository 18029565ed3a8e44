internal import PKIX
import COSE
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import NDEF
import OpenSSLCrypto
import PCSCBench
import PresentationStage
import ReaderService
import RequestPlanner
import Synchronization
import Testing
import Transport

/// By which way a phone is asked.
enum Way: CaseIterable, Sendable {
    case benchLink, nfc, centralClient, peripheralServer
}

/// What came of a presentation, on both sides.
struct Asked {
    let presentation: Presentation
    /// What the phone was asked, in one session.
    let requests: [[UInt8]]
    let readerStatus: SessionStatus?

    var parsed: [DeviceRequest] {
        get throws { try requests.map { try DeviceRequest($0[...]) } }
    }

    /// The types of the documents asked for, request by request.
    var docTypes: [[String]] {
        get throws { try parsed.map { $0.docRequests.map(\.itemsRequest.docType) } }
    }
}

extension Scene {
    /// A scene whose phone holds these documents; one with `capabilities` announces extended requests (Q168).
    static func holding(
        _ documents: [TestDocumentKind] = [.drivingLicence], attesting ages: [Int] = [18, 21, 65],
        extended: Bool = false, _ change: (inout Wallet) -> Void = { _ in }
    ) throws -> Scene {
        let presentation = PresentationCase("asked") {
            $0.documents = documents
            $0.licence.attestedAges = ages
            $0.profile.bluetoothRole = .bothCentralPreferred
            if extended { $0.profile.extraEngagementMembers = WalletProfile.apple.extraEngagementMembers }
        }
        return try Scene(presentation, handover: .static, change)
    }

    /// Asks the phone this by one way.
    func ask(
        _ content: PresentationQuestion.Content,
        as identities: ReaderIdentityChoice = ReaderIdentityChoice([]),
        then further: FurtherQuestion? = nil, by way: Way = .benchLink
    ) async throws -> Asked {
        let question = PresentationQuestion(content, identities: identities)
        var retrieval = RetrievalPlan()
        if way == .peripheralServer { retrieval.mode = .peripheralServer }
        let transaction = try transaction(retrieval: retrieval, asking: question, then: further)
        switch way {
        case .benchLink:
            let (reader, holder) = InMemoryChannel.pair()
            let phone = Task { try await HolderEnd.serve(self, over: holder) }
            let presentation = await transaction.run(over: reader)
            let log = try await phone.value
            return Asked(
                presentation: presentation, requests: log.requests, readerStatus: log.readerStatus)
        case .nfc:
            let phone = try phone()
            let presentation = await transaction.run(at: Field(phone))
            return Asked(
                presentation: presentation, requests: phone.log.requests, readerStatus: phone.log.readerStatus
            )
        case .centralClient, .peripheralServer:
            let engagement = try wallet.engagement(.qr, now: .now)
            let wallet = wallet
            let (logs, said) = AsyncStream.makeStream(of: HolderEnd.Log.self)
            let radio = MemoryRadio { said.yield(await HolderEnd.serve(wallet, engagement, over: $0)) }
            let presentation = await transaction.run(
                scanned: try DeviceEngagement(engagement.deviceEngagement[...]), radio: radio)
            await presentation.waitUntilLeft()
            let log = await logs.first { _ in true } ?? HolderEnd.Log()
            return Asked(
                presentation: presentation, requests: log.requests, readerStatus: log.readerStatus)
        }
    }
}

extension PresentationQuestion.Content {
    /// An intent, of whose answer this is kept.
    static func intent(_ text: String, keeping retention: RetentionChoice = .none) throws -> Self {
        .planned(try RequestPlan(RequestIntent(parsing: text), keeping: retention))
    }
}

extension DeviceRequest {
    /// What it asks for, alternatives included.
    var identifiers: [String] {
        docRequests.map(\.itemsRequest).flatMap { items in
            items.nameSpaces.flatMap(\.elements).map(\.identifier)
                + items.alternatives.flatMap(\.sets).joined().map(\.identifier)
        }
    }

    var retained: [String] {
        docRequests.flatMap(\.itemsRequest.nameSpaces).flatMap(\.elements).filter(\.intentToRetain)
            .map(\.identifier)
    }
}

@Suite("What a phone is asked, and by whom")
struct AskingTests {
    private static let age = "age over 21 with portrait for a human to compare"

    private func trusting(_ reader: TestReader, extended: Bool = false) throws -> Scene {
        try Scene.holding(extended: extended) {
            $0.holder.readerTrust = ReaderTrust(.alwaysRequire, roots: [reader.root])
        }
    }

    // MARK: Reader authentication

    @Test(
        "Q168 Q172 A wallet that insists on a known reader answers: signed as one where it announced that",
        arguments: Way.allCases, [false, true])
    func signed(_ way: Way, isExtended: Bool) async throws {
        let reader = try TestReader()
        let scene = try trusting(reader, extended: isExtended)
        let asked = try await scene.ask(.intent(Self.age), as: reader.always, by: way)
        #expect(asked.presentation.verified() != nil)
        #expect(asked.readerStatus == .termination)
        let sent = try #require(asked.presentation.request)
        #expect(sent.identity == "counter")
        #expect(sent.readerAuthentication == (isExtended ? .all : .documents))
        #expect(asked.requests == [sent.bytes])
        let request = try asked.parsed[0]
        #expect(request.version == (isExtended ? "1.1" : "1.0"))
        #expect(request.readerAuthAll.count == (isExtended ? 1 : 0))
        #expect(request.docRequests.map { $0.readerAuth == nil } == [isExtended])
        #expect(request.docRequests.map(\.itemsRequest) == sent.documents)
    }

    @Test(
        "Q172 A wallet refuses an unsigned request, and the reader reports the refusal as declined",
        arguments: Way.allCases)
    func unsigned(_ way: Way) async throws {
        let asked = try await trusting(TestReader()).ask(.intent(Self.age), by: way)
        #expect(asked.presentation.isDeclined)
        #expect(asked.presentation.request?.readerAuthentication == SessionRequest.ReaderAuthentication.none)
        #expect(asked.presentation.request?.identity == nil)
    }

    @Test("Q172 Under another root it is refused", arguments: Way.allCases, [false, true])
    func otherRoot(_ way: Way, isExtended: Bool) async throws {
        let scene = try trusting(TestReader(), extended: isExtended)
        let asked = try await scene.ask(.intent(Self.age), as: TestReader().always, by: way)
        #expect(asked.presentation.isDeclined)
        #expect(asked.presentation.request?.identity == "counter")
    }

    @Test("Q172 Who asks is chosen for each request, by wallet, brand and documents; nobody is a choice too")
    func choice() async throws {
        let (licences, ages) = (try TestReader("licences"), try TestReader("ages"))
        let choice = ReaderIdentityChoice([
            .init(docType: TestDocumentKind.drivingLicence.docType, identity: licences.identity),
            .init(docType: TestDocumentKind.ageVerification.docType, identity: ages.identity),
        ])
        let scene = try Scene.holding([.personID])
        let asked = try await scene.ask(.intent("age over 18; from mdl or av or pid"), as: choice)
        #expect(asked.presentation.verified() != nil)
        #expect(
            try asked.parsed.map { $0.docRequests.map { $0.readerAuth != nil } } == [[true], [true], [false]])
        #expect(asked.presentation.request?.identity == nil)
        let chains = try asked.parsed.prefix(2).map { request in
            try COSESign1(#require(request.docRequests[0].readerAuth)).headers.x5chain()
        }
        #expect(
            chains.map { $0.map(Array.init) }
                == [licences, ages].map { [Array($0.identity.key.chain.leaf.der)] })
    }

    @Test("Q57 Each session asks the same and is signed anew, after a tap that broke off too")
    func signedAnew() async throws {
        let reader = try TestReader()
        let scene = try trusting(reader)
        let first = try scene.phone { $0.cardFault = .pulledInResponse }
        let second = try scene.phone()
        let question = PresentationQuestion(try .intent(Self.age), identities: reader.always)
        let presentation = try await scene.transaction(asking: question).run(
            at: Field([first, second], .short))
        #expect(presentation.verified() != nil)
        let requests = try [first, second].map { try DeviceRequest(#require($0.log.requests.first)[...]) }
        #expect(requests[0].docRequests.map(\.itemsRequest) == requests[1].docRequests.map(\.itemsRequest))
        #expect(first.log.requests != second.log.requests)
    }

    // MARK: Alternatives

    static let neighbours: [(attested: [Int], extended: Bool, by: String?)] = [
        ([18, 25], false, "age_over_25"), ([18, 25], true, "age_over_25"), ([18], true, "age_in_years"),
        ([18], false, nil), ([], true, "age_in_years"), ([], false, nil),
    ]

    @Test(
        "Q159 Q160 A licence without age_over_21 answers by its nearest attestation, or by what stands in for it"
    )
    func nearest() async throws {
        for (attested, extended, identifier) in Self.neighbours {
            let scene = try Scene.holding(attesting: attested, extended: extended)
            let asked = try await scene.ask(.intent("age over 21"))
            let licence = try #require(asked.presentation.verified()?.documents.first)
            let answer = licence.isAgeAtLeast(21, accepting: .ageInYears, on: Scene.now.dayInUTC)
            if let identifier {
                let name = ElementName(nameSpace: TestLicence.nameSpace, identifier: identifier)
                #expect(answer == .yes(by: name), "\(attested) \(extended)")
            } else {
                guard case .cannotTell = answer else {
                    Issue.record("\(attested): \(answer)")
                    continue
                }
            }
        }
    }

    @Test(
        "Another document answers in place of a licence: chosen by a wallet of extended requests, else asked in turn",
        arguments: Way.allCases, [false, true])
    func otherDocument(_ way: Way, isExtended: Bool) async throws {
        let order: [TestDocumentKind] = [.drivingLicence, .personID, .photoID, .ageVerification]
        let intent = "age over 18; from \(order.map(\.rawValue).joined(separator: " or "))"
        for (turn, kind) in order.enumerated() {
            let scene = try Scene.holding([kind], extended: isExtended)
            let asked = try await scene.ask(.intent(intent), by: way)
            #expect(asked.presentation.verified()?.documents.map(\.docType) == [kind.docType])
            #expect(asked.requests.count == (isExtended ? 1 : turn + 1))
            #expect(asked.presentation.request?.bytes == asked.requests.last)
            let types = try asked.docTypes
            #expect(isExtended ? types[0].count == 5 : types.last?.first == kind.docType)
            #expect(asked.readerStatus == .termination)
            // What a further request took is added up.
            let names = asked.presentation.phases.map(\.name)
            #expect(Set(names).count == names.count)
            #expect(scene.events.count(of: .awaitingConsent) == asked.requests.count)
            #expect(scene.events.count(of: .engaged) == 1)
        }
    }

    @Test("A wallet that holds several returns one, the first of the order", arguments: [false, true])
    func oneOfSeveral(_ isExtended: Bool) async throws {
        let scene = try Scene.holding([.drivingLicence, .ageVerification, .personID], extended: isExtended)
        let asked = try await scene.ask(.intent("age over 18; from av or mdl or pid"))
        let types = asked.presentation.verified()?.documents.map(\.docType)
        #expect(types == [TestDocumentKind.ageVerification.docType])
    }

    @Test("A phone that has none of them has declined, once it was asked for all", arguments: Way.allCases)
    func none(_ way: Way) async throws {
        let scene = try Scene.holding([.personID])
        let asked = try await scene.ask(.intent("age over 18; from mdl or av"), by: way)
        #expect(asked.presentation.isDeclined)
        #expect(try asked.docTypes == [["org.iso.18013.5.1.mDL"], ["eu.europa.ec.av.1"]])
    }

    @Test(
        "After a holder who declines, or a phone that ends the session, nothing else is asked",
        arguments: Way.allCases)
    func noFurtherRequest(_ way: Way) async throws {
        let declines = try Scene.holding { $0.holder.decision = .declines }
        let ends = try Scene.holding([.ageVerification]) { $0.endsSessionWithResponse = true }
        for scene in [declines, ends] {
            let asked = try await scene.ask(.intent("age over 18; from mdl or av"), by: way)
            #expect(asked.presentation.isDeclined)
            #expect(asked.requests.count == 1)
        }
    }

    @Test("A wallet that answers something else than it is asked is rejected, and asked for nothing more")
    func somethingElse() async throws {
        let scene = try Scene.holding { $0.holder.fault = .unrequestedDocType }
        let asked = try await scene.ask(.intent("age over 18; from pid or av"))
        guard case .success(.rejected(let response)) = asked.presentation.result
        else {
            Issue.record("\(asked.presentation.result)")
            return
        }
        #expect(response.reports[0].checks.contains { $0.outcome == .failed(.docTypeNotRequested) })
        #expect(asked.requests.count == 1)
    }

    @Test("An answer is compared with the request it answers, and nothing is asked after the first document")
    func comparison() async throws {
        let scene = try Scene.holding()
        let licence = ItemsRequest.one("org.iso.18013.5.1.mDL", "org.iso.18013.5.1", "age_over_21")
        let name = ItemsRequest.one("org.iso.18013.5.1.mDL", "org.iso.18013.5.1", "family_name")
        let other = ItemsRequest.one("org.example.none", "org.example.none", "x")
        let asked = try await scene.ask(
            .drafts([DeviceRequestDraft([other]), DeviceRequestDraft([licence]), DeviceRequestDraft([name])]))
        let elements = asked.presentation.verified()?.documents[0].elements.map(\.name.identifier)
        #expect(elements == ["age_over_21"])
        #expect(asked.requests.count == 2)
        #expect(asked.presentation.request?.documents == [licence])
    }

    // MARK: The least data

    @Test("No birth date is asked for where a boolean answers, nor what only extended requests may hold")
    func leastData() async throws {
        for extended in [false, true] {
            let scene = try Scene.holding(extended: extended)
            let asked = try await scene.ask(.intent(Self.age))
            let request = try asked.parsed[0]
            #expect(request.identifiers == ["age_over_21", "portrait"] + (extended ? ["age_in_years"] : []))
            let came = asked.presentation.verified()?.documents[0].elements.map(\.name.identifier)
            #expect(came == ["age_over_21", "portrait"])
        }
        // The twin: it is asked for, by wallets that know alternatives, where the shop accepts it.
        for (extended, isAsked) in [(true, true), (false, false)] {
            let asked = try await Scene.holding(extended: extended).ask(
                .intent("age over 21; else birth date"))
            #expect(try asked.parsed[0].identifiers.contains("birth_date") == isAsked)
        }
    }

    @Test("What is announced to the holder follows from the retention choice, in every request of a session")
    func retention() async throws {
        let rental = "rental: age over 21, name, licence number, portrait"
        for (choice, kept) in [
            (RetentionChoice.none, []), (.receipt, []),
            (.ageAndIDNumber, ["age_over_21", "document_number"]),
            (.consented, ["age_over_21", "family_name", "given_name", "document_number"]),
        ] as [(RetentionChoice, [String])] {
            let asked = try await Scene.holding([.photoID]).ask(
                .intent(rental + "; from mdl or photoid", keeping: choice))
            #expect(asked.presentation.verified() != nil)
            #expect(try asked.parsed.map(\.retained) == [kept, kept + kept])
        }
    }
}

extension ItemsRequest {
    fileprivate static func one(_ docType: String, _ nameSpace: String, _ identifier: String) -> ItemsRequest
    {
        ItemsRequest(
            docType: docType,
            nameSpaces: [
                .init(name: nameSpace, elements: [.init(identifier: identifier, intentToRetain: false)])
            ])
    }
}

@Suite(
    "What a phone is asked through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct AskingThroughPCSCTests {
    @Test(
        "Q172 Signed requests are answered, unsigned ones not, and a second document is asked for in one tap")
    func asked() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let signer = try TestReader()
        for (identities, types) in [(signer.always, ["eu.europa.ec.av.1"]), (ReaderIdentityChoice([]), nil)] {
            let scene = try Scene.holding([.ageVerification]) {
                $0.holder.readerTrust = ReaderTrust(.alwaysRequire, roots: [signer.root])
            }
            let phone = try scene.phone()
            try await reader.hold(phone)
            let question = PresentationQuestion(
                try .intent("age over 18; from mdl or av"), identities: identities)
            let presentation = try await scene.transaction(asking: question).run(at: reader.field())
            if let types {
                #expect(presentation.verified()?.documents.map(\.docType) == types)
                #expect(phone.log.requests.count == 2)
            } else {
                #expect(presentation.isDeclined)
                #expect(phone.log.requests.count == 1)
            }
            reader.lift()
        }
    }
}
