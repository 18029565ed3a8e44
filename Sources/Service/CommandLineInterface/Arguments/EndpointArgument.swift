internal import ArgumentParser
internal import ErrorMapping
package import Transport

/// `tcp://host:port`.
package struct EndpointArgument: ExpressibleByArgument {
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package init?(argument: String) {
        guard argument.hasPrefix("tcp://"), let colon = argument.lastIndex(of: ":"),
            let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        let host = argument.dropFirst("tcp://".count)[..<colon]
        self.host = String(host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host)
        self.port = port
    }
}

extension EndpointArgument {
    /// A numeric address of this machine.
    package var transportAddress: SocketAddress {
        get throws(TransportError) { try SocketAddress(host: host, port: port) }
    }

    /// The address of a virtual reader.
    package var loopbackAddress: SocketAddress {
        get throws(CommandFailure) {
            try mapping(transportAddress) { (_: TransportError) in
                CommandFailure.usage("the virtual reader must be on loopback: tcp://127.0.0.1:35963")
            }
        }
    }
}
