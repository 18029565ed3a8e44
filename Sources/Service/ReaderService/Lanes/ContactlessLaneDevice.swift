package import MdocModel
package import Transport

/// A contactless reader, with a Bluetooth adapter where there is one.
package struct ContactlessLaneDevice: LaneDevice {
    private let reader: any ContactlessReader
    private let radio: CheckedRadio?
    private let missingReader: @Sendable () async -> ReaderFault?

    /// - Parameter missingReader: what keeps the reader from being used; nil if nothing does.
    package init(
        reader: any ContactlessReader, radio: (any BluetoothLERadio)?,
        missingReader: @escaping @Sendable () async -> ReaderFault?
    ) {
        self.reader = reader
        self.radio = radio.map { CheckedRadio($0) }
        self.missingReader = missingReader
    }

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
        return await transaction.run(at: reader, scanned: engagement)
    }

    /// Bluetooth if the phone offers it; NFC if the phone has both, and Bluetooth is missing here or would harm it.
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
