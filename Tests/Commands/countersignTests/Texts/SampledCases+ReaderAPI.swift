import ReaderStore
import ReaderTokens
import WalletPresentation

@testable import ReaderAPI

extension UserFacingTexts {
    static let api: [TextGroup] = [
        TextGroup(
            NonceStoreError.samples, .service, ids: .camelCase, hasAdvice: true,
            id: { APIProblem($0).id.rawValue }
        ) { APIProblem($0).detail },
        TextGroup(
            IdentityDescriptorError.samples, .service, ids: .camelCase, hasAdvice: true,
            id: { APIProblem($0).id.rawValue }
        ) { APIProblem($0).detail },
        TextGroup(PageFault.samples, .service) { $0.description },
        TextGroup(LogoFileFault.samples, .service) { $0.explanation },
        TextGroup(
            type: "TokenLimit", layer: .service, ids: .camelCase, hasAdvice: true,
            entries: [
                TextGroup.Entry(
                    name: "explanation", id: APIProblem.ID.tooManyReaderTokens.rawValue,
                    text: TokenLimit.explanation(retryAfter: 60))
            ]),
    ]
}

extension NonceStoreError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .refused(.unknown)
        case .refused?: .askedTooLong
        case .askedTooLong?: .overloaded
        case .overloaded?: .libraryMissing
        case .libraryMissing?: .unreachable
        case .unreachable?: .overdue
        case .overdue?: .failed(code: "23505")
        case .failed?: nil
        }
    }
}

extension IdentityDescriptorError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .noElements
        case .noElements?: .elementTwice
        case .elementTwice?: .ageTwice
        case .ageTwice?: .ageOutOfRange
        case .ageOutOfRange?: .elementNotOfDocument(.weight)
        case .elementNotOfDocument?: nil
        }
    }
}

extension PageFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .absent
        case .absent?: .unreadable(name: "page.js\u{1b}[31m")
        case .unreadable?: .empty
        case .empty?: .tooLarge(limit: 8 << 20)
        case .tooLarge?: nil
        }
    }
}

extension LogoFileFault: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .unreadable
        case .unreadable?: .refused(.notPNG)
        case .refused?: nil
        }
    }
}
