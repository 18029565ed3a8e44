import Foundation
import OtherPrograms
import PCSCTransport
package import Testing

/// The USB readers in software that `Hardware/VirtualBench/with-reader` plugs into the guest's kernel.
package enum USBBench {
    package static let isHere = VirtualBench.environment("COUNTERSIGN_USB_BENCH") == "1"
    package static let absence: Comment =
        "no USB reader: run Hardware/VirtualBench/with-bluez -- Hardware/VirtualBench/with-reader none -- …"

    /// Whether libccid passes commands to a reader itself on.
    package static let allowsEscape = VirtualBench.environment("COUNTERSIGN_USB_ESCAPE") == "1"

    /// What `reader-control` can make go wrong; see `reader/__main__.py`.
    package enum Fault: String, CaseIterable, Sendable {
        case mute, ghost, hang, polls, extends
        case noInterrupt = "no-interrupt"
    }

    /// Unplugs all readers. One with six slots is unplugged while no pcscd runs: pcscd of Debian 12 hung in 3 of 68 cases
    /// in which one left (libccid loses what tells a slot's thread to end), and with several it may abort.
    package static func unplug() async throws {
        let hasSixSlots = try await PCSCService().names().contains { $0.contains(USBReaderModel.sixSlots) }
        if hasSixSlots { return try await unplugWithoutService() }
        try await control("unplug")
        _ = try await listed { $0.isEmpty ? "" : nil }
    }

    private static func unplugWithoutService() async throws {
        let hold = try #require(VirtualBench.environment("COUNTERSIGN_USB_PCSCD_HOLD"))
        try Data().write(to: URL(filePath: hold))
        defer { try? FileManager.default.removeItem(atPath: hold) }
        try await run(["pkill", "-KILL", "-x", "pcscd"])
        try await control("unplug")
        try FileManager.default.removeItem(atPath: hold)
        let service = PCSCService()
        for _ in 0..<500 where (try? await service.names()) != [] {
            try await Task.sleep(for: .milliseconds(20))
        }
        try #require(try await service.names().isEmpty)
    }

    /// Plugs a reader in; pcscd's name for its antenna. Which of its interfaces pcscd numbers first may change.
    @discardableResult
    package static func plug(_ model: USBReaderModel, _ options: [String] = []) async throws -> String {
        try await control(["plug", model.rawValue] + options)
        do {
            return try await listed { names in names.first { $0.contains(model.antenna) } }
        } catch {
            try await control("unplug")
            throw error
        }
    }

    package static func fault(_ fault: Fault, _ number: Double? = nil) async throws {
        try await control(["fault", fault.rawValue] + (number.map { ["\($0)"] } ?? []))
    }

    package static func clear(_ fault: Fault) async throws {
        try await control("clear", fault.rawValue)
    }

    /// What a reader was asked to do itself, or asked of the computer.
    package struct Heard: Decodable, Sendable {
        package enum Kind: String, Decodable, Sendable {
            /// A command to the reader, by the driver (`escape`) or as one to the phone.
            case escape, command
            /// The reader asked for more time.
            case `extension`
        }

        package let kind: Kind
        /// In hexadecimal digits.
        package let data: String
        /// In seconds, from any beginning.
        package let time: Double
    }

    /// What the readers heard and asked since this was asked last.
    package static func heard() async throws -> [Heard] {
        let file = FileManager.default.temporaryDirectory.appending(path: "heard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await control(["heard"], output: .file(file.path))
        return try JSONDecoder().decode([Heard].self, from: Data(contentsOf: file))
    }

    /// Runs `reader-control` and waits for it.
    package static func control(_ words: String...) async throws {
        try await control(words)
    }

    private static func control(
        _ words: [String], output: ChildProcess.Output = .inherited
    ) async throws {
        let script = try #require(VirtualBench.environment("COUNTERSIGN_USB_READER_CONTROL"))
        try await run([script] + words, output: output)
    }

    private static func run(_ command: [String], output: ChildProcess.Output = .inherited) async throws {
        let status = try await offThisThread {
            try ChildProcess(command, output: output, errors: .inherited).waitForEnd()
        }
        try #require(status == 0, "\(command.joined(separator: " "))")
    }

    /// What is found in pcscd's list of readers, once it is there. No reader is asked for anything: while one of several
    /// slots leaves, that may end pcscd.
    private static func listed(_ find: ([String]) -> String?) async throws -> String {
        let service = PCSCService()
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            let names = try await service.names()
            if let found = find(names) { return found }
            try #require(ContinuousClock.now < deadline, "pcscd lists \(names)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// The models of `reader/models.json`, with the part of pcscd's name that is their antenna's alone.
package enum USBReaderModel: String, CaseIterable, Sendable {
    case acr122u, acr1252u, acr1552u, omnikey5022, twn4, tpdu

    package var antenna: String {
        switch self {
        case .acr122u: "ACS ACR122U PICC Interface"
        case .acr1252u: "[ACR1252 Dual Reader PICC]"
        case .acr1552u: "[ACR1552 1S CL Reader PICC]"
        case .omnikey5022: "[OMNIKEY 5022 Smart Card Reader]"
        case .twn4: "Elatec TWN4/B1.06"
        case .tpdu: "\(Self.sixSlots) 00 00"
        }
    }

    /// What the slots of `tpdu` are called, but for a number.
    fileprivate static let sixSlots = "Elatec TWN4 SmartCard NFC"
}
