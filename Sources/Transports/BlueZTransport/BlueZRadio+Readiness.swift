package import Transport

extension BlueZRadio {
    package func checkReadiness() async throws(BluetoothLEError) {
        do throws(BlueZTransportError) {
            let (daemon, _, properties) = try await currentAdapter()
            // The properties are from bluetoothd's last report. A bluetoothd that hangs would still look
            // usable (Q246).
            try await daemon.checkAnswers()
            guard properties["Powered"]?.flag == true else { throw .adapterOff() }
        } catch {
            throw BluetoothLEError(error)
        }
    }

    package func settingsFault() async -> RadioFault? {
        await missingEssentials().isEmpty ? nil : .settingsMissing
    }

    /// Returns the essential settings that bluetoothd lacks. Without them phones ask to pair, or parts of
    /// their answers are lost. Empty if the settings cannot be read or no adapter exists.
    package func missingEssentials() async -> [DaemonRequirement] {
        do throws(BlueZTransportError) {
            let (daemon, _, _) = try await currentAdapter()
            return try await daemon.settings(within: configuration.call).missingEssentials
        } catch {
            return []
        }
    }

    package func prepare() async throws(BluetoothLEError) {
        do throws(BlueZTransportError) {
            // `readyAdapter` switches the adapter on.
            _ = try await readyAdapter()
        } catch {
            throw BluetoothLEError(error)
        }
    }

    package func waitUntilReady() async throws(BluetoothLEError) {
        while true {
            // Any fault may be temporary, so every fault leads to another attempt.
            if (try? await prepare()) != nil { return }
            if Task.isCancelled { throw .cancelled }
            await waitForChange(within: .seconds(1))
        }
    }

    /// Waits until bluetoothd reports a change or the limit has passed. Without a message bus no change is
    /// reported, so the wait lasts until the limit.
    private func waitForChange(within limit: Duration) async {
        // `Daemon` identifies a listener by an object. Several waits may run at the same time, so each wait
        // has a separate object.
        final class Listener: Sendable {}
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let listener = Listener()
        await daemon?.listen(listener) { _ in change.yield() }
        let timer = Task {
            try await Task.sleep(for: limit, clock: .continuous)
            change.yield()
        }
        for await _ in changes { break }
        timer.cancel()
        await daemon?.stopListening(listener)
    }
}
