package import COSE
internal import FoundationEssentials
internal import JSON
internal import MdocModel
package import OpenSSLCrypto
internal import SystemPackage

package enum InputFile {
    /// The default limit for a message, in bytes.
    package static let messageLimit = 1 << 20

    /// The whole file. One that cannot be read is wrong usage, one longer than `limit` bytes malformed.
    package static func read(_ path: String, limit: Int = messageLimit) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            bytes = try file.closeAfter { try contents(of: file, upTo: limit + 1) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
        guard bytes.count <= limit else {
            throw .malformed("\(Terminal.safe(path)): longer than \(limit) bytes")
        }
        return bytes
    }

    private static func contents(of file: FileDescriptor, upTo limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let wanted = min(limit - bytes.count, 1 << 16)
            let chunk = try unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard !chunk.isEmpty else { break }
            bytes += chunk
        }
        return bytes
    }
}

/// A private key that was used when what is judged came: the reader's ephemeral one, or one for which wallets seal.
package enum PrivateKeyFile {
    private static let largestFile = 1 << 16

    /// The key on `curve` from a file, or from the standard input, that holds unencrypted PEM or the scalar in hexadecimal. A
    /// key on the command line is refused and not repeated: every program on the computer can read that.
    ///
    /// - Parameter curve: the only allowed curve. Without one, PEM may have any curve, and a scalar is on P-256.
    package static func read(
        _ argument: String, on curve: Curve? = nil, option: StaticString
    ) throws(CommandFailure) -> COSEKeyPair {
        let isStandardInput = argument == "-"
        guard isStandardInput || FileManager.default.fileExists(atPath: argument) else {
            throw .usage(
                "\(option) takes the name of a file that exists, or - for the standard input, and never the key itself"
            )
        }
        let text = try InputFile.read(isStandardInput ? "/dev/stdin" : argument, limit: largestFile)
        let expected = curve ?? .p256
        guard let key = key(in: text, curve: expected), curve == nil || key.privateKey.curve == curve else {
            throw .usage(
                "\(option) is neither an unencrypted PEM private key nor a hexadecimal scalar on \(expected)")
        }
        return key
    }

    /// `--reader-key`, which has to be the private half of the one that was sent.
    package static func read(
        _ argument: String, privateHalfOf eReaderKey: COSEKey
    ) throws(CommandFailure) -> COSEKeyPair {
        let key = try read(argument, on: eReaderKey.curve, option: "--reader-key")
        guard let sent = try? eReaderKey.publicKey(), key.privateKey.encodedPoint == sent.encodedPoint else {
            throw .usage("--reader-key is not the private half of the ephemeral key that the reader sent")
        }
        return key
    }

    private static func key(in text: [UInt8], curve: Curve) -> COSEKeyPair? {
        do throws(OpenSSLCryptoError) {
            guard let scalar = scalar(in: text) else { return COSEKeyPair(try PrivateKey(pem: text[...])) }
            return COSEKeyPair(try PrivateKey(curve: curve, scalar: scalar[...]))
        } catch {
            return nil
        }
    }

    private static func scalar(in text: [UInt8]) -> [UInt8]? {
        let digits = text.filter { !" \t\r\n".utf8.contains($0) }
        return digits.isEmpty ? nil : digits.bytesOfHexadecimal
    }
}
