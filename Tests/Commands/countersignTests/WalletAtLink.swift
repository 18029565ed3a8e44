import Foundation
import OtherPrograms
import Testing

/// `countersign wallet` serving one reader on a bench link, and `countersign request` with its root.
final class WalletAtLink {
    let wallet: BuiltProgram
    let address: String
    let root: String
    private let folder: TemporaryFolder

    /// A wallet with these further arguments.
    init(_ arguments: [String] = []) async throws {
        folder = try TemporaryFolder()
        root = folder.path("root.der")
        wallet = try BuiltProgram(
            "countersign",
            ["wallet", "--listen", "tcp://127.0.0.1:0", "--root", root, "--readers", "1"] + arguments)
        address = try await wallet.firstLine()
    }

    func path(_ name: String) -> String { folder.path(name) }

    /// `request` to this wallet, trusting its issuer unless other roots are given.
    func arguments(_ further: [String] = ["--age-over", "21", "--portrait"], trust: String? = nil) -> [String]
    {
        ["request"] + further + ["--connect", address, "--trust", trust ?? root]
    }

    func request(
        _ further: [String] = ["--age-over", "21", "--portrait"], trust: String? = nil
    ) async throws -> CommandRun {
        try await execute(arguments(further, trust: trust))
    }
}
