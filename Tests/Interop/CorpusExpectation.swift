import CBOR
import COSE
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import OpenSSLCrypto

/// Where a bad presentation must be caught, and why: written from the corpus's rule texts.
enum CorpusExpectation: Sendable {
    /// The bytes are not the structure: nothing is verified at all.
    case malformed(MdocStructure, @Sendable (CBORError) -> Bool)
    /// The response as a whole.
    case response(ResponseFailure)
    /// These checks of some document, for these reasons, and no other check of any document.
    case checks([CheckID: @Sendable (CheckFailure) -> Bool])
    /// Before there is a response: the session ends like this, with this termination message.
    case session(@Sendable (SessionEnd) -> Bool, terminationStatus: SessionStatus?)

    static let byName: [String: CorpusExpectation] = [
        "cbor.truncated": .malformed(.deviceResponse, \.isTruncated),
        "cbor.empty": .malformed(.deviceResponse, \.isTruncated),
        "cbor.not_a_map": .malformed(.deviceResponse) { $0.expectedType == .map },
        "cbor.huge_length": .malformed(.deviceResponse, \.isTruncated),
        "cbor.dup_namespace": .malformed(.deviceResponse, \.isDuplicateKey),
        "cbor.dup_key_item": .malformed(.issuerSignedItem, \.isDuplicateKey),
        "cbor.item_untagged": .malformed(.issuerSignedItem) { $0.expectedType == .tag(24) },

        "response.version_2": .response(.version),
        "response.no_version": .response(.version),
        "response.no_status": .response(.statusMissing),
        "response.no_documents": .response(.noDocuments),
        "response.no_issuer_auth": .checks([
            .issuerCertificate: exactly(.issuerAuthMissing), .issuerSignature: exactly(.issuerAuthMissing),
            .mobileSecurityObject: exactly(.issuerAuthMissing),
        ]),
        "response.unrequested_doctype": .check(.requestMatch, .docTypeNotRequested),
        "response.document_twice": .check(.requestMatch, .documentTwice),
        "response.age_not_nearest": .check(
            .requestMatch,
            .ageNotNearest(ElementName(nameSpace: "org.iso.18013.5.1", identifier: "age_over_65"))),

        "mso.digest_flipped": .checks([.digests: \.isDigestMismatch]),
        "mso.value_changed": .checks([.digests: \.isDigestMismatch]),
        "mso.portrait_changed": .check(
            .digests, .digestMismatch(ElementName(nameSpace: "org.iso.18013.5.1", identifier: "portrait"))),
        "mso.wrong_digest_id": .checks([.digests: \.isDigestMismatch]),
        "mso.namespace_absent": .checks([.digests: \.isDigestMissing]),
        "mso.moved_namespace": .checks([.digests: \.isDigestMissing]),
        "mso.digest_truncated": .checks([.digests: \.isDigestMismatch]),
        "mso.digest_alg_unknown": .check(.digests, .digestAlgorithmUnknown),
        "mso.digest_alg_mismatch": .checks([.digests: \.isDigestMismatch]),
        "mso.version_2": .check(.mobileSecurityObject, .mobileSecurityObjectVersion),
        "mso.not_yet_valid": .check(.validity, .notYetValid),
        "mso.signed_before_ds": .checks([.validity: { $0.reason == .signedBeforeCertificate }]),
        "mso.signed_after_ds": .checks([.validity: { $0.reason == .signedAfterCertificate }]),
        "mso.no_validity": .mobileSecurityObject(\.isMissingMember),
        "mso.no_device_key": .mobileSecurityObject(\.isMissingMember),
        "mso.inner_trailing": .mobileSecurityObject(\.isTrailingBytes),
        "mso.tdate_garbage": .mobileSecurityObject(\.isNotADate),
        "mso.issuing_country": .check(.issuingCountry, .issuingCountryMismatch),

        "issuer_auth.signature_flipped": .check(.issuerSignature, .cose(.signatureInvalid)),
        // The other MSO is of the same shape: only the signature tells, and what the items digest to.
        "issuer_auth.mso_swapped": .check(.issuerSignature, .cose(.signatureInvalid)),
        "issuer_auth.no_alg": .check(.issuerSignature, .cose(.algorithmMissing)),
        "issuer_auth.alg_hmac": .check(.issuerSignature, .cose(.algorithmNotAllowed(5))),
        "issuer_auth.x5chain_empty": .checks([
            .issuerCertificate: exactly(.cose(.certificateChainMalformed)),
            .issuerSignature: exactly(.cose(.certificateChainMalformed)),
        ]),
        "issuer_auth.x5chain_garbage": .checks([
            .issuerCertificate: \.isCertificateMalformed, .issuerSignature: \.isCertificateMalformed,
        ]),
        "issuer_auth.signature_der": .check(.issuerSignature, .cose(.signatureMalformed)),
        "issuer_auth.signature_zero": .check(.issuerSignature, .cose(.signatureInvalid)),
        "issuer_auth.signature_empty": .check(.issuerSignature, .cose(.signatureMalformed)),
        "issuer_auth.five_elements": .checks([
            .issuerCertificate: exactly(.cose(.malformed(.sign1))),
            .issuerSignature: exactly(.cose(.malformed(.sign1))),
            .mobileSecurityObject: exactly(.cose(.malformed(.sign1))),
        ]),
        "issuer_auth.external_aad": .check(.issuerSignature, .cose(.signatureInvalid)),

        "x509.rogue_iaca": .check(.issuerCertificate, .issuerCertificate(.signatureInvalid)),
        "x509.ds_wrong_eku": .check(.issuerCertificate, .issuerCertificate(.extendedKeyUsageWrong)),
        "x509.ds_no_eku": .check(.issuerCertificate, .issuerCertificate(.extendedKeyUsageWrong)),
        "x509.ds_key_usage": .check(.issuerCertificate, .issuerCertificate(.keyUsageWrong)),
        "x509.ds_country": .check(.issuerCertificate, .issuerCertificate(.countryMismatch)),
        "x509.ds_issuer_name": .check(.issuerCertificate, .issuerCertificate(.issuerNameMismatch)),

        "device.other_handover": .check(.deviceAuthentication, .cose(.signatureInvalid)),
        "device.other_doctype": .check(.deviceAuthentication, .cose(.signatureInvalid)),
        "device.mac_flipped": .check(.deviceAuthentication, .cose(.signatureInvalid)),
        "device.mac_alg_64": .check(.deviceAuthentication, .cose(.algorithmNotAllowed(4))),
        "device.both": .check(.deviceAuthentication, .deviceAuthTwice),
        "device.no_device_auth": .check(.deviceAuthentication, .deviceAuthMissing),
        "device.no_name_spaces": .check(.deviceAuthentication, .deviceNameSpacesMissing),
        "device.alg_mismatch": .check(.deviceAuthentication, .cose(.algorithmNotAllowed(-35))),
        "device.key_off_curve": .check(.deviceAuthentication, .cose(.keyNotUsable)),
        "device.key_authorizations_element": .checks([.keyAuthorizations: \.isElementNotAuthorized]),
        "device.key_authorizations_namespace": .checks([.keyAuthorizations: \.isElementNotAuthorized]),
        "device.unrequested_element": .checks([.requestMatch: \.isElementNotRequested]),

        "session.tag_flipped": .session(
            { $0 == .failed(.decryptionFailed) }, terminationStatus: .encryptionError),
        "session.counter_2": .session(
            { $0 == .failed(.decryptionFailed) }, terminationStatus: .encryptionError),
        "session.empty_map": .sessionData(\.isMissingMember),
        "session.trailing_bytes": .sessionData(\.isTrailingBytes),
        "session.dup_data": .sessionData(\.isDuplicateKey),
        "session.not_a_map": .sessionData { $0.expectedType == .map },
        "session.status_11": .session({ $0 == .status(.decodingError) }, terminationStatus: nil),
        "session.status_20": .session({ $0 == .status(.termination) }, terminationStatus: nil),
    ]

