import Accessories
import Testing
import VectorFiles

@Suite("Properties of scanned codes")
struct ScannerPropertyTests {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// A phone's code of 24 to 400 random characters.
    private static func engagement(_ generator: inout SplitMix64) -> [UInt8] {
        // A multiple of four has no spare bits.
        let count = Int.random(in: 6...100, using: &generator) * 4
        return Array("mdoc:".utf8)
            + (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
    }

    /// Receives a stream in random pieces, without a silence between them.
    private static func received(
        _ stream: [UInt8], by framing: inout ScanFraming, at now: inout Duration,
        _ generator: inout SplitMix64
    ) -> [ScannedBytes] {
        var rest = stream[...]
        var codes: [ScannedBytes] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...90, using: &generator))
            rest = rest.dropFirst(piece.count)
            codes += framing.receive(piece, at: now)
            now += .milliseconds(Int.random(in: 0..<60, using: &generator))
        }
        return codes
    }

    @Test("Random pieces of a stream of codes give the codes")
    func pieces() {
        var generator = SplitMix64(seed: 4301)
        let ends = ["\r", "\n", "\r\n", "\u{3}", "\t", "\r\r\n"]
        for _ in 0..<200 {
            let codes = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Self.engagement(&generator)
            }
            var stream: [UInt8] = []
            for code in codes {
                if Bool.random(using: &generator) {
                    stream += "]Q\(Int.random(in: 0...6, using: &generator))".utf8
                }
                stream += code
                stream += ends[Int.random(in: 0..<ends.count, using: &generator)].utf8
            }
            var framing = ScanFraming()
            var now = Duration.seconds(10)
            let scanned = Self.received(stream, by: &framing, at: &now, &generator)
            #expect(scanned.map { ScannedCode($0).uri } == codes.map { String(decoding: $0, as: UTF8.self) })
            #expect(framing.deadline == nil)
        }
    }

    @Test("A stream that breaks off gives the codes before, and nothing or the rest after a silence")
    func brokenOff() {
        var generator = SplitMix64(seed: 4302)
        for _ in 0..<200 {
            let code = Self.engagement(&generator)
            let kept = Array(code.prefix(Int.random(in: 0..<code.count, using: &generator)))
            var framing = ScanFraming()
            var now = Duration.zero
            #expect(Self.received(kept, by: &framing, at: &now, &generator) == [])
            let rest = framing.expire(at: now + .milliseconds(60))
            #expect(rest == (kept.count < 20 ? [] : [.code(kept, symbology: nil)]))
        }
    }

    @Test("Random bytes give no engagement that they do not contain")
    func randomBytes() {
        var generator = SplitMix64(seed: 4303)
        let tokens = [
            "mdoc:", "mdoc:", "MDOC:", "AQIDBA", "AQIDBA", "owBjMS4wAA", "/", "=", "\r", "\r", "\n", "\t",
            "\u{3}",
            "]Q1", "x", " ", "\u{0}",
        ].map { Array($0.utf8) }
        var engagements = 0
        for round in 0..<3000 {
            var stream: [UInt8] = []
            for _ in 0..<20 {
                let isToken = Int.random(in: 0..<10, using: &generator) > 0
                stream +=
                    isToken
                    ? tokens[Int.random(in: 0..<tokens.count, using: &generator)]
                    : [UInt8.random(in: 0...255, using: &generator)]
            }
            var framing = ScanFraming(
                prefix: round % 2 == 0 ? "x" : nil, maker: ScannerMaker.allCases[round % 5])
            var now = Duration.zero
            var codes = Self.received(stream, by: &framing, at: &now, &generator)
            codes += framing.expire(at: now + .seconds(1))
            for uri in codes.compactMap({ ScannedCode($0).uri }) {
                engagements += 1
                let data = Array(uri.utf8.dropFirst(5))
                #expect(uri.hasPrefix("mdoc:") && Self.isPart(data, of: stream))
            }
        }
        // The test is worth something only if some streams contain one.
        #expect(engagements > 10)
    }

    private static func isPart(_ part: [UInt8], of whole: [UInt8]) -> Bool {
        whole.indices.contains { whole[$0...].starts(with: part) }
    }

    @Test("Damaged codes never crash, and an engagement is base64url of the right length")
    func damaged() {
        var generator = SplitMix64(seed: 4304)
        for round in 0..<3000 {
            let whole = Self.engagement(&generator)
            let code = ScannedCode(generator.mutate(whole)[...], isTyped: round % 2 == 0)
            guard let uri = code.uri else { continue }
            let data = uri.utf8.dropFirst(5)
            #expect(data.allSatisfy(Self.alphabet.contains) && data.count % 4 != 1 && !data.isEmpty)
        }
    }

    @Test("Random keys never crash, and give no engagement after a dropped event")
    func randomKeys() {
        var generator = SplitMix64(seed: 4305)
        let known: [UInt16] = [50, 32, 24, 46, 39, 52, 42, 54, 56, 58, 100, 28, 15, 79, 82, 30, 16]
        for _ in 0..<200 {
            var machine = KeyboardText()
            var now = Duration.zero
            _ = machine.receive(type: 0, code: 3, value: 0, at: now)
            for _ in 0..<200 {
                let key =
                    Bool.random(using: &generator)
                    ? known[Int.random(in: 0..<known.count, using: &generator)]
                    : UInt16.random(in: 0...0x2ff, using: &generator)
                let value = Int32.random(in: -1...2, using: &generator)
                now += .milliseconds(Int.random(in: 0..<500, using: &generator))
                // Without a pause everything after the dropped event is void.
                #expect(machine.receive(type: 1, code: key, value: value, at: now) == nil)
            }
        }
    }
}
