import Accessories
import Testing

@Suite("Which codes are passed to a lane")
struct LaneCodesTests {
    private static let phone = ScannedCode(SampleCode.bytes(SampleCode.uri))
    private static let other = ScannedCode(SampleCode.bytes("mdoc:AQIDBA"))
    private static let foreign = ScannedCode.fault(.foreignCode)

    @Test("A code that stays in view is passed once before the lane takes codes, and again then")
    func early() {
        var codes = LaneCodes()
        #expect(codes.accept([Self.phone]) == [Self.phone])
        for _ in 0..<5 { #expect(codes.accept([Self.phone]) == []) }
        codes.setTakesCode(false)
        #expect(codes.accept([Self.phone]) == [])
        codes.setTakesCode(true)
        #expect(codes.accept([Self.phone]) == [Self.phone])
    }

    @Test("While the lane takes codes each code is passed, however often it comes")
    func open() {
        var codes = LaneCodes()
        codes.setTakesCode(true)
        let all = [Self.phone, Self.phone, Self.foreign, Self.foreign, Self.phone]
        #expect(codes.accept(all) == all)
        #expect(codes.accept([Self.phone]) == [Self.phone])
    }

    @Test("The code of a phone that is being connected is not passed again while it stays in view")
    func engaged() {
        var codes = LaneCodes()
        codes.setTakesCode(true)
        #expect(codes.accept([Self.phone]) == [Self.phone])
        // The lane is announced again in another state.
        codes.setTakesCode(true)
        codes.setTakesCode(false)
        #expect(codes.accept([Self.phone]) == [])
        #expect(codes.accept([Self.other]) == [Self.other])
        #expect(codes.accept([Self.phone]) == [Self.phone], "another code has come meanwhile")
    }

    @Test("The next check of the lane begins anew, also if no code came during this one")
    func next() {
        var codes = LaneCodes()
        #expect(codes.accept([Self.foreign, Self.foreign]) == [Self.foreign])
        codes.setTakesCode(true)
        codes.setTakesCode(false)
        #expect(codes.accept([Self.foreign]) == [Self.foreign])
        #expect(codes.accept([Self.foreign]) == [])
    }

    @Test("The rule prints no code")
    func redacted() {
        var codes = LaneCodes()
        #expect(codes.accept([Self.phone]) == [Self.phone])
        for text in ["\(codes)", String(reflecting: codes)] { #expect(!text.contains(SampleCode.data)) }
    }
}
