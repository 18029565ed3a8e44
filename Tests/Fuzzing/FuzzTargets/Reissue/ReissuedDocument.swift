internal import CBOR
internal import COSE
internal import MdocModel
internal import MdocWallet
internal import OpenSSLCrypto
internal import TestCredentials

/// A document of a mutant: the profile's elements after the issuer's edits, digested and signed, and what the holder's edits
/// leave of them, bound to the session by the phone's key.
struct ReissuedDocument {
    struct Item {
        var nameSpace: String
        /// The name before any edit.
        let identifier: String
        /// IssuerSignedItemBytes.
        var draft: CBORDraft
        var bytes: [UInt8] = []
        var isSent: Bool
    }

    private(set) var docType = TestDocument.mDL
    private(set) var items: [Item]
    /// IssuerSignedItemBytes as they were digested, and as they were sent.
    private(set) var candidates: [[UInt8]] = []
    private(set) var object: [UInt8] = []
    private(set) var isSignedByIssuer = true
    private(set) var binding = ReissueEdit.Binding.signature
    private(set) var deviceNameSpaces = CBORDraft.embedded([:])
    private var authDocType = TestDocument.mDL
    private var asserted: [(nameSpace: String, identifier: String, value: CBORDraft)] = []
    private var errors: CBORDraft?
    private var digestAlgorithm = HashAlgorithm.sha256
    private var issuerAuth: CBORDraft = .null
    private let requestedCount: Int
    private let edits: [ReissueEdit]
    private let world = ReissueWorld.standard

    /// - Parameters:
    ///   - isAsked: whether an honest phone returns the element.
    ///   - edits: the edits of this document.
    init(
        _ profile: ReissueProfile, binding: ReissueEdit.Binding, edits: [ReissueEdit],
        isAsked: (String, String) -> Bool
    ) throws {
        self.edits = edits
        self.binding = binding
        items = profile.elements.enumerated().map { index, element in
            Item(
                nameSpace: element.nameSpace, identifier: element.identifier,
                draft: .embedded([
                    "digestID": .integer(Int64(index)),
                    "random": .bytes([UInt8](repeating: UInt8(index), count: 16)),
                    "elementIdentifier": .text(element.identifier), "elementValue": element.value,
                ]), isSent: isAsked(element.identifier, element.nameSpace))
        }
        let asked = items.filter(\.isSent)
        requestedCount = asked.count
        items = asked + items.filter { !$0.isSent }
        try issue(status: profile.status)
    }

    private var issuerEdits: [ReissueEdit.IssuerEdit] {
        edits.compactMap { if case .issuer(let edit) = $0 { edit } else { nil } }
    }

    private var holderEdits: [ReissueEdit.HolderEdit] {
        edits.compactMap { if case .holder(let edit) = $0 { edit } else { nil } }
    }

    /// The index of the item that a script's number stands for.
    private func index(_ number: Int) -> Int {
        number < 128 && requestedCount > 0 ? number % requestedCount : number % items.count
    }
}

extension ReissuedDocument {
    /// Applies the issuer's edits, digests the items and signs the MSO.
    private mutating func issue(status: CBORDraft?) throws {
        for edit in issuerEdits {
            switch edit {
            case .item(let number, let tree): tree.apply(to: &items[index(number)].draft)
            case .member(let number, let name, let value): items[index(number)].set(name, value)
            case .value(let identifier, let value):
                guard let index = items.firstIndex(where: { $0.identifier == identifier }) else { continue }
                items[index].set("elementValue", value)
            case .digestAlgorithm(let number): digestAlgorithm = [.sha256, .sha384, .sha512, .sha256][number]
            case .object, .objectTree: break
            }
        }
        for index in items.indices { items[index].bytes = items[index].draft.encode() }
        candidates = items.map(\.bytes)
        var draft = mobileSecurityObject(status)
        for edit in issuerEdits {
            switch edit {
            case .object(let path, let value): draft.set(value, at: path[...])
            case .objectTree(let tree): tree.apply(to: &draft)
            case .item, .member, .value, .digestAlgorithm: break
            }
        }
        object = draft.encode()
        let embedded = CBORDraft.embedded(.encoded(object)).encode()
        let isForged = holderEdits.contains {
            if case .signIssuerPartWithOtherKey = $0 { true } else { false }
        }
        isSignedByIssuer = !isForged
        let signer = COSESigner(algorithm: .es256, x5chain: [world.issuer.certificate[...]])
        let key = isForged ? world.otherKey : world.issuer.key
        issuerAuth = .encoded(
            try signer.sign1(embedded, detached: false, with: key.privateKey, algorithm: .ecdsa(.sha256)))
    }

