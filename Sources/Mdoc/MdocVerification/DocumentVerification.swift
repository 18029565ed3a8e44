package import COSE
package import MdocModel
package import MdocTrust

/// What a response is verified against: all that is not in the response itself.
package struct VerificationContext: Sendable {
    package let transcript: SessionTranscript
    package let comparison: RequestComparison
    /// The reader's ephemeral key, without which a MAC cannot be checked.
    package let readerKey: COSEKeyPair?
    package let trust: TrustStore
    package let now: Timestamp
    package let rules: VerificationRules
    /// Seconds by which validFrom and validUntil are stretched (Q186).
    package let clockSkew: Int64

    package init(
        transcript: SessionTranscript, comparison: RequestComparison, readerKey: COSEKeyPair?,
        trust: TrustStore, now: Timestamp, rules: VerificationRules = .interoperable, clockSkew: Int64 = 60
    ) {
        self.transcript = transcript
        self.comparison = comparison
        self.readerKey = readerKey
        self.trust = trust
        self.now = now
        self.rules = rules
        self.clockSkew = clockSkew
    }
}

/// What the checks of one document came to. A rejected document has no element values.
package struct DocumentReport: Sendable {
    package let docType: String
    /// What the certificate in the document says, believed or not; nil where there is none to read.
    package let issuer: DocumentIssuer?
    package let checks: [CheckReport]
    package let deviations: [Deviation]
}

extension UnverifiedDocument {
    /// Makes every check, in the order of `CheckID`. The document comes with its report only when each gave its proof.
    func verify(
        in context: VerificationContext, isRepetition: Bool
    ) -> (report: DocumentReport, document: VerifiedDocument?) {
        var log = CheckLog(rules: context.rules)
        let issuerAuth = UnverifiedIssuerAuth(issuerAuth, trust: context.trust)
        var anchor: TrustAnchor?
        let certificate = log.run(.issuerCertificate) { deviations throws(CheckFailure) in
            let certificate = try issuerAuth.verifyCertificate(in: context, noting: &deviations)
            anchor = certificate.anchor
            return certificate
        }
        let issuer = (try? issuerAuth.signer.get()).map { DocumentIssuer($0, anchor: anchor) }
        let signature = log.run(.issuerSignature) { deviations throws(CheckFailure) in
            try checkIssuerSignature(issuerAuth, noting: &deviations)
        }
        let structure = log.run(.mobileSecurityObject) { deviations throws(CheckFailure) in
            try checkMobileSecurityObject(
                issuerAuth.mobileSecurityObject.get(), of: self, noting: &deviations)
        }
        guard case .success(let object) = issuerAuth.mobileSecurityObject,
            case .success(let signer) = issuerAuth.signer
        else {
            log.skip(
                .digests, .validity, .issuingCountry, .deviceAuthentication, .keyAuthorizations, .requestMatch
            )
            return (report(log, issuer), nil)
        }
        let digests = log.run(.digests) { deviations throws(CheckFailure) in
            try checkDigests(of: self, in: object, noting: &deviations)
        }
        let validity = log.run(.validity) { deviations throws(CheckFailure) in
            try checkValidity(
                of: object.validityInfo, signedBy: signer, at: context.now, clockSkew: context.clockSkew,
                noting: &deviations)
        }
        let country = log.run(.issuingCountry) { deviations throws(CheckFailure) in
            try checkIssuingCountry(
                of: self, signedBy: signer, validFrom: object.validityInfo.validFrom.instant,
                noting: &deviations)
        }
        let binding = log.run(.deviceAuthentication) { deviations throws(CheckFailure) in
            try checkDeviceAuthentication(
                of: self, key: object.deviceKey, transcript: context.transcript,
                readerKey: context.readerKey, noting: &deviations)
        }
        let authorizations = log.run(.keyAuthorizations) { _ throws(CheckFailure) in
            try checkKeyAuthorizations(of: self, in: object.keyAuthorizations)
        }
        let match = log.run(.requestMatch) { deviations throws(CheckFailure) in
            try checkRequestMatch(
                of: self, isRepetition: isRepetition, with: context.comparison, noting: &deviations)
        }
        guard let certificate, let signature, let structure, let digests, let validity, let country,
            let binding, let authorizations, let match
        else { return (report(log, issuer), nil) }
        let document = VerifiedDocument(
            self, at: context.now, certificate: certificate, signature: signature,
            mobileSecurityObject: structure, digests: digests, validity: validity, country: country,
            deviceBinding: binding, keyAuthorizations: authorizations, requestMatch: match)
        return (report(log, issuer), document)
    }

    private func report(_ log: CheckLog, _ issuer: DocumentIssuer?) -> DocumentReport {
        DocumentReport(docType: docType, issuer: issuer, checks: log.reports, deviations: log.deviations)
    }
}
