internal import FoundationEssentials
internal import Glibc

/// Who runs a command, as its computer says. The database takes that as the operator's own word.
package struct HubOperator: Equatable, Sendable {
    /// The account that logged in, which `sudo`, `su` and `runuser` leave as it is; empty if nobody logged in, as in a timer.
    package var login: String
    /// The account that runs the command.
    package var account: String
    /// The computer's name.
    package var host: String

    package init(login: String, account: String, host: String) {
        self.login = login
        self.account = account
        self.host = host
    }

    /// Of this process.
    package static let current = HubOperator(
        login: login(text(of: "/proc/self/loginuid")), account: name(of: geteuid()),
        host: text(of: "/proc/sys/kernel/hostname"))

    /// - Parameter number: what the kernel says of the login; the highest number is nobody's.
    static func login(_ number: String) -> String {
        guard let user = uid_t(number), user != .max else { return "" }
        return name(of: user)
    }

    /// The number where it has no name.
    private static func name(of user: uid_t) -> String {
        guard let entry = unsafe getpwuid(user), let name = unsafe entry.pointee.pw_name else {
            return "\(user)"
        }
        return unsafe String(cString: name)
    }

    private static func text(of path: String) -> String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return String(text.prefix { !$0.isWhitespace })
    }
}
