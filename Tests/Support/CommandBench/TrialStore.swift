package import Foundation

/// A store for trials with the software wallet: its policy file takes the documents of a test issuer that has no
/// revocation list.
package enum TrialStore {
    private static let path: String = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-trial-\(UUID())")
        let policy = """
            {"acceptTestDocuments": true, "policies": {
              "rental": {"undetermined": "accept"}, "identity": {"undetermined": "accept"},
              "elements": {"undetermined": "accept"}
            }}
            """
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? Data(policy.utf8).write(to: folder.appending(path: "policy.json"))
        return folder.path
    }()

    /// What leads a command that judges answers to this store, where its arguments name no other.
    package static func environment(for arguments: [String]) -> [String: String] {
        guard let command = arguments.first, ["request", "verify"].contains(command) else {
            return [:]
        }
        return ["COUNTERSIGN_STORE": path]
    }
}
