internal import Fleet
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderStore

/// The routes for operators: kiosks, roll-outs and metrics. The page itself is open to everyone; its data
/// requires an operator's token.
package struct OperatorRoutes: Sendable {
    /// The maximum number of kiosks in one answer.
    private static let kiosksAtOnce: Int64 = 500

    private let database: HubDatabase
    /// The SHA-256 of the operators' tokens.
    private let tokens: [[UInt8]]

    package init(_ database: HubDatabase, tokens: [[UInt8]]) {
        self.database = database
        self.tokens = tokens
    }

    var all: [HubRoutes.Route] {
        [
            page("/", PackageResources.operator_html, type: "text/html; charset=utf-8"),
            page("/page/operator.css", PackageResources.operator_css, type: "text/css; charset=utf-8"),
            page("/page/look.css", PackageResources.look_css, type: "text/css; charset=utf-8"),
            script("operator.js", PackageResources.operator_js),
            script("elements.js", PackageResources.elements_js),
            script("strings.js", PackageResources.strings_js),
            script("tables.js", PackageResources.tables_js),
            script("text.js", PackageResources.text_js),
            script("words.js", PackageResources.words_js),
            page("/page/strings.json", PackageResources.strings_json, type: "application/json"),
            HubRoutes.Route(method: .get, path: "/fleet/v1/operator/kiosks") { call throws(HubProblem) in
                try permit(call)
                let after = try Self.after(in: call)
                let kiosks = try await HubProblem.asking { () throws(PostgreSQLError) in
                    try await database.kiosks.all(after: after, atMost: Self.kiosksAtOnce)
                }
                return .json(["kiosks": .array(kiosks.map(\.json))])
            },
            HubRoutes.Route(method: .get, path: "/fleet/v1/operator/documents") { call throws(HubProblem) in
                try permit(call)
                let documents = try await HubProblem.asking { () throws(PostgreSQLError) in
                    try await database.documents.rollOuts()
                }
                return .json(["documents": .array(documents)])
            },
            HubRoutes.Route(method: .get, path: "/metrics") { call throws(HubProblem) in
                try permit(call)
                let text = try await HubProblem.asking { () throws(PostgreSQLError) in
                    try await database.metricsText()
                }
                return .bytes(Array(text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
            },
        ]
    }

    /// Checks the operator's token, or throws `operatorUnknown`. The time of the check does not depend on
    /// how many bytes match.
    private func permit(_ call: HubCall) throws(HubProblem) {
        guard let bearer = call.bearer else { throw .operatorUnknown }
        let digest = Digest(.sha256, of: Array(bearer.utf8)[...])
        var isKnown = false
        // The loop continues after a match, so that the time it takes does not reveal which token matches.
        for token in tokens where digest.equals(token[...]) { isKnown = true }
        guard isKnown else { throw .operatorUnknown }
        // The digest is part of the caller's name, so that each token has its own limit of connections.
        // Because of the space, the name differs from every kiosk's name.
        call.identifyCaller(as: "operator \(digest.bytes.hexadecimal)")
    }

    /// Returns the name of the kiosk after which the list begins; empty for the beginning.
    private static func after(in call: HubCall) throws(HubProblem) -> String {
        guard let text = call.request.uri.queryParameters["after"], !text.isEmpty else { return "" }
        guard let name = FleetName(text) else { throw .queryRefused }
        return name.text
    }

    /// Returns the route of one file of the page, which everyone may read.
    private func script(_ name: String, _ bytes: [UInt8]) -> HubRoutes.Route {
        page("/page/\(name)", bytes, type: "text/javascript; charset=utf-8")
    }

    private func page(_ path: String, _ bytes: [UInt8], type: String) -> HubRoutes.Route {
        HubRoutes.Route(method: .get, path: path) { _ throws(HubProblem) in
            var response = Response.bytes(bytes, type: type)
            response.headers[.contentSecurityPolicy] = Self.policy
            // `HTTPField.Name` has no constant for this header, and its initializer can return `nil`.
            if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "no-referrer" }
            return response
        }
    }

    /// The content security policy of the page: only the hub's own files, no inline script, no frames.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src data:", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}
