internal import Doctor
internal import FoundationEssentials
internal import Glibc
internal import JSON

/// The permissions and the free disk space of the store's folder.
struct StoreFacts: Sendable {
    /// A file or folder of the store.
    struct Entry: Sendable {
        /// The path relative to the store's folder. Empty for the folder itself.
        var path: String
        /// The nine permission bits.
        var mode: UInt32
        /// Whether the owner is this user or root.
        var isOwn = true
        /// Whether the file contains a private key.
        var isSecret: Bool { path.hasSuffix("key.pem") }
    }

    var folder: String
    /// The folder itself, then its files and folders. Empty if there is no store.
    var entries: [Entry]
    /// The free space of the disk in bytes, or `nil` if the system does not report it.
    var free: UInt64?
    /// The name of this user, if a part of the store belongs to another user.
    var user: String?
    /// Whether this user is root.
    var isRoot = false
    /// The owner of the folder, if this user is root and the folder belongs to another user: a name, or a
    /// number if the owner has no name.
    var owner: String?

    /// The largest number of files that are checked.
    private static let most = 2000

    static func current(in folder: String) -> StoreFacts {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder).sorted()) ?? []
        // If the folder is absent, there are no entries, which means that there is no store.
        let top = Entry(at: folder, named: "").map { [$0] } ?? []
        let entries = top + names.prefix(most).compactMap { Entry(at: "\(folder)/\($0)", named: $0) }
        return StoreFacts(
            folder: folder, entries: entries, free: free(at: folder),
            user: entries.allSatisfy(\.isOwn) ? nil : name(of: geteuid()), isRoot: geteuid() == 0,
            owner: owner(of: folder))
    }

    /// Returns the owner of a folder if this user is root and the folder belongs to another user.
    private static func owner(of folder: String) -> String? {
        var status = stat()
        guard geteuid() == 0, unsafe lstat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        return name(of: status.st_uid) ?? "\(status.st_uid)"
    }

    /// Returns the name of a user, or `nil` if the user has no name.
    private static func name(of user: uid_t) -> String? {
        guard let entry = unsafe getpwuid(user), let name = unsafe entry.pointee.pw_name else { return nil }
        return unsafe String(cString: name)
    }

    /// Returns the free space of the folder's disk. If the folder does not exist, its nearest existing parent
    /// is used.
    private static func free(at folder: String) -> UInt64? {
        var path = folder[...]
        var disk = statvfs()
        while unsafe statvfs(path.isEmpty ? "/" : String(path), &disk) != 0 {
            guard errno == ENOENT, let cut = path.lastIndex(of: "/") else { return nil }
            path = path[..<cut]
        }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    }
}

extension StoreFacts.Entry {
    /// Reads the permissions of a file. Returns `nil` if the file is absent or a symbolic link.
    fileprivate init?(at path: String, named name: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return nil }
        self.init(
            path: name, mode: status.st_mode & 0o777,
            isOwn: status.st_uid == geteuid() || status.st_uid == 0)
    }
}

extension StoreFacts {
    static let checks: [DoctorCheck.ID] = [.permissions, .space]

    /// The free space below which the check fails, in bytes.
    private static let leastSpace: UInt64 = 64 << 20
    /// The free space below which the check warns, in bytes.
    private static let littleSpace: UInt64 = 1 << 30
    /// The shell's word for the user who runs a command.
    private static let userVariable = "\"$USER\""

    var checks: [DoctorCheck] { [permissionsCheck, spaceCheck] }

