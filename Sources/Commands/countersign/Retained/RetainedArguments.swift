internal import ArgumentParser
internal import CommandLineInterface
internal import FoundationEssentials
internal import ReaderStore

/// `--store` and `--keys`: where retained data and its keys are.
struct RetainedArguments: ParsableArguments {
    @OptionGroup var store: StoreArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The folder of the keys.",
            discussion: "Without it COUNTERSIGN_KEYS, else the store's with -keys at its end.",
            valueName: "folder"))
    var keys: String?

    /// Does something with what is retained in a store that is there.
    func using<Value>(
        _ access: ReaderStore.Access, _ body: (RetainedRecords) throws(ReaderStoreError) -> Value
    ) throws(CommandFailure) -> Value {
        // A store that is not there is not set up for this.
        let reading = try TrustStoreAccess.reading(store.path)
        let opened =
            switch access {
            case .reading: reading
            case .changing: try TrustStoreAccess.changing(store.path)
            }
        let folder =
            keys ?? ProcessInfo.processInfo.environment["COUNTERSIGN_KEYS"].flatMap { $0.isEmpty ? nil : $0 }
        return try opened.using { store throws(ReaderStoreError) in
            try body(RetainedRecords(in: store, keysIn: folder))
        }
    }
}
