import Deadlines
import JSON
import Logging
import MdocModel
import MdocTrust
import MdocVerification
import PortraitDecoding
import Synchronization
import Testing

@testable import PresentationService
@testable import ReaderService

@Suite("The work that a refused order costs")
struct OrderWorkTests {
    /// Trusts nobody, and counts who asks for trust or for an identity.
    private final class CountedBasis: JudgingBasisSource {
        let acceptsTestDocuments = false
        let asked = Mutex(0)

        func basis() -> JudgingBasis {
            asked.withLock { $0 += 1 }
            return JudgingBasis(
                trust: TrustStore(anchors: []), obtained: nil, policy: VerificationPolicy())
        }

        func identities(at now: Timestamp) throws(PresentationServiceError) -> ReaderIdentityChoice {
            asked.withLock { $0 += 1 }
            return ReaderIdentityChoice([])
        }

        func identity(named name: String, at now: Timestamp) throws(PresentationServiceError)
            -> ReaderIdentity
        {
            throw .trustNotSetUp
        }
    }

    /// A device to which nobody ever comes.
    struct Idle: LaneDevice {
        func run(_ transaction: ReaderTransaction) async -> Presentation {
            await untilCancelled()
            return Presentation(
                .failure(.cancelled), request: nil, phases: [], rawAnswer: nil, leaving: nil)
        }

        func run(_ transaction: ReaderTransaction, scanned engagement: DeviceEngagement) async -> Presentation
        {
            await run(transaction)
        }

        func readiness() async -> LaneReadiness { .ready }
    }

    private static func order(_ further: String = "") throws -> PresentationOrder {
        try PresentationOrder(
            JSONText(Array(#"{"kind":"display","intent":"age over 21"\#(further)}"#.utf8)[...]))
    }

    private static func problem(
        _ order: PresentationOrder, _ caller: KnownCaller, _ coordinator: PresentationCoordinator
    ) async -> String? {
        do throws(PresentationServiceError) {
            _ = try await coordinator.open(order, by: caller)
            return nil
        } catch {
            return error.name
        }
    }

    @Test("An order over a caller's limit is refused before preparation; another caller's order is prepared")
    func refusedFirst() async throws {
        let basis = CountedBasis()
        var limits = CoordinatorLimits()
        limits.ordersPerHour = 1
        let coordinator = try PresentationCoordinator(
            lanes: [ConfiguredLane(Lane(name: "one", device: Idle()))], basis: basis,
            portraits: PortraitDecoder(executable: "/nonexistent"), metrics: PresentationMetrics(),
            log: Logger(label: "tests"), limits: limits, clock: .system)
        let till = KnownCaller(name: "till", scopes: [.app], lanes: nil, credential: .user(0))
        let other = KnownCaller(name: "other", scopes: [.app], lanes: nil, credential: .user(1))
        let first = try Self.order(#","reference":"first""#)
        #expect(await Self.problem(first, till, coordinator) == nil)
        let prepared = basis.asked.withLock { $0 }
        #expect(prepared > 0)
        for further in ["", #","webhook":"https://unknown.example/""#, #","lane":"two""#] {
            #expect(await Self.problem(try Self.order(further), till, coordinator) == "tooManyOrders")
        }
        #expect(await Self.problem(first, till, coordinator) == nil, "the first is there under its reference")
        #expect(basis.asked.withLock { $0 } == prepared)
        #expect(await Self.problem(try Self.order(), other, coordinator) == "laneBusy")
        #expect(basis.asked.withLock { $0 } > prepared)
        await coordinator.close()
    }
}