    /// The check of owners and permissions. The check reports the most harmful fault.
    private var permissionsCheck: DoctorCheck {
        guard let top = entries.first else { return .skipped(.permissions, "there is no store yet") }
        if let owner {
            // A `chown` by root would take the store from the daemon's user. runuser needs a name.
            let command: CheckText =
                "runuser -u \(full: owner, shared: "USER") -- countersign doctor --store \(shown(top))"
            return .failed(
                .permissions, "\(shown(top)) belongs to another user: run this command as that user",
                fix: UInt32(owner) == nil ? .command(command) : nil)
        }
        if let foreign = entries.first(where: { !$0.isOwn }) {
            // The folder may be mistyped: root could take the files of other programs.
            guard !isRoot else {
                return .failed(
                    .permissions,
                    "\(shown(foreign)) belongs to another user: check that the folder is the store")
            }
            // The name replaces `$USER`, because root may paste the command of a doctor that ran as the
            // daemon's user.
            return .failed(
                .permissions, "\(shown(foreign)) belongs to another user",
                fix: .command(
                    "chown -R \(full: user ?? Self.userVariable, shared: Self.userVariable) \(shown(top))"))
        }
        // 0o022: the permission of other users to write. 0o077: all permissions of other users.
        if let open = entries.first(where: { $0.mode & 0o022 != 0 }) {
            return .failed(
                .permissions, "other users may write to \(shown(open)): check that nobody has changed it",
                fix: .command("chmod -R go-w \(shown(top))"))
        }
        if let secret = entries.first(where: { $0.isSecret && $0.mode & 0o077 != 0 }) {
            return .failed(
                .permissions,
                "other users may read the key \(shown(secret)): if somebody may have read the key, make a new identity",
                fix: .command("chmod go= \(shown(secret))"))
        }
        return top.mode & 0o077 != 0
            ? .warning(
                .permissions, "other users may list the files in \(shown(top))",
                fix: .command("chmod 700 \(shown(top))"))
            : .ok(.permissions, "only the owner of the store may use it")
    }

    private var spaceCheck: DoctorCheck {
        guard let free else { return .skipped(.space, "the system does not report the free space") }
        let text: CheckText = "\(free >> 20) MiB free"
        return free < Self.leastSpace
            ? .failed(.space, text) : free < Self.littleSpace ? .warning(.space, text) : .ok(.space, text)
    }

    /// Returns the path of an entry for the text of a check. The shared form, for a support bundle, hides the
    /// path and only shows whether the entry is a key.
    private func shown(_ entry: Entry) -> CheckText {
        let word = entry.isSecret ? "STORE/…/key.pem" : entry.path.isEmpty ? "STORE" : "STORE/…"
        return "\(full: entry.path.isEmpty ? folder : "\(folder)/\(entry.path)", shared: word)"
    }
}

/// The configurations of this computer that accept test documents.
struct TestDocumentFacts: Equatable, Sendable {
    /// Whether the store's `policy.json`, which applies to the command line, accepts test documents.
    var isSetForStore = false
    /// Whether the daemon's configuration accepts test documents.
    var isSetForDaemon = false

    /// The path of the daemon's configuration.
    static let daemonFile = "/etc/countersign/countersignd.json"
    private static let largestFile = 1 << 18

    static func current(in store: String, _ system: SystemFolder) -> TestDocumentFacts {
        // `SystemFolder(root: "")` reads the real store even in tests, which pass another `system` for the
        // other files.
        TestDocumentFacts(
            isSetForStore: isSet(in: SystemFolder(root: "").text(of: "\(store)/policy.json")),
            isSetForDaemon: isSet(in: system.text(of: daemonFile)))
    }

    /// Returns whether `acceptTestDocuments` is true in a JSON file. A malformed file counts as false,
    /// because the program that uses the file refuses it.
    private static func isSet(in file: String?) -> Bool {
        guard let file, let text = try? JSONText(Array(file.utf8)[...], limit: largestFile),
            let members = try? text.entries(upTo: 256)
        else { return false }
        return members.contains { $0.name == "acceptTestDocuments" && (try? $0.value.boolean()) == true }
    }
}

extension TestDocumentFacts {
    static let checks: [DoctorCheck.ID] = [.testDocuments]

    var checks: [DoctorCheck] {
        let files = [
            isSetForStore ? "policy.json of the store" : nil,
            isSetForDaemon ? "the daemon's configuration \(Self.daemonFile)" : nil,
        ].compactMap(\.self)
        guard !files.isEmpty else { return [.ok(.testDocuments, "test documents are refused")] }
        return [
            .warning(
                .testDocuments,
                "acceptTestDocuments is set in \(files.joined(separator: " and ")), so anybody can make a document that is accepted: remove the setting when the trial is over"
            )
        ]
    }
}
