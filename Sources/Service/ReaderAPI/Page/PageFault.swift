internal import JSON

/// Why a folder is not taken for that of the page.
package enum PageFault: Error, CustomStringConvertible {
    /// It is not there, or cannot be read.
    case absent
    /// A file of the page in it cannot be read.
    case unreadable(name: String)
    /// Nothing in it is a file of a page.
    case empty
    case tooLarge(limit: Int)

    package var description: String {
        switch self {
        case .absent: "it is not there, or cannot be read"
        case .unreadable(let name): "\(Terminal.safe(name)) in it cannot be read"
        case .empty: "there is no file of a page in it"
        case .tooLarge(let limit): "its files have more than \(limit >> 20) MiB together"
        }
    }
}
