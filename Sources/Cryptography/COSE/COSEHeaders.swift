package import CBOR

/// The protected and unprotected headers of a COSE object (RFC 9052 3).
package struct COSEHeaders: Sendable {
    /// The contents of the protected header's byte string, as received: the bytes that are signed.
    package let protected: ArraySlice<UInt8>
    private let protectedMap: CBORMap?
    private let unprotectedMap: CBORMap

    init(
        protected: CBORItem, unprotected: CBORItem, of structure: COSEStructure, limits: CBORLimits
    ) throws(COSEError) {
        do throws(CBORError) {
            self.protected = try protected.byteString()
            // An empty byte string stands for an empty map (RFC 9052 3).
            protectedMap =
                self.protected.isEmpty ? nil : try CBORItem.parse(self.protected, limits: limits).map()
            unprotectedMap = try unprotected.map()
        } catch {
            throw .malformed(structure)
        }
        try refuseLabelsInBoth()
        // A critical header changes the meaning of the object, and this module supports no critical header
        // (RFC 9052 3.1).
        guard self[Label.critical] == nil else { throw .criticalHeaderNotUnderstood }
    }

    private enum Label {
        static let algorithm: Int64 = 1
        static let critical: Int64 = 2
        static let x5chain: Int64 = 33
    }

    /// Throws if a label is in both headers, which RFC 9052 3 forbids. Otherwise it would be undefined which
    /// of the two values is valid.
    private func refuseLabelsInBoth() throws(COSEError) {
        guard let protectedMap else { return }
        var integers: Set<Int64> = []
        var texts: Set<ArraySlice<UInt8>> = []
        for member in protectedMap {
            if let label = try? member.key.integer() {
                integers.insert(label)
            } else if let label = try? member.key.utf8() {
                texts.insert(label)
            }
        }
        for member in unprotectedMap {
            if let label = try? member.key.integer() {
                guard !integers.contains(label) else { throw .labelInBothHeaders(label) }
            } else if let label = try? member.key.utf8() {
                guard !texts.contains(label) else { throw .textLabelInBothHeaders }
            }
        }
    }

    /// The value of a label in either header.
    package subscript(_ label: Int64) -> CBORItem? {
        protectedMap?[label] ?? unprotectedMap[label]
    }

    /// Returns the algorithm. Throws `algorithmMissing` unless it is in the protected header.
    package func algorithm() throws(COSEError) -> COSEAlgorithm {
        guard let item = protectedMap?[Label.algorithm] else { throw .algorithmMissing }
        do throws(CBORError) {
            return COSEAlgorithm(identifier: try item.integer())
        } catch {
            throw .algorithmMissing
        }
    }

    /// Whether x5chain is in the protected header.
    package var hasProtectedX5Chain: Bool { protectedMap?[Label.x5chain] != nil }

    /// Returns the DER certificates of x5chain, leaf first. The header is one byte string, or an array of
    /// byte strings (RFC 9360 2).
    ///
    /// - Parameter maximum: the maximum number of certificates; a longer chain is refused.
    package func x5chain(maximum: Int = 8) throws(COSEError) -> [ArraySlice<UInt8>] {
        guard let item = self[Label.x5chain] else { throw .certificateChainMalformed }
        do throws(CBORError) {
            if case .byteString(let certificate) = item.value { return [certificate] }
            var chain: [ArraySlice<UInt8>] = []
            for certificate in try item.array() {
                // The `catch` below replaces every `CBORError`, so any of its cases may be thrown here.
                guard chain.count < maximum else { throw CBORError.outOfRange(at: certificate.offset) }
                chain.append(try certificate.byteString())
            }
            guard !chain.isEmpty else { throw CBORError.missingMember(at: item.offset) }
            return chain
        } catch {
            throw .certificateChainMalformed
        }
    }
}
