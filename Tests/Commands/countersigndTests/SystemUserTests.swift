import ConfigurationForms
import ReaderAPI
import Testing

@testable import countersignd

@Suite("Users of the socket by name")
struct SystemUserTests {
    private static func configuration(
        users: String
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let text = #"{"socket": {"users": [\#(users)]}, "lanes": [{"name": "one"}]}"#
        return try DaemonConfiguration(Array(text.utf8), environment: [:])
    }

    /// Returns the text of the faults of a file with these users.
    private static func faultText(users: String) -> String {
        do throws(ConfigurationFaults) {
            _ = try configuration(users: users)
            return ""
        } catch {
            return error.text(of: "FILE")
        }
    }

    @Test("A name stands for the number of its user, with the same rights")
    func named() throws {
        let rights = #""scopes": ["order"], "lanes": ["one"]"#
        let (name, number) = (
            try Self.configuration(users: #"{"user": "root", \#(rights)}"#),
            try Self.configuration(users: #"{"uid": 0, \#(rights)}"#)
        )
        #expect(name == number && Array(name.access.users.keys) == [0])
        let other = try Self.configuration(users: #"{"user": "daemon", \#(rights)}"#)
        #expect(other != number && other.access.users[0] == nil)
    }

    @Test(
        "A name without a user, and a text that is no name, are faults at the member",
        arguments: [
            #""no-such-user-here""#, #""0""#, #""-root""#, #""root ""#, #""root\u0000x""#, #""röot""#,
        ])
    func unknown(_ name: String) {
        let text = Self.faultText(users: #"{"user": \#(name), "scopes": ["order"]}"#)
        #expect(
            text.contains("/socket/users/0/user: must be the name of a user of this computer"), "\(text)")
        // What somebody wrote in the file is not repeated.
        #expect(!text.contains("no-such"), "\(text)")
    }

    @Test("An empty name and a name that is too long are refused as texts", arguments: [0, 65])
    func length(_ count: Int) {
        let name = String(repeating: "x", count: count)
        let text = Self.faultText(users: #"{"user": "\#(name)", "scopes": ["order"]}"#)
        #expect(text.contains("/socket/users/0/user: must be a text of 1 to 64 bytes"), "\(text)")
    }

    @Test(
        "A user has a number or a name, and is listed once",
        arguments: [
            (
                #"{"scopes": ["order"]}"#,
                #"/socket/users/0: must have exactly one of "uid", "user""#
            ),
            (
                #"{"uid": 0, "user": "root", "scopes": ["order"]}"#,
                #"/socket/users/0: must have exactly one of "uid", "user""#
            ),
            (
                #"{"uid": 0, "scopes": ["order"]}, {"user": "root", "scopes": ["admin"]}"#,
                "/socket/users/1: this user is listed twice"
            ),
            (
                #"{"user": "daemon", "scopes": ["order"]}, {"user": "daemon", "scopes": ["admin"]}"#,
                "/socket/users/1: this user is listed twice"
            ),
        ])
    func conflict(_ users: String, _ fault: String) {
        let text = Self.faultText(users: users)
        #expect(text.contains(fault), "\(text)")
    }

    @Test("Users with different names and numbers do not conflict")
    func distinct() throws {
        let users = #"{"user": "root", "scopes": ["admin"]}, {"uid": 4242, "scopes": ["order"]}"#
        #expect(try Set(Self.configuration(users: users).access.users.keys) == [0, 4242])
    }

    @Test("The user database of this computer has root, and no user with another text")
    func database() {
        #expect(SystemUsers.number(of: "root") == 0)
        for name in ["", "0", "root\0", "root\n", "roo", String(repeating: "r", count: 100_000)] {
            #expect(SystemUsers.number(of: name) == nil, "\(name.prefix(10))")
        }
    }
}
