package import JSON
internal import OpenSSLCrypto
internal import PCSCTransport
internal import Reports

/// The version, the commit and the libraries of a program, for its `--version`.
package struct ProgramVersion {
    private let program: String

    /// - Parameter program: the name of the program.
    package init(of program: String) {
        self.program = program
    }

    private static var libraries: [(name: String, version: String)] {
        [("OpenSSL", OpenSSLVersion.text), ("PC/SC lite", PCSCLibrary.version)]
    }

    package var text: String {
        (["\(program) \(Version.number)", "commit: \(Checkout.current.text)"]
            + Self.libraries.map { "\($0.name): \(Terminal.safe($0.version))" }).joined(separator: "\n")
    }

    package var json: JSONValue {
        [
            "version": .string(Version.number),
            "commit": JSONValue(Checkout.current.commit),
            "commitNote": .string(Checkout.current.text),
            "libraries": .object(Self.libraries.map { ($0.name, .string($0.version)) }),
        ]
    }
}
