import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import Testing

@Suite("Keys on every curve, with every handover, under strict rules")
struct CurveTests {
    @Test(
        "Device signatures", arguments: Curve.allCases.filter { $0.family != .montgomery },
        HandoverKind.allCases)
    func signature(curve: Curve, handover: HandoverKind) throws {
        let presentation = PresentationCase("signature") {
            $0.deviceCurve = curve
            $0.handover = handover
        }
        let response = try #require(try WrittenCase(presentation).judge(.strict).verified())
        #expect(response.documents[0].deviceBinding == .signature)
    }

    @Test(
        "Q152 Device MACs, with the session on the device key's curve",
        arguments: Curve.allCases.filter { $0.family == .weierstrass }, HandoverKind.allCases)
    func mac(curve: Curve, handover: HandoverKind) throws {
        let presentation = PresentationCase("mac") {
            $0.deviceCurve = curve
            $0.authenticateByMAC()
            $0.handover = handover
        }
        let response = try #require(try WrittenCase(presentation).judge(.strict).verified())
        #expect(response.documents[0].deviceBinding == .mac)
    }

    @Test("A MAC with the session on another curve ends the session instead")
    func macOnOtherCurve() throws {
        let presentation = PresentationCase("mac") {
            $0.deviceCurve = .p384
            $0.deviceAuthentication = .mac
        }
        guard
            case .ended(.status(.termination), terminationStatus: nil) = try WrittenCase(presentation).judge(
                .strict)
        else {
            Issue.record("a response")
            return
        }
    }

    @Test("Session keys", arguments: Curve.allCases.filter { $0.family != .edwards })
    func session(curve: Curve) throws {
        let presentation = PresentationCase("session") { $0.sessionCurve = curve }
        #expect(try WrittenCase(presentation).judge(.strict).verified() != nil)
    }

    @Test("Issuer keys", arguments: Curve.allCases.filter { $0.family != .montgomery })
    func issuer(curve: Curve) throws {
        let presentation = PresentationCase("issuer") {
            $0.issuing.signerCurve = curve
            if curve.family == .weierstrass { $0.issuing.rootCurve = curve }
            $0.issuing.digestAlgorithm = curve.preferredHash
        }
        #expect(try WrittenCase(presentation).judge(.strict).verified() != nil)
    }
}
