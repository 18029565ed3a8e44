import CZlib
import Foundation
import PortraitDecoding
import PortraitImage
import Testing
import VectorFiles

@Suite("Decoding portraits in a process of its own")
struct PortraitDecoderTests {
    private let decoder = PortraitDecoder(executable: Self.built("countersign-portrait"))

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
            of: VectorFiles.repository.appending(path: "Sources/Mdoc/MdocWallet/Resources/portrait.jpg"))
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
            #expect(await failure(of: Array(bytes[..<count])) == .misshapen, "\(count) bytes")
        }
    }

    @Test("Garbage, other kinds of image and nothing at all are refused by name")
    func garbage() async throws {
        #expect(await failure(of: []) == .unsupported)
        #expect(await failure(of: Array("GIF89a and so on".utf8)) == .unsupported)
        #expect(await failure(of: Array("<svg onload='x'/>".utf8)) == .unsupported)
        #expect(
            await failure(of: Array(try vector("grey.j2k")[..<60]) + [UInt8](repeating: 0x5a, count: 900))
                == .misshapen)
    }

    /// A vector whose size marker says other figures; SIZ begins behind SOC.
    private func bomb(_ name: String, at offset: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        var image = try vector(name)
        image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return image
    }

    @Test("Bombs are refused: sides, tiles, components, bytes")
    func bombs() async throws {
        let huge: [UInt8] = [0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]
        #expect(await failure(of: try bomb("grey.j2k", at: 8, huge)) == .tooLarge)
        #expect(await failure(of: try bomb("grey.j2k", at: 24, [0, 0, 0, 1, 0, 0, 0, 1])) == .tooLarge)
        #expect(await failure(of: try bomb("grey.j2k", at: 40, [0x40, 0])) == .unsupported)
        let padded = try vector("still.png") + [UInt8](repeating: 0, count: ImageLimits.portrait.bytes)
        #expect(await failure(of: padded) == .tooLarge)
    }

    @Test(
        "The largest picture that the header allows is decoded or refused within its limits, and nothing hangs"
    )
    func largest() async throws {
        // 2048 × 2048 with the data of 24 × 30.
        let wide = try bomb(
            "grey.j2k", at: 8, [0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0])
        #expect(await failure(of: wide) != nil)
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

    @Test("A decoder that hangs is ended at its deadline", arguments: ["/bin/sleep", "/usr/bin/tail"])
    func hang(program: String) async throws {
        let script = FileManager.default.temporaryDirectory.appending(path: "hang-\(UUID())")
        try Data("#!/bin/sh\nexec \(program) \(program == "/bin/sleep" ? "60" : "-f /dev/null")\n".utf8)
            .write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
        let slow = PortraitDecoder(executable: script.path, deadline: .milliseconds(300))
        let start = ContinuousClock.now
        #expect(await failure(of: try vector("still.png"), slow) == .overdue)
        #expect(ContinuousClock.now - start < .seconds(5))
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
