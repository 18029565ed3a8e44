import Foundation
import OtherPrograms
import Testing
import VectorFiles

@Suite("The unit of systemd")
struct UnitTests {
    private func values(
        of name: String, in unit: String = "countersignd.service"
    ) throws -> [String] {
        let file = VectorFiles.repository.appending(path: "Hardware/systemd/\(unit)")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return lines.filter { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("The unit bounds the memory and the tasks of the daemon", arguments: ["MemoryMax", "TasksMax"])
    func bounds(_ name: String) throws {
        let values = try values(of: name)
        #expect(values.count == 1 && !values.contains("infinity"), "\(name)=\(values)")
    }

    @Test("A setting that the unit does not have has no value")
    func absent() throws {
        #expect(try values(of: "MemoryMaximum") == [])
    }

    @Test(
        "What doctor says takes the place of what it said before, unless it did not come to its end",
        arguments: [(0, "new"), (2, "new"), (64, "old"), (137, "old")])
    func doctor(_ status: Int, _ kept: String) throws {
        let command = try #require(try values(of: "ExecStart", in: "countersign-doctor.service").first)
        let folder = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("#!/bin/sh\necho new\nexit \(status)\n".utf8).write(
            to: URL(filePath: folder + "/countersign"))
        try Data("old\n".utf8).write(to: URL(filePath: folder + "/doctor.json"))
        // As systemd reads it: `$$` is a `$`.
        let script = command.replacing("$$", with: "$")
            .replacing("/usr/lib/countersign/countersign ", with: "sh \(folder)/countersign ")
            .replacing("/var/lib/countersign", with: folder)
        _ = try ChildProcess(["/bin/sh", "-c", script]).waitForEnd()
        #expect(try String(contentsOfFile: folder + "/doctor.json", encoding: .utf8) == "\(kept)\n")
        #expect(try values(of: "User", in: "countersign-doctor.service") == ["countersign"])
    }
}
