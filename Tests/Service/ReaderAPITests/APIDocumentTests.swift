import ReaderService
import Foundation
import Glibc
import Logging
import MdocModel
import MdocVerification
import PortraitDecoding
import ReaderStore
import ReaderTokens
import Testing

@testable import PresentationService
@testable import ReaderAPI

@Suite("The OpenAPI document is the contract")
struct APIDocumentTests {
    private let document: [String: Any]

    init() throws {
        document = try #require(
            JSONSerialization.jsonObject(with: Data(APIDocument.bytes)) as? [String: Any])
    }

    private static func routes() throws -> [APIRoute] {
        let coordinator = try PresentationCoordinator(
            lanes: [], basis: StoredBasis(folder: "/nonexistent", policy: VerificationPolicy()),
            portraits: PortraitDecoder(executable: "/nonexistent"),
            metrics: PresentationMetrics(), log: Logger(label: "tests"), clock: .system)
        let brands = BrandRoutes(
            BrandFolder(store: "/nonexistent"),
            issuer: ReaderTokenIssuer(
                BrandFolder(store: "/nonexistent"),
                server: TokenServer(audience: ReaderToken.defaultAudience, counting: TokenCountInMemory()),
                audit: Logger(label: "tests"), clock: .system))
        let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pages = PageSessionRoutes(
            sessions: try PageSessions(store: folder.path), access: AccessBook(AccessRules()),
            coordinator: coordinator, origin: nil)
        let owner = OwnerRoutes(
            coordinator: coordinator, access: AccessBook(AccessRules()), records: nil,
            started: WallClock.system.now)
        return ReaderServer.routes(
            of: coordinator, brands: brands, online: nil, page: PageFiles(), pageSessions: pages,
            owner: owner,
            metrics: HTTPMetrics())
    }

    /// `METHOD /path` of the document.
    private func operations() throws -> [String: [String: Any]] {
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var operations: [String: [String: Any]] = [:]
        for (path, methods) in paths {
            for (method, operation) in methods { operations["\(method.uppercased()) \(path)"] = operation }
        }
        return operations
    }

    @Test("Every route is in the document, and every operation of the document is a route")
    func routes() throws {
        let routes = try Self.routes().map(\.operation)
        #expect(Set(routes).count == routes.count)
        #expect(try Set(routes) == Set(operations().keys))
    }

    @Test("The document says who may use a route as the route does")
    func scopes() throws {
        let operations = try operations()
        for route in try Self.routes() {
            let operation = try #require(operations[route.operation])
            switch route.access {
            case .everybody: #expect((operation["security"] as? [Any])?.isEmpty == true, "\(route.path)")
            case .scopes(let scopes):
                let text = try #require(operation["description"] as? String)
                for scope in Scope.allCases {
                    #expect(text.contains("`\(scope.rawValue)`") == scopes.contains(scope), "\(route.path)")
                }
            }
        }
    }

    @Test("Without files of the pages every page says why it is not there")
    func noPages() {
        #expect(throws: APIProblem.pagesAbsent) { try PageFiles().response("docs.html") }
        #expect(APIProblem.pagesAbsent.detail.contains("set \"page\""))
    }

    @Test("A logo is read from a file alone, and no further than a logo goes")
    func logoFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "logo-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "logo.png").path
        let isMade = unsafe mkfifo(path, 0o600) == 0
        #expect(isMade)
        #expect(throws: LogoFileFault.unreadable) { try LaneBrand(name: "x", logo: path).image() }
        #expect(throws: LogoFileFault.unreadable) { try LaneBrand(name: "x", logo: folder.path).image() }
        for (count, fault) in [
            (BrandLogo.longest, LogoFault.notPNG),
            (BrandLogo.longest + 1, .tooLong(limit: BrandLogo.longest)),
        ] {
            let file = folder.appending(path: "\(count)").path
            try Data(count: count).write(to: URL(filePath: file))
            #expect(throws: LogoFileFault.refused(fault)) { try LaneBrand(name: "x", logo: file).image() }
        }
    }

    @Test("It names every error, state, event and hint there is, and no others")
    func words() throws {
        let schemas = try #require(
            (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        let problem = schemas["Problem"]?["properties"] as? [String: [String: Any]]
        #expect(
            Set(problem?["id"]?["enum"] as? [String] ?? []) == Set(APIProblem.ID.allCases.map(\.rawValue)))
        #expect(
            Set(schemas["State"]?["enum"] as? [String] ?? [])
                == Set(PresentationState.allCases.map(\.rawValue)))
        #expect(
            Set(schemas["Outcome"]?["enum"] as? [String] ?? [])
                == Set(Outcome.allCases.map(\.rawValue)))
        #expect(
            Set(schemas["EventName"]?["enum"] as? [String] ?? []) == Set(EventName.allCases.map(\.rawValue)))
        let presentation = schemas["Presentation"]?["properties"] as? [String: [String: Any]]
        let hints = (presentation?["hint"]?["enum"] as? [Any] ?? []).compactMap { $0 as? String }
        #expect(Set(hints) == Set(PresentationHint.allCases.map(\.rawValue)))
    }
}

extension APIRoute {
    /// Its place among all operations: `GET /v1/lanes`.
    fileprivate var operation: String { "\(method) \(path)" }
}
