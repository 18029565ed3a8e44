internal import JSON
internal import OpenSSLCrypto
internal import PCSCTransport
internal import Reports

extension Version {
    private static var libraries: [(name: String, version: String)] {
        [("OpenSSL", OpenSSLVersion.text), ("PC/SC lite", PCSCLibrary.version)]
    }

    static var text: String {
        (["countersign \(number)", "commit: \(Checkout.current.text)"]
            + libraries.map { "\($0.name): \(Terminal.safe($0.version))" }).joined(separator: "\n")
    }

    static var json: JSONValue {
        [
            "version": .string(number),
            "commit": JSONValue(Checkout.current.commit),
            "commitNote": .string(Checkout.current.text),
            "libraries": .object(libraries.map { ($0.name, .string($0.version)) }),
        ]
    }
}
