internal import MdocTrust
internal import PKIX
internal import TestCredentials

/// X.509 certificates: their fields, their key, and whether the trust store believes them.
func fuzzCertificate(_ input: ArraySlice<UInt8>) {
    guard let certificate = try? Certificate(der: input) else { return }
    demand(certificate.der == input, "the certificate's bytes do not survive")
    demand((1...3).contains(certificate.version), "a version that is none")
    demand(certificate.subject == certificate.subject, "a name differs from itself")
    demand(
        certificate.isSelfIssued == (certificate.subject == certificate.issuer), "names differ one way only")
    for name in [certificate.subject, certificate.issuer] {
        demand(!name.description.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "a name breaks its line")
        _ = (name.countryName, name.stateOrProvinceName, name.organizationName, name.commonName)
    }
    for next in certificate.extensions {
        demand(certificate.firstExtension(next.oid) == next, "a duplicate extension")
        _ = next.oid.description
    }
    if let key = try? certificate.publicKey() { _ = try? certificate.verifySignature(with: key) }
    checkTrust(in: certificate)
}

/// The world's issuer signed one document signer; nothing else may be believed.
private func checkTrust(in certificate: Certificate) {
    let world = FuzzWorld.standard
    do throws(IssuerCertificateError) {
        let leaf = try world.trust.issuerCertificate(der: certificate.der)
        let proof = try world.trust.verify(leaf, for: TestDocument.mDL, at: world.now)
        demand(proof.leaf.certificate.tbsCertificate == world.signerTBS, "a forged certificate is believed")
    } catch {
        return
    }
}
