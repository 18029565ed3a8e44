internal import ErrorMapping
package import JSON
package import MdocModel
package import OpenSSLCrypto
package import ReaderIdentityStore

/// The file with the private key of a brand, as a token server names it: PEM, or as this computer's TPM wrapped it.
package struct TokenKeyFile: Equatable, Sendable {
    package let brand: TokenText
    /// `kid`.
    package let identifier: TokenText
    package let path: String

    package init(brand: TokenText, identifier: TokenText, path: String) {
        self.brand = brand
        self.identifier = identifier
        self.path = path
    }

    /// The list `keys` of a token server: of each brand the one key that signs.
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
                    "this brand is in the list already: name only the one key that signs for it")
            }
            files.append(file)
        }
        return files
    }

    /// What signs with the key, from a file that is its owner's alone.
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

/// Why a file has no key that signs tokens.
package enum TokenKeyFileError: Error, Equatable, Sendable {
    /// It cannot be read, or there is no private key in it.
    case file(path: String, IdentityStoreError)
    /// It is not a key of ES256.
    case key(path: String, ReaderTokensError)

    /// In plain words: which file, what is, and what to do.
    package var explanation: String {
        switch self {
        case .file(let path, .keyUnusable(let error)):
            "\(Terminal.safe(path)): \(IdentityStoreError.keyUnusable(error).explanation)"
        // Other conditions name the file themselves.
        case .file(_, let error): error.explanation
        case .key(let path, let error): "\(Terminal.safe(path)): \(error.explanation)"
        }
    }
}

/// A brand's private key, in memory or in the TPM, which signs tokens for its readers.
///
/// It describes itself by its type alone, and there is one of it: copies of it would be copies of the key.
package final class ReaderTokenSigner: Sendable {
    package let brand: TokenText
    package let keyIdentifier: TokenText
    private let key: PrivateKey

    /// Throws `signingKeyNotP256`.
    package init(
        _ key: consuming PrivateKey, _ keyIdentifier: TokenText, of brand: TokenText
    ) throws(ReaderTokensError) {
        guard key.curve == .p256 else { throw .signingKeyNotP256 }
        self.brand = brand
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Whether it is the private half of this key of a brand.
    package func isPrivateHalf(of brandKey: BrandKey) -> Bool {
        guard let half = try? key.publicKey() else { return false }
        return half.x == brandKey.x && half.y == brandKey.y
    }

    /// A token for one reader, to be used first within `lifetime` seconds from `now`.
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
