package import COSE
package import MdocModel
package import MdocTrust

/// The inputs of a verification, apart from the response itself.
package struct VerificationContext: Sendable {
    /// The transcript of the session to which the device signature or MAC must be bound.
    package let transcript: SessionTranscript
    /// The request to compare the response with.
    package let comparison: RequestComparison
    /// The reader's key, without which a MAC cannot be checked; `nil` if it is not available.
    package let readerKey: COSEKeyPair?
    package let trust: TrustStore
    /// The time of verification.
    package let now: Timestamp
    /// The day of `now` in the time zone of the premises (Q161).
    package let day: FullDate
    package let policy: VerificationPolicy

    /// Collects the inputs of a verification.
    ///
    /// - Parameter day: The day of `now` in the time zone of the premises; `nil` takes the day in UTC.
    package init(
        transcript: SessionTranscript, comparison: RequestComparison, readerKey: COSEKeyPair?,
        trust: TrustStore, now: Timestamp, day: FullDate? = nil, policy: VerificationPolicy
    ) {
        self.transcript = transcript
        self.comparison = comparison
        self.readerKey = readerKey
        self.trust = trust
        self.now = now
        self.day = day ?? now.dayInUTC
        self.policy = policy
    }
}

/// The results of all checks of one document, without element values.
package struct DocumentReport: Sendable {
    package let docType: String
    /// The issuer that the certificate in the document names, trusted or not; `nil` if the certificate cannot
    /// be read.
    package let issuer: DocumentIssuer?
    package let checks: [CheckReport]
    package let deviations: [Deviation]
    package let revocation: RevocationFinding
    /// Whether the document is in date. Unknown unless every check other than `profile` passed.
    package let documentCurrent: DocumentCurrency
}

extension UnverifiedDocument {
    /// Makes every check of the document, in the order of `CheckID`.
    ///
    /// - Parameter isRepetition: Whether an identical document came earlier in the response.
    /// - Returns: The report on all checks, and the verified document if each check gave its proof.
    func verify(
        in context: VerificationContext, isRepetition: Bool
    ) -> (report: DocumentReport, document: VerifiedDocument?) {
        var log = CheckLog(rules: context.policy.rules)
        let issuerAuth = UnverifiedIssuerAuth(issuerAuth, trust: context.trust)
        var anchor: TrustAnchor?
        var finding = RevocationFinding.undetermined(.notChecked, about: .document, ageSeconds: nil)
        let certificate = log.run(.issuerCertificate) { deviations throws(CheckFailure) in
            let certificate = try issuerAuth.verifyCertificate(for: docType, in: context, noting: &deviations)
            // The report names the root, even if a later check fails and the proof is dropped.
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
        // Without a readable MSO and signer, the digests, dates and device key for the other checks are
        // missing.
        guard case .success(let object) = issuerAuth.mobileSecurityObject,
            case .success(let signer) = issuerAuth.signer
        else {
            log.skip(
                .digests, .validity, .issuingCountry, .revocation, .deviceAuthentication,
                .keyAuthorizations, .requestMatch)
            // `checkProfile` only adds its result to the report. The document is not verified without the
            // other checks, so the proof is not used.
            _ = log.checkProfile(isComplete: false)
            return (report(log, issuer: issuer, revocation: finding), nil)
        }
        let digests = log.run(.digests) { deviations throws(CheckFailure) in
            let proof = try checkDigests(of: self, in: object, noting: &deviations)
            // Only after the digests were checked is it known that the elements come from the issuer.
            deviations += elementDeviations(validFrom: object.validityInfo.validFrom)
            return proof
        }
        let validity = log.run(.validity) { deviations throws(CheckFailure) in
            try checkValidity(of: object.validityInfo, signedBy: signer, in: context, noting: &deviations)
        }
        let country = log.run(.issuingCountry) { deviations throws(CheckFailure) in
            try checkIssuingCountry(of: self, signedBy: signer, noting: &deviations)
        }
        let revocation = checkedRevocation(
            of: certificate, signature: signature, in: context, log: &log, finding: &finding)
        let binding = log.run(.deviceAuthentication) { deviations throws(CheckFailure) in
            try checkDeviceAuthentication(of: self, key: object.deviceKey, in: context, noting: &deviations)
        }
        let authorizations = log.run(.keyAuthorizations) { _ throws(CheckFailure) in
            try checkKeyAuthorizations(of: self, in: object.keyAuthorizations)
        }
        let match = log.run(.requestMatch) { deviations throws(CheckFailure) in
            try checkRequestMatch(
                of: self, isRepetition: isRepetition, with: context.comparison, noting: &deviations)
        }
        let profile = log.checkProfile()
        guard let certificate, let signature, let structure, let digests, let validity, let country,
            let revocation, let binding, let authorizations, let match
        else { return (report(log, issuer: issuer, revocation: finding), nil) }
        // `isCurrent` depends on element values. It is therefore computed only after every check but
        // `profile` has given its proof.
        let isCurrent = isCurrent(in: context, withholding: match.withheld)
        guard let profile else {
            return (report(log, issuer: issuer, revocation: finding, documentCurrent: isCurrent), nil)
        }
        let document = VerifiedDocument(
            self, at: context.now, on: context.day, certificate: certificate, signature: signature,
            mobileSecurityObject: structure, digests: digests, validity: validity, country: country,
            revocation: revocation, deviceBinding: binding, keyAuthorizations: authorizations,
            requestMatch: match, profile: profile)
        return (report(log, issuer: issuer, revocation: finding, documentCurrent: isCurrent), document)
    }

    /// Makes the revocation check, unless the signer or its signature was not verified. In that case the
    /// references in the MSO cannot be trusted.
    private func checkedRevocation(
        of signer: borrowing VerifiedIssuerCertificate?, signature: borrowing IssuerSignatureProof?,
        in context: VerificationContext, log: inout CheckLog, finding: inout RevocationFinding
    ) -> RevocationProof? {
        // `if let` would consume the proofs, which are not copyable. A switch borrows them.
        switch signer {
        case .some(let signer):
            switch signature {
            case .some(let signature):
                return log.run(.revocation) { _ throws(CheckFailure) in
                    try checkRevocation(signer: signer, signature: signature, in: context, finding: &finding)
                }
            case .none: break
            }
        case .none: break
        }
        log.skip(.revocation)
        return nil
    }

    /// Whether the document is in date, by the `expiry_date` elements that are not withheld.
    private func isCurrent(
        in context: VerificationContext, withholding withheld: Set<ElementName>
    ) -> DocumentCurrency {
        let dates = nameSpaces.flatMap { space in
            space.items.filter { $0.isNamed("expiry_date") }.map { ($0.name(in: space.name), $0.value) }
        }
        // Each pair is the name of an element and its value. A withheld date does not count.
        return DocumentCurrency(
            ExpiryDates(dates.filter { !withheld.contains($0.0) }, of: docType).answer(
                on: context.day, at: context.now))
    }

    /// Collects the results of the checks in a report.
    private func report(
        _ log: CheckLog, issuer: DocumentIssuer?, revocation: RevocationFinding,
        documentCurrent: DocumentCurrency = .unknown
    ) -> DocumentReport {
        DocumentReport(
            docType: docType, issuer: issuer, checks: log.reports, deviations: log.deviations,
            revocation: revocation, documentCurrent: documentCurrent)
    }
}
