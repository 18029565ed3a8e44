extension PresentationCase {
    /// The cases of a corpus, in their order. Names and expectations are the same in every corpus, so that
    /// one test can judge any corpus, ours or another project's. The portraits are small.
    package static let corpus = all.filter { ruleInWords[$0.name] != nil }.map { presentation in
        var presentation = presentation
        presentation.licence.portraitSize = TestPortrait.minimumSize
        return presentation
    }

    /// The rule that each case keeps or breaks, in words, by the name of the case.
    static let ruleInWords = [
        "ok.signature": "a device signature, after a QR code",
        "ok.mac": "a device MAC, after a QR code",
        "ok.nfc": "static handover over NFC: the transcript has Handover Select alone",
        "ok.nfc_negotiated":
            "negotiated handover over NFC: the transcript has Handover Select and Handover Request",
        "ok.mac_nfc": "a device MAC over a transcript of NFC",
        "ok.es384": "a document signer on P-384, ES384 and digests by SHA-384",
        "ok.es512": "a document signer on P-521, ES512 and digests by SHA-512",
        "ok.iaca_p384": "a root on P-384",
        "ok.device_p384": "a device key on P-384, with ES384",
        "ok.x5chain_array": "x5chain is an array of one certificate",
        "ok.age_nearest_above": "age_over_20 was requested, and age_over_21, which is true, was returned",
        "ok.age_nearest_below": "age_over_68 was requested, and age_over_65, which is false, was returned",
        "ok.element_missing": "an element that the document does not have is listed in errors",
        "ok.document_error": "a document type that the phone does not hold is listed in documentErrors",
        "ok.device_signed_element": "keyAuthorizations names the element that the phone asserts",
        "ok.device_signed_namespace":
            "keyAuthorizations names the namespace of the element that the phone asserts",
        "ok.mso_extra_key": "an unknown member of the MSO is ignored",
        "ok.expected_update": "validityInfo has expectedUpdate",
        "ok.state": "root and document signer name the same stateOrProvinceName",
        "ok.session_data_and_20": "status 20 ends the session together with the response",

        "cbor.truncated": "the last byte is missing",
        "cbor.empty": "the message is empty",
        "cbor.not_a_map": "the response is an array",
        "cbor.huge_length": "a byte string announces more bytes than there are",
        "cbor.dup_namespace": "nameSpaces has one namespace twice",
        "cbor.dup_key_item": "an item whose digest fits has elementValue twice",
        "cbor.indefinite_item_map": "an item whose digest fits is a map of indefinite length",
        "cbor.indefinite_mso": "the MSO is a map of indefinite length",
        "cbor.nonminimal_int": "an item whose digest fits writes its digestID longer than necessary",
        "cbor.item_untagged": "an item is not in tag 24, and its digest is that of the bare map",

        "response.version_2": "the response is of version 2.0",
        "response.no_version": "the response has no version",
        "response.no_status": "the response has no status",
        "response.no_documents": "the status is 0, and there are no documents",
        "response.no_issuer_auth": "issuerSigned has no issuerAuth",
        "response.unrequested_doctype": "a document of a type that was not requested",
        "response.document_twice": "one document is returned twice",
        "response.age_not_nearest":
            "age_over_20 was requested, and age_over_65 returned although there is age_over_21",

        "mso.digest_flipped": "one bit of a signed digest is wrong",
        "mso.value_changed": "an elementValue was changed after it was signed",
        "mso.portrait_changed": "one bit of the portrait was changed after it was signed",
        "mso.wrong_digest_id": "a digestID is that of another element",
        "mso.namespace_absent": "valueDigests lacks the namespace of the items",
        "mso.moved_namespace": "the items stand under a namespace that valueDigests lacks",
        "mso.digest_truncated": "the signed digests are too short",
        "mso.digest_alg_unknown": "digestAlgorithm is one that no reader accepts",
        "mso.digest_alg_mismatch": "digestAlgorithm is not the one that made the digests",
        "mso.version_2": "the MSO is of version 2.0",
        "mso.not_yet_valid": "validFrom is in the future",
        "mso.signed_before_ds": "signed is before the document signer's certificate is valid",
        "mso.signed_after_ds": "signed is after the document signer's certificate is valid",
        "mso.no_validity": "the MSO has no validityInfo",
        "mso.no_device_key": "the MSO has no deviceKeyInfo",
        "mso.inner_trailing": "bytes follow the MSO within tag 24",
        "mso.tdate_garbage": "a date of validityInfo is not a date",
        "mso.issuing_country": "issuing_country is not the country of the document signer's certificate",

        "issuer_auth.signature_flipped": "one bit of the signature is wrong",
        "issuer_auth.mso_swapped": "the signed MSO was replaced by another of the same form",
        "issuer_auth.no_alg": "the protected header has no alg",
        "issuer_auth.alg_hmac": "alg is that of an HMAC",
        "issuer_auth.x5chain_empty": "x5chain is an empty array",
        "issuer_auth.x5chain_protected": "x5chain stands in the protected header",
        "issuer_auth.x5chain_garbage": "x5chain is not a certificate",
        "issuer_auth.signature_der": "the signature is in DER instead of fixed width",
        "issuer_auth.signature_zero": "both numbers of the signature are 0",
        "issuer_auth.signature_empty": "the signature is empty",
        "issuer_auth.five_elements": "COSE_Sign1 has five elements",
        "issuer_auth.tagged": "issuerAuth is in tag 18",
        "issuer_auth.external_aad": "the signature covers external data that is not empty",

        "x509.rogue_iaca":
            "another authority of the same name and key identifier issued the document signer's certificate",
        "x509.ds_wrong_eku": "the document signer's certificate is for a reader's authentication",
        "x509.ds_no_eku": "the document signer's certificate has no extended key usage",
        "x509.ds_key_usage": "the document signer's key usage lacks digitalSignature",
        "x509.ds_country": "the document signer's country is not its root's",
        "x509.ds_state": "the document signer's stateOrProvinceName is not its root's",
        "x509.ds_issuer_name": "the root signed a document signer's certificate that names another issuer",

        "device.other_handover":
            "the device signature covers a transcript of a QR code, and the session was over NFC",
        "device.other_doctype": "the device signature covers another document type",
        "device.mac_flipped": "one bit of the device MAC is wrong",
        "device.mac_alg_64": "the device MAC is of 64 bits",
        "device.both": "deviceAuth has a signature and a MAC",
        "device.no_device_auth": "deviceSigned has no deviceAuth",
        "device.no_name_spaces": "deviceSigned has no nameSpaces",
        "device.alg_mismatch": "alg is ES384, and the device key is on P-256",
        "device.key_off_curve": "the device key is not a point on its curve",
        "device.key_authorizations_element": "keyAuthorizations names another element than the phone asserts",
        "device.key_authorizations_namespace":
            "keyAuthorizations names another namespace than the phone asserts",
        "device.unrequested_element": "the phone asserts an element that was not requested",

        "session.tag_flipped": "one bit of the authentication tag of AES-GCM is wrong",
        "session.counter_2": "the phone's first message is encrypted with counter 2",
        "session.empty_map": "SessionData has neither data nor status",
        "session.trailing_bytes": "bytes follow SessionData",
        "session.dup_data": "SessionData has data twice",
        "session.status_11": "status 11, a CBOR decoding error, instead of a response",
        "session.status_20": "status 20, the end of the session, instead of a response",
        "session.not_a_map": "SessionData is an array",
    ]
}
