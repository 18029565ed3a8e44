import MdocModel
import PortraitImage

extension UserFacingTexts {
    static let elements: [TextGroup] = [
        TextGroup(WrongType.samples, .mdoc) { $0.explanation(of: "org.iso.18013.5.1/portrait") },
        TextGroup(ElementDeparture.allCases, .mdoc) { $0.rawValue },
    ]
}

extension WrongType {
    static var samples: [WrongType] {
        ElementContent.samples.map { found in
            WrongType(expected: found.isOfImage ? .image : .boolean, found: found)
        }
    }
}

extension ElementContent: SampledCases {
    fileprivate var isOfImage: Bool {
        switch self {
        case .emptyBytes, .image, .damagedImage, .tooLargeImage, .unsupportedImage, .notAnImage: true
        default: false
        }
    }

    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .integer
        case .integer?: .negativeInteger
        case .negativeInteger?: .bytes
        case .bytes?: .text
        case .text?: .emptyText
        case .emptyText?: .blankText
        case .blankText?: .list
        case .list?: .map
        case .map?: .taggedValue
        case .taggedValue?: .boolean
        case .boolean?: .null
        case .null?: .number
        case .number?: .dateAndTime
        case .dateAndTime?: .notADate
        case .notADate?: .malformed
        case .malformed?: .emptyStructure
        case .emptyStructure?: .emptyBytes
        case .emptyBytes?: .image(.avif)
        case .image?: .damagedImage(.jpeg)
        case .damagedImage?: .tooLargeImage(.jpeg2000)
        case .tooLargeImage?: .unsupportedImage(.jpeg)
        case .unsupportedImage?: .notAnImage
        case .notAnImage?: nil
        }
    }
}
