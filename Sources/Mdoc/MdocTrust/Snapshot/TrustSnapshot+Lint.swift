package import MdocModel
internal import OpenSSLCrypto
internal import PKIX

extension TrustSnapshot {
    /// The number of days in advance at which the expiry of an anchor is reported.
    private static var daysOfWarning: Int64 { 90 }

    /// Returns the faults and remarks of all sources at `now`. For this, all lists are opened and verified.
    package func lint(at now: Timestamp) -> [TrustFinding] {
        var found = findings
        let roots = roots
        for trusted in anchors {
            guard let source = trusted.sources.first else { continue }
            found += lint(trusted, at: now, among: roots).map {
                TrustFinding(source: source, condition: $0)
            }
        }
        // The tolerance is 0, because the report names every list that is dated in the future. Only admission
        // tolerates a clock that is slow.
        let rules = TrustRules(now: now, clockSkew: 0)
        for source in sources {
            let conditions: [TrustCondition] =
                switch source.content {
                case .certificate(let held):
                    // The conditions of anchors were added above.
                    source.kind == .anchor
                        ? [] : (try? held.certificate()).map { lintValidity(of: $0, at: now) } ?? []
                case .vical(let held): lintList(held, at: now)
                case .revocationList(let held): lintRevocationList(held, by: rules)
                case .statusToken(let held): lintStatusList(source, held, by: rules)
                }
            found += conditions.map { TrustFinding(source: source.identity, condition: $0) }
        }
        return found
    }

    /// Returns the remarks on `source` for the person who admits it. The remarks concern parts that are wrong
    /// or left out, and lists that are overdue.
    ///
    /// Reasons to refuse the source come from `admission(of:by:)`.
    package func remarks(on source: TrustSource, by rules: TrustRules) -> [TrustCondition] {
        switch source.content {
        case .certificate: return []
        case .vical(let held):
            // The remarks are taken from a temporary snapshot that includes the source.
            let trial = substituting([source])
            let roots = trial.roots
            let links = trial.anchors.filter {
                $0.sources.contains(source.identity) && !roots.areTrusting($0, at: rules.now)
            }
            return trial.findings.filter { $0.source == source.identity }.map(\.condition)
                + links.map { TrustCondition(notLinked: $0.anchor) }
                + lintList(held, at: rules.now)
        case .revocationList(let held): return lintRevocationList(held, by: rules)
        case .statusToken(let held): return lintStatusList(source, held, by: rules)
        }
    }

    /// The anchors, and the CRLs that may revoke a link certificate among the anchors.
    var roots: TrustRoots { TrustRoots(anchors, revokedBy: RevocationLists(of: sources)) }

    /// Returns the faults and remarks of one anchor.
    private func lint(
        _ trusted: TrustedAnchor, at now: Timestamp, among roots: TrustRoots
    ) -> [TrustCondition] {
        let certificate = trusted.anchor.certificate
        guard roots.areTrusting(trusted, at: now) else {
            return [TrustCondition(notLinked: trusted.anchor)]
        }
        let broken = CertificateProfile.iaca.findings(of: certificate, issuedBy: nil)
        let found: [TrustCondition] =
            broken.isEmpty ? [] : [.anchorProfile(subject: certificate.subject.description, broken)]
        return found + lintValidity(of: certificate, at: now)
    }

    /// Returns the condition of a certificate that is not valid at `now`, or expires soon.
    private func lintValidity(of certificate: Certificate, at now: Timestamp) -> [TrustCondition] {
        let subject = certificate.subject.description
        let days = (certificate.notAfter - now.secondsSince1970) / 86_400
        if certificate.notBefore > now.secondsSince1970 {
            return [.anchorNotYetValid(subject: subject)]
        } else if certificate.notAfter < now.secondsSince1970 {
            return [.anchorExpired(subject: subject)]
        }
        return days < Self.daysOfWarning ? [.anchorExpiresSoon(subject: subject, days: days)] : []
    }

    /// Returns the remarks on the age of a VICAL.
    private func lintList(_ held: HeldVICAL, at now: Timestamp) -> [TrustCondition] {
        // If a VICAL cannot be read, the reason is in `findings` of the snapshot.
        guard let list = try? held.list() else { return [] }
        guard let next = list.nextUpdate else { return [.vicalWithoutNextUpdate] }
        return staleness(from: list.date, to: next, at: now)
    }

    /// Returns the faults and remarks of a CRL. Its signature is verified with the keys of all anchors and
    /// providers that have the name of its issuer.
    func lintRevocationList(_ held: HeldRevocationList, by rules: TrustRules) -> [TrustCondition] {
        do throws(PKIXError) {
            let list = try held.list()
            let issuers = (anchors.map(\.anchor) + providers).filter {
                $0.certificate.subject == list.issuer
            }
            let name = list.issuer.description
            guard !issuers.isEmpty else { return [.revocationListIssuerUnknown(issuer: name)] }
            guard issuers.contains(where: { held.isSigned(by: $0) }) else {
                return [.revocationListSignatureInvalid(issuer: name)]
            }
            return list.gaps.map(TrustCondition.revocationListIncomplete)
                + staleness(
                    from: Timestamp(secondsSince1970: list.thisUpdate),
                    to: list.nextUpdate.map(Timestamp.init(secondsSince1970:)), at: rules.now,
                    clockSkew: rules.clockSkew)
        } catch {
            return [.revocationListUnreadable(error)]
        }
    }

    /// Returns the faults and remarks of a status or identifier list.
    func lintStatusList(
        _ source: TrustSource, _ held: HeldStatusToken, by rules: TrustRules
    ) -> [TrustCondition] {
        do throws(StatusTokenError) {
            let token = try held.token()
            guard token.kind == source.statusKind else { return [.statusListUnreadable(.typeWrong)] }
            guard token.subject.utf8.elementsEqual(source.name.utf8) else { return [.statusListSubjectWrong] }
            let named = rules.signers.compactMap { try? Certificate(der: Array($0)[...]) }
            let issuer = StatusListIssuer(anyOf: anchors.map(\.anchor), named: named)
            // A token of an unknown signer is not opened, because decompressing it is costly, and any
            // attacker can make one.
            let isKnown =
                (try? issuer.verifySigner(of: token, at: rules.now))?.isValid(at: rules.now) == true
            let gaps = isKnown ? try held.open().gaps : []
            return (isKnown ? [] : [.statusListSignerUnknown])
                + gaps.map(TrustCondition.statusListIncomplete)
                + staleness(
                    from: token.issued, to: token.expires, at: rules.now, clockSkew: rules.clockSkew)
        } catch {
            return [.statusListUnreadable(error)]
        }
    }

    /// Returns the condition of a list that is dated in the future, or that should have been renewed by
    /// `end`.
    private func staleness(
        from start: Timestamp, to end: Timestamp?, at now: Timestamp, clockSkew: Int64 = 0
    ) -> [TrustCondition] {
        if now.advanced(bySeconds: clockSkew) < start { return [.listNotYetValid] }
        guard let end else { return [] }
        let overdue = now.secondsSince1970 - end.secondsSince1970
        return overdue > 0 ? [.listStale(overdueSeconds: overdue)] : []
    }
}

extension TrustSource {
    /// The kind of status token that the source must be; `nil` for other kinds of source.
    var statusKind: StatusToken.Kind? {
        switch kind {
        case .statusList: .statusList
        case .identifierList: .identifierList
        case .anchor, .provider, .vical, .revocationList: nil
        }
    }
}
