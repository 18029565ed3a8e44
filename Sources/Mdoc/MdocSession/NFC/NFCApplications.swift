package import ISO7816

extension ApplicationIdentifier {
    /// The NDEF Tag application (NFC Forum Type 4 Tag 5.1).
    package static let ndefTag = Self(provider: (0xd2, 0x76, 0x00, 0x00, 0x85), extension: 0x0101)
    /// The application of the mdoc data transfer over NFC (ISO/IEC 18013-5, 8.3.3.1.2).
    package static let mdocDataTransfer = Self(provider: (0xa0, 0x00, 0x00, 0x02, 0x48), extension: 0x0400)
    /// The application of NFC v2, with handover and session messages (draft of the second edition).
    package static let mdocNFCVersion2 = Self(provider: (0xa0, 0x00, 0x00, 0x02, 0x48), extension: 0x0401)
}
