package import JSON
internal import MdocModel

/// The state that the hub wants for a kiosk. The state is not signed, so it can only offer documents and stop
/// the kiosk.
package struct HubState: Equatable, Sendable {
    /// A document that the hub offers the kiosk.
    package struct Entry: Equatable, Sendable {
        package let level: FleetLevel
        package let version: Int64
        /// The SHA-256 of the document.
        package let digest: [UInt8]

        package init(level: FleetLevel, version: Int64, digest: [UInt8]) {
            self.level = level
            self.version = version
            self.digest = digest
        }
    }

    /// The sequence number and the digest of the latest receipt that the hub has stored. The number is 0 if
    /// the hub has no receipt.
    package struct Head: Equatable, Sendable {
        package let sequence: Int64
        package let digest: [UInt8]

        package init(sequence: Int64, digest: [UInt8]) {
            self.sequence = sequence
            self.digest = digest
        }
    }

    /// The header of the answer to `GET /fleet/v1/state` with the highest version of receipts that the hub knows,
    /// as a decimal number. A header is used because kiosks of earlier versions refuse an answer with a further
    /// member, and ignore a header.
    package static let receiptVersionHeader = "Countersign-Receipt-Version"

    package let isStopped: Bool
    package let documents: [Entry]
    package let receipts: Head
    /// The highest version of receipts that the hub knows: the value of `receiptVersionHeader`, or 1 if the hub
    /// sends no such header.
    package private(set) var receiptVersion: Int64 = 1

    package init(isStopped: Bool, documents: [Entry], receipts: Head) {
        self.isStopped = isStopped
        self.documents = documents
        self.receipts = receipts
    }

    package init(_ bytes: [UInt8]) throws(JSONFault) {
        let members = try JSONText(bytes[...]).members(["stopped", "documents", "receipts"])
        isStopped = try members.required("stopped").boolean()
        documents = try members.required("documents").array(upTo: FleetLevel.allCases.count).map {
            entry throws(JSONFault) in
            let members = try entry.members(["level", "version", "sha256"])
            let (level, version) = try members.levelAndVersion()
            return Entry(level: level, version: version, digest: try members.required("sha256").digest())
        }
        receipts = try Head(members.required("receipts"))
    }

    /// Returns a copy with the receipt version from the value of `receiptVersionHeader`. A missing or malformed
    /// value counts as version 1.
    func announcing(_ header: String?) -> HubState {
        var state = self
        state.receiptVersion = header.flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 1
        return state
    }

    package var json: JSONValue {
        [
            "stopped": .boolean(isStopped),
            "documents": .array(
                documents.map {
                    [
                        "level": .string($0.level.rawValue), "version": .integer($0.version),
                        "sha256": .string($0.digest.hexadecimal),
                    ]
                }),
            "receipts": receipts.json,
        ]
    }
}

extension HubState.Head {
    package init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["sequence", "digest"])
        sequence = try members.required("sequence").integer(in: 0...JSONValue.largestExactInteger)
        digest = try members.required("digest").digest()
    }

    package var json: JSONValue {
        ["sequence": .integer(sequence), "digest": .string(digest.hexadecimal)]
    }
}

/// The broker's address, and this kiosk's account and current password at the broker.
package struct BrokerAccess: Equatable, Sendable {
    package let host: String
    package let port: Int64
    package let user: String
    package let password: String

    package init(host: String, port: Int64, user: String, password: String) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    package init(_ bytes: [UInt8]) throws(JSONFault) {
        let members = try JSONText(bytes[...]).members(["host", "port", "user", "password"])
        host = try members.required("host").string(upTo: 253)
        port = try members.required("port").integer(in: 1...65535)
        user = try members.required("user").string(upTo: 64)
        password = try members.required("password").string(upTo: 128)
    }

    package var json: JSONValue {
        [
            "host": .string(host), "port": .integer(port), "user": .string(user),
            "password": .string(password),
        ]
    }
}

extension JSONText {
    /// Parses a SHA-256 in hexadecimal digits.
    func digest() throws(JSONFault) -> [UInt8] { try digest(named: string(upTo: 64)) }

    /// Parses `name` as a SHA-256 in hexadecimal digits. `name` is either the string value of this JSON
    /// member or the member's name. A fault is reported at this member.
    func digest(named name: String) throws(JSONFault) -> [UInt8] {
        guard let bytes = name.utf8.bytesOfHexadecimal, bytes.count == 32 else {
            throw wrong("must be a SHA-256 in 64 hexadecimal digits")
        }
        return bytes
    }
}

extension JSONTextMembers {
    /// Parses the members `level` and `version` of an entry.
    func levelAndVersion() throws(JSONFault) -> (level: FleetLevel, version: Int64) {
        (
            try required("level").word(),
            try required("version").integer(in: 1...JSONValue.largestExactInteger)
        )
    }
}
