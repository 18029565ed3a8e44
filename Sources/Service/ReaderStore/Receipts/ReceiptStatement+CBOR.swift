package import CBOR
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderIdentityStore
internal import RequestPlanner

extension ReceiptStatement {
    /// Returns the deterministic encoding (RFC 8949 4.2.1).
    package func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("time", integer: time.secondsSince1970)
            map.set("lane", text: lane.text)
            map.set("kind", text: kind.rawValue)
            map.set("purpose", text: purpose.rawValue)
            map.set("questions", array: questions.map { $0.encoded() })
            map.set("verdict", text: verdict.rawValue)
            // The verdict `mock` already shows that a test issuer signed.
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
            map.set("method", text: method.name)
            if let decision { map.set("decision", text: decision.rawValue) }
            if let outcome { map.set("outcome", text: outcome.rawValue) }
            if let repeats { map.set("repeats", text: repeats.text) }
            setSecondVersion(in: &map)
        }
    }

    /// Adds the members of version 2. Adds nothing to a statement of version 1, which has no member `version`.
    private func setSecondVersion(in map: inout DeterministicMap) {
        guard version == 2 else { return }
        map.set("version", integer: version)
        if let engagement { map.set("engagement", text: engagement.rawValue) }
        if let proof {
            map.set("proof", text: proof.name)
            if let version = proof.circuitVersion { map.set("circuitVersion", integer: version) }
        }
        if let decisionSource {
            map.set("decidedFrom", text: decisionSource.name)
            if let person = decisionSource.person { map.set("decidedBy", bytes: person.bytes) }
        }
        if let manual = method.manual { map.set("manual") { $0.encoded(manual.encoded()) } }
    }

    /// Parses a statement of version 1 or 2. Throws `receiptMalformed` unless the bytes are exactly what
    /// `encoded()` gives, and if members contradict one another: an unknown member, another order of members
    /// or a member of version 2 without `version` is refused too.
    package init(_ item: CBORItem) throws(ReaderStoreError) {
        guard let statement = try? Self.read(item), statement.isConsistent,
            item.encoded.elementsEqual(statement.encoded())
        else { throw .receiptMalformed }
        self = statement
    }

    private static func read(_ item: CBORItem) throws -> ReceiptStatement {
        let map = try item.map()
        let trust = try map["trustSnapshot"].map { snapshot in
            let id = [UInt8](try snapshot.byteString())
            guard id.count == 32 else { throw ReaderStoreError.receiptMalformed }
            return Trust(
                snapshot: TrustSnapshot.ID(bytes: id),
                ageSeconds: try map["trustAge"].orMalformed().integer())
        }
        return ReceiptStatement(
            time: try Timestamp(received: map["time"].orMalformed().integer()).orMalformed(),
            lane: try map["lane"].label(), kind: try map["kind"].word(),
            purpose: try map["purpose"].word(),
            questions: try map["questions"].orMalformed().array().map { try ReceiptQuestion($0) },
            verdict: try map["verdict"].word(), hasTestDocument: try map["test"]?.boolean() ?? false,
            reasons: try map["reasons"].orMalformed().array().map {
                try ReceiptReason(parsing: $0.text()).orMalformed()
            },
            documents: try map["documents"].orMalformed().array().map { try ReceiptDocument($0) },
            trust: trust, policy: try map["policy"].label(), software: try map["software"].label(),
            retention: try RetentionProfile(map["retention"].orMalformed().text()).orMalformed(),
            method: try Method(
                map["method"].orMalformed().text(), manual: map["manual"].map { try ManualCheck($0) }
            ).orMalformed(),
            // `word()` is a function of `CBORItem?` that throws for `nil`. Through `map` it is not called for
            // an absent member, which stays `nil`.
            decision: try map["decision"].map { try Optional($0).word() },
            outcome: try map["outcome"].map { try Optional($0).word() },
            repeats: try map["repeats"].map { try Optional($0).label() },
            engagement: try map["engagement"].map { try Optional($0).word() },
            proof: try map["proof"].map { proof in
                try Proof(proof.text(), circuitVersion: map["circuitVersion"]?.integer()).orMalformed()
            },
            decidedFrom: try map["decidedFrom"].map { from in
                let person = try map["decidedBy"].map { by in
                    try PersonPseudonym([UInt8](by.byteString())).orMalformed()
                }
                return try DecisionSource(from.text(), person: person).orMalformed()
            })
    }
}

extension ReceiptStatement.ManualCheck {
    fileprivate func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("seen", text: seen.rawValue)
            map.set("why", text: why.rawValue)
        }
    }

    fileprivate init(_ item: CBORItem) throws {
        let map = try item.map()
        self.init(seen: try map["seen"].word(), why: try map["why"].word())
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
        let subject = try Subject(parsing: map["ask"].orMalformed().text()).orMalformed()
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
        let state: String = try map["revocation"].orMalformed().text()
        self.init(
            docType: try map["docType"].label(),
            issuer: try map["authority"].map { authority in
                try Issuer(naming: authority.text(), in: map["country"]?.text()).orMalformed()
            },
            revocation: Revocation(
                state: try RevocationFinding.State(rawValue: state).orMalformed(),
                ageSeconds: try map["revocationAge"]?.integer()))
    }
}
