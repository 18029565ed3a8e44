package import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
package import ReaderTokens

/// The routes of brands: their logos, and the reader tokens that this daemon makes.
package struct BrandRoutes: Sendable {
    private let folder: BrandFolder
    private let issuer: ReaderTokenIssuer

    package init(_ folder: BrandFolder, issuer: ReaderTokenIssuer) {
        self.folder = folder
        self.issuer = issuer
    }

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/reader-tokens", for: .scopes([.readerTokens])) { call in
                let (token, expires) = try await issuer.token(for: TokenRequest(call))
                return .json(["token": .string(token), "expires": .string("\(expires)")], status: .created)
            },
            APIRoute(.get, "/v1/brands/{id}/logo", for: .scopes([.screen, .clerk, .desk])) { call in
                // A PNG contains no script, and `Gate` forbids scripts in every answer.
                .bytes(try logo(of: call.parameter("id")).png, type: "image/png")
            },
        ]
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
