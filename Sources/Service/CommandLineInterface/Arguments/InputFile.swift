package import COSE
internal import FoundationEssentials
internal import JSON
internal import MdocModel
package import OpenSSLCrypto
internal import SystemPackage

/// Functions that read files which a user names on the command line.
package enum InputFile {
    /// The default limit for a message: 1 MiB, in bytes.
    package static let messageLimit = 1 << 20

    /// Reads a whole file.
    ///
    /// - Throws: Status 64 (usage) if the file cannot be read, 65 (malformed) if it is longer than `limit`
    ///   bytes.
    package static func read(_ path: String, limit: Int = messageLimit) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly)
            // One byte more than the limit shows that the file is too long.
            bytes = try file.closeAfter { try contents(of: file, upTo: limit + 1) }
        } catch {
            throw .usage("\(Terminal.safe(path)): \(error)")
        }
        guard bytes.count <= limit else {
            throw .malformed("\(Terminal.safe(path)): the file is longer than \(limit) bytes")
        }
        return bytes
    }

    /// Reads to the end of the file, but at most `limit` bytes. The size of the file is not queried, because
    /// a pipe has no size.
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

/// Functions that read the private key with which a stored answer is decrypted or checked: the reader's
/// ephemeral key, or the key that a wallet encrypts to.
package enum PrivateKeyFile {
    /// The maximum size of a key file, in bytes.
    private static let largestFile = 1 << 16

    /// Reads a key from a file, or from the standard input if `argument` is `-`. The input is unencrypted PEM
    /// or the scalar in hexadecimal.
    ///
    /// A key as the argument itself is refused, because every program on the computer can read command lines.
    /// The error does not repeat the argument.
    ///
    /// - Parameter curve: The only allowed curve. If `nil`, PEM may have any curve, and a scalar is on P-256.
    package static func read(
        _ argument: String, on curve: Curve? = nil, option: StaticString
    ) throws(CommandFailure) -> COSEKeyPair {
        // The existence of the file is checked first, because the error of a failed attempt to open it would
        // contain the argument, which may be the key itself.
        let isStandardInput = argument == "-"
        guard isStandardInput || FileManager.default.fileExists(atPath: argument) else {
            throw .usage(
                "\(option): give the name of an existing file, or - for the standard input, and never the key itself"
            )
        }
        let text = try InputFile.read(isStandardInput ? "/dev/stdin" : argument, limit: largestFile)
        let expected = curve ?? .p256
        guard let key = key(in: text, curve: expected), curve == nil || key.privateKey.curve == curve else {
            throw .usage(
                "\(option): the file holds neither an unencrypted PEM private key nor a hexadecimal scalar on \(expected)"
            )
        }
        return key
    }

    /// Reads the reader's private key in the file of `--reader-key`.
    ///
    /// - Throws: Status 64 (usage) if the key is not the private half of `eReaderKey`, the key that the
    ///   reader sent.
    package static func read(
        _ argument: String, privateHalfOf eReaderKey: COSEKey
    ) throws(CommandFailure) -> COSEKeyPair {
        let key = try read(argument, on: eReaderKey.curve, option: "--reader-key")
        guard let sent = try? eReaderKey.publicKey(), key.privateKey.encodedPoint == sent.encodedPoint else {
            throw .usage(
                "--reader-key: this key is not the private half of the ephemeral key that the reader sent")
        }
        return key
    }

    /// Parses hexadecimal text as a scalar on `curve`, and any other text as PEM.
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
