/// The first fifteen bytes of the capability container (NFC Forum Type 4 Tag 5.1).
struct NFCCapabilityContainer: Equatable, Sendable {
    /// The number of bytes that the reader reads of the container (Q19).
    static let size = 15
    static let fileIdentifier: UInt16 = 0xe103

    /// MLe: the longest answer to a READ BINARY, in bytes.
    let maximumResponseData: Int
    /// MLc: the longest UPDATE BINARY, in bytes.
    let maximumCommandData: Int
    let fileIdentifier: UInt16
    /// The size of the NDEF file in bytes, including the two bytes of NLEN.
    let maximumFileSize: Int
    /// The byte for write access. It does not show the kind of handover (Q18).
    let writeAccess: UInt8

    /// Parses the container. These fifteen bytes have the same layout in the mapping versions 1 to 3.
    static func parse(_ bytes: [UInt8]) throws(NFCFault) -> NFCCapabilityContainer {
        guard bytes.count == size else { throw .capabilityContainerInvalid }
        func word(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        let container = NFCCapabilityContainer(
            maximumResponseData: word(3), maximumCommandData: word(5), fileIdentifier: UInt16(word(9)),
            maximumFileSize: word(11), writeAccess: bytes[14])
        // The file identifiers that the specification of the Type 4 Tag reserves. An NDEF file cannot have
        // one of them.
        let reserved: Set<UInt16> = [0x0000, 0xe102, 0xe103, 0x3f00, 0x3fff, 0xffff]
        // The checks cover the length of the container, the mapping version, and the tag and length of the
        // block that describes the NDEF file. The access bytes are not checked, because they do not show the
        // kind of handover (Q18).
        guard word(0) >= size, (1...3).contains(bytes[2] >> 4), bytes[7] == 0x04, bytes[8] == 0x06,
            !reserved.contains(container.fileIdentifier)
        else { throw .capabilityContainerInvalid }
        return container
    }

    /// Encodes the container of a phone, with mapping version 2.0 and read access 00.
    func encode() -> [UInt8] {
        func octets(_ value: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
        }
        // 0x20 is the mapping version. 04 and 06 are the tag and the length of the block that describes the
        // NDEF file.
        return octets(Self.size) + [0x20] + octets(maximumResponseData) + octets(maximumCommandData)
            + [0x04, 0x06] + octets(Int(fileIdentifier)) + octets(maximumFileSize) + [0x00, writeAccess]
    }
}
