internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
package import Logging
internal import MdocModel
package import ReaderService
package import ReaderTokens

/// The routes of brands: their logos, and the reader tokens that this daemon makes.
package struct BrandRoutes: Sendable {
    private let folder: BrandFolder
    private let server: TokenServer<TokenCountInMemory>
    /// The log of requests for tokens, each with its caller and its result. This log is never limited, and
    /// never contains a token.
    private let audit: Logger
    private let clock: WallClock

    package init(
        _ folder: BrandFolder, server: TokenServer<TokenCountInMemory>, audit: Logger, clock: WallClock
    ) {
        self.folder = folder
        self.server = server
        self.audit = audit
        self.clock = clock
    }

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/reader-tokens", for: .scopes([.readerTokens])) { call in
                try await token(for: TokenRequest(call))
            },
            APIRoute(.get, "/v1/brands/{id}/logo", for: .scopes([.screen, .clerk])) { call in
                // A PNG contains no script, and `Gate` forbids scripts in every answer.
                .bytes(try logo(of: call.parameter("id")).png, type: "image/png")
            },
        ]
    }

    /// Makes a token, and logs the request with its result.
    private func token(for request: TokenRequest) async throws -> Response {
        let now = clock.now
        guard now >= WallClock.earliest else { throw APIProblem.clockNotSet }
        let (response, audit) = await server.respond(
            to: request, believing: try mapping(folder.registry(), APIProblem.init(brands:)), at: now)
        self.audit.notice("reader token", metadata: audit.fields.mapValues { "\($0)" })
        switch response {
        case .granted(let token, let expires):
            return .json(["token": .string(token), "expires": .string("\(expires)")], status: .created)
        case .refused(let refusal): throw APIProblem(refusal)
        }
    }

    private func logo(of text: String) throws(APIProblem) -> BrandLogo {
        guard let identifier = TokenText(text) else { throw .brandUnknown }
        let logo = try mapping(folder.logo(ofBrand: identifier), APIProblem.init(brands:))
        guard let logo else { throw .brandUnknown }
        return logo
    }
}

extension TokenRequest {
    fileprivate init(_ call: APICall) async throws {
        guard let caller = call.caller else { throw APIProblem.unauthorized }
        let body = try await call.body()
        do throws(JSONFault) {
            try self.init(body, by: caller.name)
        } catch {
            throw APIProblem(body: error)
        }
    }
}

extension APIProblem {
    fileprivate init(_ refusal: TokenRefusal) {
        switch refusal {
        case .notAllowed: self = .readerTokenNotGranted
        case .tooMany(let seconds):
            self.init(
                .tooManyReaderTokens, status: 429, TokenLimit.explanation(retryAfter: seconds),
                retryAfter: seconds)
        case .brandUnavailable(let error):
            self.init(.brandUnavailable, status: 503, "\(error.id): \(error.explanation)")
        }
    }
}
