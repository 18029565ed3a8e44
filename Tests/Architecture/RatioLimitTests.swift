import Foundation
import Testing
import VectorFiles

/// `Hardware/check-ratios` with numbers of instructions that nobody counted.
@Suite("Limits of the instructions that are counted beside OpenSSL and libcbor")
struct RatioLimitTests {
    private struct Limits {
        /// A part, the floor it is divided by, and the ratio that was counted.
        typealias Ratio = (part: String, floor: String, counted: Double)
        let ratios: [String: [Ratio]]
        /// What a limit is, of the ratio that was counted.
        let room: Double

        init() throws {
            let file = VectorFiles.repository.appending(path: "Hardware/ratio-limits.json")
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            let members = try #require(json?["instructions"] as? [String: [[Any]]])
            room = try #require(json?["room"] as? Double)
            ratios = try members.mapValues { list in
                try list.map { entry in
                    try #require(entry.count == 3)
                    return try (
                        part: #require(entry[0] as? String), floor: #require(entry[1] as? String),
                        counted: #require(entry[2] as? Double)
                    )
                }
            }
        }

        var names: [String] {
            ratios.flatMap { wrapper, list in list.map { "\(wrapper): \($0.part) / \($0.floor)" } }
        }

        /// Counts in which every ratio is as it was counted, but for one that is so many times as much.
        func figures(_ name: String, times factor: Double) -> [String: [String: Double]] {
            var figures: [String: [String: Double]] = [:]
            for (wrapper, list) in ratios {
                var counts: [String: Double] = [:]
                for ratio in list {
                    let isChanged = name == "\(wrapper): \(ratio.part) / \(ratio.floor)"
                    let value = ratio.counted * (isChanged ? factor : 1)
                    if let part = counts[ratio.part] {
                        counts[ratio.floor] = part / value
                    } else {
                        counts[ratio.part] = counts[ratio.floor, default: 2_000_000] * value
                        counts[ratio.floor] = counts[ratio.floor] ?? 2_000_000
                    }
                }
                figures[wrapper] = counts
            }
            return figures
        }
    }

    private struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    private func check(_ figures: Any) throws -> Run {
        let file = FileManager.default.temporaryDirectory.appending(path: "countersign-ratios-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONSerialization.data(withJSONObject: figures).write(to: file)
        return try run("--figures", file.path)
    }

    private func run(_ arguments: String...) throws -> Run {
        let process = Process()
        process.executableURL = VectorFiles.repository.appending(path: "Hardware/check-ratios")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let texts = try [output, errors].map { pipe in
            String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    @Test("Ratios as they were counted meet every limit, and each is printed beside its limit")
    func counted() throws {
        let limits = try Limits()
        let run = try check(limits.figures("", times: 1))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
        for name in limits.names {
            #expect(run.output.split(separator: "\n").contains { $0.hasPrefix(name) && $0.contains("limit") })
        }
    }

    @Test("Decoding, session, verification and answers of apps have a limit of 5 % above what was counted")
    func covered() throws {
        let limits = try Limits()
        #expect(limits.room == 1.05)
        let parts = Set(limits.ratios.flatMap { wrapper, list in list.map { "\(wrapper): \($0.part)" } })
        let needed = [
            "transaction: decode", "transaction: session", "transaction: verifyCold",
            "transaction: verifyWarm",
            "envelope: envelopeCold", "envelope: envelopeWarm", "envelope: open",
        ]
        #expect(parts.isSuperset(of: needed))
        let decoding = try #require(limits.ratios["transaction"]?.first { $0.floor == "libcbor" })
        #expect(decoding.part == "decode" && decoding.counted * limits.room <= 0.8)
    }

    @Test("A part that takes 30 % more, or 6 %, fails the check by its name; 4 % more does not")
    func worse() throws {
        let limits = try Limits()
        for name in limits.names {
            let noisy = try check(limits.figures(name, times: 1.04))
            #expect(noisy.status == 0, "\(name)")
            for factor in [1.06, 1.3] {
                let worse = try check(limits.figures(name, times: factor))
                #expect(worse.status == 1, "\(name)")
                #expect(worse.errors.contains(name))
                #expect(worse.output.split(separator: "\n").filter { $0.hasSuffix("MISSED") }.count == 1)
            }
        }
    }

    @Test("Counts that lack one, or a file that is missing, are no success")
    func incomplete() throws {
        var figures = try Limits().figures("", times: 1)
        let figure = try #require(figures["envelope"]?.keys.sorted().first)
        figures["envelope"]?[figure] = nil
        let run = try check(figures)
        #expect(run.status == 1 && run.errors.contains("no count '\(figure)'"), "\(run.errors)")
        #expect(try check([String: Any]()).status == 1)
        #expect(try self.run("--figures", "/nonexistent").status != 0)
        for usage in ["--figures", "--worse"] { #expect(try self.run(usage).status == 64) }
    }

    @Test("The response that is counted has 25 KB, and every file that the check names is there")
    func inputs() throws {
        let script = try String(
            contentsOf: VectorFiles.repository.appending(path: "Hardware/check-ratios"), encoding: .utf8)
        let files = [
            "response.cbor", "transcript.cbor", "request.cbor", "root.der", "envelope.cbor",
            "envelope-root.der", "merchant-key.hex",
        ]
        for file in files {
            let bytes = try VectorFiles.bytes(of: VectorFiles.own.appending(path: "bench/\(file)"))
            #expect(script.contains("\"\(file)\"") && !bytes.isEmpty, "\(file)")
            if file == "response.cbor" { #expect((25_000...27_000).contains(bytes.count)) }
        }
    }
}
