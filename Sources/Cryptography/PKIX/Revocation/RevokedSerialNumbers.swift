/// The positions of a CRL's entries, sorted by serial number. They are stored in one array, so that an entry
/// needs no allocation of its own.
struct RevokedSerialNumbers: Sendable {
    /// The maximum size of a serial number, in bytes. RFC 5280 allows 20, but certificates with longer
    /// numbers are accepted too (`EncodingDeviations.serialNumberTooLong`).
    private static let longestSerialNumber = 64

    /// An entry: the position of its serial number, counted from the start of the CRL, with reason and date.
    private struct Place: Sendable {
        let start: Int32
        let count: UInt8
        let reason: RevocationReason
        let date: Int64

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    private var places: [Place] = []
    /// The first fault in an entry; `nil` if all entries could be read completely.
    private(set) var fault: PKIXError?

    /// Reads `revokedCertificates` (RFC 5280 5.1.2.6), which is a part of `der`.
    init(
        _ list: DERReader?, in der: ArraySlice<UInt8>, _ deviations: inout EncodingDeviations
    ) throws(PKIXError) {
        guard var list else { return }
        var isSorted = true
        while !list.isAtEnd {
            guard places.count < CertificateRevocationList.maximumEntries else {
                throw .limitExceeded(at: list.position)
            }
            guard let entry = readElement(&list) else { break }
            guard let place = try readEntry(entry, startIndex: der.startIndex, &deviations) else { continue }
            if let last = places.last { isSorted = isSorted && Self.precedes(last, place, in: der) }
            places.append(place)
        }
        if !isSorted { places.sort { Self.precedes($0, $1, in: der) } }
    }

    /// Reads the next entry. If the end of the entry cannot be found, records a fault and returns `nil`,
    /// because no later entry can be found either.
    private mutating func readElement(_ list: inout DERReader) -> DERElement? {
        do throws(PKIXError) {
            return try list.readElement()
        } catch {
            fault = fault ?? error
            return nil
        }
    }

    var count: Int { places.count }

    /// Returns the position of an entry's serial number; `nil` if the entry has no readable serial number. If
    /// something else in the entry is unreadable, the serial number counts as revoked permanently, and the
    /// fault is recorded.
    private mutating func readEntry(
        _ element: DERElement, startIndex: Int, _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> Place? {
        var place: Place?
        do throws(PKIXError) {
            guard element.tag == DERTag.sequence else {
                throw .unexpectedTag(at: element.encoding.startIndex)
            }
            var entry = DERReader(element.contents)
            let serial = try entry.readInteger()
            guard serial.count <= Self.longestSerialNumber else { throw .limitExceeded(at: entry.position) }
            let (start, count) = (Int32(serial.startIndex - startIndex), UInt8(serial.count))
            // `place` is set step by step, because a fault in a later field must not undo the revocation of a
            // serial number that was read.
            place = Place(start: start, count: count, reason: .unspecified, date: 0)
            let date = try entry.readTime(&deviations)
            place = Place(start: start, count: count, reason: .unspecified, date: date)
            let reason = entry.isAtEnd ? .unspecified : try entry.readEntryExtensions(&deviations)
            try entry.finish()
            // An entry with removeFromCRL is not revoked; it belongs in a delta CRL, so its occurrence is a
            // fault.
            guard let reason else {
                place = nil
                throw PKIXError.valueMalformed(at: element.encoding.startIndex)
            }
            return Place(start: start, count: count, reason: reason, date: date)
        } catch .indirectCRL {
            throw .indirectCRL
        } catch {
            fault = fault ?? error
            return place
        }
    }

    /// Returns whether all entries satisfy a condition on serial number and reason.
    func allSatisfy(
        in der: ArraySlice<UInt8>, _ condition: (ArraySlice<UInt8>, RevocationReason) -> Bool
    ) -> Bool {
        places.allSatisfy { place in
            let start = der.startIndex + Int(place.start)
            return condition(der[start..<start + Int(place.count)], place.reason)
        }
    }

    /// Returns whether the entry `one` comes before the entry `other` in the array.
    private static func precedes(_ one: Place, _ other: Place, in der: ArraySlice<UInt8>) -> Bool {
        // Only the binary search uses this order. It is not the numeric order of the serial numbers, which
        // may be negative.
        guard one.count == other.count else { return one.count < other.count }
        let span = der.span
        for offset in 0..<Int(one.count) {
            let (left, right) = (span[Int(one.start) + offset], span[Int(other.start) + offset])
            if left != right { return left < right }
        }
        return false
    }

    /// Returns −1, 0 or 1 if the serial number at `place` is less than, equal to or greater than `serial`.
    private static func order(of place: Place, to serial: Span<UInt8>, in der: Span<UInt8>) -> Int {
        guard Int(place.count) == serial.count else { return Int(place.count) < serial.count ? -1 : 1 }
        for offset in serial.indices {
            let own = der[Int(place.start) + offset]
            if own != serial[offset] { return own < serial[offset] ? -1 : 1 }
        }
        return 0
    }

    /// Finds the entry of a serial number by binary search.
    func entry(_ serial: ArraySlice<UInt8>, in der: ArraySlice<UInt8>) -> RevokedCertificate? {
        let (wanted, bytes) = (serial.span, der.span)
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.order(of: places[middle], to: wanted, in: bytes) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < places.count, Self.order(of: places[low], to: wanted, in: bytes) == 0 else { return nil }
        // If a serial number is listed more than once, a permanent revocation takes precedence over a
        // temporary one (certificateHold).
        var entry = places[low]
        for place in places[low...].dropFirst() {
            guard entry.reason == .certificateHold, Self.order(of: place, to: wanted, in: bytes) == 0 else {
                break
            }
            entry = place
        }
        return RevokedCertificate(reason: entry.reason, revocationDate: entry.date)
    }
}

extension DERReader {
    private static let removeFromCRL: UInt8 = 8

    /// Reads the extensions of an entry (RFC 5280 5.3).
    ///
    /// - Returns: the reason; `nil` for removeFromCRL, which belongs in delta CRLs.
    /// - Throws: `indirectCRL` if the entry has the extension certificateIssuer, which names another issuer.
    fileprivate mutating func readEntryExtensions(
        _ deviations: inout EncodingDeviations
    ) throws(PKIXError) -> RevocationReason? {
        var list = try enter(DERTag.sequence)
        var reason: RevocationReason?
        var isRemoved = false
        while !list.isAtEnd {
            let start = list.position
            let next = try list.readExtension(&deviations)
            switch next.oid {
            case .reasonCode:
                guard reason == nil else { throw .duplicateExtension(at: start) }
                var value = DERReader(next.value)
                let code = try value.read(DERTag.enumerated)
                try value.finish()
                isRemoved = code.elementsEqual([Self.removeFromCRL])
                guard isRemoved || code.count == 1 else { throw .valueMalformed(at: start) }
                reason = code.first.flatMap(RevocationReason.init(rawValue:))
                guard isRemoved || reason != nil else { throw .valueMalformed(at: start) }
            case .certificateIssuer: throw .indirectCRL
            default: if next.isCritical { throw .unknownCriticalExtension(next.oid) }
            }
        }
        return isRemoved ? nil : reason ?? .unspecified
    }
}
