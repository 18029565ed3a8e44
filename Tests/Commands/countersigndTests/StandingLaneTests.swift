import Deadlines
import Foundation
import Glibc
import MdocWallet
import OtherPrograms
import PCSCBench
import PresentationStage
import Testing

@Suite(
    "A lane that is always armed, with the daemon as a program of its own and the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct StandingLaneTests {
    private static func daemon(_ customers: Customers, _ members: String = "") async throws -> ReaderDaemon {
        try await ReaderDaemon(
            lanes: [],
            readers: [
                #""reader": "\#(VirtualBench.first)", "transport": "nfc", "standing": "age over 21", "page": {"resultSeconds": 2}"#
                    + members
            ], roots: [customers.root])
    }

    private static func lane(_ daemon: ReaderDaemon) async throws -> [String: Any] {
        try await daemon.asClerk.call("GET", "/v1/lanes/reader-1").json()
    }

    /// The presentation that the lane waits in, once it does.
    private static func armed(_ daemon: ReaderDaemon, after last: String? = nil) async throws -> String {
        try await awaited("an armed lane", within: .seconds(300)) {
            let lane = try await lane(daemon)
            let isPaused = (lane["standing"] as? [String: Any])?["isPaused"] as? Bool
            guard let id = lane["presentation"] as? String, id != last, isPaused == false,
                lane["presentationState"] as? String == "armed"
            else { return nil }
            return id
        }
    }

    private static func receipts(_ daemon: ReaderDaemon) async throws -> Int? {
        try await daemon.asAdmin.call("GET", "/v1/receipts").json()["count"] as? Int
    }

    @Test("Two customers in a row are asked without an order, each with one outcome and one receipt")
    func twoCustomers() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        var last: String?
        for count in 1...2 {
            let id = try await Self.armed(daemon, after: last)
            #expect(try await Self.receipts(daemon) == count - 1)
            try await reader.hold(customers.phone())
            let states = try await daemon.end(of: id, as: daemon.asClerk)
            #expect(states.last == "verified")
            reader.lift()
            let result = try await daemon.asClerk.call("GET", "/v1/presentations/\(id)").json()
            #expect(result["outcome"] as? String == "allow")
            #expect((result["result"] as? [String: Any])?["receipt"] as? String == "\(count)")
            last = id
        }
        #expect(try await Self.receipts(daemon) == 2)
        #expect(try await daemon.asApp.call("GET", "/v1/presentations/\(last ?? "")").status == 404)
    }

    @Test("A standing lane without a tap stores nothing, and its presentation cannot be cancelled")
    func untouched() async throws {
        let daemon = try await Self.daemon(try Customers(), #", "waitSeconds": 1"#)
        let id = try await Self.armed(daemon)
        let refused = try await daemon.asClerk.call("DELETE", "/v1/presentations/\(id)")
        #expect(refused.status == 409 && refused.problem == "standingOrder")
        // Several waits end meanwhile.
        try await Task.sleep(for: .seconds(4))
        #expect(try await Self.armed(daemon) == id)
        #expect(try await Self.receipts(daemon) == 0)
        daemon.daemon.signal(SIGTERM)
        #expect(try await daemon.daemon.ended() == 0)
        let again = try await daemon.startAgain()
        _ = try await Self.armed(daemon)
        #expect(try await Self.receipts(daemon) == 0)
        let all = try await daemon.asAdmin.call("GET", "/v1/presentations").json()["presentations"]
        #expect((all as? [Any])?.count == 1)
        again.signal(SIGTERM)
        _ = try await again.ended()
    }

    @Test("A till's order takes its turn, and the lane arms again after it")
    func till() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        _ = try await Self.armed(daemon)
        let id = try await daemon.order(#", "retention": "receipt""#, intent: "age over 18")
        #expect(try await Self.lane(daemon)["presentation"] as? String == id)
        try await reader.hold(customers.phone())
        #expect(try await daemon.end(of: id).last == "verified")
        reader.lift()
        _ = try await Self.armed(daemon, after: id)
        #expect(try await Self.receipts(daemon) == 1)
    }

    @Test("A till's order is refused by name while the lane asks a phone")
    func tillWhileAsked() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await Self.armed(daemon)
        try await reader.hold(customers.phone { $0.consentTime = .seconds(2) })
        _ = try await daemon.end(of: id, as: daemon.asClerk) { state in
            guard state == "awaitingConsent" else { return }
            let body = #"{"kind": "display", "intent": "age over 18"}"#
            let refused = try await daemon.asApp.call("POST", "/v1/presentations", body)
            #expect(refused.problem == "laneBusy")
        }
        #expect(try await Self.receipts(daemon) == 1)
    }

    @Test("A phone that is taken away too early is cancelled by the clerk, and the lane asks the next")
    func takenAway() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await Self.armed(daemon)
        try await reader.hold(customers.phone { $0.consentTime = .seconds(3) })
        let states = try await daemon.end(of: id, as: daemon.asClerk) { state in
            guard state == "awaitingConsent" else { return }
            reader.lift()
            let cancelled = try await daemon.asClerk.call("DELETE", "/v1/presentations/\(id)")
            #expect(cancelled.status == 200)
        }
        #expect(states.last == "cancelled")
        let next = try await Self.armed(daemon, after: id)
        try await reader.hold(customers.phone())
        #expect(try await daemon.end(of: next, as: daemon.asClerk).last == "verified")
        #expect(try await Self.receipts(daemon) == 2)
    }

    @Test(
        "A phone that stays on the reader is asked once, however often the lane arms again; one that was lifted is asked"
    )
    func staying() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await Self.armed(daemon)
        let phone = try customers.phone()
        try await reader.hold(phone)
        #expect(try await daemon.end(of: id, as: daemon.asClerk).last == "verified")
        let next = try await Self.armed(daemon, after: id)
        // Longer than one wait of the lane, which begins anew then.
        try await Task.sleep(for: .seconds(12))
        #expect(try await Self.armed(daemon) == next)
        #expect(try await Self.receipts(daemon) == 1 && phone.log.requests.count == 1)
        reader.lift()
        try await Task.sleep(for: .seconds(2))
        try await reader.hold(customers.phone())
        #expect(try await daemon.end(of: next, as: daemon.asClerk).last == "verified")
        #expect(try await Self.receipts(daemon) == 2)
    }

    @Test(
        "A phone that is pulled away and does not come back has failed after the time for the next tap, and the lane arms again"
    )
    func goneForGood() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await Self.armed(daemon)
        try await reader.hold(customers.phone { $0.cardFault = .pulledInConsent })
        let states = try await daemon.end(of: id, as: daemon.asClerk)
        #expect(states.contains("awaitingConsent") && states.last == "failed")
        let ended = try await daemon.asClerk.call("GET", "/v1/presentations/\(id)").json()
        #expect(ended["outcome"] as? String == "failed" && ended["reasons"] as? [String] == ["link.lost"])
        #expect(try await Self.receipts(daemon) == 1)
        _ = try await Self.armed(daemon, after: id)
    }

    @Test(
        "A full disk pauses the lane with a named reason: no phone is asked, and it resumes once there is space",
        .enabled(if: geteuid() == 0, "not root: no small disk can be mounted"))
    func fullDisk() async throws {
        let customers = try Customers()
        let disk = try await SmallDisk(Self.daemon(customers))
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await Self.armed(disk.reader)
        try disk.fill()
        let phone = try customers.phone()
        try await reader.hold(phone)
        #expect(try await Self.reason(disk.reader) == "recordsUnavailable")
        let taps = phone.log.taps
        // Several tries pass meanwhile; none asks the phone, which stays.
        for _ in 0..<20 {
            #expect(try await Self.lane(disk.reader)["presentation"] is NSNull)
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(phone.log.taps == taps && phone.log.requests.isEmpty)
        #expect(disk.daemon.errors.matches(of: /standing order is paused/).count == 1)
        reader.lift()
        try disk.empty()
        let next = try await Self.armed(disk.reader, after: id)
        try await reader.hold(customers.phone())
        #expect(try await disk.reader.end(of: next, as: disk.reader.asClerk).last == "verified")
        #expect(try await Self.receipts(disk.reader) == 1)
    }

    /// Why the lane is paused, once it is.
    private static func reason(_ daemon: ReaderDaemon) async throws -> String {
        try await awaited("the reason of a pause", within: .seconds(300)) {
            let standing = try await lane(daemon)["standing"] as? [String: Any]
            return (standing?["reason"] as? [String: Any])?["id"] as? String
        }
    }

    @Test("A lost reader pauses the lane with a named reason, and it resumes by itself")
    func lostReader() async throws {
        let customers = try Customers()
        let daemon = try await Self.daemon(customers)
        _ = try await Self.armed(daemon)
        try await VirtualBench.pcscd("kill")
        let reason = try await Self.reason(daemon)
        try await VirtualBench.pcscd("start")
        #expect(reason == "readerUnavailable")
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await Self.armed(daemon)
        try await reader.hold(customers.phone())
        #expect(try await daemon.end(of: id, as: daemon.asClerk).last == "verified")
        #expect(try await Self.receipts(daemon) == 1)
    }
}
