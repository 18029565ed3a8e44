import Foundation
import TapToPresent
import Testing

@Suite("Errors of the library")
struct ErrorTests {
    private static let all: [MobileDocumentReaderError] = [
        .cancelled, .invalidRequest, .invalidResponse, .invalidToken, .networkUnavailable, .notAllowed,
        .notSupported, .serviceUnavailable, .sessionExpired, .systemBusy, .unknown,
    ]

    private func failing(_ error: MobileDocumentReaderError) throws {
        throw error
    }

    @Test("A case is caught and compared by its name, whatever its reason")
    func reasonsAside() throws {
        do {
            try failing(.cancelled(.holderDeclined))
            Issue.record("nothing was thrown")
        } catch MobileDocumentReaderError.cancelled {
            #expect(MobileDocumentReaderError.cancelled(.holderDeclined) == .cancelled)
        }
        // The twin: another case is not caught.
        do {
            try failing(.systemBusy(.readInProgress))
        } catch MobileDocumentReaderError.cancelled {
            Issue.record("another case was caught")
        } catch MobileDocumentReaderError.systemBusy(let reason) {
            #expect(reason == .readInProgress)
        }
        #expect(MobileDocumentReaderError.systemBusy != .cancelled)
    }

    @Test("There are eleven cases, each unlike the others, with its own words")
    func eleven() {
        #expect(Self.all.count == 11)
        #expect(Set(Self.all).count == 11)
        #expect(Set(Self.all.map(\.localizedDescription)).count == 11)
        #expect(Self.all.allSatisfy { $0.reason == nil && $0.failureReason == nil })
        #expect(
            MobileDocumentReaderError.cancelled(.holderDeclined).hashValue
                == MobileDocumentReaderError.cancelled.hashValue)
    }

    @Test("A switch over the cases needs no default", arguments: all)
    func exhaustive(_ error: MobileDocumentReaderError) {
        let isOver =
            switch error {
            case .cancelled, .invalidRequest, .invalidResponse, .notAllowed, .notSupported, .unknown: false
            case .invalidToken, .sessionExpired: true
            case .networkUnavailable, .serviceUnavailable, .systemBusy: false
            }
        #expect(isOver == [.invalidToken, .sessionExpired].contains(error))
    }

    @Test("A reason is reported in words")
    func words() {
        let error = MobileDocumentReaderError.invalidRequest(.moreThanTwoAges)
        #expect(error.failureReason == "the request asks about more than two ages")
    }
}
