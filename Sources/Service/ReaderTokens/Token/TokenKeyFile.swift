internal import ErrorMapping
package import JSON
internal import OpenSSLCrypto
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
