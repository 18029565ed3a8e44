import Accessories
import Deadlines
import Foundation
import GRDB
import JSON
import Logging
import MdocModel
import MdocTrust
import MdocVerification
import MdocWallet
import PKIX
import PortraitDecoding
import PresentationStage
import RecordBench
import Synchronization
import Testing
import Transport

@testable import PresentationService
@testable import ReaderService
@testable import ReaderStore

/// A lane at which phones are tapped or whose codes are scanned, a store, and a program that serves accessories.
struct AccessoryStage {
    /// A reader's field in memory. A phone whose code was scanned is tapped for its answer.
    private struct Device: LaneDevice {
        let field: Field
        let scans: ScanCount

        func run(_ transaction: ReaderTransaction) async -> Presentation {
            await transaction.run(at: field)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            scans.add()
            return await transaction.run(at: field, scanned: engagement)
        }

        func readiness() async -> LaneReadiness { .ready }
    }

    /// The trust in the issuer of the scene, whose documents are for tests.
    private struct Basis: JudgingBasisSource {
        let acceptsTestDocuments = true
        let trust: TrustStore

        func basis() -> JudgingBasis {
            var policy = VerificationPolicy()
            policy.acceptsTestDocuments = true
            return JudgingBasis(trust: trust, obtained: nil, policy: policy)
        }

        func identities(at now: Timestamp) -> ReaderIdentityChoice { ReaderIdentityChoice([]) }

        func identity(named name: String, at now: Timestamp) throws(PresentationServiceError)
            -> ReaderIdentity
        {
            throw .trustNotSetUp
        }
    }

    let scene: Scene
    let field = Field([])
    let scans = ScanCount()
    let folder: String
    let archive: RecordArchive?
    let coordinator: PresentationCoordinator
    let lines = LogLines()
    let till = KnownCaller(name: "till", scopes: [.app, .clerk], lanes: nil, credential: .user(1))
    let program = KnownCaller.program()

    /// - Parameters:
    ///   - standing: the preset that the lane repeats by itself.
    ///   - hasStore: whether there is a store.
    init(
        _ accessories: [Accessory], handover: HandoverKind = .negotiated, standing: Preset? = nil,
        hasStore: Bool = true, _ change: (inout Wallet) -> Void = { _ in }
    ) throws {
        let licence = PresentationCase("output") {
            $0.licence.attestedAges = [18, 21]
            $0.licence.age = 40
        }
        scene = try Scene(licence, handover: handover, change)
        folder = FileManager.default.temporaryDirectory.appending(path: "outputs-\(UUID())").path
        let metrics = PresentationMetrics()
        archive =
            hasStore
            ? try RecordArchive(store: folder, metrics: metrics, log: lines.logger, at: Scene.now) : nil
        let anchor = try TrustAnchor(Certificate(der: scene.presented.issuer.root[...]))
        coordinator = try PresentationCoordinator(
            lanes: [
                ConfiguredLane(
                    Lane(name: "one", device: Device(field: field, scans: scans)), standing: standing),
                ConfiguredLane(Lane(name: "two", device: Device(field: Field([]), scans: scans))),
            ], basis: Basis(trust: TrustStore(anchors: [anchor])),
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: metrics, log: lines.logger,
            clock: WallClock { Scene.now }, archive: archive, accessories: accessories)
    }

