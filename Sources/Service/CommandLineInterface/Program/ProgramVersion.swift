internal import VersionNumber
internal import FoundationEssentials
package import JSON
internal import OpenSSLCrypto
internal import PCSCTransport
internal import Reports

/// The version, commit and libraries of a program, for `--version`.
package struct ProgramVersion {
    private let program: String

    package init(of program: String) {
        self.program = program
    }

    private static var libraries: [(name: String, version: String)] {
        [("OpenSSL", OpenSSLVersion.text), ("PC/SC lite", PCSCLibrary.version)]
    }

    package var text: String {
        (["\(program) \(Version.number)", "commit: \(Checkout.current.text)"]
            + Self.libraries.map { "\($0.name): \(Terminal.safe($0.version))" }).joined(separator: "\n")
    }

    package var json: JSONValue {
        [
            "version": .string(Version.number),
            "commit": JSONValue(Checkout.current.commit),
            "commitNote": .string(Checkout.current.text),
            "libraries": .object(Self.libraries.map { ($0.name, .string($0.version)) }),
        ]
    }
}

/// The git checkout that the running program was built in.
///
/// The build records no commit. This type finds the checkout above the program's `.build` folder and compares
/// the times of the checkout and the program.
enum Checkout {
    /// The commit that was checked out when the program was built. Uncommitted changes are not detected.
    case commit(String)
    /// The program was built before the checkout moved to `head`.
    case movedOn(head: String)
    /// The program does not run from the build folder of a checkout.
    case unknown

    static let current = Checkout(ofProgram: "/proc/self/exe")

    init(ofProgram path: String) {
        self = .unknown
        let files = FileManager.default
        guard let program = try? files.destinationOfSymbolicLink(atPath: path),
            let git = Self.gitFolder(above: program), let head = Self.head(in: git)
        else { return }
        // A commit on a branch changes logs/HEAD but not HEAD itself. A checkout without logs has only HEAD.
        let built = Self.modified(program)
        guard let built, let moved = Self.modified("\(git)/logs/HEAD") ?? Self.modified("\(git)/HEAD") else {
            return
        }
        self = moved <= built ? .commit(head) : .movedOn(head: head)
    }

    var commit: String? {
        guard case .commit(let commit) = self else { return nil }
        return commit
    }

    var text: String {
        switch self {
        case .commit(let commit):
            "\(commit), plus any changes that were not committed when the program was built"
        case .movedOn(let head): "unknown: the program was built before its checkout moved to \(head)"
        case .unknown: "unknown: the program does not run from the folder it was built in"
        }
    }

    private static func modified(_ path: String) -> Date? {
        try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }

    /// Returns the git folder of the checkout whose `.build` folder contains the program. In a worktree,
    /// `.git` is a file with the path of that folder.
    private static func gitFolder(above program: String) -> String? {
        guard let build = program.firstRange(of: "/.build/") else { return nil }
        let git = program[..<build.lowerBound] + "/.git"
        guard let link = text(of: String(git)) else { return String(git) }
        return link.hasPrefix("gitdir: ") ? String(link.dropFirst("gitdir: ".count)) : nil
    }

    /// Returns the id of the commit that is checked out. HEAD contains a commit id, or the name of a branch.
    /// For a branch, the id is in the branch's own file or in `packed-refs`. In a worktree, these two files
    /// are in the git folder whose path `commondir` contains.
    private static func head(in git: String) -> String? {
        guard let head = text(of: "\(git)/HEAD") else { return nil }
        guard head.hasPrefix("ref: ") else { return commit(head) }
        let name = String(head.dropFirst("ref: ".count))
        let common = text(of: "\(git)/commondir").map { $0.hasPrefix("/") ? $0 : "\(git)/\($0)" } ?? git
        if let loose = text(of: "\(common)/\(name)") { return commit(loose) }
        let packed = text(of: "\(common)/packed-refs")?.split(separator: "\n")
        let line = packed?.first { $0.hasSuffix(" \(name)") }
        return line.flatMap { commit(String($0.prefix { $0 != " " })) }
    }

    /// Returns `text` if it is a commit id: 40 hexadecimal digits with SHA-1, 64 with SHA-256.
    private static func commit(_ text: String) -> String? {
        (40...64).contains(text.count) && text.allSatisfy(\.isHexDigit) ? text : nil
    }

    /// Returns the text of a file without white space at its end, or `nil` if the file is empty or cannot be
    /// read.
    private static func text(of path: String) -> String? {
        guard let bytes = try? InputFile.read(path, limit: 1 << 22) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).isEmpty ? nil : trimmed(text)
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
