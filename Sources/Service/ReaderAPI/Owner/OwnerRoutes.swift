internal import VersionNumber
internal import PresentationService
internal import HTTPServing
internal import Hummingbird
internal import HTTPTypes
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import NIOCore
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderStore
internal import Reports
internal import MdocVerification
internal import RequestPlanner

/// The routes of the owner's page: the state of the daemon and its lanes, today's outcomes as numbers,
/// receipts and callers. These responses contain no data about a person.
struct OwnerRoutes: Sendable {
    let coordinator: PresentationCoordinator
    let access: AccessBook
    /// The files of the store; `nil` if the daemon has no store.
    let records: OwnerRecords?
    /// The time at which the daemon started.
    let started: Timestamp

    var all: [APIRoute] {
        [
            APIRoute(.get, "/v1/owner", for: .scopes([.admin])) { call in
                .json(try await overview(for: call.known))
            },
            APIRoute(.get, "/v1/receipt-verification", for: .scopes([.admin])) { _ in
                guard let records else { throw APIProblem.noRecords }
                return .json(try await records.verification())
            },
            APIRoute(.get, "/v1/receipts.csv", for: .scopes([.admin])) { call in
                try await table(for: call.known)
            },
        ]
    }

    /// Everything that the owner's page shows, except the receipts themselves.
    private func overview(for caller: KnownCaller) async throws -> JSONValue {
        let now = coordinator.clock.now
        let readiness = await coordinator.readinessReport()
        // Trust that cannot be read is among the faults of `readiness`; the page shows the rest.
        let trust = try? await coordinator.trustDescription()
        let identities = try await records?.identities()
        let doctor = await records?.doctor()
        let today = try await outcomes(at: now, for: caller)
        let receipts = try await receiptFacts(for: caller)
        let lanes = await coordinator.laneHealth()
        let accessories = await coordinator.accessoryReports()
        return [
            "time": .string("\(now)"), "started": .string("\(started)"), "version": .string(Version.number),
            "ready": .boolean(readiness.isReady),
            "acceptsTestDocuments": .boolean(readiness.acceptsTestDocuments),
            "faults": .array(readiness.faults.map(\.json)), "lanes": .array(lanes),
            "accessories": .array(accessories.map(\.jsonWithLane)),
            "trust": trust ?? .null, "identities": .array(identities ?? []),
            // The page asks the owner to act when the newest list in the trust store is `listDays` old, or
            // an identity expires within `identityDays`.
            "attention": [
                "listDays": .integer(TrustSnapshot.oldListDays),
                "identityDays": .integer(StoredIdentity.warningDays),
            ], "doctor": doctor ?? .null,
            "today": today, "receipts": receipts,
            "tokens": .array(access.current.callers.map { $0.description(lastUse: access.lastUse(of: $0)) }),
        ]
    }

    /// Today's outcomes by hour, from the midnight of the computer's time zone.
    private func outcomes(at now: Timestamp, for caller: KnownCaller) async throws -> JSONValue {
        let midnight = WallClock.localMidnight(before: now)
        let counts = try await coordinator.archive?.read(for: caller.name) {
            store throws(ReaderStoreError) in
            // The period ends before its end time. One second is added, so that the present second counts
            // too.
            try store.outcomes(from: midnight, to: now.advanced(bySeconds: 1))
        }
        // The number of the present hour, which is the last row of the table.
        let last = Int((now.secondsSince1970 - midnight.secondsSince1970) / 3600)
        let hours = (0...last).map { hour -> JSONValue in
            .object(
                [("from", .string("\(midnight.advanced(bySeconds: Int64(hour) * 3600))"))]
                    + Outcome.allCases.map { outcome -> (String, JSONValue) in
                        let found = counts?.first { $0.hour == hour && $0.outcome == outcome }
                        return (outcome.rawValue, .integer(Int64(found?.count ?? 0)))
                    })
        }
        return ["day": .string("\(WallClock.localDay(at: now))"), "hours": .array(hours)]
    }

    /// The number of receipts, and the digest and time of the last one; null if the daemon has no store.
    private func receiptFacts(for caller: KnownCaller) async throws -> JSONValue {
        guard let archive = coordinator.archive else { return .null }
        let last = try await archive.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.lastReceipt()
        }
        // A later version of the program may have made the receipt, with members that this version cannot
        // read.
        let time = (try? last?.contents())?.time
        return [
            // Receipts are numbered from 1 without a gap.
            "count": .integer(last?.sequence ?? 0), "head": JSONValue(last?.digest.hexadecimal),
            "last": JSONValue(time.map { "\($0)" }),
        ]
    }

    /// All receipts as CSV.
    private func table(for caller: KnownCaller) async throws -> Response {
        guard let archive = coordinator.archive else { throw APIProblem.noRecords }
        let body = try await archive.receiptBody(for: caller) { _ in
            ByteBuffer(string: ReceiptTable.heading)
        } page: { receipts in
            ByteBuffer(string: receipts.map { ReceiptTable.line(of: $0) }.joined())
        }
        return Response(status: .ok, headers: [.contentType: ReceiptTable.contentType], body: body)
    }
}

extension KnownCaller {
    /// The description of a token or user for the owner, without the token.
    fileprivate func description(lastUse: Timestamp?) -> JSONValue {
        let kind =
            switch credential {
            case .token: "token"
            case .user: "user"
            }
        return [
            "name": .string(name), "kind": .string(kind),
            "scopes": .array(Scope.allCases.filter(scopes.contains).map { .string($0.rawValue) }),
            "lanes": lanes.map { .array($0.sorted().map(JSONValue.string)) } ?? .null,
            "lastUsed": JSONValue(lastUse.map { "\($0)" }),
        ]
    }
}
