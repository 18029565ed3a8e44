internal import COSE
internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto

/// The issuer, the phone and the request of a case.
package struct PresentedWallet: Sendable {
    package let issuer: TestIssuer
    package var wallet: Wallet
    /// The first that the phone holds.
    package let document: IssuedDocument
    package let requests: [ItemsRequest]

    package init(
        _ presentation: PresentationCase, entropy: TestEntropy = .openSSL, at now: Timestamp
    ) throws(WalletError) {
        let issuer = try mapping(
            TestIssuer(presentation.issuing, entropy: entropy, now: now), WalletError.cryptography)
        let documents = try mapping(
            presentation.issued(by: issuer, entropy: entropy, at: now), WalletError.cryptography)
        self.issuer = issuer
        document = documents[0]
        requests = presentation.requests
        var holder = Holder(documents: documents)
        holder.deviceAuthentication = presentation.deviceAuthentication
        holder.deviceElements = presentation.deviceElements
        holder.decision = presentation.decision
        holder.fault = presentation.holderFault
        wallet = Wallet(holder: holder, profile: presentation.profile, entropy: entropy)
        wallet.sessionCurve = presentation.sessionCurve
        wallet.sessionFault = presentation.sessionFault
        wallet.cardFault = presentation.cardFault
        wallet.presentationFault = presentation.presentationFault
        wallet.endsSessionWithResponse = presentation.endsSessionWithResponse
    }

    /// The DeviceRequest, without reader authentication.
    package var deviceRequest: [UInt8] {
        DeviceRequest.encode(requests.map { ($0.encoded(), nil) })
    }
}

extension PresentationCase {
    /// The documents, each with a separate key.
    fileprivate func issued(
        by issuer: TestIssuer, entropy: TestEntropy, at now: Timestamp
    ) throws(OpenSSLCryptoError) -> [IssuedDocument] {
        try documents.map { kind throws(OpenSSLCryptoError) in
            var content = kind.document(for: licence, on: now.dayInUTC)
            if kind == .drivingLicence { content.docType = docType }
            let purpose = kind == .drivingLicence ? "device" : "device \(kind.rawValue)"
            let key = COSEKeyPair(try entropy.key(on: deviceCurve, for: purpose))
            return try issuer.issue(content, for: key)
        }
    }
}
