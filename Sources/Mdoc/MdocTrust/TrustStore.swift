package import MdocModel
internal import OpenSSLCrypto
internal import Synchronization

/// The IACA roots that are believed: one immutable set. What changes trust makes a new store, and so forgets
/// which document signers were verified.
package final class TrustStore: Sendable {
    package let anchors: [TrustAnchor]
    private let byKeyIdentifier: [ArraySlice<UInt8>: [TrustAnchor]]
    private let verified: Mutex<[CertificateEncoding: Verified]>
    private let capacity: Int

    private struct Verified: Sendable {
        let certificate: IssuerCertificate
        let anchor: TrustAnchor
        let deviations: [Deviation]
    }

    /// - Parameter remembering: how many verified document signers are kept; 0 verifies each anew.
    package init(anchors: [TrustAnchor], remembering capacity: Int = 64) {
        self.anchors = anchors
        self.capacity = capacity
        var index: [ArraySlice<UInt8>: [TrustAnchor]] = [:]
        for anchor in anchors {
            guard let identifier = anchor.certificate.subjectKeyIdentifier else { continue }
            index[identifier, default: []].append(anchor)
        }
        byKeyIdentifier = index
        verified = Mutex([:])
    }

    /// The leaf of x5chain: the one that was verified before under the same bytes, or parsed now.
    package func issuerCertificate(der: ArraySlice<UInt8>) throws(IssuerCertificateError) -> IssuerCertificate
    {
        if capacity > 0, let known = verified.withLock({ $0[CertificateEncoding(der: der)]?.certificate }) {
            return known
        }
        return try IssuerCertificate(der: der)
    }

    /// The proof that a trusted IACA issued this document signer and that both are valid at `now`.
    package func verify(
        _ leaf: IssuerCertificate, at now: Timestamp
    ) throws(IssuerCertificateError) -> VerifiedIssuerCertificate {
        try requireValidity(of: leaf.certificate, at: now)
        // Where the anchor's time is over, a renewed one of the same key may take its place (Q177).
        if capacity > 0,
            let known = verified.withLock({ $0[CertificateEncoding(der: leaf.certificate.der)] }),
            known.anchor.isValid(at: now)
        {
            return VerifiedIssuerCertificate(
                proving: leaf, anchor: known.anchor, deviations: known.deviations)
        }
        let anchor = try issuer(of: leaf.certificate, at: now)
        let deviations = try CertificateProfile.deviations(
            ofDocumentSigner: leaf.certificate, issuedBy: anchor.certificate)
        remember(leaf, anchor, deviations)
        return VerifiedIssuerCertificate(proving: leaf, anchor: anchor, deviations: deviations)
    }

    private func requireValidity(
        of certificate: Certificate, at now: Timestamp
    ) throws(IssuerCertificateError) {
        guard certificate.notBefore <= now.secondsSince1970 else { throw .notYetValid }
        guard now.secondsSince1970 <= certificate.notAfter else { throw .expired }
    }

    /// Every anchor that the leaf's names point to is tried: roots are re-keyed under one name (Q177).
    private func issuer(
        of leaf: Certificate, at now: Timestamp
    ) throws(IssuerCertificateError) -> TrustAnchor {
        let candidates = try candidates(for: leaf)
        var isOutsideValidity = false
        for anchor in candidates {
            do throws(OpenSSLCryptoError) {
                try anchor.verifySignature(of: leaf)
            } catch {
                continue
            }
            if anchor.isValid(at: now) { return anchor }
            isOutsideValidity = true
        }
        throw isOutsideValidity ? .anchorOutsideValidity : .signatureInvalid
    }

    private func candidates(for leaf: Certificate) throws(IssuerCertificateError) -> [TrustAnchor] {
        let named = leaf.authorityKeyIdentifier.flatMap { byKeyIdentifier[$0] } ?? []
        let candidates = named.filter { $0.certificate.subject == leaf.issuer }
        guard candidates.isEmpty else { return candidates }
        let sameName = anchors.filter { $0.certificate.subject == leaf.issuer }
        let withoutIdentifier = sameName.filter { $0.certificate.subjectKeyIdentifier == nil }
        guard withoutIdentifier.isEmpty else { return withoutIdentifier }
        if !sameName.isEmpty { throw .authorityKeyIdentifierMismatch }
        if !named.isEmpty { throw .issuerNameMismatch }
        throw .anchorNotFound(issuer: leaf.issuer.description)
    }

    private func remember(_ leaf: IssuerCertificate, _ anchor: TrustAnchor, _ deviations: [Deviation]) {
        guard capacity > 0 else { return }
        let entry = Verified(certificate: leaf, anchor: anchor, deviations: deviations)
        verified.withLock { known in
            if known.count >= capacity { known.removeAll(keepingCapacity: true) }
            known[CertificateEncoding(der: leaf.certificate.der)] = entry
        }
    }
}

/// A certificate's bytes as a key; hashed as a whole, where a slice is hashed byte by byte.
private struct CertificateEncoding: Hashable {
    let der: ArraySlice<UInt8>

    func hash(into hasher: inout Hasher) {
        unsafe der.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

/// The proof that a document signer's certificate was issued by a trusted IACA, fits the profile, and is valid now.
package struct VerifiedIssuerCertificate: ~Copyable, Sendable {
    package let leaf: IssuerCertificate
    package let anchor: TrustAnchor
    package let deviations: [Deviation]

    fileprivate init(proving leaf: IssuerCertificate, anchor: TrustAnchor, deviations: [Deviation]) {
        self.leaf = leaf
        self.anchor = anchor
        self.deviations = deviations
    }
}
