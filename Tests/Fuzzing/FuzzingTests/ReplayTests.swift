import Foundation
import FuzzTargets
import Testing
import VectorFiles

@Suite("Fuzz targets")
struct ReplayTests {
    @Test("A target takes its seeds and whatever once made it fail", arguments: FuzzTarget.allCases)
    func replay(target: FuzzTarget) throws {
        let inputs = try SeedFiles.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs { target.run(input[...]) }
    }

    @Test("A target takes its seeds cut short and mutated", arguments: FuzzTarget.allCases)
    func mutate(target: FuzzTarget) throws {
        let seeds = try SeedFiles.inputs(of: target)
        var random = SplitMix64(seed: 18_013)
        // A trap ends the process; the file then still holds what it was fed with.
        let lastInput = FileManager.default.temporaryDirectory.appending(
            path: "countersign-fuzz-\(target.rawValue)-\(ProcessInfo.processInfo.processIdentifier)")
        for _ in 0..<400 {
            let seed = try #require(seeds.randomElement(using: &random))
            let input = random.mutate(seed)
            try Data(input).write(to: lastInput)
            target.run(([0xff, 0xff, 0xff] + input)[3...])
        }
        try FileManager.default.removeItem(at: lastInput)
    }

    @Test("Seeds that were taken whole when they were made still are, so that a mutation of them gets far")
    func whole() throws {
        let targets = try FuzzTarget.allCases.filter { target in
            let seeds = SeedFiles.files(in: SeedFiles.kept[0].appending(path: target.rawValue))
            let whole = seeds.filter { $0.lastPathComponent.hasPrefix("whole-") }
            for seed in whole {
                let bytes = try VectorFiles.bytes(of: seed)
                #expect(target.takesWhole(bytes[...]), "\(seed.path)")
                #expect(!target.takesWhole(bytes[..<(bytes.count / 2)]), "\(seed.path), cut short")
            }
            return !whole.isEmpty
        }
        #expect(
            targets == [
                .deviceResponse, .walletEnvelope, .encryptedResponse, .receiptChain, .signedReceipt,
                .retainedRecord, .daemonConfiguration, .policyFile, .identityRules, .mainConfiguration,
                .presentationOrder, .pemKey, .portrait, .fieldTrace, .fleetDocument,
            ])
    }

    @Test("Every folder of seeds and failures belongs to a target")
    func folders() {
        let names = Set(FuzzTarget.allCases.map(\.rawValue))
        for folder in SeedFiles.kept.flatMap(SeedFiles.files) {
            #expect(names.contains(folder.lastPathComponent))
        }
    }
}
