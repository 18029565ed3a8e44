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

    @Test(
        "The units bound the memory and the tasks of the daemon and of the program of accessories",
        arguments: ["MemoryMax", "TasksMax"], ["countersignd.service", "countersign-accessories.service"])
    func bounds(_ name: String, _ unit: String) throws {
        let values = try values(of: name, in: unit)
        #expect(values.count == 1 && !values.contains("infinity"), "\(unit): \(name)=\(values)")
    }

    @Test("A setting that the unit does not have has no value")
    func absent() throws {
        #expect(try values(of: "MemoryMaximum") == [])
    }

    @Test("check-deb limits the exposure of every systemd unit")
    func exposure() throws {
        let hardware = VectorFiles.repository.appending(path: "Hardware")
        let check = try String(
            contentsOf: hardware.appending(path: "Packaging/check-deb"), encoding: .utf8)
        let units = try FileManager.default.contentsOfDirectory(atPath: hardware.path + "/systemd")
            .filter { $0.hasSuffix(".service") }
        #expect(units.count >= 4)
        for unit in units {
            let limit = check.matches(of: /\[([a-z.-]+)\]=(\d+)/).first { $0.1 == unit }
            #expect(limit.flatMap { Int($0.2) }.map { $0 <= 25 } == true, "\(unit)")
        }
    }

    @Test("Doctor's unit is confined, and lets through what doctor reads")
    func doctorsConfinement() throws {
        func values(_ name: String) throws -> [String] {
            try self.values(of: name, in: "countersign-doctor.service")
        }
        for name in ["CapabilityBoundingSet", "PrivateDevices", "ProtectKernelModules", "MemoryMax"] {
            #expect(try values(name).count == 1, "\(name)")
        }
        #expect(try values("RestrictAddressFamilies") == ["AF_UNIX AF_BLUETOOTH"])
        // The kernel's modules and settings, bluetoothd's command line, and the state of the clock.
        for name in ["ProcSubset", "ProtectProc", "ProtectClock", "PrivateNetwork"] {
            #expect(try values(name) == [], "\(name)")
        }
        #expect(try values("SystemCallFilter").last == "adjtimex clock_adjtime")
    }

    @Test(
        "The drop-in for keys in the TPM is for every unit that opens them, and the package's guide says so")
    func tpm() throws {
        let folder = VectorFiles.repository.appending(path: "Hardware")
        let systemd = folder.appending(path: "systemd")
        let example = try String(contentsOf: systemd.appending(path: "tpm.conf"), encoding: .utf8)
        let guide = try String(contentsOf: folder.appending(path: "Packaging/README.Debian"), encoding: .utf8)
        let units = try FileManager.default.contentsOfDirectory(atPath: systemd.path).filter {
            guard $0.hasSuffix(".service"), try values(of: "User", in: $0) == ["countersign"] else {
                return false
            }
            return try values(of: "PrivateDevices", in: $0) == ["yes"]
        }
        #expect(Set(units) == ["countersignd.service", "countersign-doctor.service"])
        for unit in units {
            let name = unit.replacing(".service", with: "")
            let comments = example.split(separator: "\n").filter { $0.hasPrefix("#") }
            let words = comments.joined(separator: " ").split { !$0.isLetter && $0 != "-" }
            #expect(words.contains { $0 == name }, "tpm.conf: \(name)")
            #expect(guide.contains("\(unit).d"), "README.Debian: \(unit)")
        }
        #expect(!guide.contains("countersign-hub.service.d"), "the hub's unit opens no key in a TPM")
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
