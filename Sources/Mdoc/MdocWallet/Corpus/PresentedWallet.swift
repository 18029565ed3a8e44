internal import COSE
package import MdocModel
internal import OpenSSLCrypto

/// The issuer, the phone and the request of a case.
package struct PresentedWallet: Sendable {
    package let issuer: TestIssuer
    package var wallet: Wallet
    package let document: IssuedDocument
    package let requests: [ItemsRequest]

    package init(
        _ presentation: PresentationCase, entropy: TestEntropy = .openSSL, at now: Timestamp
    ) throws(WalletError) {
        let (issuer, document) = try WalletError.wrapping { () throws(OpenSSLCryptoError) in
            let issuer = try TestIssuer(presentation.issuing, entropy: entropy, now: now)
            var content = presentation.licence.document(on: now.dayInUTC)
            content.docType = presentation.docType
            let key = COSEKeyPair(try entropy.key(on: presentation.deviceCurve, for: "device"))
            return (issuer, try issuer.issue(content, for: key))
        }
        self.issuer = issuer
        self.document = document
        requests = presentation.requests
        var holder = Holder(documents: [document])
        holder.deviceAuthentication = presentation.deviceAuthentication
        holder.deviceElements = presentation.deviceElements
        holder.decision = presentation.decision
        holder.fault = presentation.holderFault
        wallet = Wallet(holder: holder, profile: presentation.profile, entropy: entropy)
        wallet.sessionCurve = presentation.sessionCurve
        wallet.sessionFault = presentation.sessionFault
        wallet.cardFault = presentation.cardFault
        wallet.endsSessionWithResponse = presentation.endsSessionWithResponse
    }

    /// The DeviceRequest, without reader authentication.
    package var deviceRequest: [UInt8] {
        DeviceRequest.encode(requests.map { ($0.encoded(), nil) })
    }
}
