package import ArgumentParser
package import FoundationEssentials

/// `--store`: the folder in which this computer's reader keeps what lasts.
package struct StoreArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The folder of the store.",
            discussion:
                "Without it COUNTERSIGN_STORE, else $XDG_DATA_HOME/countersign, else ~/.local/share/countersign.",
            valueName: "folder"))
    package var store: String?

    package init() {}

    package func validate() throws {
        guard store?.isEmpty != true else { throw ValidationError("--store takes a folder.") }
    }

    package var path: String {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = store ?? variable("COUNTERSIGN_STORE") { return path }
        // A relative path is to be ignored (XDG Base Directory Specification 0.8).
        if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/countersign" }
        return "\(variable("HOME") ?? "")/.local/share/countersign"
    }
}
