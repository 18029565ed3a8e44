import AccessoryDevices
import Deadlines

/// Reads until `count` bytes have come.
///
/// - Parameter read: one read that does not wait.
func collected(
    _ count: Int, from descriptor: Int32, _ read: () throws(DeviceFault) -> [UInt8]
) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
        try waitUntilReadable(descriptor)
        all += try read()
    }
    return all
}

/// Waits until a descriptor has bytes, an error or no other side.
func waitUntilReadable(_ descriptor: Int32) throws {
    var waiting = WaitSet()
    waiting.add(descriptor)
    guard try waiting.wait(atMost: .seconds(60)) == [descriptor] else { throw Overdue("bytes") }
}