    private func mobileSecurityObject(_ status: CBORDraft?) -> CBORDraft {
        var digests: CBORDraft = [:]
        for item in items {
            let id = item.digestID
            var members = digests[.text(item.nameSpace)]?.members ?? []
            members.append(.init(key: id, value: .bytes(Digest(digestAlgorithm, of: item.bytes[...]).bytes)))
            digests[.text(item.nameSpace)] = .map(members)
        }
        let deviceKey = (x: world.deviceKey.privateKey.x, y: world.deviceKey.privateKey.y)
        var object: CBORDraft = [
            "version": "1.0", "digestAlgorithm": .text(digestAlgorithm.name), "valueDigests": digests,
            "deviceKeyInfo": [
                "deviceKey": .map([
                    .init(key: 1, value: 2), .init(key: -1, value: 1),
                    .init(key: -2, value: .bytes(deviceKey.x)),
                    .init(key: -3, value: .bytes(deviceKey.y)),
                ]),
                "keyAuthorizations": [
                    "dataElements": .map([
                        .init(key: .text(ReissueValues.mainNameSpace), value: ["nationality"])
                    ])
                ],
            ],
            "docType": .text(TestDocument.mDL),
            "validityInfo": [
                "signed": .dateTime("2026-10-20T00:00:00Z"), "validFrom": .dateTime("2026-10-20T00:00:00Z"),
                "validUntil": .dateTime("2026-12-20T00:00:00Z"),
            ],
        ]
        if let status { object["status"] = status }
        return object
    }
}

extension ReissuedDocument {
    /// The document as it is sent, after the holder's edits.
    ///
    /// - Parameter others: the items of the other document, where there is one.
    mutating func present(others: [Item]) throws -> CBORDraft {
        for edit in holderEdits { apply(edit, others: others) }
        candidates += items.map(\.bytes)
        var (signed, device) = (issuerSigned(), CBORDraft.null)
        deviceNameSpaces = .embedded(assertions())
        edit(.deviceNameSpaces, &deviceNameSpaces)
        device = ["nameSpaces": deviceNameSpaces, "deviceAuth": .map(try deviceAuth())]
        edit(.issuerSigned, &signed)
        edit(.deviceSigned, &device)
        var document: CBORDraft = [
            "docType": .text(docType), "issuerSigned": signed, "deviceSigned": device,
        ]
        if let errors { document["errors"] = errors }
        edit(.document, &document)
        return document
    }

    private mutating func apply(_ edit: ReissueEdit.HolderEdit, others: [Item]) {
        switch edit {
        case .withhold(let number): items[index(number)].isSent = false
        case .disclose(let number): items[index(number)].isSent = true
        case .item(let number, let tree):
            tree.apply(to: &items[index(number)].draft)
            items[index(number)].bytes = items[index(number)].draft.encode()
        case .flip(let number, let place, let mask):
            let item = index(number)
            items[item].bytes[place % items[item].bytes.count] ^= mask
        case .move(let number, let nameSpace): items[index(number)].nameSpace = nameSpace
        case .duplicate(let number): items.append(items[index(number)])
        case .exchange(let number):
            guard !others.isEmpty else { return }
            items[index(number)] = others[index(number) % others.count]
        case .assert(let nameSpace, let identifier, let value):
            asserted.append((nameSpace, identifier, value))
        case .error(let nameSpace, let identifier, let code):
            var all = errors ?? [:]
            var ofNameSpace = all[.text(nameSpace)] ?? [:]
            ofNameSpace[.text(identifier)] = code
            all[.text(nameSpace)] = ofNameSpace
            errors = all
        case .docType(let type): docType = type
        case .bind(let choice): binding = choice
        case .tree, .signIssuerPartWithOtherKey: break
        }
    }

