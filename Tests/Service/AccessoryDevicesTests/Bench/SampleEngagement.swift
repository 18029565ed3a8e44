import Accessories
import Foundation

/// The code of a published engagement, as a phone shows it, in a file for the programs of the bench.
final class SampleEngagement {
    static let uri =
        "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVgglyWXuAyJ6iRNc8OlYXenvkJt23rJPdtIhlawXqr-yf0iWCC1GQSH8tIwTYVwha_ZoPL20_saYXrGIbrCm133H0ki-QKBgwIBowD1AfQKUH2RiuAEbUVzrsrOiUnSPDw"

    let path = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)").path

    init() throws {
        try Data(Self.uri.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension ScannedCode {
    /// The text of a phone's code, or `nil` for a fault.
    var uri: String? { if case .engagement(let engagement) = self { engagement.uri() } else { nil } }
}
