/// What kind of picture a portrait is, by its first bytes (Q155).
package enum PortraitKind: String {
    case jpeg = "JPEG"
    case jpeg2000 = "JPEG 2000, which most programs do not show"
    case unknown = "of no known format"

    package init(_ bytes: ArraySlice<UInt8>) {
        if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.starts(with: [0, 0, 0, 0x0c, 0x6a, 0x50])
            || bytes.starts(with: [0xff, 0x4f, 0xff, 0x51])
        {
            self = .jpeg2000
        } else {
            self = .unknown
        }
    }

    /// What an HTTP response calls it.
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .jpeg2000: "image/jp2"
        case .unknown: "application/octet-stream"
        }
    }
}
