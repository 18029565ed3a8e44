internal import PresentationService
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import MdocModel
internal import OpenSSLCrypto
package import ReaderIdentityStore
internal import Synchronization

/// The sign-in of browser pages, which have no token of their own.
///
/// A caller with the scope of a page requests a sign-in code, which works once within 60 seconds, or three
/// words, which a person types on another device (`OpenPairings`). The page exchanges either for a cookie.
///
/// The cookie is a message authentication code over the caller's credential, the page and the lane. The
/// cookie needs no list of sessions and survives a restart. The cookie stops working when the token or user
/// is removed from the configuration or loses the scope.
package final class PageSessions: Sendable {
    /// A one-time sign-in code that was made and not used yet.
    private struct Code: Sendable {
        let text: String
        let place: PagePlace
        let caller: KnownCaller
        let made: ContinuousClock.Instant
    }

    /// The time for which a sign-in code is valid, in seconds.
    static let codeSeconds = 60
    /// The time for which a browser keeps the cookie: 400 days, the maximum (RFC 6265bis).
    private static let cookieSeconds = 400 * 86_400
    /// The maximum number of unused sign-in codes of one caller. Another code replaces the caller's oldest
    /// code.
    private static let mostCodes = 64
    /// The maximum number of cookies that `places` verifies in one request. Everybody may send such a
    /// request, and for each cookie a message authentication code is computed for each caller.
    private static let mostCookies = 8
    private static let keySize = 32

    private let key: SecretBytes
    private let codes = Mutex<[Code]>([])
    private let pairings = Mutex(OpenPairings())

    /// Reads the key that authenticates the cookies of pages.
    ///
    /// - Parameter folder: the store's folder, which contains the key. The key is created if absent.
    package init(store folder: String) throws(IdentityStoreError) {
        key = try Self.key(at: "\(folder)/page-key")
    }

    /// Reads the key that authenticates cookies. Creates the key if its file is absent.
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

    /// Makes a one-time code with which a page can sign in with the caller's rights.
    ///
    /// - Throws: `forbidden` if the caller may not open the page, or is itself a page.
    func makeCode(
        for place: PagePlace, by caller: KnownCaller, at now: ContinuousClock.Instant = .now
    ) throws(APIProblem) -> String {
        guard !caller.isPage, caller.opens(place) else { throw .forbidden }
        guard let text = try? randomBytes(16).hexadecimal else { throw .failed }
        codes.withLock { codes in
            codes.removeAll { Self.isOver($0, at: now) }
            // New codes are appended. The first of the caller's codes is therefore the oldest.
            let own = codes.indices.filter { codes[$0].caller.credential == caller.credential }
            if own.count >= Self.mostCodes, let oldest = own.first { codes.remove(at: oldest) }
            codes.append(Code(text: text, place: place, caller: caller, made: now))
        }
        return text
    }

    private static func isOver(_ code: Code, at now: ContinuousClock.Instant) -> Bool {
        now - code.made >= .seconds(codeSeconds)
    }

    /// Uses up a sign-in code, and returns its page and the value of the page's cookie.
    ///
    /// - Throws: `pageCodeRefused` if the code is unknown, used or too old, or if its caller has lost a right
    ///   since.
    func redeem(
        _ text: String, under rules: AccessRules, at now: ContinuousClock.Instant = .now
    ) throws(APIProblem) -> (place: PagePlace, cookie: String) {
        let code = codes.withLock { codes -> Code? in
            guard let index = codes.firstIndex(where: { $0.text == text }) else { return nil }
            return codes.remove(at: index)
        }
        guard let code, !Self.isOver(code, at: now), rules.allow(code.caller) else { throw .pageCodeRefused }
        return (code.place, try newCookie(of: code.caller, at: code.place))
    }

    private func newCookie(of caller: KnownCaller, at place: PagePlace) throws(APIProblem) -> String {
        try mapping(cookie(of: caller.credential, at: place)) { (_: OpenSSLCryptoError) in
            APIProblem.failed
        }.hexadecimal
    }

    // MARK: Words

    /// Makes three words with which a page can sign in with the caller's rights.
    ///
    /// - Throws: `forbidden` if the caller may not open the page, or is itself a page.
    func makeWords(
        for place: PagePlace, by caller: KnownCaller, at now: ContinuousClock.Instant = .now
    ) throws(APIProblem) -> String {
        guard !caller.isPage, caller.opens(place) else { throw .forbidden }
        guard let words = try? PairingWords() else { throw .failed }
        pairings.withLock { $0.add(words, for: place, by: caller, at: now) }
        return words.text
    }

    /// Uses up typed words, and returns their page and the value of the page's cookie.
    ///
    /// - Parameter ended: called if this try made all unused words invalid.
    /// - Throws: `pageWordsRefused` if the words are wrong, used or too old, or if their caller has lost a
    ///   right since.
    func redeem(
        words text: String, under rules: AccessRules, at now: ContinuousClock.Instant = .now,
        ended: () -> Void = {}
    ) throws(APIProblem) -> (place: PagePlace, cookie: String) {
        switch pairings.withLock({ $0.redeem(text, at: now) }) {
        case .accepted(let place, let caller):
            guard rules.allow(caller) else { throw .pageWordsRefused }
            return (place, try newCookie(of: caller, at: place))
        case .refused: throw .pageWordsRefused
        case .refusedAndEnded:
            ended()
            throw .pageWordsRefused
        }
    }

    // MARK: Cookies

    /// The header value that sets the cookie of a page.
    static func field(_ value: String, at place: PagePlace, isSecure: Bool) -> String {
        "\(prefix)\(place.name)=\(value); Path=/; Max-Age=\(cookieSeconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// The caller whose cookie a page sent, limited to that page, or `nil` if the cookie belongs to no known
    /// caller.
    func caller(of request: Request, under rules: AccessRules) -> KnownCaller? {
        guard let place = PagePlace(of: request),
            let cookie = Self.cookies(in: request).first(where: { $0.page == place.name })
        else { return nil }
        return caller(with: cookie.value, at: place, under: rules)?.at(place)
    }

    /// The pages for which a request has valid cookies. Only the first `mostCookies` cookies of pages are
    /// verified; further ones are ignored.
    ///
    /// - Parameter lanes: the names of the lanes. A cookie outlives a lane that was removed from the configuration.
    func places(of request: Request, at lanes: [String], under rules: AccessRules) -> [PagePlace] {
        let named = Self.cookies(in: request).compactMap { name, value in
            PagePlace(named: String(name)).map { (place: $0, value: value) }
        }
        return named.filter { $0.place.lane.map(lanes.contains) ?? true }
            .prefix(Self.mostCookies)
            .filter { caller(with: $0.value, at: $0.place, under: rules) != nil }
            .map { $0.place }
    }

    /// The caller to whom a page's cookie belongs, or `nil` if it belongs to no known caller.
    private func caller(
        with value: Substring, at place: PagePlace, under rules: AccessRules
    ) -> KnownCaller? {
        // Digests are compared, so that the time depends neither on the length nor on the first equal
        // characters.
        let given = Digest(.sha256, of: Array(value.utf8)[...])
        return rules.callers(for: place).first { caller in
            guard let expected = try? cookie(of: caller.credential, at: place).hexadecimal else {
                return false
            }
            return given.equals(Digest(.sha256, of: Array(expected.utf8)[...]).bytes[...])
        }
    }

    /// The names of pages and the values of their cookies in the headers of a request, in their order.
    private static func cookies(in request: Request) -> [(page: Substring, value: Substring)] {
        request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(prefix), let end = pair.firstIndex(of: "=") else { return nil }
            return (pair[..<end].dropFirst(prefix.count), pair[pair.index(after: end)...])
        }
    }

    /// The beginning of the name of each page's cookie.
    private static let prefix = "countersign-"

    /// Returns the value of a page's cookie. The cookie gives the page the rights of the caller with this
    /// credential.
    private func cookie(
        of credential: KnownCaller.Credential, at place: PagePlace
    ) throws(OpenSSLCryptoError) -> [UInt8] {
        try hmacSHA256(key: key, over: [credential.bytes[...], Array(place.name.utf8)[...]])
    }
}

extension KnownCaller.Credential {
    /// The bytes of the credential that the cookie authenticates. The page's name follows them in the input
    /// of the HMAC. Each kind of credential has a fixed length, so that no other credential and name have the
    /// same joined bytes.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .token(let digest): [0] + digest
        case .user(let number): [1] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}
