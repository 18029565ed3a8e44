internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// Obtains the kiosk's certificate from the hub with a one-time code. Renews the certificate with the kiosk's
/// key when at most a third of the certificate's lifetime is left.
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
                "the kiosk has no certificate: set fleet.codeFile to a file with the code that countersign-hub kiosk invite prints"
            )
        }
        // The key is made only after a one-time code was found. If a computer's disk is copied before the
        // enrolment, the copies therefore do not share a key.
        let own = try mapping(request(), \IdentityStoreError.hubError)
        if let present, settings.now().secondsSince1970 < present.notAfter {
            // The hub limits how many certificate requests it answers at the same time. Requests with a
            // kiosk's certificate have a separate limit, which unknown clients cannot use up. If the kiosk's
            // certificate cannot be used, the request is sent again below without the certificate.
            switch await ask(own, [], as: folder) {
            case .failure(.unreachable), .failure(.file): break
            case let answer: return try save(answer.get(), after: present)
            }
        }
        let authorization = code.map { [("Authorization", "Bearer \($0)")] } ?? []
        var answer = await ask(own, authorization)
        if case .failure(.refused(_, "codeRefused", _)) = answer {
            // The code may have been spent by an earlier request whose answer was lost. In that case, the hub
            // has already enrolled the key, and issues a certificate without a code.
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

    /// Requests a certificate from the hub.
    ///
    /// - Parameter shown: The folder with the certificate that the kiosk presents in TLS, or `nil` to present
    ///   none.
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

    /// Sends the request. An error is returned and not thrown, so that `ask` closes the client after a
    /// failure too.
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
        // The hub compares the organisation with the name of its fleet chain, and reads the kiosk's name from
        // the common name.
        let subject = DistinguishedName([
            (.organizationName, settings.membership.chain.text),
            (.commonName, settings.membership.kiosk.text),
        ])
        return try mapping(
            CertificationRequest(subject: subject).sign(with: key), IdentityStoreError.keyUnusable)
    }

    /// Returns the one-time code from `codeFile`, or `nil` if the settings contain no `codeFile`.
    private func code() throws(HubError) -> String? {
        guard let file = settings.codeFile else { return nil }
        return try mapping(
            PrivateFile.withSecret(file) { bytes throws(IdentityStoreError) in
                // The code ends before the first character that is not visible, because the file may end with
                // a line break.
                String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7f }.prefix(128), as: UTF8.self)
            }, \IdentityStoreError.hubError)
    }

    /// Throws if a certificate is not for the kiosk's key. With such a certificate, every later TLS
    /// connection would fail.
    private func check(_ pem: [UInt8]) throws(HubError) {
        let key = try mapping(folder.key(), \IdentityStoreError.hubError)
        let own = try mapping(key.publicKey().subjectPublicKeyInfo) { (error: OpenSSLCryptoError) in
            IdentityStoreError.keyUnusable(error).hubError
        }
        // `certificates(fromPEMOrDER:)` throws for bytes without a certificate, so the list is never empty
        // here.
        guard let certificate = try? certificates(fromPEMOrDER: pem[...])[0],
            certificate.subjectPublicKeyInfo.encoding.elementsEqual(own)
        else { throw .malformed }
    }
}

extension IdentityStoreError {
    fileprivate var hubError: HubError { .file(explanation) }
}
