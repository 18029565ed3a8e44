internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import MdocModel
internal import OpenSSLCrypto
package import ReaderIdentityStore
internal import Synchronization

/// Lets pages in without a token of theirs: a caller with the scope of a page has a code made, which works once and soon, and the
/// page changes it into a cookie.
///
/// A cookie is a message authentication code over the credential, the page and the lane: so it survives a restart, and is over once
/// the token or the user is not in the file any more, or may do less.
package final class PageSessions: Sendable {
    private struct Code: Sendable {
        let text: String
        let place: PagePlace
        let caller: KnownCaller
        let made: ContinuousClock.Instant
    }

    /// For how long a code works, in seconds.
    static let codeSeconds = 60
    /// As long as browsers keep a cookie: 400 days (RFC 6265bis).
    private static let cookieSeconds = 400 * 86_400
    /// How many codes of one caller wait to be used; for a further one its own oldest is forgotten.
    private static let mostCodes = 64
    private static let keySize = 32

    private let key: SecretBytes
    private let codes = Mutex<[Code]>([])

    /// - Parameter folder: the store's, where the key of the cookies is kept; made if absent.
    package init(store folder: String) throws(IdentityStoreError) {
        key = try Self.key(at: "\(folder)/page-key")
    }

    private static func key(at path: String) throws(IdentityStoreError) -> SecretBytes {
        do throws(IdentityStoreError) {
            return try read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            let fresh = try mapping(SecretBytes.random(keySize), IdentityStoreError.keyUnusable)
            try fresh.withUnprotectedBytes { bytes throws(IdentityStoreError) in
                try PrivateFile.replace(path, with: bytes)
            }
            return try read(path)
        }
    }

    private static func read(_ path: String) throws(IdentityStoreError) -> SecretBytes {
        try PrivateFile.withSecret(path) { bytes throws(IdentityStoreError) in
            guard bytes.count == keySize else { throw .keyUnusable(.keySizeWrong) }
            return SecretBytes(copying: bytes)
        }
    }

    // MARK: Codes

    /// A code with which a page gets the caller's right to be there.
    func makeCode(
        for place: PagePlace, by caller: KnownCaller, at now: ContinuousClock.Instant = .now
    ) throws(APIProblem) -> String {
        guard !caller.isPage, caller.opens(place) else { throw .forbidden }
        guard let text = try? randomBytes(16).hexadecimal else { throw .failed }
        codes.withLock { codes in
            codes.removeAll { Self.isOver($0, at: now) }
            let own = codes.indices.filter { codes[$0].caller.credential == caller.credential }
            if own.count >= Self.mostCodes, let oldest = own.first { codes.remove(at: oldest) }
            codes.append(Code(text: text, place: place, caller: caller, made: now))
        }
        return text
    }

    private static func isOver(_ code: Code, at now: ContinuousClock.Instant) -> Bool {
        now - code.made >= .seconds(codeSeconds)
    }

    /// Spends a code, and returns its place and the value of the page's cookie.
    func take(
        _ text: String, under rules: AccessRules, at now: ContinuousClock.Instant = .now
    ) throws(APIProblem) -> (place: PagePlace, cookie: String) {
        let code = codes.withLock { codes -> Code? in
            guard let index = codes.firstIndex(where: { $0.text == text }) else { return nil }
            return codes.remove(at: index)
        }
        guard let code, !Self.isOver(code, at: now), rules.allow(code.caller) else { throw .pageCodeRefused }
        let cookie = try mapping(self.cookie(of: code.caller.credential, at: code.place)) {
            (_: OpenSSLCryptoError) in APIProblem.failed
        }
        return (code.place, cookie.hexadecimal)
    }

    // MARK: Cookies

    /// The field that sets the cookie of a page.
    static func field(_ value: String, at place: PagePlace, isSecure: Bool) -> String {
        "countersign-\(place.name)=\(value); Path=/; Max-Age=\(cookieSeconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// Who asks from a page with a cookie; nil if the file has no such caller.
    func caller(of request: Request, under rules: AccessRules) -> KnownCaller? {
        guard let place = PagePlace(of: request), let value = Self.cookie(of: place, in: request) else {
            return nil
        }
        let given = Digest(.sha256, of: Array(value.utf8)[...])
        return rules.callers(for: place).first { caller in
            guard let expected = try? cookie(of: caller.credential, at: place).hexadecimal else {
                return false
            }
            return given.equals(Digest(.sha256, of: Array(expected.utf8)[...]).bytes[...])
        }?.at(place)
    }

    private static func cookie(of place: PagePlace, in request: Request) -> Substring? {
        let name = "countersign-\(place.name)="
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                if pair.hasPrefix(name) { return pair.dropFirst(name.count) }
            }
        }
        return nil
    }

    private func cookie(
        of credential: KnownCaller.Credential, at place: PagePlace
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try hmacSHA256(key: key, over: [credential.bytes[...], Array(place.name.utf8)[...]])
    }
}

extension KnownCaller.Credential {
    /// Has one length for each kind, so that it cannot be confused with what follows.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .token(let digest): [0] + digest
        case .user(let number): [1] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}
