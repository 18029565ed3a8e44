package import CBOR
package import PortraitImage

/// The kind of a value that does not have the expected type.
package enum ElementContent: Hashable, Sendable {
    case integer, negativeInteger, bytes, text, emptyText, blankText, list, map, taggedValue, boolean, null,
        number
    case dateAndTime
    /// A text, with or without a tag, that is not a date.
    case notADate
    /// A list or map that lacks required members.
    case malformed
    /// A list or map that is empty, or that has only empty values such as null and blank texts.
    case emptyStructure
    case emptyBytes
    /// An image of a format other than JPEG and JPEG 2000.
    case image(ImageFormat)
    /// A JPEG or JPEG 2000 image that ends early or is malformed.
    case damagedImage(ImageFormat)
    case tooLargeImage(ImageFormat)
    case unsupportedImage(ImageFormat)
    /// Bytes of no known image format.
    case notAnImage
}

extension ElementContent {
    /// Finds the kind of a value by its CBOR type. Empty texts, blank texts and empty byte strings are
    /// separate kinds.
    package init(_ item: CBORItem) {
        self =
            switch item.value {
            case .unsigned: .integer
            case .negative: .negativeInteger
            case .byteString(let bytes): bytes.isEmpty ? .emptyBytes : .bytes
            case .text(let text): text.isEmpty ? .emptyText : item.isHollow ? .blankText : .text
            case .array: .list
            case .map: .map
            case .tagged: .taggedValue
            case .boolean: .boolean
            case .null, .undefined: .null
            case .float, .simple: .number
            }
    }

    /// Recognises an unusable image. Nil if `bytes` are a complete JPEG or JPEG 2000 image within the limits
    /// of a portrait.
    init?(unusableImage bytes: ArraySlice<UInt8>) {
        guard let format = ImageFormat(bytes) else {
            self = .notAnImage
            return
        }
        guard format.isOfPortraits else {
            self = .image(format)
            return
        }
        do throws(ImageHeaderError) {
            // The header is not used. An unusable image is recognised by the error.
            _ = try ImageHeader.parse(bytes)
            return nil
        } catch {
            self =
                switch error {
                case .tooLarge: .tooLargeImage(format)
                case .unsupported: .unsupportedImage(format)
                case .kindUnknown, .truncated, .malformed: .damagedImage(format)
                }
        }
    }

    package var text: String {
        switch self {
        case .integer: "an integer"
        case .negativeInteger: "a negative integer"
        case .bytes: "a byte string"
        case .text: "a text"
        case .emptyText: "an empty text"
        case .blankText: "a blank text"
        case .list: "a list"
        case .map: "a map"
        case .taggedValue: "a tagged value"
        case .boolean: "a boolean"
        case .null: "null"
        case .number: "a number that is not an integer"
        case .dateAndTime: "a date with a time"
        case .notADate: "a text that is not a date"
        case .malformed: "malformed"
        case .emptyStructure: "a list or map with nothing in it"
        case .emptyBytes: "empty"
        case .image(let format): "\(format.article) \(format.rawValue) image"
        case .damagedImage(let format): "a \(format.rawValue) image that is damaged or cut short"
        case .tooLargeImage(let format): "a \(format.rawValue) image that is too large for a portrait"
        case .unsupportedImage(let format): "a \(format.rawValue) image of a kind that is not supported"
        case .notAnImage: "not an image"
        }
    }
}
