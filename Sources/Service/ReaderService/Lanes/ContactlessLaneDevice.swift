package import MdocModel
package import Transport

/// The device of a lane for real phones: a contactless reader, and a Bluetooth adapter if there is one.
package struct ContactlessLaneDevice: LaneDevice {
    private let reader: any ContactlessReader
    private let radio: CheckedRadio?
    private let missingReader: @Sendable () async -> ReaderFault?

    /// - Parameter missingReader: returns the fault because of which the reader cannot be used, or `nil` if
    ///   the reader can be used.
    package init(
        reader: any ContactlessReader, radio: (any BluetoothLERadio)?,
        missingReader: @escaping @Sendable () async -> ReaderFault?
    ) {
        self.reader = reader
        self.radio = radio.map { CheckedRadio($0) }
        self.missingReader = missingReader
    }

    package var link: LaneLink { radio == nil ? .nfc : .nfcAndBluetooth }

    package func run(_ transaction: ReaderTransaction) async -> Presentation {
        await transaction.run(at: reader, radio: radio)
    }

    package func run(
        _ transaction: ReaderTransaction, scanned engagement: DeviceEngagement
    ) async -> Presentation {
        if let radio,
            await answersByBluetooth(
                engagement, over: radio, allowing: transaction.plan.retrieval.transport)
        {
            return await transaction.run(scanned: engagement, radio: radio)
        }
        // If Bluetooth cannot be used, the phone has to be tapped, and its answer comes over NFC.
        return await transaction.run(at: reader, scanned: engagement)
    }

    /// Whether the answer of a phone whose QR code was scanned comes over Bluetooth: the phone has to offer
    /// Bluetooth, and the plan has to allow it. If NFC could be used instead, the radio also has to be ready,
    /// and bluetoothd's settings must have no fault.
    private func answersByBluetooth(
        _ engagement: DeviceEngagement, over radio: any BluetoothLERadio,
        allowing transport: RetrievalPlan.Transport
    ) async -> Bool {
        guard transport != .nfc, engagement.offersBluetooth else { return false }
        guard transport == .automatic, engagement.offersNFC else { return true }
        guard await radio.settingsFault() == nil else { return false }
        return (try? await radio.prepare()) != nil
    }

    package func readiness() async -> LaneReadiness {
        if let fault = await missingReader() { return .unavailable(fault) }
        return await radioFault().map { .withoutBluetooth($0) } ?? .ready
    }

    package func radioFault() async -> RadioFault? { await radio?.fault() }
}
