internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON

/// The routes of page sign-in: one makes a one-time code for a caller, the other exchanges a code for a
/// cookie.
struct PageSessionRoutes: Sendable {
    let sessions: PageSessions
    let access: AccessBook
    let coordinator: PresentationCoordinator

    var all: [APIRoute] {
        [
            APIRoute(.post, "/v1/page-codes", for: .scopes([.screen, .clerk, .admin])) { call in
                let body = try await call.body()
                let place = try mapping(Self.place(in: body), APIProblem.init(body:))
                if let lane = place.lane, await !coordinator.laneNames.contains(lane) {
                    throw APIProblem.laneUnknown.at("/lane")
                }
                let code = try sessions.makeCode(for: place, by: call.known)
                return .json(
                    [
                        "code": .string(code), "path": .string(place.path(code: code)),
                        "seconds": .integer(Int64(PageSessions.codeSeconds)),
                    ], status: .created)
            },
            APIRoute(.post, "/v1/page-sessions", for: .everybody) { call in
                let body = try await call.body()
                let code = try mapping(
                    // A code has 32 digits. A wrong text of up to 64 bytes is answered like an unknown code.
                    body.members(["code"]).required("code").string(upTo: 64), APIProblem.init(body:))
                let (place, cookie) = try sessions.redeem(code, under: access.current)
                var response = Response.json([
                    "page": .string(place.page.rawValue), "lane": JSONValue(place.lane),
                ])
                // Behind a proxy the daemon itself speaks plain HTTP. The page's origin shows whether the
                // browser uses HTTPS.
                let isSecure = call.request.headers[values: .origin].contains { $0.hasPrefix("https://") }
                response.headers[.setCookie] = PageSessions.field(cookie, at: place, isSecure: isSecure)
                return response
            },
        ]
    }

    /// Reads the page for which a sign-in code is requested. Only the owner's page has no lane.
    private static func place(in body: JSONText) throws(JSONFault) -> PagePlace {
        let members = try body.members(["page", "lane"])
        let page = try members.required("page")
        if case .owner = try page.word(PagePlace.Page.self) {
            guard let lane = members["lane"], !lane.isNull else { return .owner }
            throw lane.wrong("must not be there: the owner's page is for all lanes")
        }
        let lane = try members.required("lane").string(upTo: 64)
        return PagePlace(try page.word(), lane: lane)
    }
}
