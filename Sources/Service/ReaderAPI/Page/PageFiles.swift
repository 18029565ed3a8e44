internal import FoundationEssentials
internal import JSON
internal import HTTPTypes
internal import HTTPServing
internal import Hummingbird

/// The files of the pages, read once when the daemon starts. A request can only name a file in this table,
/// never a path.
package struct PageFiles: Sendable {
    struct File: Sendable {
        let bytes: [UInt8]
        let type: String
    }

    /// The maximum number of bytes of all files together.
    private static let mostBytes = 8 << 20
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "json": "application/json", "svg": "image/svg+xml",
        "png": "image/png", "woff2": "font/woff2",
    ]

    private var files: [String: File] = [:]

    package init() {}

    /// Reads the files of a folder that have a known type. Files in its subfolders are not read.
    package init(folder: String) throws(PageFault) {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: folder) else { throw .absent }
        var total = 0
        for name in names {
            guard let type = name.split(separator: ".").last.flatMap({ Self.types[String($0)] }) else {
                continue
            }
            guard let data = manager.contents(atPath: "\(folder)/\(name)") else {
                throw .unreadable(name: name)
            }
            total += data.count
            guard total <= Self.mostBytes else { throw .tooLarge(limit: Self.mostBytes) }
            files[name] = File(bytes: [UInt8](data), type: type)
        }
        guard !files.isEmpty else { throw .empty }
    }

    subscript(name: String) -> File? { files[name] }

    /// Whether the daemon runs without pages.
    var isEmpty: Bool { files.isEmpty }
}

/// The reason why a folder cannot be used for the pages.
package enum PageFault: Error, CustomStringConvertible {
    /// The folder does not exist or cannot be read.
    case absent
    /// A file of the folder cannot be read.
    case unreadable(name: String)
    /// The folder contains no file of a page.
    case empty
    case tooLarge(limit: Int)

    package var description: String {
        switch self {
        case .absent:
            "the folder does not exist, or cannot be read: name the folder \"Kiosk\" that came with the program"
        case .unreadable(let name):
            "the folder's file \(Terminal.safe(name)) cannot be read: let the daemon's user read this file"
        case .empty:
            "the folder contains no file of the page: name the folder \"Kiosk\" that came with the program"
        case .tooLarge(let limit):
            "the folder's files have more than \(limit >> 20) MiB together: name the folder \"Kiosk\" that came with the program"
        }
    }
}

extension PageFiles {
    /// The routes of the landing page, of the pages for customer, clerk, desk, owner and API reference, and of
    /// their files. Everybody may read the pages, because they contain no data about a person and no lane.
    var routes: [APIRoute] {
        [
            APIRoute(.get, "/", for: .everybody) { _ in try response("landing.html") },
            APIRoute(.get, "/kiosk", for: .everybody) { _ in try response("customer.html") },
            APIRoute(.get, "/clerk", for: .everybody) { _ in try response("clerk.html") },
            APIRoute(.get, "/desk", for: .everybody) { _ in try response("desk.html") },
            APIRoute(.get, "/docs", for: .everybody) { _ in try response("docs.html") },
            APIRoute(.get, "/owner", for: .everybody) { _ in try response("owner.html") },
            APIRoute(.get, "/kiosk/{file}", for: .everybody) { call in
                try response(call.parameter("file"))
            },
        ]
    }

    /// The response with a file of the pages, and with the headers that limit what the page may do.
    func response(_ name: String) throws(APIProblem) -> Response {
        guard !isEmpty else { throw .pagesAbsent }
        guard let file = self[name] else { throw .notFound }
        var response = Response.bytes(file.bytes, type: file.type)
        response.headers[.contentSecurityPolicy] = Self.policy
        for field in Self.fields { response.headers.append(field) }
        return response
    }

    /// The Content-Security-Policy: files of this origin only, no inline scripts, and no scripts that insert
    /// text as markup.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// The headers besides the Content-Security-Policy: the browser sends no Referer, gives no other page
    /// access to the window, and lets the page use no device.
    private static let fields: [HTTPField] = [
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), usb=()"),
    ].compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }
}
