internal import HTTPTypes
internal import HTTPServing
internal import Hummingbird

extension PageFiles {
    /// The pages of customer, clerk, owner and API reference, and what they are made of. They hold nothing of anybody, so everybody may have them.
    var routes: [APIRoute] {
        [
            APIRoute(.get, "/kiosk", .everybody) { _ in try response("customer.html") },
            APIRoute(.get, "/clerk", .everybody) { _ in try response("clerk.html") },
            APIRoute(.get, "/docs", .everybody) { _ in try response("docs.html") },
            APIRoute(.get, "/owner", .everybody) { _ in try response("owner.html") },
            APIRoute(.get, "/kiosk/{file}", .everybody) { call in
                try response(call.parameter("file"))
            },
        ]
    }

    func response(_ name: String) throws(APIProblem) -> Response {
        guard !isEmpty else { throw .pagesAbsent }
        guard let file = self[name] else { throw .notFound }
        var response = Response.bytes(file.bytes, type: file.type)
        response.headers[.contentSecurityPolicy] = Self.policy
        for field in Self.fields { response.headers.append(field) }
        return response
    }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private static let fields: [HTTPField] = [
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), usb=()"),
    ].compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }
}
