internal import CommandLineInterface
internal import Glibc
internal import JSON

/// The daemon's store, which its own user changes.
struct SetupStore {
    let path: String

    private var program: OwnProgram { OwnProgram(name: "countersign", asDaemon: true) }

    /// Whether the issuers of a file or folder are trusted now. What cannot be imported can be imported later.
    func importTrust(_ source: String) -> Bool {
        if (try? program.run(["trust", "import", source, "--store", path]))?.status == 0 { return true }
        Terminal.note(
            "nothing in \(Terminal.safe(source)) is trusted yet: the daemon's user must be able to read it")
        return false
    }

    /// The brand with its key, made where it is not there yet.
    /// - Parameter logo: a file that the daemon's user can read.
    func makeBrand(
        _ identifier: String, named name: String, logo: String?
    ) throws(CommandFailure) -> SetupBrand {
        let keyFile = "\(path)/\(identifier)-\(SetupBrand.kid).pem"
        if unsafe access(keyFile, F_OK) != 0 {
            try run(["brand", "add", identifier, "--name", name] + (logo.map { ["--logo", $0] } ?? []))
            try run(["brand", "key", "add", identifier, "--kid", SetupBrand.kid, "--generate", keyFile])
        }
        let instance = try run(["token", "instance"]).split(separator: "\n").first ?? ""
        return SetupBrand(identifier: identifier, keyFile: keyFile, instance: String(instance))
    }

    @discardableResult
    private func run(_ arguments: [String]) throws(CommandFailure) -> String {
        let (status, output) = try program.run(arguments + ["--store", path])
        guard status == 0 else {
            throw .usage(
                "the brand is not ready: `countersign \(arguments.prefix(2).joined(separator: " "))` says above why"
            )
        }
        return output
    }

    /// Makes the key of a reader identity, and the request for its certificate. Returns the file of the request, or nil if
    /// the identity cannot be made.
    func makeIdentity(
        _ name: String, of shop: String, in country: String, beside config: String
    ) throws(CommandFailure) -> String? {
        guard try program.run(["identity", "init", name, "--store", path]).status == 0 else {
            return nil
        }
        let subject = "CN=\(name),O=\(shop.filter { !",=+<>#;\\\"".contains($0) }),C=\(country)"
        let (status, request) = try program.run(
            ["identity", "csr", name, "--subject", subject, "--store", path])
        guard status == 0 else { return nil }
        let file = "\(config.dropLast(config.hasSuffix(".json") ? 5 : 0))-\(name).csr"
        try OutputFile.write(request.utf8, to: file)
        return file
    }
}
