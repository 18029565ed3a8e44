internal import ErrorMapping
package import JSON
package import MdocModel
package import OpenSSLCrypto
package import ReaderIdentityStore

/// The file with a brand's private key, as configured for a token server. The key is in PEM, or wrapped by
/// this computer's TPM.
package struct TokenKeyFile: Equatable, Sendable {
    package let brand: TokenText
    /// The key identifier, the header member `kid` of tokens.
    package let identifier: TokenText
    package let path: String

    package init(brand: TokenText, identifier: TokenText, path: String) {
        self.brand = brand
        self.identifier = identifier
        self.path = path
    }

    /// Reads the list `keys` of a token server's configuration: one signing key for each brand.
    package static func list(_ text: JSONText) throws(JSONFault) -> [TokenKeyFile] {
        var files: [TokenKeyFile] = []
        for entry in try text.array() {
            let members = try entry.members(["brand", "kid", "keyFile"])
            let file = TokenKeyFile(
                brand: try members.required("brand").tokenText(),
                identifier: try members.required("kid").tokenText(),
                path: try members.required("keyFile").absolutePath())
            guard !files.contains(where: { $0.brand == file.brand }) else {
                throw entry.wrong(
                    "this brand is in the list already: give one key for each brand")
            }
            files.append(file)
        }
        return files
    }

    /// Reads the key and returns its signer. Refuses a file that other users can read.
    package func signer() throws(TokenKeyFileError) -> ReaderTokenSigner {
        let key = try mapping(PrivateFile.key(path)) { (error: IdentityStoreError) in
            TokenKeyFileError.file(path: path, error)
        }
        do throws(ReaderTokensError) {
            return try ReaderTokenSigner(key, identifier, of: brand)
        } catch {
            throw .key(path: path, error)
        }
    }
}

/// The reason why a file has no key that can sign tokens.
package enum TokenKeyFileError: Error, Equatable, Sendable {
    /// The file cannot be read, or has no private key.
    case file(path: String, IdentityStoreError)
    /// The key is not on P-256, which ES256 requires.
    case key(path: String, ReaderTokensError)

    /// A text that says which file is affected, what is wrong, and what to do.
    package var explanation: String {
        switch self {
        case .file(let path, .keyUnusable(let error)):
            "\(Terminal.safe(path)): \(IdentityStoreError.keyUnusable(error).explanation)"
        // The explanations of other errors contain the path already.
        case .file(_, let error): error.explanation
        case .key(let path, let error): "\(Terminal.safe(path)): \(error.explanation)"
        }
    }
}

/// A brand's private key in memory or in the TPM, which signs tokens for the brand's readers.
///
/// The type is a class, so that the key is never copied. A description of a signer shows only its type.
package final class ReaderTokenSigner: Sendable {
    package let brand: TokenText
    package let keyIdentifier: TokenText
    private let key: PrivateKey

    /// Creates a signer. Throws `signingKeyNotP256` for a key on another curve.
    package init(
        _ key: consuming PrivateKey, _ keyIdentifier: TokenText, of brand: TokenText
    ) throws(ReaderTokensError) {
        guard key.curve == .p256 else { throw .signingKeyNotP256 }
        self.brand = brand
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Whether this key is the private half of `brandKey`.
    package func isPrivateHalf(of brandKey: BrandKey) -> Bool {
        guard let half = try? key.publicKey() else { return false }
        return half.x == brandKey.x && half.y == brandKey.y
    }

    /// Returns a token for one reader, whose first use must be within `lifetime` seconds from `now`.
    package func sign(
        for instance: ReaderInstance, audience: TokenText, at now: Timestamp,
        lifetime: Int64 = ReaderToken.longestLifetime
    ) throws(ReaderTokensError) -> String {
        guard lifetime > 0 else { throw .lifetimeNotPositive }
        guard lifetime <= ReaderToken.longestLifetime else { throw .lifetimeTooLong }
        // No character of a `TokenText` is escaped in JSON.
        let header = """
            {"alg":"\(ReaderToken.algorithm)","kid":"\(keyIdentifier.text)","typ":"\(ReaderToken.type)"}
            """
        let issued = now.secondsSince1970
        let claims = """
            {"iss":"\(brand.text)","sub":"\(instance.text.text)","aud":"\(audience.text)",\
            "iat":\(issued),"exp":\(issued + lifetime)}
            """
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        do throws(OpenSSLCryptoError) {
            let signature = try key.sign(
                [Array(input.utf8)[...]], algorithm: .ecdsa(.sha256), form: .fixedWidth)
            return "\(input).\(Base64URL.encode(signature))"
        } catch {
            throw .signingFailed
        }
    }
}

extension ReaderTokenSigner: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
