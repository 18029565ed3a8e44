internal import CBlueZ
internal import Glibc

/// The Bluetooth address of a device and the type of this address. An L2CAP connection needs both.
struct L2CAPAddress: Equatable, Sendable {
    /// The address as six pairs of hexadecimal digits with colons.
    let text: String
    let isRandom: Bool

    /// Reads the address of an adapter or device; `nil` if the properties have no address.
    ///
    /// - Parameter properties: the properties of the interface `Adapter1` or `Device1`.
    init?(_ properties: [String: BusValue]?) {
        guard let text = properties?["Address"]?.text else { return nil }
        self.text = text
        isRandom = properties?["AddressType"]?.text == "random"
    }

    init(_ peer: Peer) {
        text = peer.address
        isRandom = peer.isAddressRandom
    }

    /// Calls `body` with the socket address of a channel on the device. PSM 0 stands for no particular
    /// channel.
    func withSocketAddress<Value>(
        psm: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_l2()
        address.l2_family = sa_family_t(AF_BLUETOOTH)
        address.l2_psm = psm.littleEndian
        address.l2_bdaddr_type = UInt8(isRandom ? BDADDR_LE_RANDOM : BDADDR_LE_PUBLIC)
        unsafe str2ba(text, &address.l2_bdaddr)
        return unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe body(
                bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.unsafelyUnwrapped,
                socklen_t(bytes.count))
        }
    }
}
