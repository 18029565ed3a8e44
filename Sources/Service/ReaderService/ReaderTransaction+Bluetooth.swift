package import MdocModel
internal import MdocSession
internal import NDEF
package import Transport

extension ReaderTransaction {
    /// Retrieves the answer over Bluetooth from the phone whose QR code was scanned. The engagement is
    /// reported once the radio is ready.
    package func run(scanned engagement: DeviceEngagement, radio: any BluetoothLERadio) async -> Presentation
    {
        await run { running throws(PresentationFailure) in
            guard let offer = BluetoothOffer(engagement) else { throw .noUsableRetrieval }
            try await prepare(radio)
            running.prepareKey()
            let bluetooth = BluetoothRetrieval(radio, plan: plan.retrieval)
            var exchange = try running.newExchange(engagement, .qr)
            running.endPhase(.engagement, at: .now)
            report(.engaged)
            let link = try await link(over: bluetooth, to: offer, engaged: engagement)
            return try await running.complete(&exchange, over: link)
        }
    }

    /// Makes the radio ready, within the time for a connection.
    private func prepare(_ radio: any BluetoothLERadio) async throws(PresentationFailure) {
        let result = await bounded(by: .now + plan.deadlines.connection) { () throws(BluetoothLEError) in
            try await radio.prepare()
        }
        do throws(BluetoothLEError) {
            try result.get()
        } catch {
            throw .withoutLink(error)
        }
    }

    /// Starts advertising for a transaction that still waits for a phone.
    ///
    /// - Returns: the Bluetooth side of the transaction; `nil` if only NFC can be used.
    /// - Throws: a failure if the plan requires Bluetooth and Bluetooth cannot be used.
    func startAdvertising(on radio: (any BluetoothLERadio)?) async throws(PresentationFailure)
        -> BluetoothRetrieval?
    {
        guard plan.retrieval.transport != .nfc else { return nil }
        guard let radio else {
            guard plan.retrieval.transport == .automatic else { throw .noUsableRetrieval }
            return nil
        }
        let bluetooth = BluetoothRetrieval(radio, plan: plan.retrieval)
        do throws(BluetoothLEError) {
            // With faulty settings, phones ask their owner to pair or parts of the answer are lost. NFC can
            // be used instead, so nothing is advertised.
            if plan.retrieval.transport == .automatic, let fault = await radio.settingsFault() {
                throw .radioUnavailable(fault)
            }
            try await bluetooth.arm()
            return bluetooth
        } catch {
            guard plan.retrieval.transport == .automatic, case .radioUnavailable(let fault) = error else {
                throw PresentationFailure(error)
            }
            report(.bluetoothUnavailable(fault))
            return nil
        }
    }

    /// Creates the carrier of a session over a link that has started.
    func carrier(over link: any BluetoothLELink) async -> LinkCarrier {
        LinkCarrier(driver: await LinkDriver(link, as: .reader, settings: plan.deadlines.bluetoothSettings))
    }

    /// Waits for the Bluetooth link to an engaged phone, within the time for a connection.
    ///
    /// - Parameter isAwaited: whether the holder and the operator are notified that connecting takes long.
    ///   False if NFC may carry the answer.
    func link(
        over bluetooth: BluetoothRetrieval, to offer: BluetoothOffer, engaged engagement: DeviceEngagement,
        isAwaited: Bool = true
    ) async throws(PresentationFailure) -> any BluetoothLELink {
        let engaged = ContinuousClock.now
        let deadline = engaged + plan.deadlines.connection
        let silent: @Sendable (PresentationEvent) -> Void = { _ in }
        let notices = ConnectionNotices(plan.deadlines, engaged: engaged)
        let result = await notices.during(report: isAwaited ? report : silent) {
            await bounded(by: deadline) { () throws(BluetoothLEError) in
                try await bluetooth.link(to: offer, engaged: engagement)
            }
        }
        if case .success(let link) = result {
            // The link was made just as the task was cancelled, and no caller will close it.
            guard !Task.isCancelled else {
                await link.close()
                throw .cancelled
            }
            return link
        }
        // A phone that comes too late must not find the service any more.
        await bluetooth.close()
        do throws(BluetoothLEError) {
            return try result.get()
        } catch {
            throw .withoutLink(error)
        }
    }
}

extension RunningTransaction {
    /// Sends the requests over a link and judges the answers. At the end the carrier closes the link.
    mutating func complete(
        _ exchange: inout RequestExchange, over link: any BluetoothLELink
    ) async throws(PresentationFailure) -> Presentation {
        endPhase(.connection, at: .now)
        var carrier = await transaction.carrier(over: link)
        return try await complete(&exchange, over: &carrier)
    }
}

/// The carrier of a session over a Bluetooth link that is established and started.
struct LinkCarrier: SessionCarrier {
    let driver: LinkDriver
    private(set) var sent: ContinuousClock.Instant?

    mutating func exchange(
        _ message: [UInt8], report: @escaping @Sendable (PresentationEvent) -> Void
    ) async throws(PresentationFailure) -> CarriedAnswer {
        sent = nil
        do throws(LinkDriver.End) {
            try await driver.send(message)
            sent = .now
            report(.awaitingConsent)
            let (answer, began) = try await driver.receive { report(.receiving) }
            return .message(answer, began: began)
        } catch .machine(.terminated(.awaitResponse)) {
            // The phone wrote the end of the transfer to its State characteristic while its holder was
            // deciding, which means that the holder has declined.
            return .ended
        } catch {
            throw PresentationFailure(error)
        }
    }

    func terminate(sending message: [UInt8]?) async -> Task<Void, Never>? {
        Task { [driver] in await driver.leave(sending: message) }
    }
}

extension PresentationFailure {
    /// The failure of an attempt to make a link. Both the deadline and the caller can cancel the attempt, so
    /// the error `cancelled` alone does not show who cancelled it.
    fileprivate static func withoutLink(_ error: BluetoothLEError) -> PresentationFailure {
        if Task.isCancelled { return .cancelled }
        return error == .cancelled ? .connectionOverdue : PresentationFailure(error)
    }

    /// The failure of a presentation whose link could not be made.
    fileprivate init(_ error: BluetoothLEError) {
        switch error {
        case .radioUnavailable(let fault): self = .radioUnavailable(fault)
        case .connectionFailed(let fault): self = .connection(fault)
        case .serviceIncomplete: self = .connection(.serviceIncomplete)
        case .notSubscribed: self = .connection(.notSubscribed)
        case .linkLost: self = .connection(.leftBeforeStart)
        // Two calls at the same time would be an error of this program, because a transaction makes one call
        // at a time.
        case .alreadyWaiting: self = .session(.unexpectedMessage)
        case .cancelled: self = .cancelled
        }
    }

    /// The failure of a presentation whose transfer over Bluetooth ended.
    fileprivate init(_ end: LinkDriver.End) {
        switch end {
        case .radioUnavailable(let fault): self = .radioUnavailable(fault)
        case .stopped: self = .cancelled
        case .machine(.failed(.awaitResponse, .deadlinePassed)): self = .consentOverdue
        case .machine(.failed(_, .messageTooLong(let announced, let limit))):
            self = .messageTooLong(announced: announced, limit: limit)
        case .machine(.failed(_, .linkLost)): self = .linkLost
        case .machine(let reason): self = .bluetooth(reason)
        }
    }
}

extension PresentationDeadlines {
    fileprivate var bluetoothSettings: BLETransferSettings {
        var settings = BLETransferSettings()
        settings.consentDeadline = consent
        settings.progressDeadline = progress
        settings.termination = termination
        return settings
    }
}
