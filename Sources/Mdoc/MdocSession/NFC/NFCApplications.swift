package import ISO7816

extension ApplicationIdentifier {
    /// NFC Forum Type 4 Tag 5.1: the NDEF Tag application.
    package static let ndefTag = Self(provider: (0xd2, 0x76, 0x00, 0x00, 0x85), extension: 0x0101)
    /// ISO/IEC 18013-5, 8.3.3.1.2: the mdoc data transfer over NFC.
    package static let mdocDataTransfer = Self(provider: (0xa0, 0x00, 0x00, 0x02, 0x48), extension: 0x0400)
    /// Draft of the second edition: NFC v2, handover and session messages in one application.
    package static let mdocNFCVersion2 = Self(provider: (0xa0, 0x00, 0x00, 0x02, 0x48), extension: 0x0401)
}
