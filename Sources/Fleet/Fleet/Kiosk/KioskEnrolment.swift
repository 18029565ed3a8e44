internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// Obtains the kiosk's certificate with a one-time code, and renews the certificate with the kiosk's key when
/// a third of its lifetime is left.
struct KioskEnrolment {
    private let settings: KioskSettings
    private let folder: FleetFolder
    private let log: Logger

    init(_ settings: KioskSettings, in folder: FleetFolder, log: Logger) {
        self.settings = settings
        self.folder = folder
        self.log = log
    }

    /// Obtains a certificate if the kiosk has none, or renews it if at most a third of its lifetime is left.
    ///
    /// - Returns: Whether the kiosk has a new certificate.
    func renew() async throws(HubError) -> Bool {
        let present = try mapping(folder.certificate(), \IdentityStoreError.hubError)
        if let present, !isDue(present) { return false }
        let code = present == nil ? try code() : nil
        if present == nil, code == nil {
            throw .file(
                "the kiosk has no certificate: set fleet.codeFile to the file with the code of countersign-hub kiosk invite"
            )
        }
        // The key is made only here, after a code was found, so that computers that are copied before their
        // enrolment do not share a key.
        let own = try mapping(request(), \IdentityStoreError.hubError)
        if let present, settings.now().secondsSince1970 < present.notAfter {
            // The hub limits the number of certificate requests at the same time. Kiosks that show their
            // certificate have a separate limit, which unknown clients cannot use up. If the certificate
            // cannot be shown, the kiosk asks without it below.
            switch await ask(own, [], as: folder) {
            case .failure(.unreachable), .failure(.file): break
            case let answer: return try save(answer.get(), after: present)
            }
        }
        let authorization = code.map { [("Authorization", "Bearer \($0)")] } ?? []
        var answer = await ask(own, authorization)
        if case .failure(.refused(_, "codeRefused", _)) = answer {
            // The code may have been spent by an earlier request whose answer was lost. In that case, the hub
            // knows the key and answers a request without a code.
            let renewed = await ask(own, [])
            if case .success = renewed { answer = renewed }
        }
        return try save(answer.get(), after: present)
    }

    /// Checks and stores a new certificate. Always returns `true`, so that `renew` can return the result
    /// directly.
    private func save(_ pem: [UInt8], after present: Certificate?) throws(HubError) -> Bool {
        try check(pem)
        try mapping(folder.save(certificate: pem), \IdentityStoreError.hubError)
        log.notice(present == nil ? "the kiosk is enrolled" : "the kiosk's certificate is renewed")
        return true
    }

    /// Asks the hub for a certificate.
    ///
    /// - Parameter shown: The folder with the certificate to show, or `nil` to show none.
    private func ask(
        _ request: [UInt8], _ headers: [(String, String)], as shown: FleetFolder? = nil
    ) async -> Result<[UInt8], HubError> {
        do throws(HubError) {
            let hub = try HubClient(settings.hubs, authority: settings.authority, as: shown)
            let answer = await answer(of: hub, to: request, headers)
            await hub.end()
            return answer
        } catch {
            return .failure(error)
        }
    }

    /// Sends the request. Returns an error as a result, so that `ask` closes the client after a failure too.
    private func answer(
        of hub: HubClient, to request: [UInt8], _ headers: [(String, String)]
    ) async -> Result<[UInt8], HubError> {
        do throws(HubError) {
            return .success(
                try await hub.post(
                    "/fleet/v1/certificates", request, type: "application/pkcs10", headers: headers))
        } catch {
            return .failure(error)
        }
    }

    /// Whether at most a third of the certificate's lifetime is left.
    private func isDue(_ certificate: Certificate) -> Bool {
        let lifetime = certificate.notAfter - certificate.notBefore
        return settings.now().secondsSince1970 > certificate.notAfter - lifetime / 3
    }

    /// Returns a certification request (PKCS #10) for the kiosk's key, which is created if it does not exist.
    private func request() throws(IdentityStoreError) -> [UInt8] {
        let key = try folder.key()
        // The hub compares the organisation with its chain, and takes the kiosk from the common name.
        let subject = DistinguishedName([
            (.organizationName, settings.membership.chain.text),
            (.commonName, settings.membership.kiosk.text),
        ])
        return try mapping(
            CertificationRequest(subject: subject).sign(with: key), IdentityStoreError.keyUnusable)
    }

    /// Returns the code in the file, or `nil` if the settings name no file.
    private func code() throws(HubError) -> String? {
        guard let file = settings.codeFile else { return nil }
        return try mapping(
            PrivateFile.withSecret(file) { bytes throws(IdentityStoreError) in
                // Only visible characters, because the file may end with a line break.
                String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7f }.prefix(128), as: UTF8.self)
            }, \IdentityStoreError.hubError)
    }

    /// Refuses a certificate for another key than the kiosk's. With such a certificate, every later TLS
    /// connection would fail.
    private func check(_ pem: [UInt8]) throws(HubError) {
        let key = try mapping(folder.key(), \IdentityStoreError.hubError)
        let own = try mapping(key.publicKey().subjectPublicKeyInfo) { (error: OpenSSLCryptoError) in
            IdentityStoreError.keyUnusable(error).hubError
        }
        // The function throws for bytes without a certificate, so there is a first one.
        guard let certificate = try? certificates(fromPEMOrDER: pem[...])[0],
            certificate.subjectPublicKeyInfo.encoding.elementsEqual(own)
        else { throw .malformed }
    }
}

extension IdentityStoreError {
    fileprivate var hubError: HubError { .file(explanation) }
}
