package import PCSCBench

/// One USB reader in software, plugged in for a test, and the phones that are held to its antenna.
package enum USBReader {
    /// Unplugs it in the end, and what went wrong with it goes.
    package static func plugged<Result>(
        _ model: USBReaderModel, _ options: String..., perform: (VirtualReader) async throws -> Result
    ) async throws -> Result {
        let reader = try VirtualReader(await USBBench.plug(model, options))
        do {
            let result = try await perform(reader)
            try await away(reader)
            return result
        } catch {
            try await away(reader)
            throw error
        }
    }

    private static func away(_ reader: VirtualReader) async throws {
        reader.wake()
        reader.lift()
        for fault in USBBench.Fault.allCases { try await USBBench.clear(fault) }
        try await USBBench.unplug()
    }
}
