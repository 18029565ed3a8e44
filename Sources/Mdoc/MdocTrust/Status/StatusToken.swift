package import CBOR
package import COSE
internal import ErrorMapping
package import MdocModel

/// A signed list of statuses as a CWT, parsed but not verified.
///
/// The list is a Token Status List (draft-ietf-oauth-status-list, 5.2) or an identifier list (ISO/IEC 18013-5
/// second edition 12.3.6). `StatusListIssuer` verifies the signer, and the list inside is not opened yet.
///
/// A token needs a subject, a date of issue and a list. Other claims may be missing or unreadable. A document
/// that such a token lists is revoked, but absence from the list proves nothing (Q248).
package struct StatusToken: Sendable {
    /// The maximum size of a token in bytes.
    package static let maximumSize = 1 << 22

    /// The kind of list, by its media type.
    package enum Kind: String, Sendable {
        case statusList = "application/statuslist+cwt"
        case identifierList = "application/identifierlist+cwt"
    }

    package let kind: Kind
    /// The URI under which the list is published (claim sub).
    package let subject: String
    package let issued: Timestamp
    /// The time at which the list expires; `nil` if the claim is missing or cannot be read. `gaps` then has
    /// the reason.
    package let expires: Timestamp?
    /// The number of seconds after which a newer list should be fetched.
    package let timeToLive: Int64?
    /// The claims that are missing, cannot be read or are not allowed.
    package let gaps: [StatusTokenError]
    let signature: COSESign1
    let list: CBORItem

    private enum Claim {
        static let subject: Int64 = 2
        static let expiry: Int64 = 4
        static let issued: Int64 = 6
        static let identifierList: Int64 = 65_530
        static let statusList: Int64 = 65_533
        static let timeToLive: Int64 = 65_534
    }

    /// The label of the header parameter `typ` (RFC 9596).
    private static let type: Int64 = 16
    /// The CoAP content format of `application/statuslist+cwt`. The parameter `typ` may have this number
    /// instead of the name (RFC 9596, Q229).
    private static let statusListContentFormat: UInt64 = 279
    private static let limits = CBORLimits(bytes: maximumSize)

    /// Parses a token. Its signature is not verified, and its list is not opened.
    package init(_ bytes: ArraySlice<UInt8>) throws(StatusTokenError) {
        let item = try Self.item(bytes)
        signature = try mapping(COSESign1(item, limits: Self.limits), StatusTokenError.cose)
        guard let payload = signature.payload else { throw .cose(.payloadMisplaced) }
        kind = try Self.kind(signature)
        let claims = try mapping(
            CBORItem.parse(payload, limits: Self.limits).map(), StatusTokenError.malformed)
        subject = try Self.claim(Claim.subject, claims) { item throws(CBORError) in try item.text() }
        issued = try Self.claim(Claim.issued, claims) { item throws(CBORError) in try item.instant() }
        var gaps: [StatusTokenError] = []
        // The time to live is optional, so only a missing expiry is a gap (Q248).
        if claims[Claim.expiry] == nil { gaps.append(.claimMissing(Claim.expiry)) }
        expires = Self.claim(Claim.expiry, claims, &gaps) { item throws(CBORError) in try item.instant() }
        timeToLive = Self.claim(Claim.timeToLive, claims, &gaps) { item throws(CBORError) in
            try item.duration()
        }
        if kind == .identifierList, claims[Claim.statusList] != nil {
            gaps.append(.claimMisplaced(Claim.statusList))
        }
        self.gaps = gaps
        let place = kind == .statusList ? Claim.statusList : Claim.identifierList
        list = try Self.claim(place, claims) { item throws(CBORError) in item }
    }

    /// Parses the bytes of a token.
    private static func item(_ bytes: ArraySlice<UInt8>) throws(StatusTokenError) -> CBORItem {
        do throws(CBORError) {
            return try CBORItem.parse(bytes, limits: limits)
        } catch {
            // If the bytes are a text, the error names the form of the text, so that the message can say how
            // to convert it (Q229).
            throw TextForm(bytes).map(StatusTokenError.text) ?? .malformed(error)
        }
    }

    /// Reads a required claim.
    private static func claim<Value>(
        _ label: Int64, _ claims: CBORMap, _ read: (CBORItem) throws(CBORError) -> Value
    ) throws(StatusTokenError) -> Value {
        guard let item = claims[label] else { throw .claimMissing(label) }
        return try mapping(read(item), StatusTokenError.malformed)
    }

    /// Reads an optional claim. If it cannot be read, the value is `nil`, and the error is added to `gaps`.
    private static func claim<Value>(
        _ label: Int64, _ claims: CBORMap, _ gaps: inout [StatusTokenError],
        _ read: (CBORItem) throws(CBORError) -> Value
    ) -> Value? {
        do throws(CBORError) {
            guard let item = claims[label] else { return nil }
            return try read(item)
        } catch {
            gaps.append(.claimUnreadable(label, error))
            return nil
        }
    }

    /// Returns the kind of list, from the type in the protected header.
    private static func kind(_ signature: COSESign1) throws(StatusTokenError) -> Kind {
        let header = signature.headers.protected
        guard !header.isEmpty, let map = try? CBORItem.parse(header, limits: limits).map(),
            let item = map[type]
        else { throw .typeWrong }
        if let format = try? item.unsigned(), format == statusListContentFormat { return .statusList }
        // Names of media types are compared without regard to case (RFC 2045, 5.1).
        guard let text = try? item.name(), let kind = Kind(rawValue: text.lowercased()) else {
            throw .typeWrong
        }
        return kind
    }

    /// Opens the Token Status List.
    package func statusList() throws(StatusTokenError) -> StatusList {
        guard kind == .statusList else { throw .typeWrong }
        return try StatusList(list)
    }

    /// Reads the identifier list.
    package func identifiers() throws(StatusTokenError) -> RevokedIdentifiers {
        guard kind == .identifierList else { throw .typeWrong }
        return try mapping(RevokedIdentifiers(list), StatusTokenError.malformed)
    }
}

