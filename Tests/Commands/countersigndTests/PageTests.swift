import Foundation
import OtherPrograms
import Testing
import VectorFiles

@Suite("The pages that countersignd serves")
struct PageTests {
    @Test(
        "The pages come with a strict policy, to everybody, and nothing else of the disk does"
    )
    func pages() async throws {
        let folder = VectorFiles.repository.appending(path: "Sources/Service/ReaderAPI/Kiosk").path
        let reader = try await ReaderDaemon(lanes: [nil], members: ["page": #""\#(folder)""#])
        for (path, type) in [
            ("/", "text/html; charset=utf-8"),
            ("/kiosk", "text/html; charset=utf-8"), ("/clerk", "text/html; charset=utf-8"),
            ("/docs", "text/html; charset=utf-8"), ("/owner", "text/html; charset=utf-8"),
            ("/kiosk/page.js", "text/javascript; charset=utf-8"),
            ("/kiosk/look.css", "text/css; charset=utf-8"),
            ("/kiosk/strings.json", "application/json"), ("/kiosk/icon.svg", "image/svg+xml"),
            ("/kiosk?lane=lane-1", "text/html; charset=utf-8"),
        ] {
            let page = try await reader.asNobody.call("GET", path)
            #expect(page.status == 200 && !page.body.isEmpty, "\(path)")
            #expect(page.headers["content-type"] == type, "\(path)")
            let policy = try #require(page.headers["content-security-policy"])
            for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
                #expect(policy.contains(rule), "\(path)")
            }
            #expect(page.headers["cache-control"] == "no-store")
            #expect(page.headers["x-content-type-options"] == "nosniff")
            #expect(page.headers["referrer-policy"] == "no-referrer")
        }
        for path in [
            "/kiosk/nothing.js", "/kiosk/..", "/kiosk/%2e%2e%2fPageFiles.swift", "/kiosk/a/b",
        ] {
            #expect(try await reader.asNobody.call("GET", path).status == 404, "\(path)")
        }
    }
}
