package import MdocModel
internal import OpenSSLCrypto
internal import PKIX

extension TrustSnapshot {
    /// How long before its expiry an anchor is reported.
    private static var daysOfWarning: Int64 { 90 }

    /// Everything about the sources that someone should know at `now`: all lists are opened and verified for it.
    package func lint(at now: Timestamp) -> [TrustFinding] {
        var found = findings
        let roots = roots
        for trusted in anchors {
            guard let source = trusted.sources.first else { continue }
            found += lint(trusted, at: now, among: roots).map {
                TrustFinding(source: source, condition: $0)
            }
        }
        for source in sources {
            let conditions: [TrustCondition] =
                switch source.kind {
                case .anchor: []
                case .provider:
                    (try? Certificate(der: source.bytes)).map { lintValidity(of: $0, at: now) } ?? []
                case .vical: lintList(source, at: now)
                case .revocationList: lintRevocationList(source, at: now)
                case .statusList, .identifierList: lintStatusList(source, at: now)
                }
            found += conditions.map { TrustFinding(source: source.identity, condition: $0) }
        }
        return found
    }

    /// What someone who lets `source` in should know about it: what was mended or left out, and whether it is overdue. Refusals
    /// are for `admission(of:at:)` to say.
    package func remarks(
        on source: TrustSource, at now: Timestamp, clockSkew: Int64 = 60,
        namedIssuers: [ArraySlice<UInt8>] = []
    ) -> [TrustCondition] {
        switch source.kind {
        case .anchor, .provider: return []
        case .vical:
            let trial = replacing(source)
            let roots = trial.roots
            let links = trial.anchors.filter {
                $0.sources.contains(source.identity) && !roots.areTrusting($0, at: now)
            }
            return trial.findings.filter { $0.source == source.identity }.map(\.condition)
                + links.map { TrustCondition(notLinked: $0.anchor) }
                + lintList(source, at: now)
        case .revocationList:
            return lintRevocationList(source, at: now, clockSkew: clockSkew)
        case .statusList, .identifierList:
            return lintStatusList(source, at: now, clockSkew: clockSkew, namedIssuers: namedIssuers)
        }
    }

    /// The anchors with the CRLs that may list link certificates among them.
    var roots: TrustRoots { TrustRoots(anchors, revokedBy: RevocationLists(of: sources)) }

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

    private func lintList(_ source: TrustSource, at now: Timestamp) -> [TrustCondition] {
        guard let list = try? UnverifiedVICAL(source.bytes) else { return [] }
        guard let next = list.nextUpdate else { return [.vicalWithoutNextUpdate] }
        return staleness(from: list.date, to: next, at: now)
    }

    func lintRevocationList(
        _ source: TrustSource, at now: Timestamp, clockSkew: Int64 = 0
    ) -> [TrustCondition] {
        do throws(PKIXError) {
            let list = try CertificateRevocationList(der: source.bytes)
            let issuers = (anchors.map(\.anchor) + providers).filter {
                $0.certificate.subject == list.issuer
            }
            let name = list.issuer.description
            guard !issuers.isEmpty else { return [.revocationListIssuerUnknown(issuer: name)] }
            guard issuers.contains(where: { (try? $0.verifySignature(of: list)) != nil }) else {
                return [.revocationListSignatureInvalid(issuer: name)]
            }
            return list.gaps.map(TrustCondition.revocationListIncomplete)
                + staleness(
                    from: Timestamp(secondsSince1970: list.thisUpdate),
                    to: list.nextUpdate.map(Timestamp.init(secondsSince1970:)), at: now,
                    clockSkew: clockSkew)
        } catch {
            return [.revocationListUnreadable(error)]
        }
    }

    func lintStatusList(
        _ source: TrustSource, at now: Timestamp, clockSkew: Int64 = 0,
        namedIssuers: [ArraySlice<UInt8>] = []
    ) -> [TrustCondition] {
        do throws(StatusTokenError) {
            let token = try StatusToken(source.bytes)
            guard token.kind == source.statusKind else { return [.statusListUnreadable(.typeWrong)] }
            guard token.subject.utf8.elementsEqual(source.name.utf8) else { return [.statusListSubjectWrong] }
            let named = namedIssuers.compactMap { try? Certificate(der: Array($0)[...]) }
            let issuer = StatusListIssuer(anyOf: anchors.map(\.anchor), named: named)
            // A token by an unknown signer is not opened.
            let isKnown = (try? issuer.verifySigner(of: token, at: now))?.isValid(at: now) == true
            let gaps = isKnown ? try token.open().gaps : []
            return (isKnown ? [] : [.statusListSignerUnknown])
                + gaps.map(TrustCondition.statusListIncomplete)
                + staleness(from: token.issued, to: token.expires, at: now, clockSkew: clockSkew)
        } catch {
            return [.statusListUnreadable(error)]
        }
    }

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
    /// The kind of token that the source has to be; nil if it is something else.
    var statusKind: StatusToken.Kind? {
        switch kind {
        case .statusList: .statusList
        case .identifierList: .identifierList
        case .anchor, .provider, .vical, .revocationList: nil
        }
    }
}

extension StatusToken {
    /// How many statuses or identifiers the list has, found by opening it, and what of the token cannot be read.
    func open() throws(StatusTokenError) -> (count: Int, gaps: [StatusTokenError]) {
        switch kind {
        case .statusList:
            return (try statusList().count, gaps)
        case .identifierList:
            let list = try identifiers()
            return (list.identifiers.count, gaps + (list.isComplete ? [] : [.identifierUnreadable]))
        }
    }
}
