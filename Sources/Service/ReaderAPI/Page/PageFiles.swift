internal import FoundationEssentials

/// The files of the page, read once: a request finds one by its name in this table and by nothing else.
package struct PageFiles: Sendable {
    struct File: Sendable {
        let bytes: [UInt8]
        let type: String
    }

    private static let mostBytes = 8 << 20
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "json": "application/json", "svg": "image/svg+xml",
        "png": "image/png", "woff2": "font/woff2",
    ]

    private var files: [String: File] = [:]

    package init() {}

    /// Reads the files of a folder, but not those of folders in it. A folder that is not there has none.
    package init(folder: String) {
        let manager = FileManager.default
        var total = 0
        for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let type = name.split(separator: ".").last.flatMap({ Self.types[String($0)] }),
                let data = manager.contents(atPath: "\(folder)/\(name)")
            else { continue }
            total += data.count
            guard total <= Self.mostBytes else { return }
            files[name] = File(bytes: [UInt8](data), type: type)
        }
    }

    package var isEmpty: Bool { files.isEmpty }

    subscript(name: String) -> File? { files[name] }
}
