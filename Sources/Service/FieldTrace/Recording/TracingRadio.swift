package import BlueZTransport
package import NDEF
package import Transport

/// A Bluetooth radio whose links are recorded.
package struct TracingRadio: BluetoothLERadio {
    private let radio: any BluetoothLERadio
    private let recorder: FieldTraceRecorder

    package init(_ radio: any BluetoothLERadio, _ recorder: FieldTraceRecorder) {
        self.radio = radio
        self.recorder = recorder
    }

    /// The radio of this computer, with what bluetoothd tells of phones.
    package init(_ configuration: BlueZConfiguration, _ recorder: FieldTraceRecorder) {
        var configuration = configuration
        configuration.observe = { recorder.record(.observation(ObservationFacts($0))) }
        self.init(BlueZRadio(configuration: configuration), recorder)
    }

    package func look() async throws(BluetoothLEError) {
        try await radio.look()
    }

    package func settingsFault() async -> RadioFault? {
        await radio.settingsFault()
    }

    package func prepare() async throws(BluetoothLEError) {
        try await radio.prepare()
    }

    package func untilReady() async throws(BluetoothLEError) {
        try await radio.untilReady()
    }

    package func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        let radio = radio
        let token = recorder.tokens.token(for: service.uuid.bytes[...])
        let server = try await recorder.timed(.advertise, token) { () throws(BluetoothLEError) in
            try await radio.serve(service)
        }
        return TracingServer(server: server, token: token, recorder: recorder)
    }

    package func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let radio = radio
        return try await recorder.link(.connect, service.uuid) { () throws(BluetoothLEError) in
            try await radio.connect(to: service, choosing: choice)
        }
    }

    package func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let radio = radio
        return try await recorder.link(.connectL2CAP, uuid) { () throws(BluetoothLEError) in
            try await radio.connect(to: uuid, psm: psm)
        }
    }
}

private struct TracingServer: BluetoothLEServer {
    let server: any BluetoothLEServer
    let token: TraceToken?
    let recorder: FieldTraceRecorder

    func setIdent(_ ident: [UInt8]) async {
        await server.setIdent(ident)
    }

    func link() async throws(BluetoothLEError) -> any BluetoothLELink {
        let begin = ContinuousClock.now
        do throws(BluetoothLEError) {
            let link = TracingLink(try await server.link(), recorder)
            await recorder.made(link, .accept, token, since: begin)
            return link
        } catch {
            recorder.failed(.accept, token, since: begin, error)
            throw error
        }
    }

    func close() async {
        let begin = ContinuousClock.now
        await server.close()
        recorder.done(.withdraw, token, since: begin)
    }
}

extension FieldTraceRecorder {
    fileprivate func link(
        _ action: RadioFacts.Action, _ uuid: BluetoothUUID,
        _ make: () async throws(BluetoothLEError) -> any BluetoothLELink
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let begin = ContinuousClock.now
        let token = tokens.token(for: uuid.bytes[...])
        do throws(BluetoothLEError) {
            let link = TracingLink(try await make(), self)
            await made(link, action, token, since: begin)
            return link
        } catch {
            failed(action, token, since: begin, error)
            throw error
        }
    }

    fileprivate func timed<Value>(
        _ action: RadioFacts.Action, _ token: TraceToken?,
        _ make: () async throws(BluetoothLEError) -> Value
    ) async throws(BluetoothLEError) -> Value {
        let begin = ContinuousClock.now
        do throws(BluetoothLEError) {
            let value = try await make()
            done(action, token, since: begin)
            return value
        } catch {
            failed(action, token, since: begin, error)
            throw error
        }
    }

    fileprivate func done(
        _ action: RadioFacts.Action, _ token: TraceToken?, since begin: ContinuousClock.Instant,
        fault: FaultFacts? = nil, link: LinkFacts? = nil
    ) {
        record(
            .radio(
                RadioFacts(
                    action: TraceWord(action), service: token,
                    took: begin.duration(to: .now).traceMilliseconds, fault: fault, link: link)))
    }

    fileprivate func failed(
        _ action: RadioFacts.Action, _ token: TraceToken?, since begin: ContinuousClock.Instant,
        _ error: BluetoothLEError
    ) {
        done(action, token, since: begin, fault: FaultFacts(error))
    }

    fileprivate func made(
        _ link: TracingLink, _ action: RadioFacts.Action, _ token: TraceToken?,
        since begin: ContinuousClock.Instant
    ) async {
        done(action, token, since: begin, link: await link.facts)
    }
}
