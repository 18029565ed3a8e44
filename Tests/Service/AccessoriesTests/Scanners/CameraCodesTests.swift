import Testing

@testable import Accessories

@Suite("The codes that a camera sees")
struct CameraCodesTests {
    private static let start = Duration.seconds(100)

    @Test("A code that stays in view is passed on once in two seconds")
    func repeats() {
        var codes = CameraCodes()
        let text = Array(SampleCode.uri.utf8)
        let sightings = [0, 250, 1999, 2000, 2250].map {
            codes.receive(text, at: Self.start + .milliseconds($0))
        }
        #expect(sightings.map { $0?.uri } == [SampleCode.uri, nil, nil, SampleCode.uri, nil])
    }

    @Test("A second phone's code is passed on at once, and a reader's code is judged as such")
    func others() {
        var codes = CameraCodes()
        #expect(codes.receive(Array(SampleCode.uri.utf8), at: Self.start)?.uri == SampleCode.uri)
        #expect(codes.receive(Array("mdoc:AAAA".utf8), at: Self.start)?.uri == "mdoc:AAAA")
        #expect(codes.receive(Array("mdoc://AAAA".utf8), at: Self.start)?.fault == .notADeviceEngagement)
    }

    @Test("A text that is longer than a code is dropped, and one of the greatest length is judged")
    func length() {
        var codes = CameraCodes()
        let longest = Array("mdoc:".utf8) + [UInt8](repeating: 0x41, count: ScannedBytes.maximumLength - 5)
        #expect(codes.receive(longest + [0x41], at: Self.start) == nil)
        #expect(codes.receive(longest, at: Self.start) != nil)
    }

    @Test("The text of a code is in no description")
    func redacted() {
        var codes = CameraCodes()
        _ = codes.receive(Array(SampleCode.uri.utf8), at: Self.start)
        for text in ["\(codes)", String(reflecting: codes)] { #expect(!text.contains("mdoc")) }
        #expect(Mirror(reflecting: codes).children.isEmpty)
    }
}
