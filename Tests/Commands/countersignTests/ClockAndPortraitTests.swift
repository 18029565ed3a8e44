import ArgumentParser
import MdocModel
import Reports
import Testing

@testable import countersign

@Suite("The clock of the command line")
struct ClockTests {
    private static let built = Timestamp(secondsSince1970: 1_767_225_600)

    @Test("Q189 A clock from before this program is not believed, and says what to do")
    func notSet() throws {
        for clock in [Timestamp(secondsSince1970: 0), Self.built.advanced(bySeconds: -1)] {
            let failure = #expect(throws: CommandFailure.self) { try ClockArguments.believing(clock) }
            #expect(failure?.status == .unavailable)
            #expect(failure?.message.contains("--at") == true)
        }
    }

    @Test("Q189 A clock that can be right is believed")
    func plausible() throws {
        #expect(try ClockArguments.believing(Self.built) == Self.built)
    }
}

@Suite("Portraits")
struct PortraitKindTests {
    @Test(
        "Q155 A portrait's format is told by its first bytes, not by hope",
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe0], PortraitKind.jpeg),
            ([0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20], .jpeg2000), ([0xff, 0x4f, 0xff, 0x51, 0], .jpeg2000),
            ([0xff, 0xd8], .unknown), ([0x89, 0x50, 0x4e, 0x47], .unknown), ([], .unknown),
        ] as [([UInt8], PortraitKind)])
    func formats(_ bytes: [UInt8], _ kind: PortraitKind) {
        #expect(PortraitKind(bytes[...]) == kind)
    }
}
