internal import PKIX
internal import CBOR
internal import COSE
internal import JSON
internal import MdocTrust
internal import OpenSSLCrypto

extension VICALError {
    /// In plain words.
    var explanation: String {
        switch self {
        case .malformed(let error): "it is not a VICAL: \(error.explanation)"
        case .cose(let error): "the VICAL's signature is not valid: \(error.explanation)"
        case .dateMalformed: "a date in the VICAL is malformed"
        case .versionUnknown: "the VICAL has an unknown version"
        case .signerMalformed(let error):
            "the certificate of the VICAL's signer cannot be read: \(error.explanation)"
        case .signerNotTrusted(let error):
            "no provider that was imported with --as provider issued the VICAL signer's certificate: \(error.explanation)"
        case .signerProfile(let findings):
            "the VICAL's signer does not meet its profile: \(findings.text)"
        case .signerRevoked: "a CRL of its root revokes the VICAL's signer"
        case .notYetValid: "the VICAL is dated in the future"
        case .expired: "the VICAL is past its nextUpdate"
        }
    }
}

extension RICALError {
    /// In plain words.
    var explanation: String {
        switch self {
        case .malformed(let error): "it is not a RICAL: \(error.explanation)"
        case .cose(let error): "the RICAL's signature is not valid: \(error.explanation)"
        case .dateMalformed: "a date in the RICAL is malformed"
        case .versionUnknown: "the RICAL has an unknown version; 1.x is supported"
        case .signerNotProtected:
            "the certificates of the RICAL's signer (x5chain) are not in the protected header"
        case .signerMalformed(let error):
            "the certificate of the RICAL's signer cannot be read: \(error.explanation)"
        case .signerNotTrusted(let error):
            "the provider's root did not issue the RICAL signer's certificate: \(error.explanation)"
        case .typeUnknown(let type):
            "the RICAL is of type \(Terminal.safe(type)); \(UnverifiedRICAL.readerAuthentication) is supported"
        case .notYetValid: "the RICAL is dated in the future"
        case .expired: "the RICAL is past its notAfter; get a newer one from its provider"
        case .empty: "the RICAL lists no authority that can be used"
        }
    }
}

extension VICALFinding {
    /// In plain words.
    var explanation: String {
        switch self {
        case .listEmpty: "the list names no root"
        case .entryUnreadable(let index): "entry \(index) cannot be read and is left out"
        case .serialNumberDiffers(let index, let subject):
            "entry \(index), \(Terminal.safe(subject)), has another serial number than its certificate and is left out"
        case .keyIdentifierDiffers(let subject):
            "the entry of \(Terminal.safe(subject)) has another key identifier than its certificate"
        case .withoutDocTypes(let subject):
            "\(Terminal.safe(subject)) is listed without document types, so it is trusted for none"
        case .entryTwice(let subject): "\(Terminal.safe(subject)) is listed twice"
        }
    }
}

extension CertificatePathError {
    /// In plain words.
    var explanation: String {
        switch self {
        case .empty: "it contains no certificate"
        case .tooLong: "the chain has too many authorities"
        case .issuerNotFound(let issuer): "the certificate of its issuer is missing: \(Terminal.safe(issuer))"
        case .signatureInvalid: "the certificates with its issuer's name did not sign it"
        case .outsideValidity(let subject): "\(Terminal.safe(subject)) is not valid at this time"
        case .notAnAuthority(let subject): "\(Terminal.safe(subject)) may not issue it"
        }
    }
}

extension StatusTokenError {
    /// In plain words.
    var explanation: String {
        switch self {
        case .malformed(let error): "it is not a status list: \(error.explanation)"
        case .cose(let error): "the status list's signature is not valid: \(error.explanation)"
        case .typeWrong: "its header does not name the type of a status or identifier list"
        case .claimMissing(let label): "the status list has no claim \(label)"
        case .claimMisplaced(let label): "claim \(label) is not allowed in an identifier list"
        case .bitsWrong(let bits): "a status of \(bits) bits is not defined"
        case .listNotCompressed: "its list is cut off, or not compressed with zlib"
        case .listTooLong: "its list is longer than allowed when it is decompressed"
        }
    }
}

extension TrustBundleError {
    /// The stable id, as `Documentation/command-line.md` lists it.
    var id: String {
        switch self {
        case .malformed: "bundle.malformed"
        case .cose: "bundle.signature"
        case .typeWrong: "bundle.type"
        case .older: "bundle.older"
        case .notYetValid: "bundle.not_yet_valid"
        case .snapshotDiffers: "bundle.snapshot"
        }
    }

    /// In plain words.
    var explanation: String {
        switch self {
        case .malformed(let error): "it is not a bundle: \(error.explanation)"
        case .cose(let error): "this key did not sign the bundle: \(error.explanation)"
        case .typeWrong: "the signed content is not a bundle"
        case .older: "a later bundle was imported before: this one is older, and nothing was changed"
        case .notYetValid: "it was made in the future: is this computer's clock right?"
        case .snapshotDiffers: "its contents differ from the snapshot that it names"
        }
    }
}
