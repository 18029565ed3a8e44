internal import CBOR

extension CBORStructure {
    /// Whether the array has the form of COSE_Sign1 and COSE_Mac0: protected, unprotected, payload, signature.
    static func isCOSE(_ item: CBORItem) -> Bool {
        guard let array = try? item.array() else { return false }
        let fields = Array(array.prefix(5))
        return fields.count == 4 && (try? fields[0].byteString()) != nil && (try? fields[1].map()) != nil
            && (fields[2].isNullOrUndefined || (try? fields[2].byteString()) != nil)
            && (try? fields[3].byteString()) != nil
    }

    /// The structure of a COSE_Sign1 or COSE_Mac0, by its headers and its payload; nil if only COSE is known of it.
    ///
    /// - Parameters:
    ///   - item: the array of four.
    ///   - isMAC: whether it is a COSE_Mac0, by its tag; nil without one, where the algorithm says it.
    init?(cose item: CBORItem, isMAC: Bool?) {
        guard let array = try? item.array() else { return nil }
        let fields = Array(array.prefix(4))
        let headers = COSEHeaderMaps(protected: fields[0], unprotected: fields[1])
        if let payload = try? fields[2].byteString() {
            guard let kind = Self(payload: payload, typed: headers.type) else { return nil }
            self = kind
        } else if isMAC ?? headers.isMAC {
            self = .deviceMac
        } else if headers.hasCertificates {
            self = .readerAuth
        } else if isMAC == false || headers.algorithm != nil {
            self = .deviceSignature
        } else {
            return nil
        }
    }

    /// The structure by what is signed.
    private init?(payload: ArraySlice<UInt8>, typed type: String?) {
        guard let item = try? CBORItem.parse(payload, limits: CBORLimits(bytes: payload.count)) else {
            return nil
        }
        // Not by `recognise`: structures in structures would be opened to any depth.
        let embedded = (try? EncodedCBOR<Never>(item)).flatMap { try? $0.item() }
        guard let members = try? (embedded ?? item).map() else { return nil }
        if members["digestAlgorithm"] != nil, members["valueDigests"] != nil {
            self = .issuerAuth
            return
        }
        let (statusList, identifierList) = (members[65_533], members[65_530])
        if statusList != nil || identifierList != nil || type?.hasSuffix("list+cwt") == true {
            self = .statusToken
            return
        }
        // Providers of VICALs differ in the case of letters.
        let names = Set(members.prefix(64).compactMap { try? $0.key.text().lowercased() })
        guard names.contains("certificateinfos") else { return nil }
        if names.contains("vicalprovider") {
            self = .vical
        } else if names.contains("provider") {
            self = .rical
        } else {
            return nil
        }
    }
}

/// The header parameters that say what a COSE structure is for (RFC 9052 3.1, RFC 9360 2).
private struct COSEHeaderMaps {
    private static let algorithm: Int64 = 1
    private static let type: Int64 = 16
    private static let x5chain: Int64 = 33
    /// HMAC in its four forms (RFC 9053 3.1).
    private static let macs: ClosedRange<Int64> = 4...7

    let algorithm: Int64?
    let type: String?
    let hasCertificates: Bool

    init(protected: CBORItem, unprotected: CBORItem) {
        let bytes = (try? protected.byteString()) ?? []
        let maps = [try? CBORItem.parse(bytes).map(), try? unprotected.map()].compactMap(\.self)
        algorithm = maps.lazy.compactMap { try? $0[Self.algorithm]?.integer() }.first
        type = maps.lazy.compactMap { try? $0[Self.type]?.text() }.first
        hasCertificates = maps.contains { $0[Self.x5chain] != nil }
    }

    var isMAC: Bool { algorithm.map(Self.macs.contains) ?? false }
}
