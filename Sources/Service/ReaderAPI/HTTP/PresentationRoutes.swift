internal import Hummingbird
internal import JSON
internal import MdocModel
internal import Reports

extension PresentationCoordinator {
    /// What a till and a kiosk do with presentations.
    nonisolated var presentationRoutes: [APIRoute] {
        let either = APIRoute.Access.scopes([.app, .display])
        return [
            APIRoute(.post, "/v1/presentations", .scopes([.app])) { call throws(APIProblem) in
                switch try await self.open(PresentationOrder(call.body())) {
                case .created(let record):
                    .json(
                        record.json(for: call.scopes), status: .created,
                        location: "/v1/presentations/\(record.id)")
                case .existing(let record): .json(record.json(for: call.scopes))
                }
            },
            APIRoute(.get, "/v1/presentations", .scopes([.app])) { call throws(APIProblem) in
                guard let name = call.query("reference") else { throw .referenceMissing }
                let records = await self.book.records(referredToAs: name)
                return .json(["presentations": .array(records.map { $0.json(for: call.scopes) })])
            },
            APIRoute(.get, "/v1/presentations/{id}", either) { call throws(APIProblem) in
                .json(try await self.record(call.presentation).json(for: call.scopes))
            },
            APIRoute(.delete, "/v1/presentations/{id}", either) { call throws(APIProblem) in
                .json(try await self.cancel(call.presentation).json(for: call.scopes))
            },
            APIRoute(.post, "/v1/presentations/{id}/engagement", either) { call throws(APIProblem) in
                try await self.engage(call.presentation, Self.engagement(in: call.body()))
                return .json(
                    try await self.record(call.presentation).json(for: call.scopes), status: .accepted)
            },
            APIRoute(.post, "/v1/presentations/{id}/decision", .scopes([.display])) {
                call throws(APIProblem) in
                let decision = try Self.decision(in: await call.body())
                return .json(
                    try await self.decide(call.presentation, decision).json(for: call.scopes))
            },
            APIRoute(.get, "/v1/presentations/{id}/portrait", .scopes([.display])) {
                call throws(APIProblem) in
                let portrait = try await self.portrait(of: call.presentation)
                return portrait.withBytes { .bytes($0, type: portrait.mediaType) }
            },
            APIRoute(.get, "/v1/presentations/{id}/documents/portrait", .scopes([.app])) {
                call throws(APIProblem) in
                let portrait = try await self.takePortrait(of: call.presentation)
                return .bytes(portrait, type: PortraitKind(portrait).mediaType)
            },
            APIRoute(.get, "/v1/presentations/{id}/events", either) { call throws(APIProblem) in
                let record = try await self.record(call.presentation)
                return try await self.events(call, lane: record.lane, presentation: record.id)
            },
        ]
    }

    private static func engagement(in body: JSONText) throws(APIProblem) -> DeviceEngagement {
        let uri = try APIProblem.mapping { () throws(JSONFault) in
            try body.members(["uri"]).required("uri").string(upTo: 1 << 14)
        }
        do throws(MdocModelError) {
            return try DeviceEngagement(EngagementURI.deviceEngagement(in: uri)[...])
        } catch {
            throw APIProblem(.engagementMalformed, 400, "uri is not an engagement: \(error.explanation)")
        }
    }

    private static func decision(in body: JSONText) throws(APIProblem) -> PresentationRecord.Decision {
        try APIProblem.mapping { () throws(JSONFault) in
            try body.members(["decision"]).required("decision").word()
        }
    }
}
