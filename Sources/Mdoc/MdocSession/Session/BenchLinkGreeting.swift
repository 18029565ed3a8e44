package import CBOR
package import MdocModel

/// The first frame on the bench link, a TCP connection that replaces the radio between reader and software
/// wallet. The software wallet sends this frame, which shows whether the session began with a QR code or over
/// NFC.
///
/// Every later frame is a SessionEstablishment or SessionData message.
package struct BenchLinkGreeting: Equatable, Sendable {
    /// The text of the QR code, an `mdoc:` URI. Always present.
    package let qr: String
    package let deviceEngagement: [UInt8]
    /// The complete Handover Select message of an engagement over NFC. Nil if the engagement came from the QR
    /// code.
    package let handoverSelect: [UInt8]?
    package let handoverRequest: [UInt8]?
    /// Whether the handover messages have the form of NFC v2.
    package let isVersion2: Bool

    package init(
        qr: String, deviceEngagement: [UInt8], handoverSelect: [UInt8]?, handoverRequest: [UInt8]?,
        isVersion2: Bool = false
    ) {
        self.qr = qr
        self.deviceEngagement = deviceEngagement
        self.handoverSelect = handoverSelect
        self.handoverRequest = handoverRequest
        self.isVersion2 = isVersion2
    }

    /// Parses the frame. Unknown members are ignored.
    package init(_ bytes: ArraySlice<UInt8>) throws(BenchLinkError) {
        do throws(CBORError) {
            let item = try CBORItem.parse(bytes)
            let map = try item.map()
            guard let qr = map["qr"], let engagement = map["deviceEngagement"] else {
                throw CBORError.missingMember(at: item.offset)
            }
            self.qr = try qr.text()
            deviceEngagement = Array(try engagement.byteString())
            handoverSelect = try Self.message(map["handoverSelect"])
            handoverRequest = try Self.message(map["handoverRequest"])
            isVersion2 = try map["nfcV2"]?.boolean() ?? false
        } catch {
            throw .malformed(error)
        }
    }

    /// Returns the bytes of a handover message. Nil if the member is absent or null.
    private static func message(_ item: CBORItem?) throws(CBORError) -> [UInt8]? {
        guard let item, !item.isNullOrUndefined else { return nil }
        return Array(try item.byteString())
    }

    package func encoded() -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: isVersion2 ? 5 : 4)
            encoder.text("qr")
            encoder.text(qr)
            encoder.text("deviceEngagement")
            encoder.byteString(deviceEngagement)
            for (name, message) in [("handoverSelect", handoverSelect), ("handoverRequest", handoverRequest)]
            {
                encoder.text(name)
                if let message { encoder.byteString(message) } else { encoder.null() }
            }
            guard isVersion2 else { return }
            encoder.text("nfcV2")
            encoder.boolean(true)
        }
    }

    /// Returns the engagement and the handover for the transcript. Both come from the NFC messages if the
    /// greeting has NFC messages, otherwise from the QR code.
    package func engagement() throws(BenchLinkError) -> (DeviceEngagement, Handover) {
        do throws(MdocModelError) {
            guard let handoverSelect else {
                let scanned = try EngagementURI.deviceEngagement(in: qr)
                return (try DeviceEngagement(scanned[...]), .qr)
            }
            let engagement = try DeviceEngagement(deviceEngagement[...])
            if isVersion2, let handoverRequest {
                return (engagement, .nfcVersion2(select: handoverSelect, request: handoverRequest))
            }
            return (engagement, .nfc(select: handoverSelect, request: handoverRequest))
        } catch {
            throw .engagement(error)
        }
    }
}

package enum BenchLinkError: Error, Equatable, Sendable {
    case malformed(CBORError)
    case engagement(MdocModelError)
}

extension BenchLinkError {
    package var explanation: String {
        switch self {
        case .malformed(let error): "the first frame of the bench link is malformed: \(error.explanation)"
        case .engagement(let error): error.explanation
        }
    }
}
