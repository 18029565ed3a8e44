import CZlib
import ChildPrograms
import Deadlines
import Foundation
import Glibc
import PortraitImage
import Testing
import VectorFiles

@testable import PortraitDecoding

@Suite("Decoding portraits in a process of its own")
struct PortraitDecoderTests {
    private let decoder = PortraitDecoder(executable: Self.built("countersign-portrait"))
    /// For images that must end at a limit of theirs before any deadline, however busy the machine is.
    private let unhurriedDecoder = PortraitDecoder(
        executable: Self.built("countersign-portrait"), deadline: .seconds(30))

    /// A program of this build, which lies beside the tests.
    private static func built(_ name: String) -> String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folders = [
            Bundle.main.bundlePath, (CommandLine.arguments.first ?? "") + "/..", (own ?? "") + "/..",
        ]
        let build = VectorFiles.repository.appending(path: ".build/debug").path
        let paths = (folders + [build]).map { "\($0)/\(name)" }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }

    private func vector(_ name: String) throws -> [UInt8] {
        try VectorFiles.bytes(of: VectorFiles.own.appending(path: "portraits/\(name)"))
    }

    private func failure(
        of bytes: [UInt8], _ decoder: PortraitDecoder? = nil
    ) async -> PortraitDecoderError? {
        do throws(PortraitDecoderError) {
            _ = try await (decoder ?? self.decoder).decode(bytes[...])
            return nil
        } catch {
            return error
        }
    }

    private func colours(_ x: Int, _ y: Int) -> [UInt8] {
        [9 * x + y, 7 * y, x * y].map { UInt8($0 & 255) }
    }

    @Test(
        "JPEG 2000 without loss comes back as PNG, pixel by pixel", arguments: ["lossless.jp2", "tiled.j2k"])
    func lossless(name: String) async throws {
        let shown = try await decoder.decode(try vector(name)[...])
        #expect(shown.mediaType == "image/png")
        let picture = try PNGPicture(shown.bytes)
        #expect((picture.width, picture.height, picture.channels) == (24, 30, 3))
        for y in 0..<30 {
            for x in 0..<24 { #expect(picture.sample(x, y) == colours(x, y)) }
        }
    }

    @Test("Grey stays grey")
    func grey() async throws {
        let picture = try PNGPicture(try await decoder.decode(try vector("grey.j2k")[...]).bytes)
        #expect(picture.channels == 1)
        for y in 0..<30 {
            for x in 0..<24 { #expect(picture.sample(x, y) == [colours(x, y)[0]]) }
        }
    }

    @Test("JPEG and PNG come back as they are, without what follows them")
    func passedOn() async throws {
        let png = try vector("still.png")
        let jpeg = try VectorFiles.bytes(
            of: VectorFiles.repository.appending(path: "Sources/Laboratory/MdocWallet/Resources/portrait.jpg")
        )
        for (bytes, type) in [(png, "image/png"), (jpeg, "image/jpeg")] {
            let shown = try await decoder.decode((bytes + Array("more".utf8))[...])
            #expect(shown.bytes == bytes)
            #expect(shown.mediaType == type)
        }
    }

    @Test("JPEG 2000 cut short is refused, wherever it is cut", arguments: ["lossless.jp2", "tiled.j2k"])
    func cut(name: String) async throws {
        let bytes = try vector(name)
        for count in stride(from: 100, to: bytes.count - 2, by: bytes.count / 12) {
            #expect(await failure(of: Array(bytes[..<count])) == .malformed, "\(count) bytes")
        }
    }

    @Test("A portrait whose header is good and whose data is broken is refused; what it was made of is shown")
    func brokenData() async throws {
        for portrait in try BrokenPortrait.all {
            _ = try ImageHeader.parse(portrait.bytes[...])
            #expect(await failure(of: portrait.bytes) == .malformed, "\(portrait.name)")
            #expect(await failure(of: portrait.whole) == nil, "\(portrait.name)")
        }
    }

    @Test("Garbage, other kinds of image and nothing at all are refused by name")
    func garbage() async throws {
        #expect(await failure(of: []) == .unsupported)
        #expect(await failure(of: Array("GIF89a and so on".utf8)) == .unsupported)
        #expect(await failure(of: Array("<svg onload='x'/>".utf8)) == .unsupported)
        #expect(
            await failure(of: Array(try vector("grey.j2k")[..<60]) + [UInt8](repeating: 0x5a, count: 900))
                == .malformed)
    }

    /// A vector whose size marker says other figures; SIZ begins behind SOC.
    private func bomb(_ name: String, at offset: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        var image = try vector(name)
        image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return image
    }

    @Test("Image bombs with too many pixels, tiles, components or bytes are refused")
    func bombs() async throws {
        let huge: [UInt8] = [0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]
        #expect(await failure(of: try bomb("grey.j2k", at: 8, huge)) == .tooLarge)
        #expect(await failure(of: try bomb("grey.j2k", at: 24, [0, 0, 0, 1, 0, 0, 0, 1])) == .tooLarge)
        #expect(await failure(of: try bomb("grey.j2k", at: 40, [0x40, 0])) == .unsupported)
        let padded = try vector("still.png") + [UInt8](repeating: 0, count: ImageLimits.portrait.bytes)
        #expect(await failure(of: padded) == .tooLarge)
    }

    @Test(
        "A picture that says it is the largest allowed, with the data of a small one, takes no more than it may"
    )
    func largest() async throws {
        let sizes: [UInt8] = [0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0]
        let failure = await failure(of: try bomb("grey.j2k", at: 8, sizes), unhurriedDecoder)
        #expect(failure == nil || failure == .malformed)
    }

    @Test("Millions of precincts, which no header of the image shows, end at the limit of memory")
    func precincts() async throws {
        let side: [UInt8] = [0, 0, 8, 0]
        var image = try bomb("grey.j2k", at: 8, side + side + [UInt8](repeating: 0, count: 8) + side + side)
        let style = try #require(image.indices.first { image[$0...].starts(with: [0xff, 0x52, 0, 12]) })
        // COD (ISO/IEC 15444-1, A.6.1) with a size for each resolution: 1 × 1, then 2 × 2.
        image[style + 3] += 3
        image[style + 4] |= 1
        image.insert(contentsOf: [0x00, 0x11, 0x11], at: style + 14)
        #expect(await failure(of: image, unhurriedDecoder) == .malformed)
    }

    @Test("Mutated pictures end by name, and within the deadline")
    func mutated() async throws {
        var random = SplitMix64(seed: 15_444)
        let seeds = try ["lossless.jp2", "grey.j2k", "tiled.j2k"].map(vector)
        for _ in 0..<120 {
            let input = random.mutate(try #require(seeds.randomElement(using: &random)))
            let failure = await failure(of: input)
            #expect(failure != .unexpected && failure != .notConfined && failure != .notStarted)
            #expect(failure != .overdue, "\(input.hex)")
        }
    }

    /// A shell in the decoder's place does what the portrait says.
    private let shell = PortraitDecoder(executable: "/bin/sh", deadline: .seconds(20))
    private let hurriedShell = PortraitDecoder(executable: "/bin/sh", deadline: .milliseconds(500))

    @Test(
        "A decoder that hangs is ended at its deadline: silent, in the middle, or after its output",
        arguments: ["exec sleep 60", "echo begun; exec sleep 60", "exec >&- <&-; sleep 60"])
    func hang(script: String) async {
        let start = ContinuousClock.now
        #expect(await failure(of: Array((script + "\n").utf8), hurriedShell) == .overdue)
        #expect(ContinuousClock.now - start < .seconds(50))
    }

    @Test("A decoder that a signal ends says which")
    func signal() async {
        #expect(await failure(of: Array("kill -9 $$\n".utf8), shell) == .ended(signal: SIGKILL))
    }

    @Test("A decoder's end has its name", arguments: PortraitEnd.allCases)
    func end(_ end: PortraitEnd) async {
        let expected: PortraitDecoderError =
            switch end {
            // Nothing was shown for all that.
            case .shown, .usage, .broken: .unexpected
            case .malformed: .malformed
            case .unsupported: .unsupported
            case .tooLarge: .tooLarge
            case .notConfined: .notConfined
            }
        #expect(await failure(of: Array("exit \(end.rawValue)\n".utf8), shell) == expected)
    }

    @Test("The decoder is confined before it reads a byte")
    func confinement() async throws {
        let process = try ChildExchange(Self.built("countersign-portrait"))
        let folder = "/proc/\(process.process)"
        let status = try await awaited("the confinement") {
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            return status.contains("Seccomp:\t2") ? status : nil
        }
        #expect(status.contains("NoNewPrivs:\t1"))
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
        for (name, most) in [
            ("Max cpu time", "5"), ("Max file size", "0"), ("Max core file size", "0"),
            ("Max open files", "0"),
            ("Max processes", "0"), ("Max address space", "536870912"),
        ] {
            let row = try #require(limits.split(separator: "\n").first { $0.hasPrefix(name) })
            #expect(
                row.dropFirst(name.count).split(separator: " ").prefix(2).allSatisfy { $0 == most }, "\(row)")
        }
        _ = consume process
    }

    @Test("A decoder that is not there, ends wrongly or answers without end is named")
    func others() async throws {
        let png = try vector("still.png")
        #expect(
            await failure(of: png, PortraitDecoder(executable: "/nowhere/countersign-portrait"))
                == .notStarted)
        #expect(await failure(of: png, PortraitDecoder(executable: "/bin/false")) == .unexpected)
        #expect(await failure(of: png, PortraitDecoder(executable: "/bin/true")) == .unexpected)
        #expect(
            await failure(of: png, PortraitDecoder(executable: "/usr/bin/yes", deadline: .seconds(20)))
                == .tooLarge)
    }

    @Test("No description shows a picture")
    func redacted() async throws {
        let shown = try await decoder.decode(try vector("still.png")[...])
        #expect("\(shown)" == "ShownPortrait(image/png)")
    }
}
