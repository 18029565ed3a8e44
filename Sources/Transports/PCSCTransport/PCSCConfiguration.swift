/// What an installation may change about readers.
package struct PCSCConfiguration: Equatable, Sendable {
    /// Most bytes of data in one extended command or answer; 4096 unless an installation knows its reader (Q137).
    package var extendedData: Int
    /// Most bytes to ask for in one short answer; 255 for readers that fail at exactly 256 (Q121).
    package var shortResponseData: Int

    package init(extendedData: Int = 4096, shortResponseData: Int = 256) {
        self.extendedData = min(max(extendedData, 256), 65_526)
        self.shortResponseData = min(max(shortResponseData, 1), 256)
    }
}
