internal import Glibc

extension PlainHTTP {
    package enum Address: Sendable {
        /// A port of 127.0.0.1.
        case tcp(port: UInt16)
        case unix(path: String)

        /// A socket that may be connected to it or bound at it.
        var newSocket: Int32 {
            let family =
                switch self {
                case .tcp: AF_INET
                case .unix: AF_UNIX
                }
            return socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }

        /// Whether a socket could be connected to it; if not, `errno` says why.
        package func connect(_ descriptor: Int32) -> Bool {
            unsafe withPointer { unsafe Glibc.connect(descriptor, $0, $1) == 0 }
        }

        /// Whether a socket could be bound at it; if not, `errno` says why.
        package func bind(_ descriptor: Int32) -> Bool {
            unsafe withPointer { unsafe Glibc.bind(descriptor, $0, $1) == 0 }
        }

        private func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
            switch self {
            case .tcp(let port):
                var name = sockaddr_in()
                name.sin_family = sa_family_t(AF_INET)
                name.sin_port = port.bigEndian
                name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                return unsafe Self.withPointer(to: name, body)
            case .unix(let path):
                var name = sockaddr_un()
                name.sun_family = sa_family_t(AF_UNIX)
                unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
                return unsafe Self.withPointer(to: name, body)
            }
        }

        private static func withPointer<Name>(
            to name: Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
        ) -> Bool {
            unsafe withUnsafePointer(to: name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<Name>.size))
                }
            }
        }
    }
}
