import Foundation
import Testing
import VectorFiles

@Suite("The unit of systemd")
struct UnitTests {
    private func values(of name: String) throws -> [String] {
        let file = VectorFiles.repository.appending(path: "Hardware/systemd/countersignd.service")
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
}