/// The revoked identifiers of an identifier list (ISO/IEC 18013-5 second edition 12.3.6).
package struct RevokedIdentifiers: Sendable {
    package private(set) var identifiers: Set<[UInt8]> = []
    /// Whether every entry could be read. If not, a document that is not listed may still be revoked (Q228).
    package private(set) var isComplete = true

    /// Reads the identifiers. An entry that cannot be read makes the list incomplete, but is no reason to
    /// refuse the list (Q228).
    init(_ list: CBORItem) throws(CBORError) {
        guard let members = try list.map()["identifiers"] else { throw .missingMember(at: list.offset) }
        for member in try members.map() {
            if let identifier = try? member.key.byteString() {
                identifiers.insert(Array(identifier))
            } else {
                isComplete = false
            }
        }
    }
}

extension CBORItem {
    /// Returns the item as a NumericDate (RFC 8392, 2) in whole seconds. The item may also be a float that is
    /// not negative (Q229).
    fileprivate func instant() throws(CBORError) -> Timestamp {
        // Tag 1 marks a date in seconds since 1970.
        let number = untagged(1)
        let seconds: Int64
        if let whole = try number.float(where: { $0 >= 0 }) {
            seconds = whole
        } else {
            seconds = try number.integer()
        }
        guard let instant = Timestamp(received: seconds) else { throw .outOfRange(at: offset) }
        return instant
    }

    /// Returns the item as a positive number of seconds (draft-ietf-oauth-status-list, 5.2).
    fileprivate func duration() throws(CBORError) -> Int64 {
        if let seconds = try float(where: { $0 > 0 }) { return seconds }
        let seconds = try integer()
        guard seconds > 0 else { throw .outOfRange(at: offset) }
        return seconds
    }

    /// Returns the value of a float, rounded down to an integer; `nil` for an item of another type.
    private func float(where isAllowed: (Double) -> Bool) throws(CBORError) -> Int64? {
        guard case .float(let number) = value else { return nil }
        guard isAllowed(number), let seconds = Int64(exactly: number.rounded(.down)) else {
            throw .outOfRange(at: offset)
        }
        return seconds
    }
}

/// The reason that bytes are not a usable status or identifier list.
package enum StatusTokenError: Error, Equatable, Sendable {
    /// The bytes do not decode as a token, or a required claim has the wrong form.
    case malformed(CBORError)
    /// The bytes are a text of this form instead of CBOR.
    case text(TextForm)
    /// The bytes are not a COSE_Sign1.
    case cose(COSEError)
    /// The protected header does not name the type of a status or identifier list.
    case typeWrong
    /// The claim with this label is missing: 2 (subject), 4 (expiry), 6 (time of issue), or the label of the
    /// list.
    case claimMissing(Int64)
    /// The claim with this label cannot be read: 4 (expiry), or 65534 (time to live).
    case claimUnreadable(Int64, CBORError)
    /// The claims of an identifier list include a status list. The value is the label of that claim.
    case claimMisplaced(Int64)
    /// Entries of an identifier list are not identifiers.
    case identifierUnreadable
    /// The status width is not 1, 2, 4 or 8 bits.
    case bitsWrong(UInt64)
    /// The list is not a complete zlib stream.
    case listNotCompressed
    /// The decompressed list is longer than the limit.
    case listTooLong
}

extension StatusTokenError {
    /// The reason in words, for messages to users.
    package var explanation: String {
        switch self {
        case .malformed(let error): "the bytes are not a status list: \(error.explanation)"
        case .text(.jwt):
            "the list is a JWT, and mobile documents need the list as CWT: request application/statuslist+cwt, or application/identifierlist+cwt, from its publisher"
        case .text(let form): "the content is not a status list but \(form.explanation)"
        case .cose(let error): "the status list's signature is not valid: \(error.explanation)"
        case .typeWrong: "the list's header does not say that it is a status list or an identifier list"
        case .claimMissing(let label): "the status list has no claim \(label)"
        case .claimUnreadable(let label, let error):
            "claim \(label) of the status list cannot be read: \(error.explanation)"
        case .claimMisplaced(let label): "claim \(label) is not allowed in an identifier list"
        case .identifierUnreadable: "entries of the identifier list cannot be read"
        case .bitsWrong(let bits): "the status list has \(bits) bits for each status, instead of 1, 2, 4 or 8"
        case .listNotCompressed: "the content of the status list is cut off, or not compressed with zlib"
        case .listTooLong: "the content of the status list is longer than allowed after decompression"
        }
    }
}
