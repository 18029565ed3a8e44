package import CBOR
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import RequestPlanner

extension ReceiptStatement {
    /// The deterministic encoding (RFC 8949 4.2.1).
    package func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("time", integer: time.secondsSince1970)
            map.set("lane", text: lane.text)
            map.set("kind", text: kind.rawValue)
            map.set("purpose", text: purpose.rawValue)
            map.set("questions", array: questions.map { $0.encoded() })
            map.set("verdict", text: verdict.rawValue)
            // A mock says it already.
            if hasTestDocument, verdict != .mock { map.set("test") { $0.boolean(true) } }
            map.set("reasons", array: reasons.map { reason in CBOREncoder.encode { $0.text(reason.id) } })
            map.set("documents", array: documents.map { $0.encoded() })
            if let trust {
                map.set("trustSnapshot", bytes: trust.snapshot.bytes)
                map.set("trustAge", integer: trust.ageSeconds)
            }
            map.set("policy", text: policy.text)
            map.set("software", text: software.text)
            map.set("retention", text: retention.name)
            map.set("method", text: method.rawValue)
            if let decision { map.set("decision", text: decision.rawValue) }
            if let outcome { map.set("outcome", text: outcome.rawValue) }
        }
    }

    /// Throws `receiptMalformed` for anything but what `encoded()` gives: also a member more, or another order.
    package init(_ item: CBORItem) throws(ReaderStoreError) {
        guard let statement = try? Self.read(item), item.encoded.elementsEqual(statement.encoded()) else {
            throw .receiptMalformed
        }
        self = statement
    }

    private static func read(_ item: CBORItem) throws -> ReceiptStatement {
        let map = try item.map()
        let trust = try map["trustSnapshot"].map { snapshot in
            let id = [UInt8](try snapshot.byteString())
            guard id.count == 32 else { throw ReaderStoreError.receiptMalformed }
            return Trust(
                snapshot: TrustSnapshot.ID(bytes: id),
                ageSeconds: try map["trustAge"].required().integer())
        }
        return ReceiptStatement(
            time: try Timestamp(received: map["time"].required().integer()).required(),
            lane: try map["lane"].label(), kind: try map["kind"].word(),
            purpose: try map["purpose"].word(),
            questions: try map["questions"].required().array().map { try ReceiptQuestion($0) },
            verdict: try map["verdict"].word(), hasTestDocument: try map["test"]?.boolean() ?? false,
            reasons: try map["reasons"].required().array().map {
                try ReceiptReason(parsing: $0.text()).required()
            },
            documents: try map["documents"].required().array().map { try ReceiptDocument($0) },
            trust: trust, policy: try map["policy"].label(), software: try map["software"].label(),
            retention: try RetentionProfile(map["retention"].required().text()).required(),
            method: try map["method"].word(),
            decision: try map["decision"].map { try Optional($0).word() },
            outcome: try map["outcome"].map { try Optional($0).word() })
    }
}

extension ReceiptQuestion {
    fileprivate func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("ask", text: subject.description)
            map.set("answer", text: answer.rawValue)
        }
    }

    fileprivate init(_ item: CBORItem) throws {
        let map = try item.map()
        let subject = try Subject(parsing: map["ask"].required().text()).required()
        self.init(subject, try map["answer"].word())
    }
}

extension ReceiptDocument {
    fileprivate func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("docType", text: docType.text)
            if let issuer {
                map.set("authority", text: issuer.authority)
                if let country = issuer.country { map.set("country", text: country) }
            }
            map.set("revocation", text: revocation.state.rawValue)
            if let age = revocation.ageSeconds { map.set("revocationAge", integer: age) }
        }
    }

    fileprivate init(_ item: CBORItem) throws {
        let map = try item.map()
        let state: String = try map["revocation"].required().text()
        self.init(
            docType: try map["docType"].label(),
            issuer: try map["authority"].map { authority in
                try Issuer(naming: authority.text(), in: map["country"]?.text()).required()
            },
            revocation: Revocation(
                state: try RevocationFinding.State(rawValue: state).required(),
                ageSeconds: try map["revocationAge"]?.integer()))
    }
}

extension Optional {
    fileprivate func required() throws -> Wrapped {
        guard let self else { throw ReaderStoreError.receiptMalformed }
        return self
    }
}

extension Optional<CBORItem> {
    fileprivate func label() throws -> ReceiptLabel {
        try ReceiptLabel(required().text()).required()
    }

    fileprivate func word<Word: RawRepresentable<String>>() throws -> Word {
        try Word(rawValue: required().text()).required()
    }
}

/// A CBOR map with text keys in the order of RFC 8949 4.2.1, so that one content has one encoding.
struct DeterministicMap {
    private var members: [(key: [UInt8], value: [UInt8])] = []

    mutating func set(_ key: String, _ write: (inout CBOREncoder) -> Void) {
        members.append((CBOREncoder.encode { $0.text(key) }, CBOREncoder.encode(write)))
    }

    mutating func set(_ key: String, text: String) {
        set(key) { $0.text(text) }
    }

    mutating func set(_ key: String, integer: Int64) {
        set(key) { $0.integer(integer) }
    }

    mutating func set(_ key: String, bytes: [UInt8]) {
        set(key) { $0.byteString(bytes) }
    }

    mutating func set(_ key: String, array items: [[UInt8]]) {
        set(key) { encoder in
            encoder.array(count: items.count)
            for item in items { encoder.encoded(item) }
        }
    }

    /// The keys must all be different.
    func encoded() -> [UInt8] {
        let ordered = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return CBOREncoder.encode { encoder in
            encoder.map(count: ordered.count)
            for member in ordered {
                encoder.encoded(member.key)
                encoder.encoded(member.value)
            }
        }
    }

    static func encode(_ body: (inout DeterministicMap) -> Void) -> [UInt8] {
        var map = DeterministicMap()
        body(&map)
        return map.encoded()
    }
}
