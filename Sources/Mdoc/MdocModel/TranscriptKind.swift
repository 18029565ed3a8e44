internal import CBOR
internal import JSON

/// The kind of presentation that a SessionTranscript binds, recognised by its engagement and its handover.
package enum TranscriptKind: Equatable, Sendable {
    // Presentations to a reader nearby, with an engagement and an ephemeral key (ISO/IEC 18013-5 9.1.5.1).
    case qr
    case staticHandover
    case negotiatedHandover
    case version2Handover

    // Presentations in an app or on a page, without an engagement and without an ephemeral key.
    /// A presentation in an app, by Verify with Wallet.
    case app
    /// A presentation by the Digital Credentials API with `org-iso-mdoc` (ISO/IEC TS 18013-7 Annex C).
    case annexC
    /// A presentation by OpenID4VP with redirects.
    case openID4VP
    /// A presentation by OpenID4VP over the Digital Credentials API.
    case openID4VPOverDCAPI
    /// A presentation by OpenID4VP in the profile of ISO/IEC TS 18013-7:2024 Annex B. The handover has two
    /// hashes and a nonce, and no name.
    case annexB
    /// A handover of another form. `handover` is the name at its beginning, or `nil` if there is no name.
    case unknown(handover: String?)
}

/// The reader's key with which a phone makes a MAC (ISO/IEC 18013-5 9.1.3.5).
package enum MACKey: Sendable {
    /// The ephemeral key that is in the transcript.
    case ephemeral
    /// The verifier's key for which the wallet encrypts its answer. The transcript does not contain this key.
    case encryption
}

extension SessionTranscript {
    /// The reader's key for a MAC, or `nil` where only a signature can prove the phone's key.
    package var macKey: MACKey? {
        if eReaderKeyBytes != nil { return .ephemeral }
        return switch kind {
        case .openID4VP, .openID4VPOverDCAPI, .annexB: .encryption
        case .app, .annexC, .unknown, .qr, .staticHandover, .negotiatedHandover, .version2Handover: nil
        }
    }

    /// The kind of presentation, recognised by the form of the transcript alone. No signature or MAC is
    /// verified.
    package var kind: TranscriptKind {
        // A transcript may be longer than the standard limit of a message, so its own size is the limit here.
        // The handover is the third entry.
        guard let item = try? CBORItem.parse(encoded, limits: CBORLimits(bytes: encoded.count)),
            let fields = try? item.array(), let handover = Array(fields.prefix(3)).last
        else { return .unknown(handover: nil) }
        return eReaderKeyBytes == nil
            ? TranscriptKind(withoutEngagement: handover) : TranscriptKind(nearby: handover)
    }
}

extension TranscriptKind {
    /// Recognises the kind of a presentation to a reader nearby.
    ///
    /// - Parameter handover: `null`, or the two messages of an NFC handover.
    fileprivate init(nearby handover: CBORItem) {
        if handover.isNullOrUndefined {
            self = .qr
            return
        }
        // Three entries are enough to see that there are more than two.
        let messages = (try? handover.array()).map { Array($0.prefix(3)) } ?? []
        guard messages.count == 2, let select = try? messages[0].byteString() else {
            self = .unknown(handover: nil)
            return
        }
        if messages[1].isNullOrUndefined {
            self = .staticHandover
        } else if (try? messages[1].byteString()) == nil {
            self = .unknown(handover: nil)
        } else {
            // An NFC v2 message is a CBOR map (major type 5). An NDEF message never begins with such a byte.
            self = select.first.map { $0 >> 5 == 5 } == true ? .version2Handover : .negotiatedHandover
        }
    }

    /// Recognises the kind of a presentation in an app or on a page.
    ///
    /// - Parameter handover: an array, which for most kinds begins with the kind's name.
    fileprivate init(withoutEngagement handover: CBORItem) {
        // Four entries are enough to see that there are more than three.
        let members = (try? handover.array()).map { Array($0.prefix(4)) } ?? []
        if members.count == 3, (try? members[0].byteString()) != nil, (try? members[1].byteString()) != nil,
            (try? members[2].text()) != nil
        {
            self = .annexB
            return
        }
        let name = members.first.flatMap { try? $0.name() }
        switch name {
        case let name? where name.hasPrefix("AppleIdentityPresentment_"): self = .app
        case "dcapi": self = .annexC
        case "OpenID4VPHandover": self = .openID4VP
        case "OpenID4VPDCAPIHandover": self = .openID4VPOverDCAPI
        default: self = .unknown(handover: name)
        }
    }
}

extension TranscriptKind {
    /// The kind in plain words, with the specification that defines it. Safe to print on a terminal.
    package var explanation: String {
        switch self {
        case .qr: "QR code"
        case .staticHandover: "static NFC handover"
        case .negotiatedHandover: "negotiated NFC handover"
        case .version2Handover: "NFC v2 handover"
        case .app: "Verify with Wallet, in an app"
        case .annexC: "Digital Credentials API with org-iso-mdoc, ISO/IEC TS 18013-7 Annex C"
        case .openID4VP: "OpenID4VP with redirects"
        case .openID4VPOverDCAPI: "OpenID4VP over the Digital Credentials API"
        case .annexB: "OpenID4VP by ISO/IEC TS 18013-7:2024 Annex B"
        case .unknown(let name?): "unknown handover \(Terminal.safe(name, limit: 80))"
        case .unknown(nil): "unknown handover"
        }
    }
}
