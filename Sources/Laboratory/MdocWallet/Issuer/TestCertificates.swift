internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The root and document signer certificates of a test issuer (ISO/IEC 18013-5 Annex B.1.2, B.1.4).
struct TestCertificates {
    /// The address in the issuerAltName and CRL distribution points of both certificates. No server exists at
    /// this address.
    static let host = "https://issuer.countersign.example"
    private static let documentSigning = ObjectIdentifier("1.0.18013.5.1.2")

    let options: IssuingOptions
    let entropy: TestEntropy
    let now: Timestamp
    /// The root of an earlier issuer, which is used again. Nil if the issuer makes a new root. A root that is
    /// used again has no fault (`IssuingOptions.usesPlainRoot`).
    var kept: TestIssuerRoot?

    /// Makes the root and the document signer's certificate, with the fault of the options.
    func rootAndSigner(
        signerKey: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> (root: [UInt8], signer: [UInt8]) {
        let pair: COSEKeyPair
        if let kept {
            pair = kept.key
        } else {
            pair = COSEKeyPair(try entropy.key(on: options.rootCurve, for: "root"))
        }
        var root = try rootTemplate(pair.privateKey)
        options.fault?.edit(root: &root, now: now)
        var signer = try signerTemplate(signerKey, issuer: root, pair.privateKey)
        options.fault?.edit(signer: &signer, now: now)
        let certificate: [UInt8]
        if let kept {
            certificate = kept.certificate
        } else {
            certificate = try root.sign(with: pair.privateKey)
        }
        if options.fault == .rogueAuthority {
            // The certificate names the root as its issuer, but a key that nobody trusts signed it.
            let rogueKey = try entropy.key(on: options.rootCurve, for: "rogue root")
            return (certificate, try signer.sign(with: rogueKey))
        }
        return (certificate, try signer.sign(with: pair.privateKey))
    }

    /// Makes the root before it is signed (Annex B.1.2).
    func rootTemplate(_ key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> CertificateTemplate {
        let publicKey = try key.publicKey()
        return CertificateTemplate(
            serialNumber: try serialNumber("root"), issuer: name("IACA"),
            subject: name("IACA"),
            notBefore: now.secondsSince1970 + TestValidity.root.lowerBound,
            notAfter: now.secondsSince1970 + TestValidity.root.upperBound, publicKey: publicKey,
            extensions: [
                .subjectKeyIdentifier(try publicKey.subjectKeyIdentifier()),
                .issuerAlternativeName(uri: Self.host), .crlDistributionPoint(uri: Self.host + "/iaca.crl"),
                .keyUsage([.keyCertSign, .cRLSign]),
                .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)),
            ])
    }

    /// Makes the document signer's certificate before the root signs it (Annex B.1.4).
    private func signerTemplate(
        _ key: borrowing PrivateKey, issuer root: CertificateTemplate, _ rootKey: borrowing PrivateKey
    ) throws(OpenSSLCryptoError) -> CertificateTemplate {
        let publicKey = try key.publicKey()
        let rootKey = try rootKey.publicKey()
        return CertificateTemplate(
            serialNumber: try serialNumber("document signer"), issuer: root.subject,
            subject: name("DS"),
            notBefore: now.secondsSince1970 + TestValidity.signerCertificate.lowerBound,
            notAfter: now.secondsSince1970 + TestValidity.signerCertificate.upperBound, publicKey: publicKey,
            extensions: [
                .subjectKeyIdentifier(try publicKey.subjectKeyIdentifier()),
                .authorityKeyIdentifier(try rootKey.subjectKeyIdentifier()),
                .issuerAlternativeName(uri: Self.host), .crlDistributionPoint(uri: Self.host + "/iaca.crl"),
                .keyUsage(.digitalSignature), .extendedKeyUsage([Self.documentSigning]),
            ])
    }

    private func name(_ role: String) -> DistinguishedName {
        DistinguishedName(
            certificateName(country: "UT", state: options.state, commonName: "\(options.name) \(role)"))
    }

    /// Makes a serial number of 16 bytes, with more than the 63 random bits that Annex B requires. The first
    /// byte is from 40 to 7F, so that the number is positive and has no leading zero.
    private func serialNumber(_ purpose: String) throws(OpenSSLCryptoError) -> [UInt8] {
        var number = try entropy.bytes(16, for: "serial number \(purpose)")
        number[0] = number[0] & 0x3f | 0x40
        return number
    }
}

/// Makes the attributes of a distinguished name of the test issuer. An attribute that is nil is left out.
func certificateName(
    country: String?, state: String?, commonName: String?
) -> [(type: ObjectIdentifier, value: String)] {
    var attributes: [(type: ObjectIdentifier, value: String)] = []
    if let country { attributes.append((.countryName, country)) }
    if let state { attributes.append((.stateOrProvinceName, state)) }
    attributes.append((.organizationName, "Countersign Test Issuer"))
    if let commonName { attributes.append((.commonName, commonName)) }
    return attributes
}
