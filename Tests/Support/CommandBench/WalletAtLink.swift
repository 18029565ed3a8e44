package import Foundation
package import OtherPrograms
package import Testing

/// `countersign-lab wallet` serving one reader on a bench link, and `countersign request` with its root.
package final class WalletAtLink {
    package let wallet: BuiltProgram
    package let address: String
    package let root: String
    private let folder: TemporaryFolder

    /// A wallet with these further arguments.
    package init(_ arguments: [String] = []) async throws {
        folder = try TemporaryFolder()
        root = folder.path("root.der")
        wallet = try BuiltProgram(
            "countersign-lab",
            ["wallet", "--listen", "tcp://127.0.0.1:0", "--root", root, "--readers", "1"] + arguments)
        address = try await wallet.firstLine()
    }

    package func path(_ name: String) -> String { folder.path(name) }

    /// `request` to this wallet, trusting its issuer unless other roots are given.
    package func arguments(_ further: [String] = ["--age-over", "21", "--portrait"], trust: String? = nil)
        -> [String]
    {
        ["request"] + further + ["--connect", address, "--trust", trust ?? root]
    }

    package func request(
        _ further: [String] = ["--age-over", "21", "--portrait"], trust: String? = nil
    ) async throws -> CommandRun {
        try await execute(arguments(further, trust: trust))
    }
}
