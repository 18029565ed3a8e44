internal import Doctor
internal import JSON

/// Which configurations of this computer accept test documents.
struct TestDocumentFacts: Equatable, Sendable {
    /// `policy.json` of the store, which is the command line's.
    var isSetForStore = false
    /// The daemon's file.
    var isSetForDaemon = false

    static let daemonFile = "/etc/countersign/countersignd.json"
    private static let largestFile = 1 << 18

    static func current(in store: String, _ system: SystemFolder) -> TestDocumentFacts {
        TestDocumentFacts(
            isSetForStore: isSet(in: SystemFolder(root: "").text(of: "\(store)/policy.json")),
            isSetForDaemon: isSet(in: system.text(of: daemonFile)))
    }

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
            isSetForDaemon ? "the daemon's file \(Self.daemonFile)" : nil,
        ].compactMap(\.self)
        guard !files.isEmpty else { return [.ok(.testDocuments, "test documents are refused")] }
        return [
            .warning(
                .testDocuments,
                "acceptTestDocuments is set in \(files.joined(separator: " and ")): anybody can make a document that is accepted"
            )
        ]
    }
}
