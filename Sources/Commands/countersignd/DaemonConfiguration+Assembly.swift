internal import BlueZTransport
internal import PCSCTransport
internal import ReaderAPI
internal import ReaderService
internal import Transport

extension DaemonConfiguration.Lane {
    /// The lane with its devices.
    func assemble(_ service: PCSCService) throws(TransportError) -> CounterLane {
        CounterLane(Lane(name: name, device: try device(service)), page: page, settings: settings)
    }

    private func device(_ service: PCSCService) throws(TransportError) -> any LaneDevice {
        switch device {
        case .benchLink(let host, let port):
            return BenchLinkLaneDevice(try SocketAddress(host: host, port: port))
        case .contactless(let reader, let adapter, let usesBluetooth):
            let selector = ReaderSelector(reader)
            return ContactlessLaneDevice(
                reader: PCSCContactlessReader(service: service, selector: selector),
                radio: usesBluetooth ? BlueZRadio(configuration: BlueZConfiguration(adapter: adapter)) : nil,
                missingReader: { await service.missing(selector) })
        }
    }
}

extension PCSCService {
    /// The name of what keeps the readers that `selector` picks from being used; nil where nothing does.
    fileprivate func missing(_ selector: ReaderSelector) async -> String? {
        do throws(PCSCTransportError) {
            let found = selector.candidates(among: try await readers())
            return found.isEmpty ? PCSCTransportError.noReader.id : nil
        } catch {
            return error.id
        }
    }
}
