package import MdocModel
package import MdocTrust
package import MdocVerification
internal import ReaderService
package import Reports
package import WalletPresentation

/// A presentation through an app or the web, as files hold it: enough to open and judge it once more.
package struct StoredPresentation {
    package enum Message {
        case envelope([UInt8], MerchantIdentity, PresentationNonce)
        /// The text that came, and encryptionInfo to the byte.
        case webResponse([UInt8], encryptionInfo: String, WebOrigin)
    }

    /// What was asked, to compare the answer with.
    package struct Asked {
        package let requests: [ItemsRequest]
        let expectation: AnswerExpectation
    }

    package let message: Message
    /// For which it may be sealed.
    package let keys: [RecipientKey]
    /// Nil if that is not known.
    package let asked: Asked?

    package func judged(
        trusting trust: TrustStore, by policy: VerificationPolicy, at now: Timestamp
    ) -> ChannelReport {
        let clock = ContinuousClock()
        let start = clock.now
        let opened: OpenedPresentation
        do throws(WalletPresentationError) {
            opened = try self.opened()
        } catch {
            return ChannelReport(unopened: error, isReplayChecked: false)
        }
        let decrypted = clock.now
        let context = PresentationContext(
            comparison: asked.map { .requested($0.requests) } ?? .notCompared, trust: trust, now: now,
            day: WallClock.localDay(at: now), policy: policy)
        var report = ChannelReport(
            opened.verify(in: context), requestCompared: asked != nil,
            expecting: asked?.expectation ?? .nothing)
        report.response.phases = [
            TransactionReport.Phase(name: "decrypt", duration: decrypted - start),
            TransactionReport.Phase(name: "verify", duration: clock.now - decrypted),
        ]
        return report
    }

    /// Nobody here knows whether the nonce was used before.
    package func opened() throws(WalletPresentationError) -> OpenedPresentation {
        switch message {
        case .envelope(let bytes, let merchant, let nonce):
            return try WalletEnvelope(bytes[...]).open(
                with: keys, as: merchant, answering: .acceptingReplays(of: nonce))
        case .webResponse(let text, let info, let origin):
            return try Self.opened(EncryptedResponse(text), EncryptionInfo(info), origin, keys)
        }
    }

    private static func opened(
        _ response: EncryptedResponse, _ info: EncryptionInfo, _ origin: WebOrigin, _ keys: [RecipientKey]
    ) throws(WalletPresentationError) -> OpenedPresentation {
        for key in keys {
            do throws(WalletPresentationError) {
                return try response.open(
                    with: key, encryptionInfo: info, origin: origin,
                    answering: .acceptingReplays(of: info.nonce))
            } catch .recipientKeyUnknown {
                continue
            } catch {
                throw error
            }
        }
        throw .recipientKeyUnknown
    }
}
