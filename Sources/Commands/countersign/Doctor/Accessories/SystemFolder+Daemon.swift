internal import Doctor
internal import JSON

extension SystemFolder {
    /// The largest configuration that is read, in bytes.
    private static let largestConfiguration = 1 << 18

    /// Returns a member of the daemon's configuration, or `nil` if the file is absent, unreadable or malformed, or has no
    /// such member.
    ///
    /// Faults of other members do not matter, because the daemon itself refuses such a file.
    func daemonMember(_ name: String) -> JSONText? {
        guard let file = text(of: TestDocumentFacts.daemonFile),
            let text = try? JSONText(Array(file.utf8)[...], limit: Self.largestConfiguration)
        else { return nil }
        return try? text.entries(upTo: 256).first { $0.name == name }?.value
    }

    /// Returns whether systemd runs a service, or `nil` if systemd's control groups cannot be seen, as in a container.
    ///
    /// The control group of a unit exists exactly while the service runs.
    func runsService(_ name: String) -> Bool? {
        let slice = "/sys/fs/cgroup/system.slice"
        return has(slice) ? has("\(slice)/\(name).service") : nil
    }
}
