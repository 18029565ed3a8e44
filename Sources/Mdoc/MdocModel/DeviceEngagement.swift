package import CBOR
package import COSE
internal import ErrorMapping

/// A DeviceEngagement (ISO/IEC 18013-5 8.2.1.1): the ways to reach the mdoc, and its ephemeral key.
///
/// The received bytes are kept, unknown members included, since the session transcript covers them (Q44).
package struct DeviceEngagement: Sendable {
    package let bytes: ArraySlice<UInt8>
    package let version: String
    package let eDeviceKeyBytes: EncodedCBOR<COSEKey>
    package let eDeviceKey: COSEKey
    package let retrievalMethods: [DeviceRetrievalMethod]
    package let capabilities: EngagementCapabilities
    /// The keys of the known members that are malformed. These members are ignored (Q43).
    package let malformedMembers: [Int64]

    private enum Key {
        static let version: Int64 = 0
        static let security: Int64 = 1
        static let retrievalMethods: Int64 = 2
        static let serverRetrieval: Int64 = 3
        static let originInfos: Int64 = 5
        static let capabilities: Int64 = 6
    }

    /// Parses the map, without tag 24. Only the major number of the version is checked (Q42).
    package init(_ bytes: ArraySlice<UInt8>, limits: CBORLimits = .standard) throws(MdocModelError) {
        self.bytes = bytes
        let (item, map): (CBORItem, CBORMap)
        do throws(CBORError) {
            item = try CBORItem.parse(bytes, limits: limits)
            map = try item.map()
            guard let version = map[Key.version] else { throw .missingMember(at: item.offset) }
            self.version = try version.name()
        } catch {
            throw .malformed(.deviceEngagement, error)
        }
        guard version.hasPrefix("1.") else { throw .unsupportedVersion(.deviceEngagement) }
        eDeviceKeyBytes = try Self.security(map[Key.security], in: item)
        let key = eDeviceKeyBytes
        eDeviceKey = try Self.eDeviceKey(key, limits: limits)
        var malformed: [Int64] = []
        retrievalMethods = DeviceRetrievalMethod.list(map[Key.retrievalMethods]) {
            malformed.append(Key.retrievalMethods)
        }
        capabilities = EngagementCapabilities(map[Key.capabilities]) { malformed.append(Key.capabilities) }
        // Server retrieval is not used, so only the CBOR type of the member is checked (Q47).
        if let server = map[Key.serverRetrieval], (try? server.map()) == nil {
            malformed.append(Key.serverRetrieval)
        }
        if let origins = map[Key.originInfos], !Self.areOriginInfos(origins) {
            malformed.append(Key.originInfos)
        }
        malformedMembers = malformed
    }

    package var offersBluetooth: Bool {
        retrievalMethods.contains { if case .ble = $0 { true } else { false } }
    }

    package var offersNFC: Bool {
        retrievalMethods.contains { if case .nfc = $0 { true } else { false } }
    }

    /// Returns the key in the member Security, an array of cipher suite and key. If the member is missing,
    /// the error gives the offset of `engagement`.
    private static func security(
        _ item: CBORItem?, in engagement: CBORItem
    ) throws(MdocModelError) -> EncodedCBOR<COSEKey> {
        let (suite, bytes): (UInt64, EncodedCBOR<COSEKey>)
        do throws(CBORError) {
            guard let item else { throw .missingMember(at: engagement.offset) }
            var fields = try item.array().makeIterator()
            // An array with more or fewer than two entries is also reported as a missing member.
            guard let first = fields.next(), let second = fields.next(), fields.next() == nil else {
                throw .missingMember(at: item.offset)
            }
            (suite, bytes) = (try first.unsigned(), try EncodedCBOR(second))
        } catch {
            throw .malformed(.deviceEngagement, error)
        }
        guard suite == 1 else { throw .unsupportedCipherSuite(suite) }
        return bytes
    }

    /// Parses the mdoc's ephemeral key.
    private static func eDeviceKey(
        _ bytes: EncodedCBOR<COSEKey>, limits: CBORLimits
    ) throws(MdocModelError) -> COSEKey {
        let item = try mapping(bytes.item(limits: limits), MdocStructure.deviceEngagement.malformed)
        return try mapping(COSEKey(item), MdocStructure.deviceEngagement.cose)
    }

    /// Whether the member originInfos is a list of maps. The content of the maps is not used.
    private static func areOriginInfos(_ item: CBORItem) -> Bool {
        guard let origins = try? item.array() else { return false }
        return origins.allSatisfy { (try? $0.map()) != nil }
    }
}

/// The capabilities that a wallet announces (ISO/IEC 18013-5 second edition, 8.2.1.1, key 6). A request of
/// version 1.1 may be sent only to a wallet that announces extended requests (Q168).
package struct EngagementCapabilities: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let handoverSessionEstablishment = EngagementCapabilities(rawValue: 1)
    package static let readerAuthAll = EngagementCapabilities(rawValue: 2)
    package static let extendedRequest = EngagementCapabilities(rawValue: 4)

    /// Whether the wallet accepts one signature for a whole request. Only an extended request can have the
    /// member readerAuthAll.
    package var takesReaderAuthAll: Bool { isSuperset(of: [.extendedRequest, .readerAuthAll]) }

    /// Reads the member `capabilities` of an engagement. Calls `malformed` if the member is not a map.
    init(_ item: CBORItem?, malformed: () -> Void) {
        self = []
        guard let item, !item.isNullOrUndefined else { return }
        guard let map = try? item.map() else {
            malformed()
            return
        }
        let known: [(Int64, EngagementCapabilities)] = [
            (2, .handoverSessionEstablishment), (3, .readerAuthAll), (4, .extendedRequest),
        ]
        // A capability that is not a boolean counts as not announced.
        for (key, capability) in known where (try? map[key]?.boolean()) == true { insert(capability) }
    }
}

extension DeviceEngagement: RedactedDescription {}
