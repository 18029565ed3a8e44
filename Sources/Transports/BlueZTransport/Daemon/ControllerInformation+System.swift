internal import CBlueZ
internal import Glibc

extension ControllerInformation {
    /// Reads the kernel's information about a controller, which needs no privilege. `nil` if there is no such
    /// controller or no Bluetooth.
    static func current(ofDevice number: UInt16) -> ControllerInformation? {
        let socket = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        // The control channel belongs to no controller, so `hci_dev` is HCI_DEV_NONE, the maximum.
        var address = sockaddr_hci(
            hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: .max, hci_channel: UInt16(HCI_CHANNEL_CONTROL))
        let isBound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_hci>.size)) == 0
            }
        }
        // Read Controller Information (0004), the number of the controller, no parameters.
        let command = [0x04, 0x00, UInt8(number & 0xff), UInt8(number >> 8), 0x00, 0x00]
        guard isBound, unsafe write(socket, command, command.count) == command.count else { return nil }
        return answer(on: socket)
    }

    /// Waits for the answer of the kernel, at most 1 s for each event. Other events that arrive on the same
    /// socket are ignored, up to 16.
    private static func answer(on socket: Int32) -> ControllerInformation? {
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        for _ in 0..<16 {
            var event = [UInt8](repeating: 0, count: 512)
            let count = unsafe read(socket, &event, event.count)
            guard count > 0 else { return nil }
            if let answer = ControllerInformation(event: Array(event.prefix(count))) { return answer }
        }
        return nil
    }
}
