internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import WalletPresentation

extension CBORStructure {
    /// Why the item is not what it looks like; nil if it is, or if nothing more is known of it.
    func complaint(about item: CBORItem) -> String? {
        switch self {
        case .vical, .rical, .statusToken: complaint(aboutList: item)
        case .encryptedResponse, .walletEnvelope: complaint(aboutSealed: item.encoded)
        default: complaint(aboutMessage: item.encoded)
        }
    }

    private func complaint(aboutList item: CBORItem) -> String? {
        // The tag of a CWT is no part of the signature's structure.
        let bytes = ((try? item.tagged(61)) ?? item).encoded
        switch self {
        case .vical:
            do throws(VICALError) { _ = try UnverifiedVICAL(bytes) } catch { return error.explanation }
        case .rical:
            do throws(RICALError) { _ = try UnverifiedRICAL(bytes) } catch { return error.explanation }
        default:
            do throws(StatusTokenError) { _ = try StatusToken(bytes) } catch { return error.explanation }
        }
        return nil
    }

    private func complaint(aboutSealed bytes: ArraySlice<UInt8>) -> String? {
        do throws(WalletPresentationError) {
            if self == .walletEnvelope {
                _ = try WalletEnvelope(bytes)
            } else {
                _ = try EncryptedResponse(decoded: bytes)
            }
            return nil
        } catch {
            return error.explanation
        }
    }

    private func complaint(aboutMessage bytes: ArraySlice<UInt8>) -> String? {
        do throws(MdocModelError) {
            switch self {
            case .deviceResponse: _ = try UnverifiedResponse(bytes)
            case .deviceRequest: _ = try DeviceRequest(bytes)
            case .sessionEstablishment: _ = try SessionEstablishment(bytes)
            case .sessionData: _ = try SessionData(bytes)
            case .deviceEngagement:
                let malformed = try DeviceEngagement(bytes).malformedMembers
                return malformed.isEmpty ? nil : "members of another shape than they should be: \(malformed)"
            case .version2Request: _ = try NFCVersion2Handover.methods(inRequest: bytes)
            case .version2Select: _ = try NFCVersion2Handover.engagement(inSelect: bytes)
            case .sessionTranscript: _ = try SessionTranscript(stored: bytes)
            default: return nil
            }
            return nil
        } catch {
            return error.explanation
        }
    }
}