    /// Ends all presentations, and removes the store.
    func end() async {
        await coordinator.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: The till

    func order(_ further: String = "", at lane: String = "one") async throws -> PresentationID {
        let body = #"{"kind":"display","intent":"age over 21","lane":"\#(lane)"\#(further)}"#
        let opened = try await coordinator.open(PresentationOrder(JSONText(Array(body.utf8)[...])), by: till)
        guard case .created(let record) = opened else { throw PresentationServiceError.failed }
        return record.id
    }

    /// Orders, taps the scene's phone, and returns once there is an outcome or a person has to decide.
    func tap(_ further: String = "") async throws -> PresentationID {
        let id = try await order(further)
        field.tap(try scene.phone())
        try await reachEnd(of: id)
        field.lift()
        return id
    }

    /// Waits until a presentation has an outcome, or a person has to decide.
    func reachEnd(of id: PresentationID) async throws {
        try await until("the end of the presentation") { [coordinator] in
            let record = try await coordinator.record(id)
            return record.conclusion != nil || record.state == .awaitingDecision
        }
    }

    /// Waits until the lane follows a scanned code. A phone that is tapped earlier would be asked for its engagement.
    func reachScan() async throws {
        try await until("the lane to follow the code") { [scans] in scans.count > 0 }
    }

    /// Waits until the lane waits for a phone.
    func reachArmed() async throws {
        try await until("the lane to be armed") { [coordinator] in
            await coordinator.latestPresentation(at: "one")?.state == .armed
        }
    }

    /// Waits until the lane's standing order is paused for this reason.
    func reachPause(_ reason: PresentationServiceError) async throws {
        try await until("the pause") { [coordinator] in
            await coordinator.standingOrder(ofLane: "one", .ready)?.pause == reason
        }
    }

    // MARK: The program

    func listen(as caller: KnownCaller? = nil) async throws -> AccessoryEvents {
        AccessoryEvents(
            try await coordinator.listenToAccessories(by: caller ?? program, lost: {}))
    }

    /// The name of the condition for which the store or the coordinator refuses to give an output; nil if it was
    /// given.
    func give(_ number: Int64, of accessory: String = "lock", as caller: KnownCaller? = nil) async -> String?
    {
        do throws(PresentationServiceError) {
            try await coordinator.giveOutput(number, ofAccessory: accessory, by: caller ?? program)
            return nil
        } catch {
            return error.name
        }
    }

    func finish(_ number: Int64, as end: ReportedEnd, of accessory: String = "lock") async -> String? {
        do throws(PresentationServiceError) {
            try await coordinator.finishOutput(number, ofAccessory: accessory, as: end, by: program)
            return nil
        } catch {
            return error.name
        }
    }

    // MARK: The store

    /// The states of the outputs of a presentation, by their accessories.
    func states(of id: PresentationID) async throws -> [String: OutputState] {
        try await Self.states(of: id, in: archive)
    }

    private static func states(
        of id: PresentationID, in archive: RecordArchive?
    ) async throws -> [String: OutputState] {
        let outputs = try await archive?.store.outputs(of: id.description) ?? []
        return Dictionary(uniqueKeysWithValues: outputs.map { ($0.accessory.text, $0.state) })
    }

    /// Waits until the output of an accessory has a state.
    func reach(_ state: OutputState, of id: PresentationID, accessory: String = "lock") async throws {
        try await until("the output to be \(state)") { [archive] in
            try await Self.states(of: id, in: archive)[accessory] == state
        }
    }

    /// A new folder for a key.
    static func makeFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outputs-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    static func remove(_ folder: String) {
        try? FileManager.default.removeItem(atPath: folder)
    }

    static func write(_ bytes: [UInt8], to path: String, mode: Int) throws {
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Changes the database by another connection.
    func change(_ sql: String) throws {
        var settings = Configuration()
        settings.busyMode = .timeout(20)
        try DatabaseQueue(path: "\(folder)/countersign.sqlite", configuration: settings).write {
            try $0.execute(sql: sql)
        }
    }
}

/// The number of codes that a lane's device was given.
final class ScanCount: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.add(1, ordering: .relaxed) }
}

/// The events that a program receives.
final class AccessoryEvents {
    struct Event: Sendable {
        let name: String
        let members: [String: JSONItem]

        func text(_ name: String) -> String? { members[name].flatMap { try? $0.string() } }
        func integer(_ name: String) -> Int64? { members[name].flatMap { try? $0.integer() } }
        func boolean(_ name: String) -> Bool? { members[name].flatMap { try? $0.boolean() } }
    }

    private var iterator: AsyncStream<String>.Iterator

    init(_ frames: AsyncStream<String>) {
        iterator = frames.makeAsyncIterator()
    }

    /// The next event of this name, or nil at the end of the stream.
    func next(_ name: String) async throws -> Event? {
        while let frame = await iterator.next() {
            guard let event = try Self.event(frame), event.name == name else { continue }
            return event
        }
        return nil
    }

    /// The names and states of all further events, until the stream ends.
    func rest() async throws -> [Event] {
        var events: [Event] = []
        while let frame = await iterator.next() {
            if let event = try Self.event(frame) { events.append(event) }
        }
        return events
    }

    private static func members(of item: JSONItem) -> [(name: String, item: JSONItem)]? {
        if case .object(let members) = item.value { members.map { ($0.name, $0.item) } } else { nil }
    }

    private static func event(_ frame: String) throws -> Event? {
        let lines = frame.split(separator: "\n")
        guard lines.count == 2, lines[0].hasPrefix("event: "), lines[1].hasPrefix("data: ") else {
            return nil
        }
        let item = try JSONItem.parse(Array(lines[1].dropFirst("data: ".utf8.count).utf8)[...])
        let members = try #require(Self.members(of: item))
        return Event(
            name: String(lines[0].dropFirst("event: ".utf8.count)),
            members: Dictionary(members.map { ($0.name, $0.item) }) { first, _ in first })
    }
}
