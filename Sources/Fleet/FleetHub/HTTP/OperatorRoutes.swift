internal import Fleet
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderStore

/// What operators see: kiosks, roll-outs and figures. Everybody may have the page; what it shows takes a token.
package struct OperatorRoutes: Sendable {
    /// The most kiosks of one answer.
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
            page("/", PackageResources.operator_html, "text/html; charset=utf-8"),
            page("/page/operator.css", PackageResources.operator_css, "text/css; charset=utf-8"),
            page("/page/look.css", PackageResources.look_css, "text/css; charset=utf-8"),
            page("/page/operator.js", PackageResources.operator_js, "text/javascript; charset=utf-8"),
            page("/page/text.js", PackageResources.text_js, "text/javascript; charset=utf-8"),
            HubRoutes.Route(method: .get, path: "/fleet/v1/operator/kiosks") { call throws(HubProblem) in
                try permit(call)
                let after = try Self.after(in: call)
                let kiosks = try await HubProblem.asking { () throws(PostgreSQLError) in
                    try await database.kiosks(after: after, atMost: Self.kiosksAtOnce)
                }
                return .json(["kiosks": .array(kiosks.map(\.json))])
            },
            HubRoutes.Route(method: .get, path: "/fleet/v1/operator/documents") { call throws(HubProblem) in
                try permit(call)
                let documents = try await HubProblem.asking { () throws(PostgreSQLError) in
                    try await database.rollOuts()
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

    /// Throws `operatorUnknown` for another token than an operator's. The time does not depend on how much of it is right.
    private func permit(_ call: HubCall) throws(HubProblem) {
        guard let bearer = call.bearer else { throw .operatorUnknown }
        let digest = Digest(.sha256, of: Array(bearer.utf8)[...])
        var isKnown = false
        for token in tokens where digest.equals(token[...]) { isKnown = true }
        guard isKnown else { throw .operatorUnknown }
        call.know("operator \(digest.bytes.hexadecimal)")
    }

    /// The kiosk after which the list begins; empty for the first.
    private static func after(in call: HubCall) throws(HubProblem) -> String {
        guard let text = call.request.uri.queryParameters["after"], !text.isEmpty else { return "" }
        guard let name = FleetName(text) else { throw .queryRefused }
        return name.text
    }

    private func page(_ path: String, _ bytes: [UInt8], _ type: String) -> HubRoutes.Route {
        HubRoutes.Route(method: .get, path: path) { _ throws(HubProblem) in
            var response = Response.bytes(bytes, type: type)
            response.headers[.contentSecurityPolicy] = Self.policy
            if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "no-referrer" }
            return response
        }
    }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src data:", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
}

extension HubDatabase {
    /// Figures for Prometheus. None of them is about a person.
    func metricsText() async throws(PostgreSQLError) -> String {
        let row = try await pool.rows(
            """
            SELECT count(*) FILTER (WHERE state = 'active'), count(*) FILTER (WHERE state = 'active' AND is_online),
                count(*) FILTER (WHERE state = 'revoked'), count(*) FILTER (WHERE alert <> ''),
                (coalesce(sum(head_sequence), 0)
                    + (SELECT coalesce(sum(head_sequence), 0) FROM countersign_fleet_ended_epoch))::bigint,
                (SELECT count(*) FROM countersign_fleet_task),
                (SELECT count(*) FROM countersign_fleet_document WHERE failures >= \(Self.mostFailures))
            FROM countersign_fleet_kiosk
            """
        ).first
        let values = (row ?? []).compactMap { $0?.bigint }
        guard values.count == 7 else { throw .rowMalformed }
        let figures = [
            ("kiosks", "Kiosks that are enrolled and not revoked."),
            ("kiosks_online", "Those of them that are online."),
            ("kiosks_revoked", "Kiosks that are revoked."),
            ("kiosks_alerts", "Kiosks that an operator has to look at."),
            ("receipts", "Receipts that were taken."),
            ("broker_tasks", "What the broker is still to be asked for."),
            ("paused_documents", "Documents whose roll-out pauses."),
        ]
        return zip(figures, values).map { figure, value in
            let name = "countersign_fleet_\(figure.0)"
            return "# HELP \(name) \(figure.1)\n# TYPE \(name) gauge\n\(name) \(value)\n"
        }.joined()
    }
}