    private func edit(_ layer: ReissueEdit.Layer, _ draft: inout CBORDraft) {
        for edit in holderEdits {
            if case .tree(layer, let tree) = edit { tree.apply(to: &draft) }
        }
    }

    private func issuerSigned() -> CBORDraft {
        var nameSpaces: CBORDraft = [:]
        for item in items where item.isSent {
            var sent = nameSpaces[.text(item.nameSpace)]?.items ?? []
            sent.append(.encoded(item.bytes))
            nameSpaces[.text(item.nameSpace)] = .array(sent)
        }
        var auth = issuerAuth
        if holderEdits.contains(where: { if case .tree(.issuerAuth, _) = $0 { true } else { false } }),
            let item = try? CBORItem.parse(auth.encode()[...])
        {
            auth = CBORDraft(item)
            edit(.issuerAuth, &auth)
        }
        return ["nameSpaces": nameSpaces, "issuerAuth": auth]
    }

    private func assertions() -> CBORDraft {
        var nameSpaces: CBORDraft = [:]
        for element in asserted {
            var ofNameSpace = nameSpaces[.text(element.nameSpace)] ?? [:]
            ofNameSpace[.text(element.identifier)] = element.value
            nameSpaces[.text(element.nameSpace)] = ofNameSpace
        }
        return nameSpaces
    }

    private func deviceAuth() throws -> [CBORDraft.Member] {
        let session = binding == .otherTranscript ? world.otherSession : world.session
        let key = binding == .otherKey ? world.otherKey : world.deviceKey
        let authentication: CBORDraft = .embedded([
            "DeviceAuthentication", .encoded(Array(session.transcript.encoded)),
            .text(binding == .otherDocType ? docType + "x" : docType), deviceNameSpaces,
        ])
        let payload = authentication.encode()
        let signature = { () throws in
            CBORDraft.Member(
                key: "deviceSignature",
                value: .encoded(
                    try COSESigner(algorithm: .es256).sign1(
                        payload, detached: true, with: key.privateKey, algorithm: .ecdsa(.sha256))))
        }
        let mac = { () throws in
            CBORDraft.Member(
                key: "deviceMac", value: .encoded(try session.mac(over: payload, deviceKey: key)))
        }
        switch binding {
        case .none: return []
        case .mac: return [try mac()]
        case .both: return [try signature(), try mac()]
        default: return [try signature()]
        }
    }
}

extension ReissuedDocument.Item {
    fileprivate mutating func set(_ member: String, _ value: CBORDraft) {
        if case .embedded(var item) = draft {
            item[.text(member)] = value
            draft = .embedded(item)
        }
    }

    /// The key under which the item's digest is listed: the item's own, as far as it has one.
    fileprivate var digestID: CBORDraft {
        if case .embedded(let item) = draft { item["digestID"] ?? 0 } else { 0 }
    }
}

extension HashAlgorithm {
    fileprivate var name: String {
        switch self {
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }
}

extension CBORDraft {
    /// Replaces the member at a path of names, or removes it where `value` is nil.
    fileprivate mutating func set(_ value: CBORDraft?, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        guard path.count > 1 else { return self[.text(name)] = value }
        guard var member = self[.text(name)] else { return }
        member.set(value, at: path.dropFirst())
        self[.text(name)] = member
    }
}
