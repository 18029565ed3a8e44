/// A parser or machine as a fuzzer sees it: any bytes go in, and it must come back.
///
/// What a target holds to beyond not trapping it says with `demand`, so that a wrong answer is found like a crash.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case cbor, ndef, apdu, imageHeader
    case nfcEngagement, nfcTransfer, nfcHolder, nfcVersion2
    case bleMessage, bleTransfer, l2capMessage, l2capPSM
    case deviceEngagement, benchLinkGreeting, text
    case deviceRequest, requestIntent, drivingPrivileges
    case sessionTranscript, sessionData
    case deviceResponse, issuedObject, issuedItem, reissuedResponse
    case certificate, certificateProfile
    case revocationList, vical, statusToken, trustBundle
    case walletEnvelope, encryptedResponse, sealedAnswer, presentationText
    case json, readerToken, brandRegistry
    case receiptChain, signedReceipt, retainedRecord
    case daemonConfiguration, policyFile, identityRules, mainConfiguration
    case presentationOrder, pemKey, portrait, fieldTrace, fleetDocument
    case scanFraming, hidDescriptor, osdpLine

    /// Feeds `input` to the target. Traps where the target fails.
    package func run(_ input: ArraySlice<UInt8>) {
        switch self {
        case .cbor: fuzzCBOR(input)
        case .ndef: fuzzNDEF(input)
        case .apdu: fuzzAPDU(input)
        case .imageHeader: fuzzImageHeader(input)
        case .nfcEngagement: fuzzNFCEngagement(input)
        case .nfcTransfer: fuzzNFCTransfer(input)
        case .nfcHolder: fuzzNFCHolder(input)
        case .nfcVersion2: fuzzNFCVersion2(input)
        case .bleMessage: fuzzBLEMessage(input)
        case .bleTransfer: fuzzBLETransfer(input)
        case .l2capMessage: fuzzL2CAPMessage(input)
        case .l2capPSM: fuzzL2CAPPSM(input)
        case .deviceEngagement: fuzzDeviceEngagement(input)
        case .benchLinkGreeting: fuzzBenchLinkGreeting(input)
        case .text: fuzzText(input)
        case .deviceRequest: fuzzDeviceRequest(input)
        case .requestIntent: fuzzRequestIntent(input)
        case .drivingPrivileges: fuzzDrivingPrivileges(input)
        case .sessionTranscript: fuzzSessionTranscript(input)
        case .sessionData: fuzzSessionData(input)
        case .deviceResponse: fuzzDeviceResponse(input)
        case .issuedObject: fuzzIssuedObject(input)
        case .issuedItem: fuzzIssuedItem(input)
        case .reissuedResponse: fuzzReissuedResponse(input)
        case .certificate: fuzzCertificate(input)
        case .certificateProfile: fuzzCertificateProfile(input)
        case .revocationList: fuzzRevocationList(input)
        case .vical: fuzzVICAL(input)
        case .statusToken: fuzzStatusToken(input)
        case .trustBundle: fuzzTrustBundle(input)
        case .sealedAnswer: fuzzSealedAnswer(input)
        case .presentationText: fuzzPresentationText(input)
        case .json: fuzzJSON(input)
        case .readerToken: fuzzReaderToken(input)
        case .brandRegistry: fuzzBrandRegistry(input)
        case .scanFraming: fuzzScanFraming(input)
        case .hidDescriptor: fuzzHIDDescriptor(input)
        case .osdpLine: fuzzOSDPLine(input)
        case .walletEnvelope, .encryptedResponse, .receiptChain, .signedReceipt, .retainedRecord,
            .daemonConfiguration, .policyFile, .identityRules, .mainConfiguration, .presentationOrder,
            .pemKey, .portrait, .fieldTrace, .fleetDocument:
            _ = takesWhole(input)
        }
    }

    /// Whether the input gets through to the target's last step: a response that verifies, a chain that holds, a file that is
    /// taken. False for targets that have no such step.
    package func takesWhole(_ input: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .deviceResponse: FuzzWorld.standard.verifies(Array(input))
        case .walletEnvelope: fuzzWalletEnvelope(input)
        case .encryptedResponse: fuzzEncryptedResponse(input)
        case .receiptChain: fuzzReceiptChain(input)
        case .signedReceipt: fuzzSignedReceipt(input)
        case .retainedRecord: fuzzRetainedRecord(input)
        case .daemonConfiguration: fuzzDaemonConfiguration(input)
        case .policyFile: fuzzPolicyFile(input)
        case .identityRules: fuzzIdentityRules(input)
        case .mainConfiguration: fuzzMainConfiguration(input)
        case .presentationOrder: fuzzPresentationOrder(input)
        case .pemKey: fuzzPEMKey(input)
        case .portrait: fuzzPortrait(input)
        case .fieldTrace: fuzzFieldTrace(input)
        case .fleetDocument: fuzzFleetDocument(input)
        default: false
        }
    }
}

/// Ends the program where a target gave a wrong answer; in release builds too, and with the reason.
func demand(_ condition: @autoclosure () -> Bool, _ reason: StaticString) {
    if !condition() { fatalError("\(reason)") }
}
