internal import CBlueZ
internal import Glibc

/// A device's address and its type, as L2CAP needs both.
struct L2CAPAddress: Equatable, Sendable {
    /// Six pairs of hexadecimal digits.
    let text: String
    let isRandom: Bool

    /// - Parameter properties: of an Adapter1 or Device1; nil when they name no address.
    init?(_ properties: [String: BusValue]?) {
        guard let text = properties?["Address"]?.text else { return nil }
        self.text = text
        isRandom = properties?["AddressType"]?.text == "random"
    }

    init(_ peer: Peer) {
        text = peer.address
        isRandom = peer.isAddressRandom
    }

    /// Lends the address of a channel there, with PSM 0 of any.
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
