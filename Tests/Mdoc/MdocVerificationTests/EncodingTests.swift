import MdocModel
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Encodings of a response")
struct EncodingTests {
    private func presentation(_ change: (inout TestDocument) -> Void = { _ in }) throws -> Presentation {
        var document = try TestDocument([.familyName])
        change(&document)
        return try Presentation(document)
    }

    /// The same array or map with a break at its end in place of the count at its beginning.
    private static func open(_ item: [UInt8]) -> [UInt8] {
        [item[0] & 0xe0 | 0x1f] + item.dropFirst() + [0xff]
    }

    /// Tag 24 over the same byte string as its only chunk.
    private static func chunked(_ embedded: [UInt8]) -> [UInt8] {
        Array(embedded.prefix(2)) + [0x5f] + embedded.dropFirst(2) + [0xff]
    }

    private func expect(
        _ deviation: Deviation, _ presentation: Presentation, on response: [UInt8]? = nil
    ) throws {
        guard case .verified(let verified) = try presentation.verdict(on: response) else {
            Issue.record("\(deviation) is refused")
            return
        }
        #expect(verified.reports.map(\.deviations) == [[deviation]])
        #expect(
            try presentation.rejected(.strict, on: response).allFailures == [
                .failed(.profile, .deviations([deviation]))
            ])
    }

    @Test(
        "Q141 An envelope of indefinite length is reported, and refused under strict rules; a definite one is not"
    )
    func envelope() throws {
        let presentation = try presentation()
        let response = try presentation.response()
        #expect(response.first == 0xa3)
        try expect(.indefiniteResponse, presentation, on: Self.open(response))
        try expect(
            .indefiniteResponse, self.presentation { $0.rewriteNameSpaces = Self.open })
        guard case .verified(let verified) = try presentation.verdict(.strict, on: response) else {
            Issue.record("a definite response is refused")
            return
        }
        #expect(verified.reports.map(\.deviations) == [[]])
    }

    @Test("Q141 Tag 24 over a byte string in chunks is reported, and refused under strict rules")
    func chunks() throws {
        try expect(
            .chunkedItem, presentation { $0.rewriteItemBytes = Self.chunked })
        try expect(
            .chunkedItem, presentation { $0.rewriteMSOBytes = Self.chunked })
    }
}
