import Foundation
import Testing
import VectorFiles

/// `Hardware/check-ratios` with figures that nobody measured.
@Suite("Limits of what is measured beside OpenSSL")
struct RatioLimitTests {
    private struct Limits {
        /// A time, the floor it is divided by, and the ratio that was measured.
        typealias Ratio = (time: String, floor: String, measured: Double)
        let ratios: [String: [Ratio]]

        init() throws {
            let file = VectorFiles.repository.appending(path: "Hardware/ratio-limits.json")
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            let members = try #require((json as? [String: Any])?["ratios"] as? [String: [[Any]]])
            ratios = try members.mapValues { list in
                try list.map { entry in
                    try #require(entry.count == 3)
                    return try (
                        time: #require(entry[0] as? String), floor: #require(entry[1] as? String),
                        measured: #require(entry[2] as? Double)
                    )
                }
            }
        }

        var names: [String] {
            ratios.flatMap { wrapper, list in list.map { "\(wrapper): \($0.time) / \($0.floor)" } }
        }

        /// Figures in which every ratio is as it was measured, but for one that is so many times as much.
        func figures(_ name: String, times factor: Double) -> [String: [String: Double]] {
            var figures: [String: [String: Double]] = [:]
            for (wrapper, list) in ratios {
                for ratio in list where figures[wrapper]?[ratio.time] == nil {
                    let floor = figures[wrapper]?[ratio.floor] ?? 200_000
                    figures[wrapper, default: [:]][ratio.floor] = floor
                    let isChanged = name == "\(wrapper): \(ratio.time) / \(ratio.floor)"
                    figures[wrapper, default: [:]][ratio.time] =
                        floor * ratio.measured * (isChanged ? factor : 1)
                }
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

    @Test("Ratios as they were measured meet every limit, and each is printed beside its limit")
    func measured() throws {
        let limits = try Limits()
        #expect(limits.names.count >= 10)
        let run = try check(limits.figures("", times: 1))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
        for name in limits.names {
            #expect(run.output.split(separator: "\n").contains { $0.hasPrefix(name) && $0.contains("limit") })
        }
    }

    @Test("A ratio that is 30 % worse fails the check by its name; noise of 20 % does not")
    func worse() throws {
        let limits = try Limits()
        for name in limits.names {
            let noisy = try check(limits.figures(name, times: 1.2))
            #expect(noisy.status == 0, "\(name)")
            let worse = try check(limits.figures(name, times: 1.3))
            #expect(worse.status == 1, "\(name)")
            #expect(worse.errors.contains(name))
            #expect(worse.output.split(separator: "\n").filter { $0.hasSuffix("MISSED") }.count == 1)
        }
    }

    @Test("Figures that lack one, or a file that is missing, are no success")
    func incomplete() throws {
        var figures = try Limits().figures("", times: 1)
        let figure = try #require(figures["envelope"]?.keys.sorted().first)
        figures["envelope"]?[figure] = nil
        let run = try check(figures)
        #expect(run.status == 1 && run.errors.contains("no figure '\(figure)'"), "\(run.errors)")
        #expect(try check([String: Any]()).status == 1)
        #expect(try self.run("--figures", "/nonexistent").status != 0)
        for usage in ["--figures", "--worse"] { #expect(try self.run(usage).status == 64) }
    }
}
