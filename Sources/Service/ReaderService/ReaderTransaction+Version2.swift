internal import ISO7816
internal import MdocModel
internal import MdocSession

extension ReaderTransaction {
    /// Engages a phone by NFC v2 (draft of the second edition of ISO/IEC 18013-5).
    ///
    /// - Returns: `nil` if the phone does not support NFC v2 and classic handover may follow.
    func engageByVersion2(
        _ driver: CardDriver, _ bluetooth: BluetoothRetrieval?
    ) async throws(TapEnd) -> Engaged? {
        var machine = NFCVersion2EngagementReader(
            limits: driver.card.readerLimits,
            offer: NFCVersion2Offer(serviceUUID: await bluetooth?.handoverOffer.serviceUUID),
            settings: plan.deadlines.version2Settings, transferSettings: plan.deadlines.transferSettings)
        let delivery: NFCVersion2Delivery
        do throws(CardDriver.End) {
            delivery = try await driver.run(&machine, from: machine.start(now: .now))
        } catch {
            throw TapEnd(engaging: error)
        }
        switch delivery {
        case .absent(let reason):
            guard plan.retrieval.nfcVersion2 == .only else { return nil }
            // A locked phone answers like a phone without the application (Q1).
            throw reason.fault == .status(.notFound) ? .noWallet(reason) : .broken(reason)
        case .engaged(let engaged):
            // The limits of NFC are part of `transfer` already.
            return Engaged(
                engagement: engaged.engagement, handover: engaged.handover, nfc: nil,
                bluetooth: engaged.choice.bluetooth.map { BluetoothOffer($0) },
                transfer: engaged.transfer)
        }
    }
}

extension ReaderTransaction {
    /// Starts the session with a phone that chose Bluetooth in an NFC v2 handover. NFC carries messages while
    /// the Bluetooth link is being made.
    func hybrid(
        over retrieval: NFCRetrieval, and bluetooth: BluetoothRetrieval, to offer: BluetoothOffer,
        engaged engagement: DeviceEngagement, notes: PresentationNotes
    ) async -> HybridCarrier {
        let transaction = self
        let exchange = HybridExchange { transaction.record($0, in: notes) }
        await exchange.start(retrieval) {
            await catching { () throws(PresentationFailure) in
                // The answer may come over NFC, so nobody is told to check Bluetooth in the phone.
                let link = try await transaction.link(
                    over: bluetooth, to: offer, engaged: engagement, isAwaited: false)
                return await transaction.carrier(over: link)
            }
        }
        return HybridCarrier(exchange)
    }
}

extension TapEnd {
    /// This end of a tap, converted by the rules of NFC v2. A phone that is lifted while its holder decides
    /// keeps the request, so the tap counts as `requestTaken` and not as `broken`.
    var ofVersion2: TapEnd {
        guard case .broken(let reason) = self, reason.fault == .cardLost, reason.phase == .awaitResponse
        else {
            return self
        }
        return .requestTaken(reason)
    }
}

extension PresentationDeadlines {
    fileprivate var version2Settings: NFCVersion2Settings {
        var settings = NFCVersion2Settings()
        // The times of the plan count only if they are shorter than the defaults for NFC v2.
        settings.selectDeadline = min(settings.selectDeadline, tapPhase)
        settings.handoverDeadline = min(settings.handoverDeadline, tap)
        return settings
    }
}
