internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import Logging

/// The routes of page sign-in: one makes a one-time code or three words for a caller, one exchanges them for a
/// cookie, and one lists the pages for which a browser has cookies.
struct PageSessionRoutes: Sendable {
    /// The kinds of sign-in that a caller can request.
    private enum Kind: String, CaseIterable {
        /// A code in the fragment of the page's address.
        case link
        /// Three words that a person types.
        case words
    }

    let sessions: PageSessions
    let access: AccessBook
    let coordinator: PresentationCoordinator
    /// The origin of the pages in a browser, or `nil` if the daemon has no TCP listener.
    let origin: String?

    var all: [APIRoute] {
        [
            APIRoute(.post, "/v1/page-codes", for: .scopes([.screen, .clerk, .desk, .admin])) { call in
                try await make(for: call)
            },
            APIRoute(.post, "/v1/page-sessions", for: .everybody) { call in try await open(for: call) },
            APIRoute(.get, "/v1/page-sessions", for: .everybody) { call in
                let lanes = await coordinator.laneNames
                let places = sessions.places(of: call.request, at: lanes, under: access.current)
                return .json(["pages": .array(places.map { .object($0.members) })])
            },
        ]
    }

    /// Makes a code or words for the caller.
    private func make(for call: APICall) async throws -> Response {
        let body = try await call.body()
        let (place, kind) = try mapping(Self.wish(in: body), APIProblem.init(body:))
        if let lane = place.lane, await !coordinator.laneNames.contains(lane) {
            throw APIProblem.laneUnknown.at("/lane")
        }
        let secret: String
        let path: String
        let seconds: Int
        switch kind {
        case .link:
            secret = try sessions.makeCode(for: place, by: call.known)
            (path, seconds) = (place.path(code: secret), PageSessions.codeSeconds)
        case .words:
            secret = try sessions.makeWords(for: place, by: call.known)
            // The words are typed on the landing page, or on the page itself.
            (path, seconds) = ("/", OpenPairings.validSeconds)
        }
        return .json(
            [
                kind == .link ? "code" : "words": .string(secret), "path": .string(path),
                "url": JSONValue(origin.map { "\($0)\(path)" }), "seconds": .integer(Int64(seconds)),
            ], status: .created)
    }

    /// Exchanges a code or words for the cookie of a page.
    private func open(for call: APICall) async throws -> Response {
        let body = try await call.body()
        let members = try mapping(body.members(["code", "words"]), APIProblem.init(body:))
        let place: PagePlace
        let cookie: String
        if let words = members["words"] {
            let text = try mapping(Self.words(words, besides: members["code"]), APIProblem.init(body:))
            (place, cookie) = try sessions.redeem(words: text, under: access.current) {
                call.context.logger.warning(
                    "too many wrong words were typed for a page: all unused words are now invalid",
                    metadata: ["tries": "\(OpenPairings.mostWrongTries)"])
            }
        } else {
            // A code has 32 digits. A wrong text of up to 64 bytes is answered like an unknown code.
            let code = try mapping(members.required("code").string(upTo: 64), APIProblem.init(body:))
            (place, cookie) = try sessions.redeem(code, under: access.current)
        }
        var response = Response.json(.object(place.members))
        // Behind a proxy the daemon itself speaks plain HTTP. The page's origin shows whether the browser
        // uses HTTPS.
        let isSecure = call.request.headers[values: .origin].contains { $0.hasPrefix("https://") }
        response.headers[.setCookie] = PageSessions.field(cookie, at: place, isSecure: isSecure)
        return response
    }

    private static func words(_ words: JSONText, besides code: JSONText?) throws(JSONFault) -> String {
        if let code { throw code.wrong("must be left out if \"words\" is sent") }
        return try words.string(upTo: PairingWords.longestText)
    }

    /// Reads the page and the kind of sign-in that are requested. Only the owner's page has no lane.
    private static func wish(in body: JSONText) throws(JSONFault) -> (PagePlace, Kind) {
        let members = try body.members(["page", "lane", "kind"])
        let kind: Kind = try members["kind"]?.word() ?? .link
        let page = try members.required("page")
        if case .owner = try page.word(PagePlace.Page.self) {
            guard let lane = members["lane"], !lane.isNull else { return (.owner, kind) }
            throw lane.wrong("must be left out: the owner's page is for all lanes")
        }
        let lane = try members.required("lane").string(upTo: 64)
        return (PagePlace(try page.word(), lane: lane), kind)
    }
}

extension PagePlace {
    /// The members of a response that identify the page.
    fileprivate var members: [(String, JSONValue)] {
        [("page", .string(page.rawValue)), ("lane", JSONValue(lane))]
    }
}
