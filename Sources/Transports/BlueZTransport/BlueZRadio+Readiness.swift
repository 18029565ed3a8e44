package import Transport

extension BlueZRadio {
    package func look() async throws(BluetoothLEError) {
        do throws(BlueZTransportError) {
            let (daemon, _, properties) = try await currentAdapter()
            // The properties are those that bluetoothd reported last.
            try await daemon.checkAnswers()
            guard properties["Powered"]?.flag == true else { throw .adapterOff() }
        } catch {
            throw BluetoothLEError(error)
        }
    }

    package func settingsFault() async -> RadioFault? {
        await missingEssentials().isEmpty ? nil : .settingsMissing
    }

    /// What bluetoothd lacks of the settings without which Bluetooth harms phones or loses answers. Nothing where they
    /// cannot be found out, or no adapter is there.
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
            _ = try await readyAdapter()
        } catch {
            throw BluetoothLEError(error)
        }
    }

    package func untilReady() async throws(BluetoothLEError) {
        while true {
            if (try? await prepare()) != nil { return }
            if Task.isCancelled { throw .cancelled }
            await change(within: .seconds(1))
        }
    }

    /// Waits until bluetoothd reports a change, or the time is over: then a missing bus or adapter is searched for
    /// again.
    private func change(within limit: Duration) async {
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
