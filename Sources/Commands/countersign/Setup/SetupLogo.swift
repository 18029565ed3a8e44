internal import CommandLineInterface
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderTokens

/// The shop's logo, which is copied to where the daemon reads it.
struct SetupLogo {
    let png: [UInt8]

    init(_ path: String) throws(CommandFailure) {
        png = try BrandLogo(file: path).png
    }

    static func fault(of path: String) -> String? {
        do throws(CommandFailure) {
            _ = try SetupLogo(path)
            return nil
        } catch {
            return error.message
        }
    }

    /// A file beside the configuration, named for its bytes: another logo never takes its place.
    func path(beside config: String) -> String {
        let folder = config.prefix(
            upTo: config.lastIndex(of: "/").map(config.index(after:)) ?? config.startIndex)
        return "\(folder)logo-\(Digest(.sha256, of: png[...]).bytes.hexadecimal.prefix(8)).png"
    }
}
