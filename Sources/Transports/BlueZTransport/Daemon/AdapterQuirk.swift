/// What is known of an adapter beyond what it says of itself.
package enum AdapterQuirk: String, Sendable, CaseIterable {
    /// Radio of a Raspberry Pi: was seen to drop Android phones after 5 s (Q106).
    case dropsPhonesEarly
    /// Receives no advertisement without its firmware, which some kernels fail to load. It has no reset, so it must
    /// then be plugged in again (Q109).
    case deafWithoutFirmware
    /// Runs without its firmware now (Q109).
    case firmwareMissing
}