    /// Departures from the profile that real wallets show without harm: accepted, and listed under the case's name.
    static let tolerated: Set<String> = [
        "cbor.indefinite_item_map", "cbor.indefinite_mso", "cbor.nonminimal_int",
        "issuer_auth.x5chain_protected",
        "issuer_auth.tagged", "x509.ds_state",
    ]

    private static func check(_ id: CheckID, _ failure: CheckFailure) -> CorpusExpectation {
        .checks([id: exactly(failure)])
    }

    private static func exactly(_ failure: CheckFailure) -> @Sendable (CheckFailure) -> Bool {
        { $0 == failure }
    }

    /// An MSO that cannot be read leaves nothing that a signature could be the proof of.
    private static func mobileSecurityObject(
        _ test: @escaping @Sendable (CheckFailure) -> Bool
    ) -> CorpusExpectation {
        .checks([.mobileSecurityObject: test, .issuerSignature: test])
    }

    private static func sessionData(_ test: @escaping @Sendable (CBORError) -> Bool) -> CorpusExpectation {
        .session(
            { end in
                if case .failed(.malformed(.malformed(.sessionData, let error))) = end {
                    test(error)
                } else {
                    false
                }
            }, terminationStatus: .decodingError)
    }
}

extension CBORError {
    var isTruncated: Bool { if case .truncated = self { true } else { false } }
    var isDuplicateKey: Bool { if case .duplicateKey = self { true } else { false } }
    var isTrailingBytes: Bool { if case .trailingBytes = self { true } else { false } }
    var isMissingMember: Bool { if case .missingMember = self { true } else { false } }
    var expectedType: CBORType? { if case .unexpectedType(let type, _) = self { type } else { nil } }
}

extension CheckFailure {
    var isDeviation: Bool { if case .deviations = self { true } else { false } }
    var isDigestMismatch: Bool { if case .digestMismatch = self { true } else { false } }
    var isDigestMissing: Bool { if case .digestMissing = self { true } else { false } }
    var isElementNotAuthorized: Bool { if case .elementNotAuthorized = self { true } else { false } }
    var isElementNotRequested: Bool { if case .elementNotRequested = self { true } else { false } }
    var isCertificateMalformed: Bool {
        if case .issuerCertificate(.malformed) = self { true } else { false }
    }
    var isNotADate: Bool { if case .mobileSecurityObject(.notADate) = self { true } else { false } }
    var isMissingMember: Bool { structureError?.isMissingMember == true }
    var isTrailingBytes: Bool { structureError?.isTrailingBytes == true }

    private var structureError: CBORError? {
        if case .mobileSecurityObject(.malformed(.mobileSecurityObject, let error)) = self {
            error
        } else {
            nil
        }
    }
}
