internal import Foundation
internal import JSON

/// The clerk's page of a `countersignd` that runs for this program alone. That daemon reads the document and decides
/// by the clerk's word: this process gets nothing of the document.
struct ClerkPage: Sendable {
    /// Its `PATH` leads to the programs.
    let environment: [String: String]
    /// Members of the daemon's lane in place of reader and adapter.
    var device: [(String, JSONValue)]?

    /// What the page is opened with.
    struct Programs {
        let daemon: URL
        let browser: URL
    }

    /// Throws what is missing, before anything is started.
    func programs(for setup: MobileDocumentReader.Setup) throws(MobileDocumentReaderError) -> Programs {
        guard let daemon = program("countersignd") else { throw .unsupported(.pageDaemonMissing) }
        guard let browser = program("xdg-open") else { throw .unsupported(.pageBrowserMissing) }
        let screens = ["DISPLAY", "WAYLAND_DISPLAY"].compactMap { environment[$0] }
        guard screens.contains(where: { !$0.isEmpty }) else { throw .unsupported(.pageScreenMissing) }
        guard case .store = setup.trust else { throw .unsupported(.pageRoots) }
        guard setup.presenter == nil else { throw .unsupported(.pagePresenter) }
        return Programs(daemon: daemon, browser: browser)
    }

    private func program(_ name: String) -> URL? {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

extension MobileDocumentReaderError {
    static func unsupported(_ fault: DisplayFault) -> Self { .notSupported(.displayUnavailable(fault)) }
    static func unavailable(_ fault: DisplayFault) -> Self { .serviceUnavailable(.displayUnavailable(fault)) }
}
