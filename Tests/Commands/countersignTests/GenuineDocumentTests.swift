import CommandBench
import MdocModel
import TestCredentials
import Testing

/// Documents of an issuer of a country, whose root no test has marked as a test's.
@Suite("A genuine document on the terminal")
struct GenuineDocumentTests {
    private let scene: TrustScene
    private let root: String
    /// Asks for everything that the scene's document has.
    private let request: String

    init() throws {
        scene = try TrustScene()
        root = try scene.write("root.der", scene.root.der)
        let elements = ["family_name", "age_over_21", "issuing_country"].map {
            ItemsRequest.Element(identifier: $0, intentToRetain: false)
        }
        let items = ItemsRequest(
            docType: TestDocument.mDL, nameSpaces: [.init(name: TestDocument.nameSpace, elements: elements)])
        request = try scene.write("request", DeviceRequest.encode([(items.encoded(), nil)]))
    }

    @Test(
        "The text begins with its answer, YES or NO, then VERIFIED",
        arguments: [(true, "YES: over 21 yes\nVERIFIED\n", 0), (false, "NO: over 21 no\nVERIFIED\n", 1)])
    func answerFirst(_ isOver21: Bool, _ beginning: String, _ status: Int32) throws {
        let run = try scene.verify(["--trust", root, "--request", request], isOver21: isOver21)
        #expect(run.status == status && run.output.hasPrefix(beginning), "\(run.everything)")
        #expect(!run.output.contains("TEST DOCUMENT"))
    }

    @Test("Without its root it answers nothing")
    func unknownIssuer() throws {
        let other = try scene.write("other.der", TestAuthority.ofACountry().der)
        let run = try scene.verify("--trust", other, "--request", request)
        #expect(run.status == 2 && run.output.hasPrefix("REJECTED"), "\(run.everything)")
        #expect(!run.output.contains("YES"))
    }

    /// The same map with a break at its end in place of the count at its beginning.
    private static func open(_ item: [UInt8]) -> [UInt8] {
        [item[0] & 0xe0 | 0x1f] + item.dropFirst() + [0xff]
    }

    /// Tag 24 over the same byte string as its only chunk.
    private static func chunked(_ embedded: [UInt8]) -> [UInt8] {
        Array(embedded.prefix(2)) + [0x5f] + embedded.dropFirst(2) + [0xff]
    }

    /// Verifies what is encoded as `deviation` says, with `--strict` or without.
    private func verify(_ deviation: String?, _ further: String...) throws -> CommandRun {
        let arguments = ["--trust", root, "--request", request, "--json"] + further
        return switch deviation {
        case "cbor.indefinite_response": try scene.verify(arguments, encoding: Self.open)
        case "cbor.chunked_item":
            try scene.verify(arguments, changing: { $0.rewriteItemBytes = Self.chunked })
        default: try scene.verify(arguments)
        }
    }

    @Test(
        "Q141 --strict refuses what is encoded otherwise by its name, which is listed without it; the twin passes both",
        arguments: ["cbor.indefinite_response", "cbor.chunked_item", nil])
    func strict(_ deviation: String?) throws {
        let named = deviation.map { [$0] } ?? []
        let lenient = try verify(deviation)
        #expect(lenient.status == 0, "\(lenient.everything)")
        #expect(try lenient.report().documents[0].deviations == named)
        let strict = try verify(deviation, "--strict")
        #expect(strict.status == (deviation == nil ? 0 : 2), "\(strict.everything)")
        #expect(try strict.report().documents[0].deviations == named)
        #expect(try strict.report().verdict == (deviation == nil ? "verified" : "rejected"))
    }
}
