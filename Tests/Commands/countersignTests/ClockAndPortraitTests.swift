import ArgumentParser
import MdocModel
import Reports
import Testing

@testable import CommandLineInterface
@testable import countersign

@Suite("The clock of the command line")
struct ClockTests {
    private static let built = Timestamp(secondsSince1970: 1_767_225_600)

    @Test(
        "Q189 A clock set to a time before this program existed is not trusted, and the message says what to do"
    )
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
