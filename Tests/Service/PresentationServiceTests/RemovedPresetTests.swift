import Deadlines
import JSON
import Logging
import MdocModel
import MdocTrust
import MdocVerification
import PortraitDecoding
import ReaderStore
import Synchronization
import Testing

@testable import PresentationService
@testable import ReaderService

@Suite("A reload while an order is prepared")
struct RemovedPresetTests {
    /// Trusts nobody, and answers only after the reload.
    private final class SlowBasis: JudgingBasisSource {
        let acceptsTestDocuments = false
        let isAsked = Mutex(false)
        let isReloaded = Mutex(false)

        func basis() async throws(PresentationServiceError) -> JudgingBasis {
            isAsked.withLock { $0 = true }
            // The bound of `until` ends a hang. The order is then prepared before the reload.
            try? await until("the reload") { self.isReloaded.withLock { $0 } }
            return JudgingBasis(
                trust: TrustStore(anchors: []), obtained: nil, policy: VerificationPolicy())
        }

        func identities(at now: Timestamp) -> ReaderIdentityChoice { ReaderIdentityChoice([]) }

        func identity(named name: String, at now: Timestamp) throws(PresentationServiceError)
            -> ReaderIdentity
        {
            throw .trustNotSetUp
        }
    }

    private static func preset(_ intent: String = "age over 21") throws -> Preset {
        try Preset(intent: intent, retention: .none)
    }

    private static func lane(_ presets: [Preset]) -> ConfiguredLane {
        ConfiguredLane(Lane(name: "one", device: OrderWorkTests.Idle()), presets: presets)
    }

    /// Returns the problem of an order whose lane has these presets once the order is prepared; nil if the order
    /// begins.
    private static func problem(
        of order: PresentationOrder, afterReloadTo presets: [Preset]
    ) async throws -> String? {
        let basis = SlowBasis()
        let coordinator = try PresentationCoordinator(
            lanes: [lane([preset()])], basis: basis,
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
            log: Logger(label: "tests"), clock: .system)
        let caller = KnownCaller(name: "till", scopes: [.app, .order], lanes: nil, credential: .user(0))
        let opening = Task { () async -> String? in
            do throws(PresentationServiceError) {
                _ = try await coordinator.open(order, by: caller)
                return nil
            } catch {
                return error.name
            }
        }
        try await until("the order to be prepared") { basis.isAsked.withLock { $0 } }
        #expect(await coordinator.remove(lane: "one"))
        await coordinator.add(lane(presets))
        basis.isReloaded.withLock { $0 = true }
        let problem = await opening.value
        #expect(await coordinator.isBusy(lane: "one") == (problem == nil))
        await coordinator.close()
        return problem
    }

    @Test("An order of a preset that was removed or changed meanwhile does not begin")
    func removed() async throws {
        let order = try PresentationOrder(Self.preset(), lane: "one", reference: nil)
        #expect(try await Self.problem(of: order, afterReloadTo: []) == "presetUnknown")
        let changed = try Self.preset("age over 18")
        #expect(try await Self.problem(of: order, afterReloadTo: [changed]) == "presetUnknown")
    }

    @Test("The twin: an order of a preset that is still there begins, and a program's without any preset")
    func present() async throws {
        let order = try PresentationOrder(Self.preset(), lane: "one", reference: nil)
        let presets = try [Self.preset("age over 18"), Self.preset()]
        #expect(try await Self.problem(of: order, afterReloadTo: presets) == nil)
        let program = try PresentationOrder(
            JSONText(Array(#"{"kind":"display","intent":"age over 21"}"#.utf8)[...]))
        #expect(try await Self.problem(of: program, afterReloadTo: []) == nil)
    }

    @Test("A preset's order is repeated at its lane, and refused after the lane was removed")
    func repeated() async throws {
        let basis = SlowBasis()
        basis.isReloaded.withLock { $0 = true }
        let coordinator = try PresentationCoordinator(
            lanes: [Self.lane([Self.preset()])], basis: basis,
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
            log: Logger(label: "tests"), clock: .system)
        let caller = KnownCaller(name: "till", scopes: [.app, .clerk], lanes: nil, credential: .user(0))
        let order = try PresentationOrder(Self.preset(), lane: "one", reference: nil)
        guard case .created(let first) = try await coordinator.open(order, by: caller) else {
            Issue.record("the order does not begin")
            return
        }
        _ = try await coordinator.cancel(first.id, by: caller)
        let second = try await coordinator.askAgain(first.id, by: caller)
        _ = try await coordinator.cancel(second.id, by: caller)
        #expect(await coordinator.remove(lane: "one"))
        await #expect(throws: PresentationServiceError.presetUnknown) {
            _ = try await coordinator.askAgain(second.id, by: caller)
        }
        await coordinator.close()
    }
}
