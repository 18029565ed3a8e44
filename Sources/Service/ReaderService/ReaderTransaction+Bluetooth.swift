package import MdocModel
internal import MdocSession
internal import NDEF
package import Transport

extension ReaderTransaction {
    /// Retrieves over Bluetooth from the phone whose QR code was scanned.
    package func run(scanned engagement: DeviceEngagement, radio: any BluetoothLERadio) async -> Presentation
    {
        await timed { course throws(PresentationFailure) in
            guard let offer = BluetoothOffer(engagement) else { throw .noUsableRetrieval }
            var key = ReadyKey()
            key.prepare()
            let bluetooth = BluetoothRetrieval(radio, plan: plan.retrieval)
            var inquiry = try inquiry(engagement, .qr, key: &key)
            course.times.end(.engagement)
            report(.engaged)
            return try await exchange(&inquiry, bluetooth, offer, engagement, &course)
        }
    }

    /// The Bluetooth of a transaction whose phone is still to come, with our UUID on the air; nil where NFC has to do.
    func armed(_ radio: (any BluetoothLERadio)?) async throws(PresentationFailure) -> BluetoothRetrieval? {
        guard plan.retrieval.transport != .nfc else { return nil }
        guard let radio else {
            guard plan.retrieval.transport == .automatic else { throw .noUsableRetrieval }
            return nil
        }
        let bluetooth = BluetoothRetrieval(radio, plan: plan.retrieval)
        do throws(BluetoothLEError) {
            try await bluetooth.arm()
            return bluetooth
        } catch {
            guard plan.retrieval.transport == .automatic, case .radioUnavailable(let id) = error else {
                throw PresentationFailure(error)
            }
            report(.bluetoothUnavailable(id: id))
            return nil
        }
    }

    /// Opens the link, sends the request and judges the answer. Nothing stays on the air.
    func exchange(
        _ inquiry: inout Inquiry, _ bluetooth: BluetoothRetrieval, _ offer: BluetoothOffer,
        _ engagement: DeviceEngagement, _ course: inout Course
    ) async throws(PresentationFailure) -> Ending {
        let link = try await link(bluetooth, offer, engagement)
        course.times.end(.connection)
        let driver = await LinkDriver(link, as: .reader, settings: plan.deadlines.bluetoothSettings)
        do throws(PresentationFailure) {
            return try await exchange(&inquiry, driver, &course)
        } catch {
            // The phone is told also when we are told to stop.
            let terminationMessage = inquiry.terminate()
            await Task { await driver.leave(sending: terminationMessage) }.value
            throw error
        }
    }

    private func link(
        _ bluetooth: BluetoothRetrieval, _ offer: BluetoothOffer, _ engagement: DeviceEngagement
    ) async throws(PresentationFailure) -> any BluetoothLELink {
        let deadline = ContinuousClock.now + plan.deadlines.connection
        let result = await bounded(by: deadline) { () throws(BluetoothLEError) in
            try await bluetooth.link(to: offer, engaged: engagement)
        }
        if case .success(let link) = result {
            guard !Task.isCancelled else {
                await link.close()
                throw .cancelled
            }
            return link
        }
        await bluetooth.close()
        do throws(BluetoothLEError) {
            return try result.get()
        } catch {
            if Task.isCancelled { throw .cancelled }
            throw error == .cancelled ? .connectionOverdue : PresentationFailure(error)
        }
    }

    private func exchange(
        _ inquiry: inout Inquiry, _ driver: LinkDriver, _ course: inout Course
    ) async throws(PresentationFailure) -> Ending {
        while true {
            let request = try await inquiry.message(signedWithin: plan.deadlines.signing)
            let message: [UInt8]
            let began: ContinuousClock.Instant
            do throws(LinkDriver.End) {
                try await driver.send(request)
                course.request = inquiry.sent
                course.times.end(.request)
                report(.awaitingConsent)
                (message, began) = try await driver.receive { report(.receiving) }
            } catch .machine(.terminated(.awaitResponse)) {
                return Ending(.declined, leaving: Task { await driver.leave(sending: nil) })
            } catch {
                throw PresentationFailure(error)
            }
            course.times.end(.consent, at: max(began, course.times.latest))
            course.times.end(.transfer)
            let step = try receive(message, in: &inquiry, now: began, &course)
            guard case .end(let outcome, let terminationMessage) = step else { continue }
            return Ending(outcome, leaving: Task { await driver.leave(sending: terminationMessage) })
        }
    }
}

extension PresentationFailure {
    /// What it means that there is no link.
    fileprivate init(_ error: BluetoothLEError) {
        switch error {
        case .radioUnavailable(let id): self = .radioUnavailable(id: id)
        case .connectionFailed(let id): self = .connection(id: id)
        case .serviceIncomplete: self = .connection(id: "service-incomplete")
        case .notSubscribed: self = .connection(id: "not-subscribed")
        case .linkLost: self = .connection(id: "left-before-start")
        case .alreadyWaiting: self = .session(.unexpectedMessage)
        case .cancelled: self = .cancelled
        }
    }

    /// What the end of a transfer means.
    fileprivate init(_ end: LinkDriver.End) {
        switch end {
        case .radioUnavailable(let id): self = .radioUnavailable(id: id)
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
