import Accessories

/// Codes that the tests of scanners share.
enum SampleCode {
    /// A published engagement, as a phone shows it.
    static let uri = "mdoc:" + data
    static let data =
        "owBjMS4wAYIB2BhYS6QBAiABIVgglyWXuAyJ6iRNc8OlYXenvkJt23rJPdtIhlawXqr-yf0iWCC1GQSH8tIwTYVwha_ZoPL20_saYXrGIbrCm133H0ki-QKBgwIBowD1AfQKUH2RiuAEbUVzrsrOiUnSPDw"

    /// `data` with the case of each letter inverted, as Caps Lock does.
    static let inverted = String(
        data.map { $0.isLowercase ? Character($0.uppercased()) : Character($0.lowercased()) })

    static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
}

extension ScannedBytes {
    /// The text of a code that came without a symbology.
    static func text(_ text: String, _ symbology: ScanSymbology? = nil) -> ScannedBytes {
        .code(Array(text.utf8), symbology: symbology)
    }
}

extension ScannedCode {
    /// The text that goes to the daemon, or `nil` for a fault.
    var uri: String? { if case .engagement(let engagement) = self { engagement.uri() } else { nil } }
    var fault: ScanFault? { if case .fault(let fault) = self { fault } else { nil } }
}
