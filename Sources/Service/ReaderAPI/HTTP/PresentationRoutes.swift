internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import PortraitImage
internal import ReaderStore
internal import Reports

extension PresentationCoordinator {
    /// The routes of presentations for tills and pages. A presentation is accessible to the caller who
    /// ordered it. The latest presentation of a lane is also accessible to the lane's pages.
    nonisolated var presentationRoutes: [APIRoute] { orderRoutes + answerRoutes }

    /// The routes to order, list, read and cancel presentations, and the route for a scanned QR code.
    private nonisolated var orderRoutes: [APIRoute] {
        let handling: Set<Scope> = [.app, .clerk, .desk]
        let cancelling: Set<Scope> = [.app, .clerk, .order, .desk]
        let reading: Set<Scope> = [.app, .screen, .clerk, .order, .desk, .admin]
        return [
            APIRoute(.post, "/v1/presentations", for: .scopes([.app])) { call in
                switch try await self.open(PresentationOrder(call.body()), by: call.known) {
                case .created(let record):
                    .json(
                        record.json(for: [.app]), status: .created, location: "/v1/presentations/\(record.id)"
                    )
                case .existing(let record): .json(record.json(for: [.app]))
                case .past(let past): .json(past.json)
                }
            },
            APIRoute(.get, "/v1/presentations", for: .scopes([.app, .desk, .admin])) { call in
                .json(try await self.list(PresentationListQuery(call.query), for: call.known))
            },
            APIRoute(.get, "/v1/presentations/{id}", for: .scopes(reading)) { call in
                // A presentation of an earlier run of the daemon is only in the store. So is a presentation
                // that was removed from memory because there were too many.
                guard try await self.remembers(call.presentation) else {
                    return .json(try await self.past(call.presentation, for: call.known).json)
                }
                let seen = try await self.presentation(call.presentation, for: call.known, by: reading)
                return .json(seen.record.json(for: seen.scopes))
            },
            APIRoute(.delete, "/v1/presentations/{id}", for: .scopes(cancelling)) { call in
                // A presentation that only the store has is over. There is nothing to cancel.
                guard try await self.remembers(call.presentation) else {
                    return .json(try await self.past(call.presentation, for: call.known).json)
                }
                let seen = try await self.presentation(call.presentation, for: call.known, by: cancelling)
                return .json(try await self.cancel(seen.record.id, by: call.known).json(for: seen.scopes))
            },
            APIRoute(.post, "/v1/presentations/{id}/engagement", for: .scopes(handling)) {
                call in
                let text = try Self.scannedText(in: await call.body())
                let seen = try await self.presentation(call.presentation, for: call.known, by: handling)
                try await self.engage(seen.record.id, with: text)
                return .json(
                    try await self.record(seen.record.id).json(for: seen.scopes), status: .accepted)
            },
        ]
    }

    /// The routes of decisions, portraits and events.
    private nonisolated var answerRoutes: [APIRoute] {
        let following: Set<Scope> = [.app, .screen, .clerk, .order, .desk]
        let comparing: Set<Scope> = [.clerk, .desk]
        return [
            APIRoute(.post, "/v1/presentations/{id}/decision", for: .scopes(comparing)) { call in
                let decision = try Self.decision(in: await call.body())
                let seen = try await self.presentation(call.presentation, for: call.known, by: comparing)
                let record = try await self.decide(seen.record.id, decision, by: call.known)
                return .json(record.json(for: seen.scopes))
            },
            APIRoute(.post, "/v1/presentations/{id}/again", for: .scopes(comparing)) { call in
                let body = try await call.body()
                let consent = try mapping(
                    body.members(["consent"])["consent"]?.word(HolderConsent.self) ?? .notGiven,
                    APIProblem.init(body:))
                if consent == .given { try await self.checkDesk(of: call.presentation, for: call.known) }
                let record = try await self.askAgain(call.presentation, by: call.known, consent: consent)
                return .json(
                    try await self.outcome(of: record, for: call.known), status: .created,
                    location: "/v1/presentations/\(record.id)")
            },
            APIRoute(.get, "/v1/presentations/{id}/portrait", for: .scopes(comparing)) { call in
                let seen = try await self.presentation(call.presentation, for: call.known, by: comparing)
                let portrait = try await self.portrait(of: seen.record.id)
                return portrait.withBytes { .bytes($0, type: portrait.mediaType) }
            },
            APIRoute(.get, "/v1/presentations/{id}/documents/portrait", for: .scopes([.app])) {
                call in
                let seen = try await self.presentation(call.presentation, for: call.known, by: [.app])
                let portrait = try await self.takePortrait(of: seen.record.id)
                // The phone may send a format that `ImageFormat` does not know.
                return .bytes(portrait, type: ImageFormat(portrait)?.mediaType ?? "application/octet-stream")
            },
            APIRoute(.get, "/v1/presentations/{id}/events", for: .scopes(following)) { call in
                // The store keeps no events. `past` refuses a presentation that the caller may not see. A
                // presentation that `past` returns is over.
                guard try await self.remembers(call.presentation) else {
                    _ = try await self.past(call.presentation, for: call.known)
                    throw APIProblem.eventsOver
                }
                let seen = try await self.presentation(call.presentation, for: call.known, by: following)
                return try await self.events(call, lane: seen.record.lane, presentation: seen.record.id)
            },
        ]
    }

    /// Checks that the caller may state the holder's consent for a repeated order: only a desk may do so, and
    /// only for presentations that its own presets started.
    ///
    /// - Throws: `forbidden`, also if the presentation is unknown.
    private func checkDesk(of id: PresentationID, for caller: KnownCaller) throws(APIProblem) {
        guard (try? presentation(id, for: caller, by: [.desk])) != nil else { throw .forbidden }
    }

    /// The text of a scanned QR code, which should be an `mdoc:` URI.
    private static func scannedText(in body: JSONText) throws(APIProblem) -> String {
        try mapping(body.members(["uri"]).required("uri").string(upTo: 1 << 14), APIProblem.init(body:))
    }

    private static func decision(in body: JSONText) throws(APIProblem) -> PresentationRecord.Decision {
        try mapping(body.members(["decision"]).required("decision").word(), APIProblem.init(body:))
    }
}
