package import MdocModel
package import Transport

/// A contactless reader, with a Bluetooth adapter where there is one.
package struct ContactlessLaneDevice: LaneDevice {
    private let reader: any ContactlessReader
    private let radio: (any BluetoothLERadio)?
    private let missingReader: @Sendable () async -> String?

    /// - Parameter missingReader: the transport's name for what keeps the reader from being used; nil where nothing does.
    package init(
        reader: any ContactlessReader, radio: (any BluetoothLERadio)?,
        missingReader: @escaping @Sendable () async -> String?
    ) {
        self.reader = reader
        self.radio = radio
        self.missingReader = missingReader
    }

    package func run(_ transaction: ReaderTransaction) async -> Presentation {
        await transaction.run(at: reader, radio: radio)
    }

    package func run(
        _ transaction: ReaderTransaction, scanned engagement: DeviceEngagement
    ) async -> Presentation {
        if let radio, await answersByBluetooth(engagement, radio, transaction.plan.retrieval.transport) {
            return await transaction.run(scanned: engagement, radio: radio)
        }
        return await transaction.run(at: reader, scanned: engagement)
    }

    /// Bluetooth where the phone offers it; NFC where there is no Bluetooth here and the phone has both.
    private func answersByBluetooth(
        _ engagement: DeviceEngagement, _ radio: any BluetoothLERadio, _ transport: RetrievalPlan.Transport
    ) async -> Bool {
        guard transport != .nfc, engagement.offersBluetooth else { return false }
        guard transport == .automatic, engagement.offersNFC else { return true }
        return (try? await radio.prepare()) != nil
    }

    package func readiness() async -> LaneReadiness {
        if let id = await missingReader() { return .unavailable(id: id) }
        guard let radio, let id = await Self.missing(radio) else { return .ready }
        return .withoutBluetooth(id: id)
    }

    private static func missing(_ radio: any BluetoothLERadio) async -> String? {
        do throws(BluetoothLEError) {
            try await radio.look()
            return nil
        } catch .radioUnavailable(let id) {
            return id
        } catch {
            // It has not answered in the time that a look may take.
            return "radio-silent"
        }
    }
}

extension DeviceEngagement {
    fileprivate var offersBluetooth: Bool {
        retrievalMethods.contains { method in
            if case .ble = method { true } else { false }
        }
    }

    fileprivate var offersNFC: Bool {
        retrievalMethods.contains { method in
            if case .nfc = method { true } else { false }
        }
    }
}
