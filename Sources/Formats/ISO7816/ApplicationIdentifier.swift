/// ISO/IEC 7816-4, 12.2.3: an application identifier of seven bytes, a registered provider and its extension.
package struct ApplicationIdentifier: Equatable, Sendable {
    package let bytes: [UInt8]

    /// The five bytes of the registered application provider and two of the proprietary extension.
    package init(provider: (UInt8, UInt8, UInt8, UInt8, UInt8), extension suffix: UInt16) {
        bytes = [
            provider.0, provider.1, provider.2, provider.3, provider.4, UInt8(suffix >> 8),
            UInt8(suffix & 0xff),
        ]
    }
}
