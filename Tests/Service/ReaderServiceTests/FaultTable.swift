import MdocWallet
import PresentationStage

/// What a reader says of each fault of a phone: the summary of the presentation's outcome.
enum FaultTable {
    static let card: [String: String] = [
        "card.pulled_in_engagement": "initialMessage cardLost",
        "card.pulled_in_request": "linkLost",
        "card.pulled_in_consent": "linkLost",
        "card.pulled_in_response": "linkLost",
        "card.silent": "consentOverdue",
        "card.locked": "selectApplication noWalletYet",
        "card.endless_nlen_0": "initialMessage notReady",
        "card.giant_nlen": "initialMessage messageTooLong",
        "card.empty_reads": "initialMessage noProgress",
        "card.oversized_reads": "initialMessage surplusBytes",
        "card.garbled_cc": "readCapabilities capabilityContainerInvalid",
        "card.other_message": "initialMessage messageUnexpected",
        "card.truncated_message": "initialMessage messageMalformed",
        "card.no_engagement": "initialMessage noDeviceEngagement",
        "card.te_error": "handoverSelect serviceStatus",
        "card.endless_te_success": "handoverSelect notReady",
        "card.unoffered_carrier": "handoverSelect unofferedCarrier",
        "card.no_data_transfer": "selectDataTransfer status",
        "card.transfer_6f00": "awaitResponse status",
        "card.endless_61xx": "receiveMessage noProgress",
        "card.wrong_data_object": "awaitResponse dataObjectMalformed",
        "card.giant_data_object": "awaitResponse messageTooLong",
        "card.short_data_object": "receiveMessage dataObjectIncomplete",
        "card.surplus_byte": "receiveMessage surplusBytes",
    ]

    static let session: [String: String] = [
        "session.tag_flipped": "decryptionFailed",
        "session.counter_2": "decryptionFailed",
        "session.empty_map": "malformed sessionData",
        "session.trailing_bytes": "malformed sessionData",
        "session.dup_data": "malformed sessionData",
        "session.not_a_map": "malformed sessionData",
        "session.status_10": "status 10",
        "session.status_11": "status 11",
        "session.status_20": "declined",
        "session.data_with_status_10": "status 10",
        "session.data_with_status_11": "status 11",
        "session.data_with_status_99": "status 99",
    ]

    static let holder: [String: String] = [
        "cbor.truncated": "malformed deviceResponse",
        "cbor.empty": "malformed deviceResponse",
        "cbor.not_a_map": "malformed deviceResponse",
        "cbor.huge_length": "malformed deviceResponse",
        "cbor.dup_namespace": "malformed deviceResponse",
        "cbor.null_member": "verified cbor.null_member",
        "response.version_2": "rejected response.version",
        "response.no_version": "rejected response.version",
        "response.no_status": "rejected response.no_status",
        "response.status": "rejected response.status",
        "response.no_documents": "rejected response.no_documents",
        "response.no_issuer_auth": "rejected issuer_certificate issuer_signature mso",
        "response.unrequested_doctype": "rejected request_match",
        "response.document_twice": "rejected request_match",
        "response.unrequested_element": "verified response.unrequested_element",
        "response.element_twice": "rejected request_match",
        "response.age_not_nearest": "rejected request_match",
        "response.no_portrait": "verified response.no_portrait",
        "mso.moved_namespace": "rejected digests",
        "device.other_handover": "rejected device_authentication",
        "device.other_session": "rejected device_authentication",
        "device.other_doctype": "rejected device_authentication",
        "device.other_key": "rejected device_authentication",
        "device.signature_flipped": "rejected device_authentication",
        "device.mac_flipped": "rejected device_authentication",
        "device.mac_alg_64": "rejected device_authentication",
        "device.both": "rejected device_authentication",
        "device.no_device_auth": "rejected device_authentication",
        "device.no_name_spaces": "rejected device_authentication",
        "device.alg_mismatch": "rejected device_authentication",
        "device.alg_fully_specified": "verified device.alg_fully_specified",
        "device.tagged": "verified device.tagged",
        "device.unrequested_element": "rejected request_match",
        "device.issuer_element": "rejected request_match",
    ]

    /// One of each check that the issuer's part has; all of them are judged in memory elsewhere.
    static let issuer: [String: String] = [
        "issuer_auth.signature_flipped": "rejected issuer_signature",
        "x509.rogue_iaca": "rejected issuer_certificate",
        "x509.ds_expired": "rejected issuer_certificate",
        "mso.version_2": "rejected mso",
        "mso.value_changed": "rejected digests",
        "mso.portrait_changed": "rejected digests",
        "mso.expired": "rejected validity",
        "mso.issuing_country": "rejected issuing_country",
        "device.key_authorizations_element": "rejected key_authorizations",
        "cbor.item_untagged": "malformed issuerSignedItem",
        "issuer_auth.x5chain_protected": "verified issuer_auth.x5chain_protected",
    ]

    /// The faults that are in messages, with the case that shows each.
    static let messages: [(presentation: PresentationCase, summary: String)] =
        SessionFault.allCases.map { (PresentationCase($0), session[$0.rawValue] ?? "no row") }
        + HolderFault.allCases.map { (PresentationCase($0), holder[$0.rawValue] ?? "no row") }
        + IssuerFault.allCases.filter { issuer.keys.contains($0.rawValue) }
        .map { (PresentationCase($0), issuer[$0.rawValue] ?? "no row") }
}

extension CardFault {
    /// A phone that shows this fault: with a handover that comes that far, and messages of several APDUs.
    func scene() throws -> Scene {
        let negotiated: [CardFault] = [.handoverRefused, .handoverNeverComes, .carrierNotOffered]
        let profile = self == .pulledInRequest ? WalletProfile.applet : .generic
        return try Scene(
            Scene.presentation(profile, portrait: 25_000),
            handover: negotiated.contains(self) ? .negotiated : .static
        ) { $0.cardFault = self }
    }
}

extension PresentationCase {
    /// The phone of this case, tapped.
    func sceneAtReader() throws -> Scene {
        try Scene(self, handover: handover == .qr ? .static : handover)
    }
}
