/// A reply of the peripheral, before it is encrypted and framed.
struct OSDPReply: Equatable, Sendable {
    private enum Code: UInt8 {
        case acknowledgement = 0x40, refusal
        case identification = 0x45, capabilities
        case localStatus = 0x48, inputStatus, outputStatus, readerStatus
        case rawCard = 0x50
        case clientCryptogram = 0x76
        case initialMAC = 0x78
    }

    let code: UInt8
    let data: [UInt8]
    /// The security block of a reply of the handshake, which is sent in the clear.
    let block: OSDPSecurityBlock?

    private init(_ code: Code, _ data: [UInt8] = [], block: OSDPSecurityBlock? = nil) {
        self.code = code.rawValue
        self.data = data
        self.block = block
    }

    /// ACK.
    static let acknowledgement = OSDPReply(.acknowledgement)
    /// LSTATR: no tamper, no power failure.
    static let localStatus = OSDPReply(.localStatus, [0, 0])
    /// ISTATR of a reader without inputs.
    static let inputStatus = OSDPReply(.inputStatus)
    /// OSTATR of a reader without outputs.
    static let outputStatus = OSDPReply(.outputStatus)
    /// RSTATR: the one reader is in order.
    static let readerStatus = OSDPReply(.readerStatus, [0])

    /// NAK.
    static func refusal(_ reason: OSDPRefusal) -> OSDPReply { OSDPReply(.refusal, [reason.rawValue]) }

    /// RAW with the bits of a card.
    static func card(_ bits: [UInt8]) -> OSDPReply { OSDPReply(.rawCard, bits) }

    /// PDID.
    static func identification(_ identity: OSDPIdentity) -> OSDPReply {
        OSDPReply(.identification, identity.report)
    }

    /// PDCAP: triples of function, level and number.
    static func capabilities(hasKey: Bool, usesDefaultKey: Bool) -> OSDPReply {
        let size = OSDPFrame.sizes.upperBound
        let sizeBytes = [UInt8(truncatingIfNeeded: size), UInt8(truncatingIfNeeded: size >> 8)]
        return OSDPReply(
            .capabilities,
            [3, 1, 0]  // cards as bits
                + [4, 3, 1]  // one light of two colours, with times
                + [8, 1, 0]  // CRC
                + [9, hasKey ? 1 : 0, usesDefaultKey ? 1 : 0]  // secure channel with AES-128
                + [10] + sizeBytes  // the longest message that is received
                + [11] + sizeBytes  // the longest message of several parts
                + [13, 0, 1])  // one reader
    }

    /// CCRYPT: the answer to a challenge.
    ///
    /// - Parameter usesDefaultKey: whether the answer was computed with the default key.
    static func clientCryptogram(
        _ cryptogram: [UInt8], ownRandom: [UInt8], identity: OSDPIdentity, usesDefaultKey: Bool
    ) -> OSDPReply {
        OSDPReply(
            .clientCryptogram, identity.clientIdentifier + ownRandom + cryptogram,
            block: OSDPSecurityBlock(.clientCryptogram, data: [usesDefaultKey ? 0 : 1]))
    }

    /// RMAC_I: the panel has proved its key.
    static func initialMAC(_ mac: [UInt8]) -> OSDPReply {
        OSDPReply(.initialMAC, mac, block: OSDPSecurityBlock(.initialMAC, data: [1]))
    }

    /// Returns the reply as a message in the clear.
    func framed(address: UInt8, sequence: UInt8) -> [UInt8] {
        OSDPFrame.closed(
            OSDPFrame.head(
                address: address, isReply: true, sequence: sequence, block: block, code: code, data: data))
    }
}

/// The identification of the peripheral.
struct OSDPIdentity: Equatable, Sendable {
    /// The serial number. Panels use it to tell the readers of a line apart.
    let serialNumber: UInt32

    /// The data of PDID: vendor (3 bytes), model, version, serial number (4 bytes, low byte first), firmware
    /// (3 bytes).
    var report: [UInt8] {
        let serial = (0..<4).map { UInt8(truncatingIfNeeded: serialNumber >> (8 * $0)) }
        // The vendor is an identifier of the IEEE's locally administered range, because the project has none of its
        // own.
        return [0x02, 0x43, 0x53] + [1, 1] + serial + [1, 0, 0]
    }

    /// The identifier in CCRYPT: the first eight bytes of the identification.
    var clientIdentifier: [UInt8] { [UInt8](report.prefix(8)) }
}
